#include "c2rl/report/experiment_data.h"

#include <filesystem>
#include <map>

#include "c2rl/report/drawn_numbers.h"
#include "c2rl/report/experiment_statistics.h"
#include "c2rl/run/experiment_file.h"

namespace c2rl {
namespace {

Json spreads_json(const std::vector<Spread>& spreads) {
  static constexpr std::pair<const char*, double Spread::*> kFields[] = {
      {"mean", &Spread::mean},          {"sd", &Spread::deviation},        {"median", &Spread::median},
      {"q1", &Spread::quartile1},       {"q3", &Spread::quartile3},        {"iqm", &Spread::middle},
      {"iqm_low", &Spread::middle_low}, {"iqm_high", &Spread::middle_high}};
  Json json;
  for (const auto& [name, field] : kFields) {
    Json values = Json::array();
    for (const Spread& spread : spreads) values.push_back(drawn(spread.*field));
    json[name] = std::move(values);
  }
  return json;
}

Json course_json(const Course& course) {
  return {{"at", drawn(course.places)},
          {"error", spreads_json(course.error)},
          {"policies", spreads_json(course.policies)}};
}

Json series_json(const Series& series, const Bootstrap& bootstrap) {
  Json json = {{"method", series.method},
               {"problem", series.problem},
               {"variants", series.variants},
               {"cells", series.cells.size()}};
  json["calls"] = course_json(course_of(series, Clock::calls, bootstrap));
  json["steps"] = course_json(course_of(series, Clock::steps, bootstrap));
  json["seconds"] = course_json(course_of(series, Clock::seconds, bootstrap));
  return json;
}

}  // namespace

bool is_experiment(const std::string& directory) {
  return std::filesystem::exists(std::filesystem::path(directory) / ExperimentFile::kName);
}

Json experiment_data(const std::string& directory) {
  const ExperimentFile file = read_experiment_file(directory);
  const std::vector<Series> all = collect(file.cells, directory);
  std::size_t done = 0;
  std::map<std::size_t, Bootstrap> bootstraps;  // by the number of runs
  Json series = Json::array();
  for (const Series& entry : all) {
    done += entry.cells.size();
    const auto& bootstrap =
        bootstraps.try_emplace(entry.cells.size(), static_cast<int>(entry.cells.size())).first;
    series.push_back(series_json(entry, bootstrap->second));
  }
  bool all_hold = true;
  Json axes = Json::array();
  for (const Experiment::Axis& axis : file.experiment.axes) axes.push_back(axis.name);
  return {{"kind", "experiment"},
          {"name", file.experiment.name},
          {"cells", file.cells.size()},
          {"done", done},
          {"seeds", file.experiment.seeds},
          {"axes", std::move(axes)},
          {"series", std::move(series)},
          {"overview", overview(file.experiment, all)},
          {"claims", judge_claims(file.experiment, all, all_hold)},
          {"all_hold", all_hold}};
}

}  // namespace c2rl
