#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace c2rl {

/// Sparse rows, sixteen side by side: the first entries of sixteen rows, then their second ones, and so on, so that what they need
/// of x is gathered for all of them at once. Where x is larger than a core's own cache this is nearly twice as fast as row by
/// row. Rows that are shorter than the longest of their sixteen have entries of 0. An entry has two factors: one in single
/// precision, for products with vectors, and one in double precision.
class SlicedRows {
 public:
  static constexpr int kLanes = 16;

  /// Which products there will be: without single precision its factors are not kept.
  enum class Products { exact, both };

  /// All entries are 0. `lengths`: the most entries that a row will have.
  SlicedRows(std::span<const std::int32_t> lengths, Products products);

  /// Entries that rows of such lengths would have, with those that only make sixteen.
  static double padded(std::span<const std::int32_t> lengths);

  int slices() const { return static_cast<int>(begin_.size()) - 1; }

  struct Entry {
    std::int32_t column = 0;
    double exact = 0;
    float factor = 0;
  };
  /// The row's entries from now on, no more than its length.
  template <typename EntryAt>
  void set(int row, int count, EntryAt entry) {
    const int slice = row / kLanes;
    std::size_t at = std::size_t{kLanes} * begin_[slice] + row % kLanes;
    for (int i = 0; i < begin_[slice + 1] - begin_[slice]; ++i, at += kLanes) {
      const Entry next = i < count ? entry(i) : Entry{};
      column_[at] = next.column;
      exact_[at] = next.exact;
      if (!factor_.empty()) factor_[at] = next.factor;
    }
  }

  /// visit(column, factor in double precision) for the entries of a row that are not 0.
  template <typename Visit>
  void for_each_entry(int row, Visit visit) const {
    const int slice = row / kLanes;
    std::size_t at = std::size_t{kLanes} * begin_[slice] + row % kLanes;
    for (int i = begin_[slice]; i < begin_[slice + 1]; ++i, at += kLanes) {
      if (exact_[at] != 0) visit(column_[at], exact_[at]);
    }
  }

  /// y += M (x + common) in double precision, for the rows of one slice, `systems` numbers of each side by side: x is in single
  /// precision, and what is common to all of it is a number for each system. y begins with the first of these rows.
  template <int kSystems>
  void add_product(int slice, int systems, const float* x, const double* common, double* y) const;

  /// y = M x for the rows of some slices, `systems` numbers of each side by side; y begins with the first of these rows, and has
  /// room for whole slices. How many systems there are is known when compiling where they are few, else 0.
  template <int kSystems>
  void multiply(int first_slice, int last_slice, int systems, const float* x, float* y) const;
  /// The same in double precision, of one system.
  void multiply(int first_slice, int last_slice, const double* x, double* y) const;

 private:
  /// Entries are read in order, but while values are gathered the processor does not look far enough ahead by itself.
  template <typename Real>
  static void fetch_ahead(const std::int32_t* column, const Real* factor) {
    constexpr int kAhead = 32 * kLanes, kPerLine = 64 / sizeof(Real);
    __builtin_prefetch(column + kAhead);
    for (int i = 0; i < kLanes; i += kPerLine) __builtin_prefetch(factor + kAhead + i);
  }
  static void multiply_slice(int width, const std::int32_t* column, const double* factor, const double* x,
                             double* y);
  template <int kSystems>
  static void multiply_slice(int width, const std::int32_t* column, const float* factor, int systems,
                             const float* x, float* y);
  template <int kSystems>
  static void add_slice(int width, const std::int32_t* column, const double* factor, int systems,
                        const float* x, const double* common, double* y);

  std::vector<std::int32_t> begin_ = {0};  // of slices: entries of sixteen before them
  std::vector<std::int32_t> column_;
  std::vector<float> factor_;
  std::vector<double> exact_;
};

extern template void SlicedRows::add_product<0>(int, int, const float*, const double*, double*) const;
extern template void SlicedRows::add_product<1>(int, int, const float*, const double*, double*) const;
extern template void SlicedRows::add_product<2>(int, int, const float*, const double*, double*) const;
extern template void SlicedRows::add_product<3>(int, int, const float*, const double*, double*) const;
extern template void SlicedRows::add_product<4>(int, int, const float*, const double*, double*) const;
extern template void SlicedRows::multiply<0>(int, int, int, const float*, float*) const;
extern template void SlicedRows::multiply<1>(int, int, int, const float*, float*) const;
extern template void SlicedRows::multiply<2>(int, int, int, const float*, float*) const;
extern template void SlicedRows::multiply<3>(int, int, int, const float*, float*) const;
extern template void SlicedRows::multiply<4>(int, int, int, const float*, float*) const;

}  // namespace c2rl
