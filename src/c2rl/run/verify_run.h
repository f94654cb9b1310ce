#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "c2rl/run/problem.h"

namespace c2rl {

/// How sure something is that a run says.
enum class Standing { proven, evidence, failed };
std::string to_string(Standing standing);

/// One thing that was checked, and what came of it.
struct Checked {
  std::string subject;
  Standing standing = Standing::proven;
  std::string words;
};

struct VerifyOptions {
  std::int64_t episodes = 0;  // of each policy, where episodes must tell; 0: as many as the claim rests on
  std::uint64_t seed = 0;     // of these
};

/// Checks a finished run anew, with nothing of the solver that found it: that its files are whole, that the result
/// is what the record comes to, weights, J of every policy (computed where there is a model, else on fresh
/// episodes), the mixture, its distance, what is claimed of it, and the certificate, by planning where there is a
/// model. Nothing is written.
/// Of a run in a world of the calling program's, that program brings what is asked there.
std::vector<Checked> verify_run(const std::string& path, const VerifyOptions& options,
                                const Provided& provided = {});

/// Whether nothing failed.
bool holds(const std::vector<Checked>& checks);

}  // namespace c2rl
