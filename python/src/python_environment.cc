#include "python_environment.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "c2rl/base/error.h"

namespace nb = nanobind;

namespace c2rl::python {
namespace {

/// A batch of a Python environment: c2rl.environments.Batch, whose arrays are read and written where they lie.
class PythonEnvironment final : public Environment {
 public:
  PythonEnvironment(const WorldShape& shape, int batch, const PythonObject& world,
                    std::shared_ptr<Failure> failure)
      : Environment(batch, shape.dim(), shape.horizon, shape.features, shape.controls),
        shape_(shape),
        failure_(std::move(failure)) {
    failure_->guard([&] {
      batch_ = PythonObject(world.get().attr("batch")(batch));
      const nb::object& made = batch_.get();
      take(made, "measurement", batch * dim(), measured_);
      take(made, "terminated", batch, ended_);
      take(made, "truncated", batch, cut_);
      if (shape.features > 0) {
        take(made, "features", batch * shape.features, seen_);
      } else {
        take(made, "state", batch, state_);
      }
      if (shape.controls > 0) {
        take(made, "controls", batch * shape.controls, controlled_);
      } else {
        take(made, "action", batch, action_);
      }
    });
  }

  ~PythonEnvironment() override {
    try {
      failure_->guard([&] { batch_.get().attr("close")(); });
    } catch (...) {  // whatever it was kept, and there is nobody to tell
    }
  }

  int state_count() const override { return shape_.states; }
  int action_count(int /*state*/) const override { return shape_.actions; }

 private:
  template <typename Number>
  void take(const nb::object& made, const char* name, int size, Number*& numbers) {
    const auto array = nb::cast<nb::ndarray<Number, nb::c_contig, nb::device::cpu>>(made.attr(name));
    if (static_cast<int>(array.size()) != size)
      throw InputError({.field = "env"},
                       fmt::format("its array {} has {} entries, expected {}", name, array.size(), size));
    numbers = array.data();
  }

  void begin(int slot) override {
    Rng stream = streams_[static_cast<std::size_t>(slot)].fork("seed");
    failure_->guard([&] { batch_.get().attr("reset")(slot, stream.bits() >> 33U); });
    show(slot);
  }

  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      if (shape_.controls == 0) {
        action_[slot] = actions.indices()[static_cast<std::size_t>(slot)];
      } else {
        for (int k = 0; k < shape_.controls; ++k)
          controlled_[slot * shape_.controls + k] = actions.values()(k, slot);  // clipped there
      }
    }
    failure_->guard([&] { batch_.get().attr("step")(); });
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      for (int k = 0; k < dim(); ++k) measurement_(k, slot) = measured_[slot * dim() + k];
      // What it cuts by itself, before the horizon, is over as far as what it measures goes.
      terminated_[static_cast<std::size_t>(slot)] =
          ended_[slot] != 0 ||
          (cut_[slot] != 0 &&
           (shape_.horizon == 0 || steps()[static_cast<std::size_t>(slot)] < shape_.horizon));
      show(slot);
    }
  }

  void show(int slot) {
    if (shape_.features == 0) {
      states_[static_cast<std::size_t>(slot)] = state_[slot];
      return;
    }
    for (int k = 0; k < shape_.features; ++k) features_(k, slot) = seen_[slot * shape_.features + k];
  }

  WorldShape shape_;
  std::shared_ptr<Failure> failure_;
  PythonObject batch_;
  double* measured_ = nullptr;
  std::uint8_t *ended_ = nullptr, *cut_ = nullptr;
  float *seen_ = nullptr, *controlled_ = nullptr;
  std::int32_t *state_ = nullptr, *action_ = nullptr;
};

/// Episodes that go on in the slots of a batch, each until it ends; then the next one begins there.
class Rolling {
 public:
  Rolling(const WorldShape& shape, Environment& environment, const Policy& policy, std::int64_t first,
          int count, const Rng& rng)
      : shape_(shape),
        environment_(environment),
        policy_(policy),
        first_(first),
        count_(count),
        rng_(rng),
        column_(static_cast<std::size_t>(environment.batch()), -1),
        streams_(static_cast<std::size_t>(environment.batch()), Rng(0)),
        discount_(static_cast<std::size_t>(environment.batch()), 1.0),
        seen_(shape.features, environment.batch()),
        drawn_(shape, environment.batch()),
        actions_(shape, environment.batch()) {
    found_.totals = Matrix::Zero(shape.dim(), count);
    for (int slot = 0; slot < environment.batch(); ++slot) begin(slot);
  }

