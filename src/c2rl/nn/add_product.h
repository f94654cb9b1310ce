#pragma once

#include <algorithm>

#include <Eigen/Core>

namespace c2rl {

/// sum += left * right, in the columns of the sum from `begin` to before `end`, with no memory from the heap: Eigen
/// copies blocks of its operands, to the stack as long as a block is within its limit, so the product is done in tiles
/// whose blocks are. Tiles are the same wherever columns begin. Nothing may overlap.
template <typename Sum, typename Left, typename Right>
void add_product(Sum& sum, const Left& left, const Right& right, Eigen::Index begin, Eigen::Index end) {
  constexpr Eigen::Index kBlock = EIGEN_STACK_ALLOCATION_LIMIT / sizeof(typename Sum::Scalar);
  constexpr Eigen::Index kSide = 128;
  constexpr Eigen::Index kDepth = kBlock / kSide;
  for (Eigen::Index k = 0; k < left.cols(); k += kDepth) {
    const Eigen::Index depth = std::min(kDepth, left.cols() - k);
    for (Eigen::Index j = begin, next = 0; j < end; j = next) {
      next = std::min((j / kSide + 1) * kSide, end);
      const Eigen::Index cols = next - j;
      for (Eigen::Index i = 0; i < sum.rows(); i += kSide) {
        const Eigen::Index rows = std::min(kSide, sum.rows() - i);
        sum.block(i, j, rows, cols).noalias() +=
            left.block(i, k, rows, depth) * right.block(k, j, depth, cols);
      }
    }
  }
}

/// In pieces of matrices that begin at multiples of this, a column comes out the same, to the bit, as in the whole: Eigen
/// goes through columns, and through the numbers in them, in groups of up to 16, and does differently with those that are
/// left over in the end, and with matrices so small that groups are not worth it.
inline constexpr int kColumnsTogether = 32;

/// The first column of piece `index` of `of`; there may be less to do than there are pieces, and then some are empty.
inline int piece_begin(int columns, int index, int of) {
  return index == of ? columns : columns / kColumnsTogether * index / of * kColumnsTogether;
}

}  // namespace c2rl
