#include "c2rl/planning/sliced_rows.h"

#include <algorithm>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace c2rl {

/// One slice: `width` entries of each of its rows. y begins with its first row.
template <int kSystems>
void SlicedRows::multiply_slice(int width, const std::int32_t* column, const float* factor, int systems,
                                const float* x, float* y) {
  const int count = kSystems > 0 ? kSystems : systems;
  std::fill_n(y, kLanes * count, 0.0F);
  for (int lane = 0; lane < kLanes; ++lane) {
    float* const sum = y + std::ptrdiff_t{lane} * count;
    for (int i = 0; i < width; ++i) {
      const float* const from = x + std::ptrdiff_t{column[i * kLanes + lane]} * count;
      for (int j = 0; j < count; ++j) sum[j] += factor[i * kLanes + lane] * from[j];
    }
  }
}

void SlicedRows::multiply_slice(int width, const std::int32_t* column, const double* factor, const double* x,
                                double* y) {
#ifdef __AVX512F__
  constexpr int kHalf = kLanes / 2;
  __m512d first = _mm512_setzero_pd(), second = first;
  for (int i = 0; i < width; ++i, column += kLanes, factor += kLanes) {
    fetch_ahead(column, factor);
    const __m512i at = _mm512_loadu_si512(column);
    const __m512d low = _mm512_i32gather_pd(_mm512_castsi512_si256(at), x, sizeof(double));
    const __m512d high = _mm512_i32gather_pd(_mm512_extracti64x4_epi64(at, 1), x, sizeof(double));
    first = _mm512_fmadd_pd(_mm512_loadu_pd(factor), low, first);
    second = _mm512_fmadd_pd(_mm512_loadu_pd(factor + kHalf), high, second);
  }
  _mm512_storeu_pd(y, first);
  _mm512_storeu_pd(y + kHalf, second);
#else
  std::fill_n(y, kLanes, 0.0);
  for (int i = 0; i < width; ++i, column += kLanes, factor += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) y[lane] += factor[lane] * x[column[lane]];
  }
#endif
}

template <int kSystems>
void SlicedRows::add_slice(int width, const std::int32_t* column, const double* factor, int systems,
                           const float* x, const double* common, double* y) {
  const int count = kSystems > 0 ? kSystems : systems;
  for (std::ptrdiff_t i = 0; i < width; ++i) fetch_ahead(column + i * kLanes, factor + i * kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    double* const sum = y + std::ptrdiff_t{lane} * count;
    for (int i = 0; i < width; ++i) {
      const float* const from = x + std::ptrdiff_t{column[i * kLanes + lane]} * count;
      for (int j = 0; j < count; ++j)
        sum[j] += factor[i * kLanes + lane] * (static_cast<double>(from[j]) + common[j]);
    }
  }
}

#ifdef __AVX512F__
// With the gathers of the processor, which g++ does not use by itself on all that have fast ones.

/// The lower half of sixteen numbers in double precision, or the upper one.
template <int kHalf>
__m512d widened(__m512 numbers) {
  return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(numbers), kHalf)));
}

template <>
void SlicedRows::multiply_slice<1>(int width, const std::int32_t* column, const float* factor, int,
                                   const float* x, float* y) {
  __m512 sum = _mm512_setzero_ps();
  for (int i = 0; i < width; ++i) {
    fetch_ahead(column + i * kLanes, factor + i * kLanes);
    const __m512 from = _mm512_i32gather_ps(_mm512_loadu_si512(column + i * kLanes), x, sizeof(float));
    sum = _mm512_fmadd_ps(_mm512_loadu_ps(factor + i * kLanes), from, sum);
  }
  _mm512_storeu_ps(y, sum);
}

template <>
void SlicedRows::multiply_slice<2>(int width, const std::int32_t* column, const float* factor, int,
                                   const float* x, float* y) {
  // Both numbers of a row are fetched as one of 64 bits; each factor is needed twice.
  const __m512i low = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(kLanes / 2));
  const auto fetch = [x](const std::int32_t* columns) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
    return _mm512_castsi512_ps(_mm512_i32gather_epi64(at, x, 2 * sizeof(float)));
  };
  __m512 first = _mm512_setzero_ps(), second = first;
  for (int i = 0; i < width; ++i) {
    fetch_ahead(column + i * kLanes, factor + i * kLanes);
    const __m512 factors = _mm512_loadu_ps(factor + i * kLanes);
    const std::int32_t* const columns = column + i * kLanes;
    first = _mm512_fmadd_ps(_mm512_permutexvar_ps(low, factors), fetch(columns), first);
    second = _mm512_fmadd_ps(_mm512_permutexvar_ps(high, factors), fetch(columns + kLanes / 2), second);
  }
  _mm512_storeu_ps(y, first);
  _mm512_storeu_ps(y + kLanes, second);
}

