#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/enum_names.h"
#include "c2rl/base/options.h"
#include "c2rl/nn/network.h"
#include "c2rl/offline/off_policy.h"

namespace c2rl {

/// How transitions are drawn into a batch.
enum class BatchSampling {
  uniform,   // each alike
  balanced,  // each state and action that was recorded alike, and then each of its transitions
};
const EnumNames<BatchSampling>& batch_sampling_names();

struct DdqnOptions {
  std::vector<int> hidden = {128, 128};
  Activation activation = Activation::relu;
  std::int64_t updates = 2000;
  int batch = 256;
  BatchSampling sampling = BatchSampling::balanced;
  int target_period = 10;
  double learning_rate = 1e-3;
  double learning_rate_last = 1e-4;
  double momentum = 0.5;
  double training_discount = 0;
  double step_cost = 0.01;
  double huber_limit = kInfinity;
  OffPolicyMethod off_policy = OffPolicyMethod::fitted_q;
  double judging_part = 0.5;
  bool warm_start = false;
  int threads = 1;

  /// Ranges and reasons.
  void visit(OptionVisitor& visitor);
};

}  // namespace c2rl
