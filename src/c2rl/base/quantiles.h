#pragma once

namespace c2rl {

// What a random number stays below with probability p, to about 12 digits, far into the tails. A p close to 1
// is known by 1 - p only as well as its rounding lets it: use the lower quantile and symmetry there.

/// Of the standard normal distribution; p in (0, 1).
double normal_quantile(double p);

/// Of Student's t; p in (0, 1), degrees of freedom above 0. Infinitely many are the normal distribution.
double student_quantile(double p, double degrees);

/// Of the beta distribution; p in (0, 1), a and b above 0.
double beta_quantile(double p, double a, double b);

}  // namespace c2rl