  EpisodeTotals run(const Pulse& listener) {
    while (running() > 0) {
      pulse(listener);
      step();
    }
    return std::move(found_);
  }

 private:
  int running() const {
    return static_cast<int>(std::ranges::count_if(column_, [](int column) { return column >= 0; }));
  }

  void begin(int slot) {
    const auto s = static_cast<std::size_t>(slot);
    // One that is over where it begins has measured nothing.
    for (column_[s] = -1; next_ < count_;) {
      const auto episode = static_cast<std::uint64_t>(first_ + next_);
      environment_.reset(slot, rng_.fork("episode", episode));
      streams_[s] = rng_.fork("actions", episode);
      discount_[s] = 1;
      const int column = next_++;
      if (!environment_.ended(slot)) {
        column_[s] = column;
        return;
      }
      ++found_.terminated;
    }
  }

  /// A policy that changes with time is asked for those of one step at a time.
  void act() {
    std::vector<int> steps;
    for (std::size_t slot = 0; slot < column_.size(); ++slot) {
      if (column_[slot] >= 0) steps.push_back(policy_.is_stationary() ? 0 : environment_.steps()[slot]);
    }
    std::ranges::sort(steps);
    steps.erase(std::ranges::unique(steps).begin(), steps.end());
    for (const int step : steps) act(step);
  }

  void act(int step) {
    std::vector<int> slots, states;
    std::vector<Rng*> streams;
    for (std::size_t slot = 0; slot < column_.size(); ++slot) {
      if (column_[slot] < 0 || (!policy_.is_stationary() && environment_.steps()[slot] != step)) continue;
      const auto i = static_cast<Eigen::Index>(slots.size());
      slots.push_back(static_cast<int>(slot));
      states.push_back(environment_.states()[slot]);
      streams.push_back(&streams_[slot]);
      if (shape_.features > 0) seen_.col(i) = environment_.features().col(static_cast<Eigen::Index>(slot));
    }
    const int size = static_cast<int>(slots.size());
    policy_.act(shape_.features > 0 ? Observations(seen_, size) : Observations(states), step, streams,
                drawn_);
    for (int i = 0; i < size; ++i) {
      const int slot = slots[static_cast<std::size_t>(i)];
      if (shape_.controls > 0) {
        actions_.values.col(slot) = drawn_.values.col(i);
      } else {
        actions_.indices[static_cast<std::size_t>(slot)] = drawn_.indices[static_cast<std::size_t>(i)];
      }
    }
  }

  void step() {
    act();
    environment_.step(actions_.view());
    for (std::size_t slot = 0; slot < column_.size(); ++slot) {
      if (column_[slot] < 0) continue;
      const int at = static_cast<int>(slot);
      found_.totals.col(column_[slot]) += discount_[slot] * environment_.measurement().col(at);
      discount_[slot] *= shape_.discount;
      ++found_.env_steps;
      if (!environment_.ended(at)) continue;
      ++(environment_.terminated(at) ? found_.terminated : found_.truncated);
      begin(at);
    }
  }

  const WorldShape& shape_;
  Environment& environment_;
  const Policy& policy_;
  std::int64_t first_;
  int count_, next_ = 0;
  Rng rng_;
  std::vector<int> column_;  // of the episode that goes on in each slot; -1: none
  std::vector<Rng> streams_;
  std::vector<double> discount_;
  Eigen::MatrixXf seen_;
  ActionBatch drawn_, actions_;
  EpisodeTotals found_;
};

}  // namespace

std::function<std::unique_ptr<Environment>(int batch)> python_environment(const WorldShape& shape,
                                                                          PythonObject world,
                                                                          std::shared_ptr<Failure> failure) {
  return [shape, world = std::move(world), failure = std::move(failure)](int batch) {
    return std::make_unique<PythonEnvironment>(shape, batch, world, failure);
  };
}

std::function<EpisodeTotals(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                            const Pulse& listener)>
python_episodes(const WorldShape& shape, std::function<std::unique_ptr<Environment>(int batch)> environment) {
  return [shape, environment = std::move(environment)](const Policy& policy, std::int64_t first, int count,
                                                       const Rng& rng, const Pulse& listener) {
    constexpr int kTogether = 32;
    if (count == 0) return EpisodeTotals{.totals = Matrix(shape.dim(), 0)};
    const auto batch = environment(std::min(count, kTogether));
    return Rolling(shape, *batch, policy, first, count, rng).run(listener);
  };
}

}  // namespace c2rl::python
