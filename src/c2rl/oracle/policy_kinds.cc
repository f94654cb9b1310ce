#include "c2rl/oracle/policy_kinds.h"

#include "c2rl/base/error.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {

PolicyKind network_policy_kind();
PolicyKind gaussian_policy_kind();
PolicyKind token_policy_kind();
PolicyKind object_policy_kind();

/// Here because tabular policies live below this room.
PolicyKind tabular_policy_kind() {
  PolicyKind kind;
  kind.name = TabularPolicy::kKind;
  kind.summary = "a table of actions, or of their probabilities, by state and time";
  kind.load = [](const Safetensors& content) { return TabularPolicy::from_arrays(content.tensors); };
  return kind;
}

Kinds<PolicyKind>& policy_kinds() {
  static Kinds<PolicyKind> kinds(
      "policy", {tabular_policy_kind(), network_policy_kind(), gaussian_policy_kind(), token_policy_kind(),
                 object_policy_kind()});
  return kinds;
}

namespace {

constexpr const char* kKindEntry = "kind";  // of a file's metadata

/// The inverse of policy_from.
Safetensors content_of(const Policy& policy) {
  auto metadata = policy.metadata();
  metadata[kKindEntry] = policy.kind();
  return {std::move(metadata), policy.arrays()};
}

}  // namespace

std::string save_policy(const std::string& path, const Policy& policy, Sync sync) {
  return write_safetensors(path, content_of(policy), sync);
}

std::string policy_bytes(const Policy& policy) {
  return to_bytes(content_of(policy));
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

void visit_policy(StateVisitor& state, const std::string& name, const World& world, PolicyPtr& policy) {
  bool there = policy != nullptr;
  state.value("has_" + name, there);
  Safetensors content;
  if (policy && !state.restores()) content = content_of(*policy);
  state.content(name, content);
  if (!state.restores()) return;
  try {
    policy = there ? policy_from(content, world, name) : nullptr;
  } catch (const InputError& error) {
    throw UnfitState(error.what());
  }
}

}  // namespace c2rl
