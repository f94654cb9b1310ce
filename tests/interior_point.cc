#include "interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace interior_point {
namespace {

using Array = Eigen::ArrayXd;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;
using RowSparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Part of the way to the nearest bound that a step may go.
constexpr double kShortOfBound = 0.995;
/// Solves of the normal equations are corrected with their residual this often: near the optimum the
/// barrier's weights span twenty orders of magnitude.
constexpr int kRefinements = 2;

/// The normal equations  E Theta E' y = E Theta pull + load  for the step  x = Theta (E' y - pull).
///
/// E is F above and the border G below. As the gap closes, Theta grows without limit and rounding with it:
/// Theta E' y is lost where E' y = F' y_F + G' y_G cancels. So G' is replaced by what is left of it after
/// projecting out F',  L = G' - F' W  with  F Theta L = 0.  Then  E' y = F' (y_F + W y_G) + L y_G  has two
/// terms that know nothing of each other, and the Schur complement is  L' Theta L,  without a difference in
/// it.
class NormalEquations {
 public:
  NormalEquations(const RowSparse& equations, int border)
      : above_(equations.topRows(equations.rows() - border)), border_(equations.bottomRows(border)) {}

  /// False when they are no longer definite in floating point.
  bool factor(const Array& theta) {
    theta_ = theta;
    const RowSparse weighted = above_ * theta_.matrix().asDiagonal();
    factor_above_.compute(Matrix(weighted * above_.transpose()));
    if (factor_above_.info() != Eigen::Success) return false;
    projector_ = Matrix::Zero(above_.rows(), border_.rows());
    left_ = border_.transpose();
    for (int i = 0; i < kProjections; ++i) {
      const Matrix part = factor_above_.solve(weighted * left_);
      projector_ += part;
      left_ -= above_.transpose() * part;
    }
    const Matrix scaled = theta_.sqrt().matrix().asDiagonal() * left_;
    factor_border_.compute(scaled);
    return factor_border_.rank() == border_.rows();
  }

  struct Result {
    Vector y;
    Vector combined;  // E' y, without its cancellation
  };
  Result solve(const Vector& pull, const Vector& load) const {
    const auto load_above = load.head(above_.rows());
    const Vector weighted_pull = theta_ * pull.array();
    const Vector y_above = factor_above_.solve(load_above + above_ * weighted_pull);
    const Vector y_border = solve_border(load.tail(border_.rows()) - projector_.transpose() * load_above +
                                         left_.transpose() * weighted_pull);
    Result result{Vector(load.size()), above_.transpose() * y_above + left_ * y_border};
    result.y << y_above - projector_ * y_border, y_border;
    return result;
  }

 private:
  Vector solve_border(const Vector& load) const {
    const auto& order = factor_border_.colsPermutation();
    const auto r = factor_border_.matrixR().topRows(load.size()).triangularView<Eigen::Upper>();
    return order * r.solve(r.transpose().solve(order.transpose() * load));
  }

  /// One pass leaves the rounding of G' in L; the second projects that out as well.
  static constexpr int kProjections = 2;

  RowSparse above_, border_;  // F, G
  Array theta_;
  Matrix projector_, left_;                           // W, L
  Eigen::LLT<Matrix> factor_above_;                   // of F Theta F'
  Eigen::ColPivHouseholderQR<Matrix> factor_border_;  // of Theta^1/2 L: its R' R is the Schur complement
};

struct Step {
  Vector x, y;
  Array z;
};

/// The iterate: variables x, the equations' multipliers y, and the bounds' multipliers z, one per positive
/// variable.
class Iterate {
 public:
  explicit Iterate(const Program& program)
      : equations_(program.equations),
        transposed_(program.equations.transpose()),
        right_(program.right),
        positive_(program.positive),
        x_(Vector::Zero(equations_.cols())),
        y_(Vector::Zero(equations_.rows())),
        z_(Array::Ones(positive_)),
        normal_(program.equations, program.border) {
    x_.head(positive_).setOnes();
    measure();
  }

