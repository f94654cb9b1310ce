#include "c2rl/oracle/token_policy.h"

#include <cstring>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/policy_kinds.h"

namespace c2rl {
namespace {

constexpr const char* kField = "token";

}  // namespace

TokenPolicy::TokenPolicy(std::string token) : token_(std::move(token)) {
  const auto fail = [](const std::string& found) {
    throw InputError({.field = kField},
                     fmt::format("found {}, expected 1 to {} printable ASCII characters, without slashes and "
                                 "not beginning with a dot",
                                 found, kLongest));
  };
  if (token_.empty()) fail("none");
  if (token_.size() > kLongest) fail(fmt::format("{} characters", token_.size()));
  if (token_.front() == '.') fail("a dot at the beginning");
  for (const char c : token_) {
    if (c < ' ' || c > '~') fail(fmt::format("a character of code {}", static_cast<unsigned char>(c)));
    if (c == '/' || c == '\\') fail(fmt::format("a '{}'", c));
  }
}

PolicyPtr TokenPolicy::from_arrays(const std::vector<Tensor>& arrays) {
  if (arrays.size() != 1 || arrays[0].name != kField || arrays[0].type != "U8" || arrays[0].shape.size() != 1)
    throw InputError({.field = kField}, "expected one array of bytes, and nothing else");
  const std::vector<std::byte>& bytes = arrays[0].bytes;
  return std::make_shared<TokenPolicy>(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void TokenPolicy::action_probabilities(const Observations& /*observations*/, int /*step*/,
                                       Eigen::Ref<Matrix> /*probabilities*/) const {
  throw InputError(
      {.field = "policy"},
      "is a token, which only the program that found it can follow; expected one for this world");
}

void TokenPolicy::check_fits(const World& world) const {
  if (world.can_be_acted_in()) {
    throw InputError({.field = "policy"},
                     "is a token of a program; expected one that acts, as in this world anyone can");
  }
}

std::vector<Tensor> TokenPolicy::arrays() const {
  std::vector<std::byte> bytes(token_.size());
  std::memcpy(bytes.data(), token_.data(), token_.size());
  return {{kField, "U8", {static_cast<std::int64_t>(token_.size())}, std::move(bytes)}};
}

PolicyKind token_policy_kind() {
  PolicyKind kind;
  kind.name = TokenPolicy::kKind;
  kind.summary = "what the program of a command oracle calls one of its policies";
  kind.load = [](const Safetensors& content) { return TokenPolicy::from_arrays(content.tensors); };
  return kind;
}

}  // namespace c2rl
