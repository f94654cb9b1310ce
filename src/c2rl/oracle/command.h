#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "c2rl/base/options.h"
#include "c2rl/mdp/limits.h"
#include "c2rl/oracle/conversation.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

struct CommandOptions {
  std::vector<std::string> command;
  std::string directory = ".";  // that the command runs in
  int evaluation_episodes = 1000;
  double memory_limit = kInfinity;  // MiB

  /// Ranges and reasons; the command and its directory are read by the kind.
  void visit(OptionVisitor& visitor);
};

/// Any program that speaks JSON lines, as docs/command-oracle.md says: it finds policies in a world of its own,
/// gives them names, and runs episodes of them when asked. It is started when it is first needed, and again
/// after it has failed; one that hangs, dies or talks nonsense is an OracleFailed that says so.
///
/// What it answers must follow from the question alone. Questions of several threads take turns.
class CommandOracle final : public Oracle {
 public:
  /// The program measures these, each within its range in every episode; no ranges: nothing is known of them.
  /// An InputError names the option that is out of its range.
  CommandOracle(std::vector<std::string> measurements, std::vector<TotalRange> ranges,
                const CommandOptions& options);
  ~CommandOracle() override;

  int dim() const override { return static_cast<int>(measurements_.size()); }

  EpisodeTotals draw(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                     const Pulse& listener) const override;
  void log_to(const std::string& file) const override;

 private:
  OracleAnswer answer(const OracleCall& call) const override;
  template <typename Talk>
  auto talk(const Pulse& listener, Talk conversing) const;
  EpisodeTotals evaluate(Conversation& conversation, const std::string& token, std::int64_t first, int count,
                         const Rng& rng, const Progress& progress) const;
  EpisodeTotals episodes_of(const JsonObject& json) const;
  Vector totals_of_episode(const Json& json) const;

  std::vector<std::string> measurements_;
  std::vector<TotalRange> ranges_;
  CommandOptions options_;
  mutable std::mutex mutex_;
  mutable std::string log_;
  mutable std::unique_ptr<Conversation> conversation_;  // with the program, while it runs
};

}  // namespace c2rl
