#include "c2rl/oracle/learning_options.h"

#include <algorithm>

namespace c2rl {

void visit_learning_rates(OptionVisitor& visitor, double& first, double& last) {
  visitor.number("learning_rate", first, above(0), "Adam's, at the start");
  visitor.suggest(last, std::min(last, first));
  visitor.number("learning_rate_last", last, at_least(0),
                 "the same at the end of the training, to which it decays linearly; by default no more than "
                 "at the start");
}

void visit_time_preference(OptionVisitor& visitor, double& step_cost, double& training_discount) {
  visitor.number(
      "step_cost", step_cost, part(),
      "a cost per step while learning, of what a step costs on average: of policies that measure "
      "nearly the same, the one with shorter episodes is preferred; more effort means a smaller one");
  visitor.number("training_discount", training_discount, part(),
                 "what is a step later counts by this much less while learning; 0 stands for the "
                 "environment's own discount or, where that is 1, 1 - 1 / horizon: an episode that is cut "
                 "would have gone on, so that without a discount nothing would bound the value of going on");
}

}  // namespace c2rl
