#pragma once

#include <concepts>
#include <span>
#include <stdexcept>

#include <Eigen/Core>

namespace c2rl {

/// What a batch of episodes sees, or does: for each an index (of its state, of its action) where these are
/// numbered, else a column of real numbers. A view: what it was made from must outlive it.
class Signals {
 public:
  template <std::convertible_to<std::span<const int>> Indices>
  Signals(const Indices& indices)
      : indices_(indices), are_indices_(true), size_(static_cast<int>(indices_.size())) {}
  Signals(const Eigen::MatrixXf& values) : Signals(values, static_cast<int>(values.cols())) {}
  /// The first `size` columns.
  Signals(const Eigen::MatrixXf& values, int size)
      : are_indices_(false), values_(values.data()), rows_(static_cast<int>(values.rows())), size_(size) {
    if (size < 0 || size > values.cols()) throw std::logic_error("signals: more columns than there are");
  }

  int size() const { return size_; }
  bool are_indices() const { return are_indices_; }
  /// Empty where they are real numbers.
  std::span<const int> indices() const { return indices_; }
  /// Without rows where they are indices.
  Eigen::Map<const Eigen::MatrixXf> values() const { return {values_, rows_, size_}; }

 private:
  std::span<const int> indices_;
  bool are_indices_;
  const float* values_ = nullptr;
  int rows_ = 0;
  int size_ = 0;
};

using Observations = Signals;
using Actions = Signals;

}  // namespace c2rl
