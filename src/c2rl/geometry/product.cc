#include <algorithm>
#include <cmath>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Product final : public ConvexSet {
 public:
  Product(std::vector<SetPtr> blocks, int dim) : ConvexSet(dim), blocks_(std::move(blocks)) {}

  bool is_polyhedral() const override {
    return std::all_of(blocks_.begin(), blocks_.end(),
                       [](const SetPtr& block) { return block->is_polyhedral(); });
  }

  Halfspaces halfspaces() const override {
    if (!is_polyhedral()) return ConvexSet::halfspaces();
    std::vector<Halfspaces> parts;
    Eigen::Index rows = 0;
    for (const SetPtr& block : blocks_) {
      parts.push_back(block->halfspaces());
      rows += parts.back().offsets.size();
    }
    Halfspaces faces{Matrix::Zero(rows, dim()), Vector(rows)};
    Eigen::Index row = 0, column = 0;
    for (const Halfspaces& part : parts) {
      faces.normals.block(row, column, part.normals.rows(), part.normals.cols()) = part.normals;
      faces.offsets.segment(row, part.offsets.size()) = part.offsets;
      row += part.normals.rows();
      column += part.normals.cols();
    }
    return faces;
  }

 private:
  Vector compute_projection(const Vector& x) const override {
    Vector p(dim());
    int begin = 0;
    for (const SetPtr& block : blocks_) {
      p.segment(begin, block->dim()) = block->project(x.segment(begin, block->dim()));
      begin += block->dim();
    }
    return p;
  }

  Outward compute_outward(const Vector& x) const override {
    Outward result{Vector(dim()), Vector(dim())};
    int begin = 0;
    for (const SetPtr& block : blocks_) {
      const Outward part = block->outward(x.segment(begin, block->dim()));
      result.vector.segment(begin, block->dim()) = part.vector;
      result.gross.segment(begin, block->dim()) = part.gross;
      result.beyond += part.beyond;
      begin += block->dim();
    }
    return result;
  }

  double compute_excess(const Vector& x, const Vector& sizes) const override {
    double excess = 0;
    int begin = 0;
    for (const SetPtr& block : blocks_) {
      excess = std::hypot(excess,
                          block->excess(x.segment(begin, block->dim()), sizes.segment(begin, block->dim())));
      begin += block->dim();
    }
    return excess;
  }

  Vector compute_constrained() const override {
    Vector result(dim());
    int begin = 0;
    for (const SetPtr& block : blocks_) {
      result.segment(begin, block->dim()) = block->constrained();
      begin += block->dim();
    }
    return result;
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    Matrix result(dim(), directions.cols());
    int begin = 0;
    for (const SetPtr& block : blocks_) {
      const int size = block->dim();
      result.middleRows(begin, size) =
          block->jacobian_times(x.segment(begin, size), directions.middleRows(begin, size));
      begin += size;
    }
    return result;
  }

  Bounds compute_bounds() const override {
    Bounds bounds{Vector(dim()), Vector(dim())};
    int begin = 0;
    for (const SetPtr& block : blocks_) {
      const Bounds part = block->bounds();
      bounds.lower.segment(begin, block->dim()) = part.lower;
      bounds.upper.segment(begin, block->dim()) = part.upper;
      begin += block->dim();
    }
    return bounds;
  }

  SetPtr compute_eroded(const Vector& half_widths) const override {
    std::vector<SetPtr> eroded;
    eroded.reserve(blocks_.size());
    int begin = 0;
    for (const SetPtr& block : blocks_) {
      eroded.push_back(block->eroded(half_widths.segment(begin, block->dim())));
      begin += block->dim();
    }
    return product(std::move(eroded));
  }

  std::vector<SetPtr> blocks_;
};

}  // namespace

SetPtr product(std::vector<SetPtr> blocks) {
  check(!blocks.empty(), "product", "at least one block");
  int dim = 0;
  for (const SetPtr& block : blocks) dim += block->dim();
  return std::make_shared<Product>(std::move(blocks), dim);
}

}  // namespace c2rl
