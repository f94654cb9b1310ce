#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/sampling.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// Rebuilds a policy from its arrays, and from its metadata with its `kind` among them.
using PolicyLoader = std::function<PolicyPtr(const Safetensors& content)>;

/// One suite of laws for every kind of policy; see expect_policy_laws.
class PolicyLaws {
 public:
  PolicyLaws(const World& world, PolicyPtr policy, PolicyLoader loader, double batch_rounding)
      : world_(world), policy_(std::move(policy)), loader_(std::move(loader)), rounding_(batch_rounding) {
    look_around();
    in_order_.resize(size());
    std::iota(in_order_.begin(), in_order_.end(), 0);
  }

  /// As many as there are states that do not end, or that were come by.
  int size() const { return static_cast<int>(world_.features > 0 ? features_.cols() : std::ssize(states_)); }

  void expect_distributions() const {
    const auto environment = world_.environment(1);
    for (const int step : steps()) {
      const Matrix p = answers(*policy_, in_order_, step);
      ASSERT_TRUE(p.allFinite());
      if (world_.controls > 0) continue;
      EXPECT_GE(p.minCoeff(), 0);
      for (int i = 0; i < size(); ++i) {
        const int actions = environment->action_count(world_.features > 0 ? 0 : states_[i]);
        EXPECT_NEAR(p.col(i).head(actions).sum(), 1, 1e-9) << "observation " << i << ", step " << step;
        EXPECT_TRUE(p.col(i).tail(p.rows() - actions).isZero(0)) << "observation " << i << ", step " << step;
      }
    }
  }

  void expect_other_worlds_are_refused() const {
    EXPECT_NO_THROW(policy_->check_fits(world_));
    const auto expect_refused = [&](const std::function<void(World&)>& change) {
      World other = world_;
      other.model = nullptr;
      change(other);
      EXPECT_THROW(policy_->check_fits(other), InputError);
    };
    expect_refused([](World& other) { ++(other.features > 0 ? other.features : other.states); });
    expect_refused([](World& other) { --(other.features > 0 ? other.features : other.states); });
    expect_refused([](World& other) { std::swap(other.features, other.states); });
    expect_refused([](World& other) { std::swap(other.actions, other.controls); });
  }

  void expect_batch_does_not_matter() const {
    std::vector<int> backwards(in_order_.rbegin(), in_order_.rend());
    for (const int step : steps()) {
      const Matrix p = answers(*policy_, in_order_, step);
      expect_near(answers(*policy_, backwards, step).rowwise().reverse(), p);
      Matrix pieces(p.rows(), p.cols());
      for (int first = 0, length = 1; first < size(); first += length++) {
        const int count = std::min(length, size() - first);
        const std::vector<int> piece(in_order_.begin() + first, in_order_.begin() + first + count);
        pieces.middleCols(first, count) = answers(*policy_, piece, step);
      }
      expect_near(pieces, p);
    }
  }

  void expect_same_at_every_step_if_stationary() const {
    if (!policy_->is_stationary()) return;
    const Matrix p = answers(*policy_, in_order_, 0);
    for (const int step : steps()) EXPECT_TRUE(answers(*policy_, in_order_, step) == p) << "step " << step;
  }

  /// Observation i is asked about with a stream of its own, whose next number decides.
  void expect_draws_with_the_probabilities() const {
    if (world_.controls > 0) return;
    for (const int step : steps()) {
      const Matrix p = answers(*policy_, in_order_, step);
      std::vector<Rng> streams = streams_of(in_order_), same = streams;
      const ActionBatch drawn = act(*policy_, in_order_, step, streams);
      for (int i = 0; i < size(); ++i) {
        const std::span<const double> column(p.col(i).data(), static_cast<std::size_t>(p.rows()));
        EXPECT_EQ(drawn.indices[i], draw(column, same[i].uniform())) << "observation " << i;
        EXPECT_EQ(streams[i].bits(), same[i].bits()) << "observation " << i << " took more than one number";
      }
    }
    // And so they come as often as they should.
    constexpr int kDraws = 2000;
    for (int i = 0; i < size(); i += std::max(1, size() / 5)) {
      const Matrix p = answers(*policy_, {i}, 0);
      std::vector<Rng> streams;
      streams.reserve(kDraws);
      for (int k = 0; k < kDraws; ++k) streams.push_back(Rng(11).fork("draw", k));
      const ActionBatch drawn = act(*policy_, std::vector<int>(kDraws, i), 0, streams);
      for (int a = 0; a < p.rows(); ++a) {
        EXPECT_NEAR(static_cast<double>(std::ranges::count(drawn.indices, a)), kDraws * p(a, 0),
                    5 * std::sqrt(kDraws * p(a, 0) * (1 - p(a, 0))) + 1e-6)
            << "observation " << i << ", action " << a;
      }
    }
  }

  void expect_loads_as_it_was() const {
    Safetensors content{policy_->metadata(), policy_->arrays()};
    content.metadata["kind"] = policy_->kind();
    const PolicyPtr loaded = loader_(content);
    ASSERT_NE(loaded, nullptr);
    EXPECT_EQ(loaded->kind(), policy_->kind());
    EXPECT_EQ(loaded->is_stationary(), policy_->is_stationary());
    EXPECT_EQ(loaded->metadata(), policy_->metadata());
    for (const int step : steps())
      EXPECT_TRUE(answers(*loaded, in_order_, step) == answers(*policy_, in_order_, step)) << "step " << step;
  }

