#include "c2rl/run/repertoire.h"

#include <algorithm>
#include <cmath>

#include "c2rl/base/error.h"
#include "c2rl/oracle/object_policy.h"

namespace c2rl {
namespace {

bool same_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) {
    return x.name == y.name && x.shape == y.shape && x.bytes == y.bytes;
  });
}

}  // namespace

void Repertoire::add(const CallRecord& record) {
  std::string seal = record.seal;
  if (record.policy && directory_) seal = directory_->save_policy(record);
  if (!record.seal.empty() && seal != record.seal) {
    throw InputError({.file = directory_->path() + "/" + RunDirectory::policy_file(record.call)},
                     "was lost, and the oracle has found another policy in its place");
  }
  held_[record.call] = {record.policy, record.found, std::move(seal)};
  points_[record.call] = record.found.point;
}

void Repertoire::pool(int call, const Measured& more) {
  Measured& measured = held_.at(call).measured;
  measured.merge(more);
  points_[call] = measured.point;
}

void Repertoire::keep_only(const std::vector<int>& calls) {
  std::vector<int> kept = calls;
  std::ranges::sort(kept);
  std::erase_if(held_, [&](const auto& entry) {
    if (std::ranges::binary_search(kept, entry.first)) return false;
    if (directory_) directory_->remove_policy(entry.first);
    return true;
  });
}

const PolicyPtr& Repertoire::policy(int call) const {
  const Held& held = held_.at(call);
  if (held.policy) return held.policy;
  try {
    held.policy = directory_->load_policy(RunDirectory::policy_file(call), world_, held.seal);
  } catch (const InputError& error) {
    throw LostPolicy{call, error.what()};  // NOLINT(bugprone-std-exception-baseclass)
  }
  return held.policy;
}

std::vector<int> Repertoire::calls() const {
  std::vector<int> calls;
  calls.reserve(held_.size());
  for (const auto& [call, held] : held_) calls.push_back(call);
  return calls;
}

int Repertoire::find_same(const Policy& policy) const {
  if (const auto* object = dynamic_cast<const ObjectPolicy*>(&policy)) {
    for (const auto& [call, held] : held_) {
      const auto* other = dynamic_cast<const ObjectPolicy*>(this->policy(call).get());
      if (other && other->same_as(*object)) return call;
    }
    return 0;
  }
  const std::vector<Tensor> tensors = policy.arrays();
  for (const auto& [call, held] : held_) {
    const Policy& other = *this->policy(call);
    if (other.kind() == policy.kind() && same_tensors(other.arrays(), tensors)) return call;
  }
  return 0;
}

int Repertoire::best(const Vector& direction) const {
  const auto value = [&](const auto& entry) { return direction.dot(entry.second.measured.point); };
  return std::ranges::min_element(held_, {}, value)->first;
}

double Repertoire::least(const Vector& direction) const {
  double least = kInfinity;
  for (const auto& [call, point] : points_) least = std::min(least, direction.dot(point));
  return least;
}

std::vector<Member> Repertoire::members(const Mixture& mixture) const {
  std::vector<Member> members;
  members.reserve(mixture.ids.size());
  for (int i = 0; i < mixture.size(); ++i)
    members.push_back({mixture.weights[i], &measured(mixture.ids[static_cast<std::size_t>(i)])});
  return members;
}

double Repertoire::error_along(const Mixture& mixture, const Vector& direction) const {
  double variance = 0;
  for (const Member& member : members(mixture))
    variance += std::pow(member.weight * member.measured->error_along(direction), 2);
  return std::sqrt(variance);
}

}  // namespace c2rl