template <>
void SlicedRows::add_slice<1>(int width, const std::int32_t* column, const double* factor, int,
                              const float* x, const double* common, double* y) {
  constexpr int kHalf = kLanes / 2;
  const __m512d more = _mm512_set1_pd(common[0]);
  __m512d first = _mm512_loadu_pd(y), second = _mm512_loadu_pd(y + kHalf);
  for (int i = 0; i < width; ++i, column += kLanes, factor += kLanes) {
    fetch_ahead(column, factor);
    const __m512 from = _mm512_i32gather_ps(_mm512_loadu_si512(column), x, sizeof(float));
    first = _mm512_fmadd_pd(_mm512_loadu_pd(factor), widened<0>(from) + more, first);
    second = _mm512_fmadd_pd(_mm512_loadu_pd(factor + kHalf), widened<1>(from) + more, second);
  }
  _mm512_storeu_pd(y, first);
  _mm512_storeu_pd(y + kHalf, second);
}

template <>
void SlicedRows::add_slice<2>(int width, const std::int32_t* column, const double* factor, int,
                              const float* x, const double* common, double* y) {
  constexpr int kQuarter = kLanes / 2;  // of the numbers
  const __m512i low = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
  const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(kQuarter / 2));
  const __m512d more = _mm512_broadcast_f64x4(_mm256_broadcast_pd(reinterpret_cast<const __m128d*>(common)));
  __m512d sum[4];
  for (int i = 0; i < 4; ++i) sum[i] = _mm512_loadu_pd(y + i * kQuarter);
  const auto add = [&](const std::int32_t* columns, const double* factors, __m512d* to) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
    const __m512 from = _mm512_castsi512_ps(_mm512_i32gather_epi64(at, x, 2 * sizeof(float)));
    const __m512d once = _mm512_loadu_pd(factors);
    to[0] = _mm512_fmadd_pd(_mm512_permutexvar_pd(low, once), widened<0>(from) + more, to[0]);
    to[1] = _mm512_fmadd_pd(_mm512_permutexvar_pd(high, once), widened<1>(from) + more, to[1]);
  };
  for (int i = 0; i < width; ++i, column += kLanes, factor += kLanes) {
    fetch_ahead(column, factor);
    add(column, factor, sum);
    add(column + kLanes / 2, factor + kLanes / 2, sum + 2);
  }
  for (int i = 0; i < 4; ++i) _mm512_storeu_pd(y + i * kQuarter, sum[i]);
}
#endif

template <int kSystems>
void SlicedRows::add_product(int slice, int systems, const float* x, const double* common, double* y) const {
  const std::size_t at = std::size_t{kLanes} * begin_[slice];
  add_slice<kSystems>(begin_[slice + 1] - begin_[slice], column_.data() + at, exact_.data() + at, systems, x,
                      common, y);
}

double SlicedRows::padded(std::span<const std::int32_t> lengths) {
  double entries = 0;
  for (std::size_t row = 0; row < lengths.size(); row += kLanes)
    entries +=
        kLanes * std::ranges::max(lengths.subspan(row, std::min<std::size_t>(kLanes, lengths.size() - row)));
  return entries;
}

SlicedRows::SlicedRows(std::span<const std::int32_t> lengths, Products products) {
  begin_.reserve(lengths.size() / kLanes + 2);
  for (std::size_t row = 0; row < lengths.size(); row += kLanes) {
    const auto slice = lengths.subspan(row, std::min<std::size_t>(kLanes, lengths.size() - row));
    begin_.push_back(begin_.back() + std::ranges::max(slice));
  }
  column_.resize(std::size_t{kLanes} * begin_.back());
  exact_.resize(column_.size());
  if (products == Products::both) factor_.resize(column_.size());
}

void SlicedRows::multiply(int first_slice, int last_slice, const double* x, double* y) const {
  for (int slice = first_slice; slice < last_slice; ++slice, y += kLanes) {
    const std::size_t at = std::size_t{kLanes} * begin_[slice];
    multiply_slice(begin_[slice + 1] - begin_[slice], column_.data() + at, exact_.data() + at, x, y);
  }
}

template <int kSystems>
void SlicedRows::multiply(int first_slice, int last_slice, int systems, const float* x, float* y) const {
  for (int slice = first_slice; slice < last_slice; ++slice, y += std::ptrdiff_t{kLanes} * systems) {
    const std::size_t at = std::size_t{kLanes} * begin_[slice];
    multiply_slice<kSystems>(begin_[slice + 1] - begin_[slice], column_.data() + at, factor_.data() + at,
                             systems, x, y);
  }
}

template void SlicedRows::add_product<0>(int, int, const float*, const double*, double*) const;
template void SlicedRows::add_product<1>(int, int, const float*, const double*, double*) const;
template void SlicedRows::add_product<2>(int, int, const float*, const double*, double*) const;
template void SlicedRows::add_product<3>(int, int, const float*, const double*, double*) const;
template void SlicedRows::add_product<4>(int, int, const float*, const double*, double*) const;
template void SlicedRows::multiply<0>(int, int, int, const float*, float*) const;
template void SlicedRows::multiply<1>(int, int, int, const float*, float*) const;
template void SlicedRows::multiply<2>(int, int, int, const float*, float*) const;
template void SlicedRows::multiply<3>(int, int, int, const float*, float*) const;
template void SlicedRows::multiply<4>(int, int, int, const float*, float*) const;

}  // namespace c2rl
