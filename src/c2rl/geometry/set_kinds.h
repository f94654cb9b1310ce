#pragma once

#include <functional>
#include <string>
#include <utility>

#include "c2rl/base/kinds.h"
#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// A kind of set that `[target.set]` can name, over all measurements in their order.
struct SetKind : KindInfo {
  /// `dim` is the number of measurements. What is wrong with the section is an InputError that says where.
  std::function<SetPtr(const Config& section, int dim)> make;
};
Kinds<SetKind>& set_kinds();

/// A kind from its options, a struct with `visit` (see OptionVisitor), and what makes a set of them. What
/// `make` finds wrong is reported at the key that its InputError names.
template <typename Options>
SetKind set_kind(std::string name, std::string summary, SetPtr (*make)(const Options& options, int dim)) {
  SetKind kind{{std::move(name), std::move(summary), list_options<Options>()}, {}};
  kind.make = [make](const Config& section, int dim) {
    const Options options = read_options<Options>(section);
    try {
      return make(options, dim);
    } catch (const InputError& error) {
      section.fail("kind", error);
    }
  };
  return kind;
}

/// An InputError unless there is a number for every measurement.
void check_one_per_measurement(const Vector& values, int dim, const std::string& key);

}  // namespace c2rl