  /// A policy that nobody has used yet, so that what it prepares at its first use is raced for.
  void expect_threads_agree() const {
    Safetensors content{policy_->metadata(), policy_->arrays()};
    content.metadata["kind"] = policy_->kind();
    const PolicyPtr fresh = loader_(content);
    ASSERT_NE(fresh, nullptr);
    const int last = steps().back();
    std::vector<Matrix> found(2);
    std::vector<std::thread> threads;
    threads.reserve(found.size());
    for (Matrix& answer : found) threads.emplace_back([&] { answer = answers(*fresh, in_order_, last); });
    for (std::thread& thread : threads) thread.join();
    const Matrix expected = answers(*policy_, in_order_, last);
    for (const Matrix& answer : found) EXPECT_TRUE(answer == expected);
  }

 private:
  static constexpr int kEpisodes = 8, kMostSteps = 12;

  /// All states of a model in which something can be done; else what a few episodes come by.
  void look_around() {
    if (world_.model) {
      for (int s = 0; s < world_.states; ++s) {
        if (!world_.model->is_terminal(s)) states_.push_back(s);
      }
      return;
    }
    const auto environment = world_.environment(kEpisodes);
    environment->reset(Rng(3));
    std::vector<Rng> streams;
    streams.reserve(kEpisodes);
    std::vector<Rng*> drawn_from;
    drawn_from.reserve(kEpisodes);
    for (int i = 0; i < kEpisodes; ++i) streams.push_back(Rng(4).fork("actions", i));
    for (Rng& stream : streams) drawn_from.push_back(&stream);
    features_.resize(world_.features, 0);
    ActionBatch actions(world_, kEpisodes);
    for (int step = 0; step < kMostSteps; ++step) {
      for (int slot = 0; slot < kEpisodes; ++slot) {
        if (environment->ended(slot)) continue;
        states_.push_back(environment->states()[slot]);
        features_.conservativeResize(Eigen::NoChange, features_.cols() + 1);
        features_.rightCols(1) = environment->features().col(slot);
      }
      policy_->act(environment->observations(), step, drawn_from, actions);
      environment->step(actions.view());
    }
  }

  std::vector<int> steps() const {
    if (world_.horizon == 0) return {0, 1, 7, 1000};
    return {0, world_.horizon / 2, world_.horizon - 1};
  }

  static std::vector<Rng> streams_of(const std::vector<int>& numbers) {
    std::vector<Rng> streams;
    streams.reserve(numbers.size());
    for (const int i : numbers) streams.push_back(Rng(5).fork("observation", i));
    return streams;
  }

  /// What the observations with these numbers are answered, together.
  template <typename Ask>
  void ask(const std::vector<int>& numbers, const Ask& ask) const {
    std::vector<int> states;
    Eigen::MatrixXf features(world_.features, std::ssize(numbers));
    for (int i = 0; i < std::ssize(numbers); ++i) {
      if (world_.features > 0) features.col(i) = features_.col(numbers[i]);
      if (world_.features == 0) states.push_back(states_[numbers[i]]);
    }
    ask(world_.features > 0 ? Observations(features) : Observations(states));
  }

  ActionBatch act(const Policy& policy, const std::vector<int>& numbers, int step,
                  std::vector<Rng>& streams) const {
    ActionBatch actions(world_, static_cast<int>(numbers.size()));
    std::vector<Rng*> drawn_from;
    drawn_from.reserve(streams.size());
    for (Rng& stream : streams) drawn_from.push_back(&stream);
    ask(numbers, [&](const Observations& seen) { policy.act(seen, step, drawn_from, actions); });
    return actions;
  }

  /// The probabilities, a column for each of these observations; where actions are real numbers, an action
  /// drawn from the observation's own stream.
  Matrix answers(const Policy& policy, const std::vector<int>& numbers, int step) const {
    if (world_.controls > 0) {
      std::vector<Rng> streams = streams_of(numbers);
      return act(policy, numbers, step, streams).values.cast<double>();
    }
    Matrix found = Matrix::Constant(world_.actions, std::ssize(numbers), -1);
    ask(numbers, [&](const Observations& seen) { policy.action_probabilities(seen, step, found); });
    return found;
  }

  void expect_near(const Matrix& found, const Matrix& expected) const {
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), rounding_);
  }

  const World& world_;
  PolicyPtr policy_;
  PolicyLoader loader_;
  double rounding_;
  std::vector<int> states_;
  Eigen::MatrixXf features_;
  std::vector<int> in_order_;
};

/// What holds for every policy of any kind that acts in `world`: probabilities are some, and sum to 1; what
/// is asked together, and in which order, does not matter; a stationary policy is the same at every step;
/// `act` draws with the probabilities, one number of its stream each; what is stored loads as the same
/// policy; two threads may use it at once. All bit for bit, but that probabilities computed from features
/// may move by `batch_rounding` with the size of the batch. Where actions are real numbers, what is drawn
/// takes the place of the probabilities.
inline void expect_policy_laws(const World& world, const PolicyPtr& policy, const PolicyLoader& loader,
                               double batch_rounding = 0) {
  const PolicyLaws laws(world, policy, loader, batch_rounding);
  ASSERT_GT(laws.size(), 0);
  laws.expect_distributions();
  laws.expect_other_worlds_are_refused();
  laws.expect_batch_does_not_matter();
  laws.expect_same_at_every_step_if_stationary();
  laws.expect_draws_with_the_probabilities();
  laws.expect_loads_as_it_was();
  laws.expect_threads_agree();
}

}  // namespace c2rl
