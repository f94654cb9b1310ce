#include "c2rl/oracle/policy_kinds.h"

#include "c2rl/base/error.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {

PolicyKind network_policy_kind();
PolicyKind token_policy_kind();

/// Here because tabular policies live below this room.
PolicyKind tabular_policy_kind() {
  PolicyKind kind;
  kind.name = TabularPolicy::kKind;
  kind.summary = "a table of actions, or of their probabilities, by state and time";
  kind.load = [](const Safetensors& content) { return TabularPolicy::from_arrays(content.tensors); };
  return kind;
}

Kinds<PolicyKind>& policy_kinds() {
  static Kinds<PolicyKind> kinds("policy",
                                 {tabular_policy_kind(), network_policy_kind(), token_policy_kind()});
  return kinds;
}

namespace {

constexpr const char* kKindEntry = "kind";  // of a file's metadata

}  // namespace

std::string save_policy(const std::string& path, const Policy& policy, Sync sync) {
  auto metadata = policy.metadata();
  metadata[kKindEntry] = policy.kind();
  return write_safetensors(path, {std::move(metadata), policy.arrays()}, sync);
}

PolicyPtr load_policy(const std::string& path, const World& world) {
  return policy_from(read_safetensors(path), world, path);
}

PolicyPtr policy_from(const Safetensors& content, const World& world, const std::string& file) {
  const auto kind = content.metadata.find(kKindEntry);
  if (kind == content.metadata.end())
    throw InputError({.file = file}, "is no policy: its metadata name no kind");
  try {
    PolicyPtr policy = policy_kinds().find(kind->second).load(content);
    policy->check_fits(world);
    return policy;
  } catch (const InputError& error) {
    throw error.within({.file = file});
  }
}

}  // namespace c2rl
