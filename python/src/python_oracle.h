#pragma once

#include <memory>
#include <string>
#include <vector>

#include "c2rl/oracle/object_policy.h"
#include "c2rl/oracle/oracle.h"
#include "callbacks.h"
#include "python_object.h"

namespace c2rl::python {

/// The oracle's Keeper (c2rl/_oracle.py), while it is there: a run that is over knows its policies, and not the oracle, which
/// may know the run. Used with the interpreter's lock held.
class KeeperLink {
 public:
  /// An InputError where it is gone.
  const nanobind::object& get() const;
  void set(const nanobind::object& keeper) { keeper_ = PythonObject(keeper); }
  void clear() { keeper_ = {}; }

 private:
  PythonObject keeper_;
};

/// A policy that is a Python object.
class PythonPolicyObject final : public PolicyObject {
 public:
  PythonPolicyObject(PythonObject policy, std::shared_ptr<KeeperLink> keeper,
                     std::shared_ptr<Failure> failure)
      : policy_(std::move(policy)), keeper_(std::move(keeper)), failure_(std::move(failure)) {}

  std::string bytes() const override;
  bool same_as(const PolicyObject& other) const override;
  /// With the lock held.
  const nanobind::object& policy() const { return policy_.get(); }

 private:
  PythonObject policy_;
  std::shared_ptr<KeeperLink> keeper_;
  std::shared_ptr<Failure> failure_;
};

/// The object itself, made from its bytes where it was read from a file. With the lock held.
nanobind::object object_of(const Policy& policy, const std::shared_ptr<KeeperLink>& keeper,
                           const std::shared_ptr<Failure>& failure);

/// A Python object with `minimize`, by its Keeper, which checks what it returns.
class PythonOracle final : public Oracle {
 public:
  PythonOracle(int dim, std::shared_ptr<KeeperLink> keeper, std::shared_ptr<Failure> failure);

  int dim() const override { return dim_; }
  bool goes_on() const override { return goes_on_; }
  EpisodeTotals draw(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                     const Pulse& listener) const override;

 private:
  OracleAnswer answer(const OracleCall& call) const override;
  EpisodeTotals totals_of(const nanobind::object& episodes) const;

  int dim_;
  std::shared_ptr<KeeperLink> keeper_;
  std::shared_ptr<Failure> failure_;
  bool goes_on_ = false;
};

}  // namespace c2rl::python
