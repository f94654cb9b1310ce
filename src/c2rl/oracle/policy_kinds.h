#pragma once

#include <functional>
#include <string>

#include "c2rl/base/kinds.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/mdp/policy.h"

namespace c2rl {

/// A kind of policy, as files name it.
struct PolicyKind : KindInfo {
  /// The policy that has these `metadata` and `arrays`; an InputError says what does not fit.
  std::function<PolicyPtr(const Safetensors& content)> load;
};

Kinds<PolicyKind>& policy_kinds();

/// One safetensors file, which is whole or not there; its seal is returned. Its metadata say the policy's kind.
std::string save_policy(const std::string& path, const Policy& policy, Sync sync = Sync::yes);
/// The same, but what it shares with other policies is in a file beside it, which several name. That is there before
/// the other is.
std::string save_policy_sharing(const std::string& path, const Policy& policy, Sync sync = Sync::yes);

/// Whether a file of this name may hold what policies share.
bool is_shared_file(const std::string& name);
/// The name of such a file that a policy's content leaves arrays to; empty where it is whole by itself.
std::string shared_file_of(const Safetensors& content);
/// What was read from `file`, with what it leaves to a file beside it. An InputError names that where it is missing,
/// damaged or another than the policy was saved with.
Safetensors with_shared(Safetensors content, const std::string& file);

/// The bytes of such a file, for policy_from after parse_safetensors.
std::string policy_bytes(const Policy& policy);

/// Whatever the file holds, this gives the policy that was saved or an InputError that names the file and
/// says what is wrong, be it that the policy was made for another world.
PolicyPtr load_policy(const std::string& path, const World& world);
/// The same for what was read from a file, with what it shares.
PolicyPtr policy_from(const Safetensors& content, const World& world, const std::string& file);

/// A policy, or none, as part of what something goes on from.
void visit_policy(StateVisitor& state, const std::string& name, const World& world, PolicyPtr& policy);

}  // namespace c2rl
