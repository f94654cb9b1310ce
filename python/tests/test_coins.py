"""An oracle whose policies are coins: what a search makes of answers that are near a limit, or little better than what it has."""

import numpy as np
import pytest

import c2rl

TARGET = {"measurements": {"heads": (0, 1)}, "constraints": ["heads >= 0.95"], "tolerance": 0.01, "progress": False}


class Coins:
    """Answers one coin after the other, and the last one from then on: (chance of heads, heads among the 200 throws of the answer).
    Training takes steps, so that as many are spent on confirming."""

    def __init__(self, *coins):
        self.coins, self.calls = coins, 0

    def minimize(self, call):
        chance, heads = self.coins[min(self.calls, len(self.coins) - 1)]
        self.calls += 1
        return c2rl.Answer(policy=chance, episodes=np.arange(200).reshape(-1, 1) < heads, env_steps=100_000)

    def episodes(self, policy, count, seed):
        return np.random.default_rng(seed).random((count, 1)) < policy


def test_what_lies_at_the_end_of_the_tolerance_is_improved():
    """188 heads of 200 are as far out as the tolerance allows. No number of episodes would confirm that, but there are better coins."""
    result = c2rl.solve(oracle=Coins((0.94, 188), (0.99, 198)), **TARGET)
    assert result.status == "feasible" and result.claim.level == 0.95
    assert [member.policy for member in result.policies] == [0.99]


@pytest.mark.parametrize("seed", range(5))
def test_an_answer_that_is_better_by_little_more_than_chance_is_measured(seed):
    """One is known to be heads in 938 of 1000. 199 of 200 are better by more than the noise, but not by that and the tolerance."""
    oracle = Coins((0.938, 187), (0.995, 199))
    result = c2rl.solve(oracle=oracle, seed=seed, **TARGET)
    assert result.status == "feasible" and oracle.calls == 2
    assert [member.policy for member in result.policies] == [0.995]
