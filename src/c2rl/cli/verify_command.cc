#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/table.h"
#include "c2rl/run/certificate_file.h"
#include "c2rl/run/verify_run.h"

namespace c2rl {
namespace {

struct Options {
  std::string run;
  std::optional<std::string> certificate;
  std::int64_t episodes = 0;
  std::int64_t seed = 0;
  bool json = false;
};

std::string describe(const std::vector<Checked>& checks) {
  std::vector<std::vector<std::string>> rows;
  int proven = 0, failed = 0;
  for (const Checked& check : checks) {
    rows.push_back({check.subject, to_string(check.standing), check.words});
    proven += check.standing == Standing::proven;
    failed += check.standing == Standing::failed;
  }
  std::string text;
  for (const std::vector<std::string>& row : rows)
    text += fmt::format("  {:<12} {:<9} {}\n", row[0], row[1], row[2]);
  if (failed > 0)
    return text + fmt::format("\nNot verified: {} of {} checks failed.\n", failed, checks.size());
  if (proven == std::ssize(checks)) return text + "\nVerified: everything is proven.\n";
  return text + "\nVerified: nothing contradicts the run; what is marked evidence is not proven.\n";
}

Json to_json(const std::vector<Checked>& checks) {
  Json json = {{"holds", holds(checks)}, {"checks", Json::array()}};
  for (const Checked& check : checks) {
    json["checks"].push_back(
        {{"subject", check.subject},
         {"standing", check.standing == Standing::failed ? "failed" : to_string(check.standing)},
         {"words", check.words}});
  }
  return json;
}

int run_verify(const Options& options, const Console& console) {
  if (options.episodes < 0) throw InputError({.field = "--episodes"}, "expected a whole number, 0 or more");
  if (!std::filesystem::exists(options.run + "/problem.toml"))
    throw InputError({.file = options.run}, "is no run: it has no problem.toml");
  const std::vector<Checked> checks = verify_run(
      options.run, {.episodes = options.episodes, .seed = static_cast<std::uint64_t>(options.seed)});
  console.out << (options.json ? to_text(to_json(checks), 2) + "\n" : describe(checks));
  if (!holds(checks)) return 4;
  if (options.certificate) {
    write_file(*options.certificate, certificate_text(options.run));
    if (!options.json) console.out << fmt::format("Certificate written to {}.\n", *options.certificate);
  }
  return 0;
}

}  // namespace

void describe_verify(Command& command) {
  command.example(
      "Examples:\n  c2rl verify runs/navigation\n"
      "  c2rl verify runs/navigation --certificate certificate.json\n"
      "  python3 examples/check_certificate.py certificate.json\n\n"
      "Checks a finished run anew, with nothing of the solver that found it: its files, that the result "
      "follows from\n"
      "the record, weights, J of every policy, the mixture, the claim and the certificate. J is computed and "
      "the\n"
      "certificate planned where there is a model; else fresh episodes tell. Nothing is changed.\n\n"
      "Exit status: 0 everything holds, 4 something does not, 2 bad input.");
  const auto options = std::make_shared<Options>();
  command.argument("RUN", options->run, "run directory");
  command.option("--certificate", options->certificate,
                 "write what proves the claim, as JSON that needs nothing of c2rl to be checked");
  command.option("--episodes", options->episodes,
                 "of each policy, where there is no model; 0: as many as the claim rests on");
  command.option("--seed", options->seed, "of these");
  command.flag("--json", options->json, "the checks as JSON, and nothing else");
  command.does([options](const Console& console) { return run_verify(*options, console); });
}

}  // namespace c2rl
