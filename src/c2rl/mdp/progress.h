#pragma once

#include <functional>

namespace c2rl {

/// Called every now and then by work that takes long, on the thread that asked for it. What it throws ends the
/// work. An empty one: nobody listens.
using Pulse = std::function<void()>;
/// The same, told how much is done, from 0 to 1.
using Progress = std::function<void(double part)>;

inline void pulse(const Pulse& listener) {
  if (listener) listener();
}
inline void pulse(const Progress& listener, double part) {
  if (listener) listener(part);
}

}  // namespace c2rl
