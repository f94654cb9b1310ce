#include "c2rl/mdp/model_part.h"

#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {

ModelPart part_of(const TabularModel& states, std::int64_t first, std::int64_t states_in_all) {
  ModelPart part;
  part.states_in_all = states_in_all;
  part.first = first;
  part.measurements = states.measurements;
  part.choice_begin = states.choice_begin;
  part.transition_begin = states.transition_begin;
  part.next = states.next;
  part.probability = states.probability;
  part.expected = Matrix::Zero(states.dim(), states.choices());
  part.largest = Vector::Zero(states.dim());
  for (int k = 0; k < states.choices(); ++k) {
    for (int e = states.transition_begin[k]; e < states.transition_begin[k + 1]; ++e) {
      part.expected.col(k) += states.probability[e] * states.measurement.col(e);
      part.largest = part.largest.cwiseMax(states.measurement.col(e).cwiseAbs());
    }
  }
  part.start = states.start;
  part.discount = states.discount;
  part.horizon = states.horizon;
  return part;
}

ModelPart slice(const TabularModel& model, int begin, int end) {
  TabularModel states = model;
  const int first = model.choice_begin[begin], transition = model.first_transition(begin);
  const int last = model.choice_begin[end], count = model.first_transition(end) - transition;
  states.states = end - begin;
  states.choice_begin.assign(model.choice_begin.begin() + begin, model.choice_begin.begin() + end + 1);
  states.transition_begin.assign(model.transition_begin.begin() + first,
                                 model.transition_begin.begin() + last + 1);
  for (std::int32_t& at : states.choice_begin) at -= first;
  for (std::int32_t& at : states.transition_begin) at -= transition;
  states.next.assign(model.next.begin() + transition, model.next.begin() + transition + count);
  states.probability.assign(model.probability.begin() + transition,
                            model.probability.begin() + transition + count);
  states.measurement = model.measurement.middleCols(transition, count);
  states.start = model.start.segment(begin, end - begin);
  return part_of(states, begin, model.states);
}

void validate(const ModelPart& part) {
  constexpr double kSumTolerance = 1e-9;  // as of a model that one process holds
  for (int s = 0; s < part.states(); ++s) {
    for (int k = part.choice_begin[s]; k < part.choice_begin[s + 1]; ++k) {
      const auto fail = [&](const std::string& what) {
        throw InputError(
            fmt::format("state {}, action {}: {}", part.first + s, k - part.choice_begin[s], what));
      };
      double sum = 0;
      for (int e = part.transition_begin[k]; e < part.transition_begin[k + 1]; ++e) {
        if (part.next[e] < 0 || part.next[e] >= part.states_in_all)
          fail(fmt::format("next state {} is not one of 0 ... {}", part.next[e], part.states_in_all - 1));
        if (!(part.probability[e] >= 0)) fail(fmt::format("found probability {}", part.probability[e]));
        sum += part.probability[e];
      }
      if (!(std::abs(sum - 1) <= kSumTolerance))
        fail(fmt::format("the probabilities sum to {:.12g}; expected 1", sum));
      if (!part.expected.col(k).allFinite()) fail("a measurement is not finite");
    }
  }
}

}  // namespace c2rl
