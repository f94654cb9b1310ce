#include "c2rl/base/json.h"
#include "c2rl/base/seal.h"
#include "c2rl/run/experiment_file.h"
#include "c2rl/run/learning_curve.h"
#include "c2rl/run/record_json.h"
#include "c2rl/run/result_json.h"
#include "c2rl/run/run_problem.h"
#include "expect.h"
#include "targets.h"

namespace c2rl {

int fuzz_json(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    const Json json = parse_json(text_of(bytes, size));
    for (const int indent : {-1, 2})
      expect(read_again([&] { return parse_json(to_text(json, indent)); }) == json, "the same JSON again");
  });
}

int fuzz_record(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    const Json written = to_json(record_from_json(parse_json(text_of(bytes, size))));
    const Json again = to_json(read_again([&] { return record_from_json(parse_json(to_text(written))); }));
    expect(to_text(again) == to_text(written), "the same record again");
  });
}

int fuzz_result(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    const std::string written = to_json_text(parse_result(std::string(text_of(bytes, size)), "fuzz"));
    const Result again = read_again([&] { return parse_result(written, "fuzz"); });
    expect(to_json_text(again) == written, "the same result again");
  });
}

int fuzz_experiment(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    const std::string written = to_text(parse_experiment_file(std::string(text_of(bytes, size)), "fuzz"));
    const ExperimentFile again = read_again([&] { return parse_experiment_file(written, "fuzz"); });
    expect(to_text(again) == written, "the same experiment again");
  });
}

int fuzz_learning(const std::uint8_t* bytes, std::size_t size) {
  const auto curves = parse_learning(text_of(bytes, size));
  for (const auto& [call, curve] : curves) {
    for (const auto& [attempt, marks] : curve.attempts()) expect(!marks.empty(), "marks of an attempt");
  }
  return curves.empty() ? -1 : 0;
}

int fuzz_run_problem(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    std::string text(text_of(bytes, size));
    if (text.find(kBlankSeal) != text.npos) text = sealed(std::move(text));
    const RunProblem problem = parse_run_problem(text, "fuzz");
    expect(to_text(problem) == text, "the text that was read");
    expect(differences(problem, problem).empty(), "no difference from itself");
  });
}

}  // namespace c2rl
