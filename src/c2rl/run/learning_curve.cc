#include "c2rl/run/learning_curve.h"

#include <algorithm>
#include <filesystem>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/run/run_files.h"

namespace c2rl {

void LearningCurve::add(int attempt, const LearningMark& mark) {
  if (!attempts_.contains(attempt)) every_ = 1, skipped_ = 0;
  std::vector<LearningMark>& marks = attempts_[attempt];
  if (!mark.checked && ++skipped_ < every_) return;
  if (!mark.checked) skipped_ = 0;
  marks.push_back(mark);
  if (marks.size() <= kMost) return;
  every_ *= 2;
  bool keep = false;
  std::erase_if(marks, [&](const LearningMark& one) { return !one.checked && (keep = !keep, !keep); });
}

void append_learning(const RunDirectory& directory, int call, const LearningCurve& curve) {
  Json json = {{"call", call}, {"attempts", Json::array()}};
  for (const auto& [attempt, marks] : curve.attempts()) {
    Json steps = Json::array(), values = Json::array(), checked = Json::array();
    for (const LearningMark& mark : marks) {
      steps.push_back(mark.steps);
      values.push_back(to_json(mark.value));
      checked.push_back(mark.checked);
    }
    json["attempts"].push_back(
        {{"attempt", attempt}, {"steps", steps}, {"value", values}, {"checked", checked}});
  }
  const std::string path = directory.path() + "/" + kLearning;
  if (!std::filesystem::exists(path)) write_file(path, "", Sync::no);
  append_to_file(path, to_text(json) + "\n", Sync::no);
}

std::map<int, LearningCurve> read_learning(const std::string& directory) {
  const std::string path = directory + "/" + kLearning;
  return std::filesystem::exists(path) ? parse_learning(read_file(path)) : std::map<int, LearningCurve>();
}

std::map<int, LearningCurve> parse_learning(std::string_view text) {
  std::map<int, LearningCurve> curves;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    try {
      const Json line = parse_json(text.substr(begin, end - begin));
      const JsonObject object(line);
      LearningCurve curve;
      for (const Json& entry : object.at("attempts")) {
        const JsonObject attempt(entry);
        const Vector values = attempt.vector("value");
        const Json &steps = attempt.at("steps"), &checked = attempt.at("checked");
        if (!steps.is_array() || !checked.is_array()) throw InputError("expected lists");
        for (std::size_t i = 0;
             i < std::min({static_cast<std::size_t>(values.size()), steps.size(), checked.size()}); ++i) {
          if (!steps[i].is_number_integer() || !checked[i].is_boolean()) throw InputError("expected a mark");
          curve.add(
              static_cast<int>(attempt.integer("attempt")),
              {steps[i].get<std::int64_t>(), values[static_cast<Eigen::Index>(i)], checked[i].get<bool>()});
        }
      }
      curves[static_cast<int>(object.integer("call"))] = std::move(curve);
    } catch (const InputError&) {
      // A line that was cut off: there is no curve of this call.
    }
    begin = end + 1;
  }
  return curves;
}

}  // namespace c2rl
