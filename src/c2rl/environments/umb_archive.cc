#include "c2rl/environments/umb_archive.h"

#include <bit>

#include "c2rl/base/tar.h"

namespace c2rl {

UmbArchive::UmbArchive(std::string_view bytes, const std::string& file)
    : file_(file), files_(files_of_tar(bytes, file)) {
  const auto found = files_.find("index.json");
  if (found == files_.end()) fail("", "the archive has no index.json: it is no UMB file");
  try {
    index_ = parse_json(found->second);
    read_index();
  } catch (const InputError& error) {
    throw error.within({.file = file_, .field = "index.json"});
  }
}

void UmbArchive::read_index() {
  const JsonObject all(index_);
  if (const auto version = all.integer("format-version"); version != 1)
    fail("format-version", fmt::format("found {}, expected 1", version));
  const JsonObject system(all.at("transition-system"), "transition-system.");
  if (const std::string time = system.text("time"); time != "discrete")
    fail("transition-system.time", fmt::format("found \"{}\", expected \"discrete\": an MDP or DTMC", time));
  if (const auto players = system.integer("#players"); players < 0 || players > 1)
    fail("transition-system.#players", fmt::format("found {}, expected 0 or 1", players));
  if (system.integer("#observations") != 0)
    fail("transition-system.#observations", "found observations, which an MDP or DTMC has not");
  expect_double(system.at("branch-probability-type"), "transition-system.branch-probability-type");
  states_ = static_cast<int>(count(system, "#states", std::int64_t{1} << 31));
  choices_ = count(system, "#choices", std::int64_t{1} << 48);
  branches_ = count(system, "#branches", std::int64_t{1} << 48);
  if (states_ == 0) fail("transition-system.#states", "found 0, expected at least 1");
}

std::int64_t UmbArchive::count(const JsonObject& system, const std::string& field, std::int64_t most) const {
  const std::int64_t value = system.integer(field);
  if (value < 0 || value >= most)
    fail("transition-system." + field, fmt::format("found {}, expected a number below 2^{}", value,
                                                   std::bit_width(std::uint64_t(most)) - 1));
  return value;
}

void UmbArchive::expect_double(const Json& type, const std::string& field) const {
  const std::string found = JsonObject(type, field + ".").text("type");
  if (found != "double") fail(field, fmt::format("found numbers of type \"{}\", expected \"double\"", found));
}

void UmbArchive::expect_doubles(const std::string& group, const std::string& id) const {
  const std::string field = fmt::format("annotations.{}.{}", group, id);
  expect_double(JsonObject(index_.at("annotations").at(group).at(id), field + ".").at("type"),
                field + ".type");
}

std::vector<std::pair<std::string, std::string>> UmbArchive::annotations(const std::string& group) const {
  std::vector<std::pair<std::string, std::string>> result;
  if (!index_.contains("annotations") || !index_["annotations"].is_object()) return result;
  const Json& groups = index_["annotations"];
  if (!groups.contains(group)) return result;
  if (!groups[group].is_object())
    fail("index.json", fmt::format("annotations.{}: expected an object", group));
  for (const auto& [id, annotation] : groups[group].items()) {
    const JsonObject object(annotation, fmt::format("annotations.{}.{}.", group, id));
    result.emplace_back(id, object.has("alias") ? object.text("alias") : id);
  }
  return result;
}

std::vector<bool> UmbArchive::bits(const std::string& name, std::size_t count) const {
  const UmbIndices words = indices(name, (count + 63) / 64);
  std::vector<bool> result(count, false);
  for (std::size_t i = 0; words && i < count; ++i) result[i] = words[i / 64] >> (i % 64) & 1;
  return result;
}

UmbIndices UmbArchive::intervals(const std::string& name, std::int64_t count, std::int64_t total,
                                 std::int64_t first, std::int64_t last) const {
  const UmbIndices begin = indices(name, std::size_t(count) + 1);
  if (!begin) {
    if (count != total)
      fail(name, fmt::format("is not there, which means one each, but {} have {} in all", count, total));
    return begin;
  }
  for (std::int64_t i = first; i <= last; ++i) {
    const std::uint64_t least = i == first ? 0 : begin[i - 1];
    const std::uint64_t most = i == 0 ? 0 : std::uint64_t(total);
    if (begin[i] < least || begin[i] > most || (i == count && begin[i] != most))
      fail(name,
           fmt::format("found {} at place {}, expected intervals in order from 0 to {}", begin[i], i, total));
  }
  return begin;
}

}  // namespace c2rl