  double gap() const { return (p() * z_).sum(); }
  bool converged() const {
    const double size = 1 + right_.lpNorm<Eigen::Infinity>();
    return gap() <= kLeastGap + kGap * x_.tail(x_.size() - positive_).squaredNorm() &&
           primal_.lpNorm<Eigen::Infinity>() <= kResidual * size &&
           dual_.lpNorm<Eigen::Infinity>() <= kResidual * size;
  }

  /// False when the normal equations can no longer be solved.
  bool factor() {
    theta_ = Array::Ones(x_.size());
    theta_.head(positive_) = p() / z_;
    return normal_.factor(theta_);
  }

  /// Newton's step towards p z = products.
  Step towards(const Array& products) const {
    const Array complement = products - p() * z_;
    Vector pull = dual_;
    pull.head(positive_).array() -= complement / p();
    const NormalEquations::Result solved = normal_.solve(pull, primal_);
    Step step{theta_ * (solved.combined - pull).array(), solved.y, {}};
    for (int i = 0; i < kRefinements; ++i) {
      const NormalEquations::Result correction =
          normal_.solve(Vector::Zero(pull.size()), primal_ - equations_ * step.x);
      step.x.array() += theta_ * correction.combined.array();
      step.y += correction.y;
    }
    step.z = (complement - z_ * step.x.head(positive_).array()) / p();
    return step;
  }

  /// Mehrotra: a step at the bounds themselves tells how far they are and how curved the way is; the step
  /// taken aims as near to them as that promises, and corrects for the curve.
  Step predict_and_correct() const {
    const Step predictor = towards(Array::Zero(positive_));
    const Array bent = predictor.x.head(positive_).array() * predictor.z;
    const double reach = std::min(1.0, to_bound(predictor));
    const double left =
        ((p() + reach * predictor.x.head(positive_).array()) * (z_ + reach * predictor.z)).sum();
    const double centering = std::pow(left / gap(), 3);
    return towards(centering * gap() / positive_ - bent);
  }

  /// How many times `step` fits between here and the nearest bound.
  double to_bound(const Step& step) const {
    double reach = std::numeric_limits<double>::infinity();
    for (int i = 0; i < positive_; ++i) {
      if (step.x[i] < 0) reach = std::min(reach, -x_[i] / step.x[i]);
      if (step.z[i] < 0) reach = std::min(reach, -z_[i] / step.z[i]);
    }
    return reach;
  }

  /// The same length for variables and multipliers: the curvature couples them.
  void take(const Step& step) {
    const double length = std::min(1.0, kShortOfBound * to_bound(step));
    x_ += length * step.x;
    y_ += length * step.y;
    z_ += length * step.z;
    measure();
  }

  const Vector& x() const { return x_; }
  const Vector& y() const { return y_; }

 private:
  Array p() const { return x_.head(positive_); }

  /// What the equations and the stationarity of  1/2 |f|^2 - y.(E x - e) - z.p  are off by.
  void measure() {
    primal_ = right_ - equations_ * x_;
    dual_ = -(transposed_ * y_);
    dual_.head(positive_) -= z_.matrix();
    dual_.tail(x_.size() - positive_) += x_.tail(x_.size() - positive_);
  }

  const Sparse equations_, transposed_;
  const Vector right_;
  const int positive_;
  Vector x_, y_;
  Array z_;
  Vector primal_, dual_;
  Array theta_;
  NormalEquations normal_;
};

}  // namespace

Solution solve(const Program& program) {
  Iterate iterate(program);
  Solution solution;
  while (!iterate.converged() && solution.iterations < kMaxIterations && iterate.factor()) {
    iterate.take(iterate.predict_and_correct());
    ++solution.iterations;
  }
  solution.variables = iterate.x();
  solution.multipliers = iterate.y();
  solution.converged = iterate.converged();
  return solution;
}

}  // namespace interior_point
