#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/vector.h"

namespace c2rl {

/// What was saved is not what is to be restored: another program wrote it, or for something else.
struct UnfitState : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Everything that a computation goes on from, named once for saving and restoring alike:
///
///   void visit(StateVisitor& state) { state.value("steps", steps_); state.values("table", table_); }
///
/// Bytes are kept as they lie in memory, so that what is restored is the same to the last bit. Restoring,
/// whatever does not fit is an UnfitState, and part of the fields may have been filled in by then.
class StateVisitor {
 public:
  static StateVisitor saving(Safetensors& into) { return {&into, nullptr}; }
  static StateVisitor restoring(const Safetensors& from) { return {nullptr, &from}; }

  bool restores() const { return from_ != nullptr; }

  template <typename T>
  void value(const std::string& name, T& value) {
    values(name, std::span(&value, 1));
  }
  void value(const std::string& name, bool& value);
  void value(const std::string& name, Rng& rng);
  /// As many as there are, of anything that lies in memory one behind the other.
  template <typename Array>
  void values(const std::string& name, Array&& array) {
    const std::span all(array.data(), static_cast<std::size_t>(array.size()));
    static_assert(std::is_trivially_copyable_v<std::remove_reference_t<decltype(all[0])>>);
    bytes(name, std::as_writable_bytes(all));
  }
  /// However many there are, up to `most`.
  template <typename T>
  void list(const std::string& name, std::vector<T>& list, std::size_t most) {
    if (restores()) list.resize(count(name, sizeof(T), most));
    values(name, list);
  }
  void list(const std::string& name, Vector& list, std::size_t most);
  /// Arrays and text of any kind.
  void content(const std::string& name, Safetensors& content);

  /// Restoring, an UnfitState unless it holds of what has been filled in.
  void expect(bool fits, const std::string& name) const;

 private:
  StateVisitor(Safetensors* into, const Safetensors* from) : into_(into), from_(from) {}
  void bytes(const std::string& name, std::span<std::byte> bytes);
  const Tensor& saved(const std::string& name) const;
  std::size_t count(const std::string& name, std::size_t size, std::size_t most) const;

  Safetensors* into_;
  const Safetensors* from_;
};

}  // namespace c2rl
