#include "c2rl/solve/mixture.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

TEST(Mixture, AtomsComeAndGo) {
  Mixture mixture = Mixture::single(4, Vector{{1, 2}});
  EXPECT_EQ(mixture.point, (Vector{{1, 2}}));
  EXPECT_EQ(mixture.weights, Vector::Ones(1));
  EXPECT_EQ(mixture.append(9, Vector{{3, 0}}, 0.5), 1);
  EXPECT_EQ(mixture.append(2, Vector{{5, 6}}, 0.25), 2);
  EXPECT_EQ(mixture.size(), 3);
  EXPECT_EQ(mixture.find(2), 2);
  EXPECT_EQ(mixture.find(3), -1);

  mixture.keep({1, 2});
  EXPECT_EQ(mixture.ids, (std::vector<int>{9, 2}));
  EXPECT_EQ(mixture.atoms, (Matrix{{3, 5}, {0, 6}}));
  EXPECT_EQ(mixture.weights, (Vector{{0.5, 0.25}}));
  EXPECT_EQ(mixture.point, (Vector{{1, 2}}));
  mixture.weights = Vector{{0.5, 0.5}};
  mixture.update_point();
  EXPECT_EQ(mixture.point, (Vector{{4, 3}}));
}

TEST(Mixture, AnEmptyOneTakesAnAtom) {
  Mixture mixture;
  EXPECT_TRUE(mixture.empty());
  EXPECT_EQ(mixture.append(1, Vector{{1, 2, 3}}, 1), 0);
  mixture.update_point();
  EXPECT_EQ(mixture.point, (Vector{{1, 2, 3}}));
}

TEST(Mixture, WhatDoesNotFitIsRefused) {
  Mixture mixture = Mixture::single(4, Vector{{1, 2}});
  mixture.append(5, Vector{{1, 3}}, 0);
  EXPECT_THROW(mixture.append(6, Vector{{1, 2, 3}}, 0), std::logic_error);
  EXPECT_THROW(mixture.append(4, Vector{{1, 2}}, 0), std::logic_error);
  EXPECT_THROW(mixture.keep({2}), std::logic_error);
  EXPECT_THROW(mixture.keep({-1, 0}), std::logic_error);
  EXPECT_THROW(mixture.keep({1, 0}), std::logic_error);
  EXPECT_EQ(mixture.size(), 2);
}

}  // namespace
}  // namespace c2rl
