#include "c2rl/oracle/ddqn_options.h"

#include "c2rl/oracle/learning_options.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/oracle/training_threads.h"

namespace c2rl {

const EnumNames<BatchSampling>& batch_sampling_names() {
  static const EnumNames<BatchSampling> kNames("sampling", {"uniform", "balanced"});
  return kNames;
}

void DdqnOptions::visit(OptionVisitor& visitor) {
  visitor.integers("hidden", hidden, between(1, kWidestLayer),
                   "widths of the layers of the two branches of the network, one for the value of a state "
                   "and one for the advantages of its actions; they share nothing");
  visitor.choice("activation", activation, activation_names(), "of the hidden layers");
  visitor.integer(
      "updates", updates, between(1, kMostSteps),
      "steps of Adam per call: on the navigation task the optima are found in 300 of 300 runs, by 500 on "
      "200,000 transitions as by 1,000 on 20,000; noisy models of 50 states take 2,000");
  visitor.integer("batch", batch, between(1, 100'000), "transitions of an update, drawn with replacement");
  visitor.choice("sampling", sampling, batch_sampling_names(),
                 "how they are drawn: a behaviour that grew confident has been in some states thousands of "
                 "times and in others a few times, where the policy is decided all the same; where features "
                 "are observed, always uniform");
  visitor.integer("target_period", target_period, between(1, 1'000'000),
                  "updates between two copies of the network to the one that values what comes next");
  visit_learning_rates(visitor, learning_rate, learning_rate_last);
  visitor.number("momentum", momentum, {.lowest = 0, .highest = 1, .open_above = true},
                 "how much of the mean gradient a step of Adam keeps (its beta1): with Adam's own 0.9 the "
                 "mean is over about as many updates as lie between two synchronisations, and answers "
                 "gradients of targets that are gone; the values of all states swing together and stay off "
                 "by a few percent, where with 0.5 the error vanishes");
  visitor.number("training_discount", training_discount, part(),
                 "what is a step later counts by this much less while learning; 0 stands for the dataset's "
                 "own discount or, where that is 1, 1 - 1 / horizon: an episode that is cut would have gone "
                 "on, so that without a discount nothing would bound the value of going on");
  visitor.number(
      "step_cost", step_cost, part(),
      "a cost per step while learning, the largest reward being 1: of policies that measure nearly the same, "
      "the one with shorter episodes is preferred; more effort means a smaller one");
  visitor.number("huber_limit", huber_limit, {.lowest = 0, .open_below = true, .infinite = true},
                 "from this error on, the largest reward being 1, the loss grows linearly instead of as the "
                 "square: that guards against rewards far off, but where outcomes are random it draws values "
                 "from their mean towards their median, and policies away from the optimum");
  visitor.choice(
      "off_policy", off_policy, off_policy_method_names(),
      "how J is estimated: fitted-q uses every transition, which episodes of several directions need");
  visitor.number(
      "judging_part", judging_part, {.lowest = 0, .highest = 1, .open_above = true},
      "of the episodes, kept apart to judge what was learned from the others; a confirmation takes "
      "some that none before has seen; none are kept apart in a deterministic world, where data "
      "that show something show J itself");
  visitor.flag(
      "warm_start", warm_start,
      "training goes on from the stored policy that is best in the direction, instead of from a random one");
  visit_threads(visitor, threads);
}

}  // namespace c2rl
