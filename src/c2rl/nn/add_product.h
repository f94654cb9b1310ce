#pragma once

#include <algorithm>

#include <Eigen/Core>

namespace c2rl {

/// sum += left * right, with no memory from the heap: Eigen copies blocks of its operands, to the stack as
/// long as a block is within its limit, so the product is done in tiles whose blocks are. Nothing may
/// overlap.
template <typename Sum, typename Left, typename Right>
void add_product(Sum& sum, const Left& left, const Right& right) {
  constexpr Eigen::Index kBlock = EIGEN_STACK_ALLOCATION_LIMIT / sizeof(typename Sum::Scalar);
  constexpr Eigen::Index kSide = 128;
  constexpr Eigen::Index kDepth = kBlock / kSide;
  for (Eigen::Index k = 0; k < left.cols(); k += kDepth) {
    const Eigen::Index depth = std::min(kDepth, left.cols() - k);
    for (Eigen::Index j = 0; j < sum.cols(); j += kSide) {
      const Eigen::Index cols = std::min(kSide, sum.cols() - j);
      for (Eigen::Index i = 0; i < sum.rows(); i += kSide) {
        const Eigen::Index rows = std::min(kSide, sum.rows() - i);
        sum.block(i, j, rows, cols).noalias() +=
            left.block(i, k, rows, depth) * right.block(k, j, depth, cols);
      }
    }
  }
}

}  // namespace c2rl
