#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "c2rl/mdp/policy.h"

namespace c2rl {

/// What a policy is to the program that calls the library: an object there.
class PolicyObject {
 public:
  virtual ~PolicyObject() = default;
  /// What it is saved as; empty where it cannot be.
  virtual std::string bytes() const = 0;
  /// Whether both do the same everywhere; false where that is not known.
  virtual bool same_as(const PolicyObject& other) const = 0;
};

/// A policy that only the program which calls the library can follow. In a file it is whatever bytes that program makes of
/// it.
class ObjectPolicy final : public Policy {
 public:
  static constexpr const char* kKind = "object";

  /// `name` says where it came from.
  ObjectPolicy(std::string name, std::shared_ptr<const PolicyObject> object);
  /// One that was read: the program makes the object when it is needed.
  ObjectPolicy(std::string name, std::string bytes);
  static PolicyPtr from_arrays(const std::vector<Tensor>& arrays);

  const std::string& name() const { return name_; }
  /// Saved when they are first asked for.
  std::string bytes() const;
  /// Null until it is made.
  std::shared_ptr<const PolicyObject> object() const;
  void make(std::shared_ptr<const PolicyObject> object) const;
  bool same_as(const ObjectPolicy& other) const;

  std::string kind() const override { return kKind; }
  bool is_stationary() const override { return false; }
  /// An InputError: it can be followed nowhere but in its program.
  void action_probabilities(const Observations& observations, int step,
                            Eigen::Ref<Matrix> probabilities) const override;
  void check_fits(const World& world) const override;
  std::vector<Tensor> arrays() const override;

 private:
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const PolicyObject> object_;
  mutable std::string bytes_;
};

}  // namespace c2rl
