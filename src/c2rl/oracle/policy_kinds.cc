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

void save_policy(const std::string& path, const Policy& policy) {
  auto metadata = policy.metadata();
  metadata[kKindEntry] = policy.kind();
  write_safetensors(path, {std::move(metadata), policy.arrays()});
}

PolicyPtr load_policy(const std::string& path) {
  const Safetensors content = read_safetensors(path);
  const auto kind = content.metadata.find(kKindEntry);
  if (kind == content.metadata.end())
    throw InputError({.file = path}, "is no policy: its metadata name no kind");
  try {
    return policy_kinds().find(kind->second).load(content);
  } catch (const InputError& error) {
    throw error.within({.file = path});
  }
}

}  // namespace c2rl
