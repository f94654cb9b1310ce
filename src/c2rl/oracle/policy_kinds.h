#pragma once

#include <functional>
#include <string>

#include "c2rl/base/kinds.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/mdp/policy.h"

namespace c2rl {

/// A kind of policy, as files name it.
struct PolicyKind : KindInfo {
  /// The policy that has these `metadata` and `arrays`; an InputError says what does not fit.
  std::function<PolicyPtr(const Safetensors& content)> load;
};

Kinds<PolicyKind>& policy_kinds();

/// One safetensors file, which is whole or not there. Its metadata say the policy's kind.
void save_policy(const std::string& path, const Policy& policy);

/// Whatever the file holds, this gives the policy that was saved or an InputError that names the file and
/// says what is wrong, be it that the policy was made for another world.
PolicyPtr load_policy(const std::string& path, const World& world);

}  // namespace c2rl
