#pragma once

#include <span>
#include <vector>

#include <Eigen/Dense>

namespace c2rl {

/// What a batch of episodes sees: for each the index of its state where states are numbered, else a column
/// of features. A view: what it was made from must outlive it.
class Observations {
 public:
  Observations(std::span<const int> states) : states_(states), size_(static_cast<int>(states.size())) {}
  Observations(const std::vector<int>& states) : Observations(std::span<const int>(states)) {}
  Observations(const Eigen::MatrixXf& features) : Observations(features, static_cast<int>(features.cols())) {}
  /// The first `size` columns.
  Observations(const Eigen::MatrixXf& features, int size)
      : features_(features.data()), rows_(static_cast<int>(features.rows())), size_(size) {}

  int size() const { return size_; }
  bool are_states() const { return features_ == nullptr; }
  std::span<const int> states() const { return states_; }
  Eigen::Map<const Eigen::MatrixXf> features() const { return {features_, rows_, size_}; }

 private:
  std::span<const int> states_;
  const float* features_ = nullptr;
  int rows_ = 0;
  int size_ = 0;
};

}  // namespace c2rl
