#include "c2rl/run/recollection.h"

#include "c2rl/base/error.h"
#include "c2rl/run/repertoire.h"

namespace c2rl {

void Recollection::add(CallRecord& record) {
  if (record.memory.empty() && record.memory_seal.empty()) return;
  if (!record.memory.empty() && directory_ && directory_->is_writable()) {
    const std::string seal = directory_->save_memory(record);
    if (!record.memory_seal.empty() && seal != record.memory_seal) {
      throw InputError({.file = directory_->path() + "/" + RunDirectory::memory_file(record.call)},
                       "was lost, and the oracle has left something else in its place");
    }
    record.memory_seal = seal;
  }
  held_[record.call] = {std::move(record.memory), record.memory_seal};
  record.memory.clear();
}

std::vector<MemoryPtr> Recollection::all() const {
  std::vector<MemoryPtr> all;
  for (const auto& [call, held] : held_) {
    if (held.left.empty()) {
      try {
        held.left = directory_->load_memory(call, held.seal);
      } catch (const InputError& error) {
        throw LostPolicy{call, error.what()};  // NOLINT(bugprone-std-exception-baseclass)
      }
    }
    all.insert(all.end(), held.left.begin(), held.left.end());
  }
  return all;
}

}  // namespace c2rl
