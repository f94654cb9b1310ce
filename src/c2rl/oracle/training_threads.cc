#include "c2rl/oracle/training_threads.h"

#include <algorithm>

#include "c2rl/base/team.h"
#include "c2rl/mdp/parallel.h"

namespace c2rl {

int training_threads(int asked, const NetworkShape& network, int inputs) {
  const int most = std::min({threads_here(), Network::most_parts(network, inputs), Team::kMost});
  return std::max(1, asked == 0 ? most : std::min(asked, most));
}

void visit_threads(OptionVisitor& visitor, int& threads) {
  visitor.integer("threads", threads, between(0, Team::kMost),
                  "threads that learn, as far as there are cores and work for them; 0: as many as there are. "
                  "What is found "
                  "does not depend on it. Wide layers gain most; cells of an experiment have one each");
}

}  // namespace c2rl
