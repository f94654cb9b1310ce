#include "c2rl/oracle/policy_kinds.h"

#include <algorithm>
#include <filesystem>

#include "c2rl/base/error.h"
#include "c2rl/base/seal.h"
#include "c2rl/base/text.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/network_file.h"

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

/// Of a file that leaves arrays to another: its name, beside it, and its seal.
constexpr const char *kSharedFile = "shared_file", *kSharedSeal = "shared_seal";
constexpr std::string_view kSharedPrefix = "shared-", kSuffix = ".safetensors";
/// Digits of the seal that name a shared file.
constexpr std::size_t kDigits = 16;

/// The inverse of policy_from.
Safetensors content_of(const Policy& policy) {
  auto metadata = policy.metadata();
  metadata[kKindEntry] = policy.kind();
  if (const auto shared = policy.shared(); !shared.empty()) metadata[kSharedArrays] = join(shared, ",");
  return {std::move(metadata), policy.arrays()};
}

std::string shared_name(const std::string& seal) {
  const std::size_t digits = seal.find(':') + 1;
  return std::string(kSharedPrefix) + seal.substr(digits, kDigits) + std::string(kSuffix);
}

std::string beside(const std::string& file, const std::string& name) {
  return std::filesystem::path(file).replace_filename(name);
}

}  // namespace

std::string save_policy(const std::string& path, const Policy& policy, Sync sync) {
  return write_safetensors(path, content_of(policy), sync);
}

std::string policy_bytes(const Policy& policy) {
  return to_bytes(content_of(policy));
}

std::string save_policy_sharing(const std::string& path, const Policy& policy, Sync sync) {
  Safetensors own = content_of(policy), common;
  const std::vector<std::string> shared = policy.shared();
  if (shared.empty()) return write_safetensors(path, own, sync);
  for (const Tensor& array : own.tensors) {
    if (std::ranges::find(shared, array.name) != shared.end()) common.tensors.push_back(array);
  }
  std::erase_if(own.tensors,
                [&](const Tensor& array) { return std::ranges::find(shared, array.name) != shared.end(); });
  const std::string bytes = to_bytes(common), seal = seal_of(bytes);
  own.metadata[kSharedFile] = shared_name(seal);
  own.metadata[kSharedSeal] = seal;
  const std::string file = beside(path, shared_name(seal));
  // One that is there already is what it is named by, unless it was damaged since.
  if (!std::filesystem::exists(file) || read_file(file) != bytes) write_file(file, bytes, sync);
  return write_safetensors(path, own, sync);
}

bool is_shared_file(const std::string& name) {
  return name.size() == kSharedPrefix.size() + kDigits + kSuffix.size() && name.starts_with(kSharedPrefix) &&
         name.ends_with(kSuffix) &&
         name.find_first_not_of("0123456789abcdef", kSharedPrefix.size()) == kSharedPrefix.size() + kDigits;
}

std::string shared_file_of(const Safetensors& content) {
  const auto name = content.metadata.find(kSharedFile);
  return name == content.metadata.end() ? "" : name->second;
}

Safetensors with_shared(Safetensors content, const std::string& file) {
  const std::string name = shared_file_of(content);
  if (name.empty()) return content;
  // A name that a file gives leads nowhere else.
  if (!is_shared_file(name))
    throw InputError(
        {.file = file, .field = kSharedFile},
        "found a name that no shared file has, expected one as shared-0123456789abcdef.safetensors");
  const std::string path = beside(file, name);
  Safetensors shared = read_safetensors(path);
  if (shared.seal.empty() || shared.seal != content.metadata[kSharedSeal])
    throw InputError({.file = path}, "is another than the policy " + file + " was saved with");
  for (Tensor& array : shared.tensors) content.tensors.push_back(std::move(array));
  content.metadata.erase(kSharedFile);
  content.metadata.erase(kSharedSeal);
  return content;
}

PolicyPtr load_policy(const std::string& path, const World& world) {
  return policy_from(with_shared(read_safetensors(path), path), world, path);
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
