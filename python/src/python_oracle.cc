#include "python_oracle.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "c2rl/base/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

/// A whole number that every generator takes as a seed.
std::int64_t seed_of(const Rng& rng) {
  return static_cast<std::int64_t>(rng.fork("seed").bits() >> 11U);
}

/// What an oracle is asked, as it sees it. It is of no use after the call.
class Question {
 public:
  Question(const OracleCall& call, nb::object from)
      : direction(call.direction),
        seed(seed_of(call.rng)),
        effort(call.effort),
        enough(call.enough),
        start(std::move(from)),
        call_(&call) {}

  void report(double part) const {
    if (!call_) return;
    if (!(part >= 0 && part <= 1))
      throw InputError({.field = "report"}, fmt::format("found {}, expected a number from 0 to 1", part));
    call_->report(part);
  }
  void end() { call_ = nullptr; }

  Vector direction;
  std::int64_t seed;
  double effort, enough;
  nb::object start;

 private:
  const OracleCall* call_;
};

}  // namespace

std::string PythonPolicyObject::bytes() const {
  return failure_->guard([&]() -> std::string {
    const nb::object packed = keeper_->get().attr("pack")(policy_.get());
    if (packed.is_none()) return "";
    const auto bytes = nb::cast<nb::bytes>(packed);
    return {bytes.c_str(), bytes.size()};
  });
}

bool PythonPolicyObject::same_as(const PolicyObject& other) const {
  const auto* mine = dynamic_cast<const PythonPolicyObject*>(&other);
  if (!mine) return false;
  return failure_->guard(
      [&] { return nb::cast<bool>(keeper_->get().attr("are_same")(policy_.get(), mine->policy_.get())); });
}

const nb::object& KeeperLink::get() const {
  if (!keeper_)
    throw InputError({.field = "oracle"},
                     "is gone, and its policies can be saved by it only: expected oracle=...");
  return keeper_.get();
}

PythonOracle::PythonOracle(int dim, std::shared_ptr<KeeperLink> keeper, std::shared_ptr<Failure> failure)
    : dim_(dim), keeper_(std::move(keeper)), failure_(std::move(failure)) {
  goes_on_ = nb::cast<bool>(keeper_->get().attr("goes_on"));
}

nb::object object_of(const Policy& policy, const std::shared_ptr<KeeperLink>& keeper,
                     const std::shared_ptr<Failure>& failure) {
  const auto* known = dynamic_cast<const ObjectPolicy*>(&policy);
  if (!known)
    throw InputError({.field = "policy"},
                     fmt::format("found one of kind {}, expected an object of the oracle's", policy.kind()));
  if (!known->object()) {
    const std::string bytes = known->bytes();
    const nb::object made = keeper->get().attr("unpack")(nb::bytes(bytes.data(), bytes.size()));
    known->make(std::make_shared<PythonPolicyObject>(PythonObject(made), keeper, failure));
  }
  return dynamic_cast<const PythonPolicyObject&>(*known->object()).policy();
}

EpisodeTotals PythonOracle::totals_of(const nb::object& episodes) const {
  EpisodeTotals found;
  found.totals = nb::cast<Matrix>(episodes.attr("totals")).transpose();
  found.env_steps = nb::cast<std::int64_t>(episodes.attr("env_steps"));
  found.truncated = nb::cast<int>(episodes.attr("cut"));
  found.terminated = static_cast<int>(found.totals.cols()) - found.truncated;
  return found;
}

EpisodeTotals PythonOracle::draw(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                                 const Pulse& listener) const {
  // So many at a time: in between, whoever waits is told.
  constexpr int kChunk = 2048;
  EpisodeTotals all{.totals = Matrix(dim_, count)};
  for (int done = 0; done < count; done += kChunk) {
    pulse(listener);
    const int part = std::min(kChunk, count - done);
    const Rng stream = rng.fork("episodes", static_cast<std::uint64_t>(first + done));
    const EpisodeTotals found = failure_->guard([&] {
      return totals_of(
          keeper_->get().attr("episodes")(object_of(policy, keeper_, failure_), part, seed_of(stream)));
    });
    all.totals.middleCols(done, part) = found.totals;
    all.env_steps += found.env_steps;
    all.terminated += found.terminated;
    all.truncated += found.truncated;
  }
  return all;
}

OracleAnswer PythonOracle::answer(const OracleCall& call) const {
  return failure_->guard([&] {
    nb::object start = call.start ? object_of(*call.start, keeper_, failure_) : nb::none();
    nb::object question = nb::cast(Question(call, std::move(start)));
    nb::object found;
    try {
      found = keeper_->get().attr("minimize")(question);
    } catch (...) {
      nb::cast<Question&>(question).end();
      throw;
    }
    nb::cast<Question&>(question).end();
    OracleAnswer answer;
    const std::string name = fmt::format("{:016x}", Rng(call.rng).fork("policy").bits());
    answer.policy = std::make_shared<ObjectPolicy>(
        name, std::make_shared<PythonPolicyObject>(PythonObject(found.attr("policy")), keeper_, failure_));
    answer.slack = nb::cast<double>(found.attr("slack"));
    answer.exact = nb::cast<bool>(found.attr("exact"));
    const auto steps = nb::cast<std::int64_t>(found.attr("env_steps"));
    const nb::object episodes = found.attr("episodes");
    if (!episodes.is_none()) {
      answer.episodes = totals_of(episodes);
      const Estimate measured = summarise(answer.episodes);
      answer.measurement = measured.measurement;
      answer.standard_error = measured.standard_error;
      answer.steps.evaluation = answer.episodes.env_steps;
      answer.steps.training = std::max<std::int64_t>(0, steps - answer.episodes.env_steps);
      return answer;
    }
    answer.measurement = nb::cast<Vector>(found.attr("measurement"));
    const nb::object error = found.attr("standard_error");
    answer.computed = error.is_none();
    answer.standard_error = answer.computed ? Vector(Vector::Zero(dim_)) : nb::cast<Vector>(error);
    answer.steps.training = steps;
    return answer;
  });
}

void bind_oracle(nb::module_& module) {
  nb::class_<Question>(module, "Call")
      .def_ro("direction", &Question::direction)
      .def_ro("seed", &Question::seed)
      .def_ro("effort", &Question::effort)
      .def_ro("enough", &Question::enough)
      .def_ro("start", &Question::start)
      .def("report", &Question::report, "part"_a);
}

}  // namespace c2rl::python
