#include "c2rl/run/experiment_file.h"

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/json.h"

namespace c2rl {
namespace {

Json names_json(const std::vector<Variant>& variants) {
  Json json = Json::array();
  for (const Variant& variant : variants) json.push_back(variant.name);
  return json;
}

std::vector<Variant> variants_from(const std::vector<std::string>& names) {
  std::vector<Variant> variants;
  variants.reserve(names.size());
  for (const std::string& name : names) variants.push_back({name, {}});
  return variants;
}

Json claim_json(const Expectation& claim) {
  return {{"says", claim.says},
          {"method", claim.method},
          {"problem", claim.problem},
          {"where", claim.where},
          {"quantity", claim.quantity},
          {"accuracy", to_json(claim.accuracy)},
          {"at_most", to_json(claim.at_most)},
          {"than", claim.than},
          {"factor", to_json(claim.factor)}};
}

Expectation claim_from(const JsonObject& json) {
  return {.says = json.text("says"),
          .method = json.text("method"),
          .problem = json.text("problem"),
          .where = json.text("where"),
          .quantity = json.text("quantity"),
          .accuracy = json.number("accuracy"),
          .at_most = json.number("at_most"),
          .than = json.text("than"),
          .factor = json.number("factor")};
}

Json cell_json(const Cell& cell) {
  return {{"name", cell.name},         {"method", cell.method}, {"problem", cell.problem},
          {"variants", cell.variants}, {"seed", cell.seed},     {"fingerprint", cell.fingerprint}};
}

Cell cell_from(const JsonObject& json) {
  Cell cell{.name = json.text("name"),
            .method = json.text("method"),
            .problem = json.text("problem"),
            .variants = json.texts("variants"),
            .seed = static_cast<int>(json.integer("seed")),
            .file = {},
            .overrides = {},
            .fingerprint = json.text("fingerprint")};
  if (!is_file_name(cell.name)) throw InputError({.field = "cells.name"}, "expected the name of a file");
  return cell;
}

ExperimentFile file_from(const JsonObject& json) {
  ExperimentFile file;
  Experiment& experiment = file.experiment;
  experiment.name = json.text("name");
  experiment.seeds = static_cast<int>(json.integer("seeds"));
  for (const double accuracy : json.vector("accuracies")) experiment.accuracies.push_back(accuracy);
  for (const std::string& name : json.texts("problems")) experiment.problems.push_back({name, "", {}});
  experiment.methods = variants_from(json.texts("methods"));
  for (const Json& entry : json.at("axes")) {
    const JsonObject axis(entry, "axes.");
    experiment.axes.push_back({axis.text("name"), variants_from(axis.texts("variants"))});
  }
  for (const Json& entry : json.at("claims"))
    experiment.expectations.push_back(claim_from(JsonObject(entry, "claims.")));
  for (const Json& entry : json.at("cells")) {
    file.cells.push_back(cell_from(JsonObject(entry, "cells.")));
    if (file.cells.back().variants.size() != experiment.axes.size())
      throw InputError({.field = "cells.variants"}, "expected one of each axis");
  }
  return file;
}

}  // namespace

std::string to_text(const ExperimentFile& file) {
  const Experiment& experiment = file.experiment;
  Json json = {{"name", experiment.name}, {"seeds", experiment.seeds}};
  json["accuracies"] = Json::array();
  for (const double accuracy : experiment.accuracies) json["accuracies"].push_back(to_json(accuracy));
  json["problems"] = Json::array();
  for (const Experiment::Problem& problem : experiment.problems) json["problems"].push_back(problem.name);
  json["methods"] = names_json(experiment.methods);
  json["axes"] = Json::array();
  for (const Experiment::Axis& axis : experiment.axes)
    json["axes"].push_back({{"name", axis.name}, {"variants", names_json(axis.variants)}});
  json["claims"] = Json::array();
  for (const Expectation& claim : experiment.expectations) json["claims"].push_back(claim_json(claim));
  json["cells"] = Json::array();
  for (const Cell& cell : file.cells) json["cells"].push_back(cell_json(cell));
  return to_text(json, 1) + "\n";
}

ExperimentFile parse_experiment_file(const std::string& text, const std::string& file) {
  try {
    const Json json = parse_json(text);
    return file_from(JsonObject(json));
  } catch (const InputError& error) {
    throw error.within({.file = file});
  }
}

void write_experiment_file(const ExperimentFile& file, const std::string& directory) {
  write_file(directory + "/" + ExperimentFile::kName, to_text(file));
}

ExperimentFile read_experiment_file(const std::string& directory) {
  const std::string path = directory + "/" + ExperimentFile::kName;
  return parse_experiment_file(read_file(path), path);
}

}  // namespace c2rl
