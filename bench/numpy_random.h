#pragma once

#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "c2rl/base/vector.h"

namespace c2rl {

/// The stream of numpy.random.RandomState(seed), which numpy keeps frozen: rand() and randn() to the last
/// bit, but for what the C library's log may differ in.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : bits_(seed) {}

  double uniform() {  // 53 bits
    const auto high = static_cast<double>(bits_() >> 5), low = static_cast<double>(bits_() >> 6);
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

  double normal() {  // Marsaglia's polar method, which makes two at a time
    if (second_) return *std::exchange(second_, std::nullopt);
    double x = 0, y = 0, square = 0;
    while (square >= 1 || square == 0) {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    }
    const double factor = std::sqrt(-2 * std::log(square) / square);
    second_ = factor * x;
    return factor * y;
  }

  Vector uniform_vector(int size) {
    Vector result(size);
    for (double& value : result) value = uniform();
    return result;
  }

  Vector normal_vector(int size) {
    Vector result(size);
    for (double& value : result) value = normal();
    return result;
  }

 private:
  std::mt19937 bits_;
  std::optional<double> second_;
};

}  // namespace c2rl
