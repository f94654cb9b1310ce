#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "c2rl/run/demands.h"
#include "c2rl/run/measured.h"

namespace c2rl {

/// A policy of a mixture, as far as limits for the mixture's J depend on it.
struct Member {
  double weight = 0;
  const Measured* measured = nullptr;
};

/// With probability 1 - risk, all of these hold at once: for every demand, combination.J of the mixture is at
/// most this. The weights were fixed before the episodes were drawn.
/// With `counts`, what is expected after so many episodes of each member, if what is known of them stays.
Vector upper_limits(const Demands& demands, const std::vector<Member>& mixture, double risk,
                    const std::vector<std::int64_t>& counts = {});
/// Each with a risk of its own: then all hold with probability 1 less their sum.
Vector upper_limits(const Demands& demands, const std::vector<Member>& mixture, const Vector& risks,
                    const std::vector<std::int64_t>& counts = {});
Vector lower_limits(const Demands& demands, const std::vector<Member>& mixture, double risk,
                    const std::vector<std::int64_t>& counts = {});

/// How `count` episodes are best shared out among the members, so that the limits come out low: in proportion
/// to weight times spread where what happens often decides, to the root of the weight where what is rare does;
/// at least some of each. Recorded episodes tell of all
/// members at once. Members whose J was computed get none.
std::vector<std::int64_t> share_out(const Demands& demands, const std::vector<Member>& mixture, double count);

/// How a risk is best shared out among the demands: by what was known before the episodes that judge are drawn,
/// those that will be met by far can do with hardly any of it.
Vector risks_of(const Demands& demands, const std::vector<Member>& mixture,
                const std::vector<std::int64_t>& counts, double risk);

/// What upper_limits is expected to say after so many episodes, less what the mixture measures.
Vector expected_half_widths(const Demands& demands, const std::vector<Member>& mixture,
                            const std::vector<std::int64_t>& counts, const Vector& risks);

/// The least number of episodes after which the demands are expected to be met, if the estimates stay where
/// they are; nothing where no number would do, the mixture being on the boundary or outside.
std::optional<double> episodes_to_confirm(const Demands& demands, const std::vector<Member>& mixture,
                                          double risk);

/// What attempt k (from 1) of a run may risk, so that all together risk no more than `risk`.
double attempt_risk(double risk, int attempt);

}  // namespace c2rl
