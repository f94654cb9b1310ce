#include "c2rl/oracle/object_policy.h"

#include <cstring>
#include <utility>

#include "c2rl/base/error.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/policy_kinds.h"

namespace c2rl {
namespace {

constexpr const char *kName = "name", *kObject = "object";

Tensor tensor_of(const std::string& name, const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return {name, "U8", {static_cast<std::int64_t>(text.size())}, std::move(bytes)};
}

}  // namespace

ObjectPolicy::ObjectPolicy(std::string name, std::shared_ptr<const PolicyObject> object)
    : name_(std::move(name)), object_(std::move(object)) {}

ObjectPolicy::ObjectPolicy(std::string name, std::string bytes)
    : name_(std::move(name)), bytes_(std::move(bytes)) {}

PolicyPtr ObjectPolicy::from_arrays(const std::vector<Tensor>& arrays) {
  std::string texts[2];
  for (const Tensor& tensor : arrays) {
    if ((tensor.name != kName && tensor.name != kObject) || tensor.type != "U8" || tensor.shape.size() != 1)
      throw InputError({.field = tensor.name}, "expected two arrays of bytes, name and object");
    texts[tensor.name == kObject].assign(reinterpret_cast<const char*>(tensor.bytes.data()),
                                         tensor.bytes.size());
  }
  if (arrays.size() != 2) throw InputError("expected two arrays of bytes, name and object");
  return std::make_shared<ObjectPolicy>(std::move(texts[0]), std::move(texts[1]));
}

std::string ObjectPolicy::bytes() const {
  std::shared_ptr<const PolicyObject> object;
  {
    const std::lock_guard lock(mutex_);
    if (!bytes_.empty() || !object_) return bytes_;
    object = object_;
  }
  // Without the lock: the program may be waiting for another of its own.
  std::string saved = object->bytes();
  const std::lock_guard lock(mutex_);
  if (bytes_.empty()) bytes_ = std::move(saved);
  return bytes_;
}

std::shared_ptr<const PolicyObject> ObjectPolicy::object() const {
  const std::lock_guard lock(mutex_);
  return object_;
}

void ObjectPolicy::make(std::shared_ptr<const PolicyObject> object) const {
  const std::lock_guard lock(mutex_);
  object_ = std::move(object);
}

bool ObjectPolicy::same_as(const ObjectPolicy& other) const {
  const auto mine = object(), theirs = other.object();
  return mine && theirs ? mine->same_as(*theirs) : name_ == other.name_;
}

void ObjectPolicy::action_probabilities(const Observations& /*observations*/, int /*step*/,
                                        Eigen::Ref<Matrix> /*probabilities*/) const {
  throw InputError({.field = "policy"},
                   "is an object of the program that found it, which alone can follow it; expected one that "
                   "acts here");
}

void ObjectPolicy::check_fits(const World& world) const {
  if (world.can_be_acted_in()) {
    throw InputError({.field = "policy"},
                     "is an object of a program; expected one that acts, as in this world anyone can");
  }
}

std::vector<Tensor> ObjectPolicy::arrays() const {
  return {tensor_of(kName, name_), tensor_of(kObject, bytes())};
}

PolicyKind object_policy_kind() {
  PolicyKind kind;
  kind.name = ObjectPolicy::kKind;
  kind.summary = "what a Python program saves one of its policies as";
  kind.load = [](const Safetensors& content) { return ObjectPolicy::from_arrays(content.tensors); };
  return kind;
}

}  // namespace c2rl
