#include "c2rl/oracle/command.h"

#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/oracle/conversation.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/token_policy.h"

namespace c2rl {
namespace {

/// 0 where there is no limit that could be reached.
std::int64_t memory_bytes(double mebibytes) {
  constexpr double kMost = 1e12;
  return mebibytes < kMost ? static_cast<std::int64_t>(mebibytes * (1 << 20)) : 0;
}

/// A whole number that every language's JSON can hold.
std::int64_t seed_of(const Rng& rng) {
  return static_cast<std::int64_t>(rng.fork("seed").bits() >> 11U);
}

std::int64_t count_in(const JsonObject& json, const std::string& field, double most) {
  if (!json.has(field)) return 0;
  const std::int64_t count = json.integer(field);
  if (count < 0 || static_cast<double>(count) > most)
    throw InputError({.field = field}, fmt::format("found {}, expected 0 to {:.0f}", count, most));
  return count;
}

const std::string& token_of(const Policy& policy) {
  const auto* known = dynamic_cast<const TokenPolicy*>(&policy);
  if (known) return known->token();
  throw InputError({.field = "policy"},
                   fmt::format("found one of kind {}, expected one of kind {}, which is all "
                               "that the oracle's program knows",
                               policy.kind(), TokenPolicy::kKind));
}

}  // namespace

void CommandOptions::visit(OptionVisitor& visitor) {
  visitor.described("command", "a list of texts", "",
                    "the program, looked up in PATH, and its arguments; it speaks JSON lines, as "
                    "docs/command-oracle.md says");
  visitor.path("directory", directory, "that the command runs in; relative to the problem file",
               OptionVisitor::Presence::optional);
  visitor.integer("evaluation_episodes", evaluation_episodes, between(2, 1e8),
                  "those that it is asked for to measure a policy, where its answer does not say J");
  visitor.number("memory_limit", memory_limit, {.lowest = 1, .infinite = true},
                 "MiB of address space that the program, and each that it starts, may have");
}

CommandOracle::CommandOracle(std::vector<std::string> measurements, std::vector<TotalRange> ranges,
                             const CommandOptions& options)
    : measurements_(std::move(measurements)), ranges_(std::move(ranges)), options_(options) {
  check_options(options_);
  if (options_.command.empty() || options_.command[0].empty())
    throw InputError({.field = "command"}, "found no program, expected its name and its arguments");
}

CommandOracle::~CommandOracle() = default;

void CommandOracle::log_to(const std::string& file) const {
  const std::lock_guard lock(mutex_);
  log_ = file;
}

/// Talks to the program, which is started where it does not run. Where that fails it is ended: nobody knows
/// what it would say next.
template <typename Talk>
auto CommandOracle::talk(const Pulse& listener, Talk conversing) const {
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock()) {
    pulse(listener);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  try {
    if (!conversation_) {
      const SubprocessOptions options{.command = options_.command,
                                      .directory = options_.directory,
                                      .memory_limit = memory_bytes(options_.memory_limit),
                                      .log = log_};
      conversation_ = std::make_unique<Conversation>(options, measurements_, listener);
    }
    return conversing(*conversation_);
  } catch (const SubprocessFailed& error) {
    conversation_.reset();
    throw OracleFailed(error.what());
  } catch (const InputError& error) {
    conversation_.reset();
    throw OracleFailed(fmt::format("'{}' answered wrongly: {}", options_.command[0], error.what()));
  } catch (...) {
    conversation_.reset();
    throw;
  }
}

Vector CommandOracle::totals_of_episode(const Json& json) const {
  Vector total = vector_from_json(json, "totals");
  if (total.size() != dim())
    throw InputError({.field = "totals"},
                     fmt::format("found an episode with {} numbers, expected {}", total.size(), dim()));
  for (int i = 0; i < dim(); ++i) {
    const TotalRange range = ranges_.empty() ? TotalRange() : ranges_[static_cast<std::size_t>(i)];
    const double rounding = 1e-9 * (1 + std::abs(total[i]));
    if (!std::isfinite(total[i]) || total[i] < range.lowest - rounding || total[i] > range.highest + rounding)
      throw InputError({.field = "totals"},
                       fmt::format("found an episode with {} of {}, expected a finite number{}", total[i],
                                   measurements_[static_cast<std::size_t>(i)],
                                   ranges_.empty() ? ""
                                                   : fmt::format(" from {} to {}, as environment.range says",
                                                                 format_number(range.lowest),
                                                                 format_number(range.highest))));
  }
  return total;
}

EpisodeTotals CommandOracle::episodes_of(const JsonObject& json) const {
  const Json& rows = json.at("totals");
  if (!rows.is_array() || rows.empty())
    throw InputError({.field = "totals"}, "expected a list with a list of numbers for each episode");
  EpisodeTotals episodes{.totals = Matrix(dim(), static_cast<Eigen::Index>(rows.size()))};
  for (std::size_t i = 0; i < rows.size(); ++i)
    episodes.totals.col(static_cast<Eigen::Index>(i)) = totals_of_episode(rows[i]);
  const auto count = static_cast<int>(rows.size());
  episodes.env_steps = count_in(json, "steps", kMostSteps);
  episodes.truncated = static_cast<int>(count_in(json, "cut", count));
  episodes.terminated = count - episodes.truncated;
  return episodes;
}

EpisodeTotals CommandOracle::evaluate(Conversation& conversation, const std::string& token,
                                      std::int64_t first, int count, const Rng& rng,
                                      const Progress& progress) const {
  if (!conversation.evaluates()) {
    throw OracleFailed(
        fmt::format("'{}' cannot evaluate, so that only what it computes can be used: expected a "
                    "measurement in its answer",
                    options_.command[0]));
  }
  const Json json = conversation.ask(
      {{"do", "evaluate"}, {"token", token}, {"first", first}, {"episodes", count}, {"seed", seed_of(rng)}},
      progress);
  EpisodeTotals episodes = episodes_of(JsonObject(json));
  if (episodes.totals.cols() != count)
    throw InputError({.field = "totals"},
                     fmt::format("found {} episodes, expected {}", episodes.totals.cols(), count));
  return episodes;
}

EpisodeTotals CommandOracle::draw(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                                  const Pulse& listener) const {
  const std::string& token = token_of(policy);
  return talk(listener, [&](Conversation& conversation) {
    return evaluate(conversation, token, first, count, rng, [&](double) { pulse(listener); });
  });
}

OracleAnswer CommandOracle::answer(const OracleCall& call) const {
  // Finding a policy is most of a call; what it measures is the rest.
  constexpr double kFound = 0.9;
  const auto* start = dynamic_cast<const TokenPolicy*>(call.start.get());
  const Json question = {{"do", "minimize"},
                         {"direction", to_json(call.direction)},
                         {"effort", call.effort},
                         {"seed", seed_of(call.rng)},
                         {"enough", std::isfinite(call.enough) ? Json(call.enough) : Json()},
                         {"start", start ? Json(start->token()) : Json()}};
  return talk(
      [&] { call.report(0); },
      [&](Conversation& conversation) {
        const Json json = conversation.ask(question, [&](double part) { call.report(kFound * part); });
        const JsonObject found(json);
        OracleAnswer answer;
        answer.policy = std::make_shared<TokenPolicy>(found.text("token"));
        answer.steps.training = count_in(found, "training_steps", kMostSteps);
        if (found.has("measurement")) {
          answer.measurement = found.vector("measurement");
          answer.standard_error = Vector::Zero(dim());
          answer.computed = true;
          answer.exact = found.has("slack");
          if (answer.exact) answer.slack = found.number("slack");
          return answer;
        }
        answer.episodes = found.has("totals") && conversation.evaluates()
                              ? episodes_of(found)
                              : evaluate(conversation, found.text("token"), 0, options_.evaluation_episodes,
                                         call.rng.fork("evaluation"),
                                         [&](double part) { call.report(kFound + (1 - kFound) * part); });
        const Estimate measured = summarise(answer.episodes);
        answer.measurement = measured.measurement;
        answer.standard_error = measured.standard_error;
        answer.steps.evaluation += measured.env_steps;
        return answer;
      });
}

OracleKind command_kind() {
  constexpr double kHour = 3600;
  OracleKind kind;
  kind.name = "command";
  kind.summary = "any program that speaks JSON lines, in a world of its own";
  kind.options = list_options<CommandOptions>();
  kind.brings_world = true;
  kind.time_limit = kHour;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    CommandOptions options;
    options.command = section.text_list("command");
    return std::make_unique<CommandOracle>(world.measurements, world.ranges, read_options(section, options));
  };
  return kind;
}

}  // namespace c2rl
