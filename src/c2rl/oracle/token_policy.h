#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "c2rl/mdp/policy.h"

namespace c2rl {

/// A policy that only the program which found it can follow, known by the name that it has there, or by a text
/// that says all of it.
class TokenPolicy final : public Policy {
 public:
  static constexpr const char* kKind = "token";
  static constexpr std::size_t kLongest = 1 << 20;  // bytes

  /// Printable ASCII without slashes, so that a token which is used as the name of a file stays in its
  /// directory. An InputError says what is wrong.
  explicit TokenPolicy(std::string token);
  static PolicyPtr from_arrays(const std::vector<Tensor>& arrays);

  const std::string& token() const { return token_; }

  std::string kind() const override { return kKind; }
  bool is_stationary() const override { return false; }
  /// An InputError: it can be followed nowhere but in its program.
  void action_probabilities(const Observations& observations, int step,
                            Eigen::Ref<Matrix> probabilities) const override;
  void check_fits(const World& world) const override;
  std::vector<Tensor> arrays() const override;

 private:
  std::string token_;
};

}  // namespace c2rl
