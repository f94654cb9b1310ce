#pragma once

// Counts what a test program takes from the heap. It replaces functions of the C library, so that one file of
// a program includes it. The address sanitizer has replacements of its own: there nothing is counted, and
// C2RL_COUNTS_ALLOCATIONS is not defined.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define C2RL_COUNTS_ALLOCATIONS

#include <cstddef>
#include <cstdlib>

#include <Eigen/Core>

namespace c2rl {
/// By this thread, so far.
inline thread_local long allocations = 0;
}  // namespace c2rl

// The C library's own, by the names under which it keeps them for replacements like these. Eigen takes memory
// from malloc, the standard library from operator new, which calls malloc.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) noexcept {
  ++c2rl::allocations;
  return __libc_malloc(size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  ++c2rl::allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  ++c2rl::allocations;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}
}

#endif
