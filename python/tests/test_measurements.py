import math

import gymnasium
import numpy as np
import pytest
from counting import Counting, SixTuple, one

from c2rl import InputError
from c2rl.environments import Event, Measurement, World


def totals(env, measurements, policy=one, count=3, **options):
    world = World(env, measurements, workers=0, **options)
    return world.episodes(policy, count, seed=1).totals


def test_names_say_what_a_step_gave():
    found = totals(Counting, {"n": "steps", "r": "reward", "c": "cost", "also": "info.cost", "end": "terminated",
                              "cut": "truncated", "deep": "info.nested.list[1]", "negative": "info.nested.list[-1]",
                              "act": "action", "after": "next_obs[0]", "before": "obs[0]"})
    assert found.tolist() == [[5, 5, 2.5, 2.5, 1, 0, 10, 15, 5, 15, 10]] * 3


def test_components_of_vector_rewards():
    found = totals(lambda: Counting(vector_reward=True), {"a": "reward[0]", "b": "reward[1]", "last": "reward[-1]"})
    assert (found[:, :2] == [5, -5]).all()
    assert len(set(found[:, 2])) == 3  # every episode has a draw of its own


def test_six_tuples_and_their_entries():
    assert totals(SixTuple, {"c": "cost", "h": "cost_hazards", "s": "info.cost_sum"}).tolist() == [[1.25, 0.625, 1.25]] * 3


def test_functions_see_the_whole_transition():
    seen = []
    totals(Counting, {"x": lambda t: seen.append((t.obs[0], t.action, t.reward, t.next_obs[0], t.terminated, t.step)) or 0},
           count=1)
    # The first entry is the step that a world tries when it is made.
    assert seen[1:] == [(i, 1, 1.0, i + 1, i == 4, i) for i in range(5)]


def test_discounts_are_per_measurement():
    found = totals(Counting, {"half": Measurement("steps", discount=0.5), "all": "steps"}, count=1)
    assert found.tolist() == [[1 + 0.5 + 0.25 + 0.125 + 0.0625, 5]]


def test_an_event_counts_once():
    found = totals(Counting, {"high": Event(lambda t: t.next_obs[0] >= 3), "never": Event(lambda t: t.next_obs[0] > 99)})
    assert found.tolist() == [[1, 0]] * 3


def test_entries_that_are_there_at_some_steps_only():
    with pytest.raises(InputError, match=r"measurements.x: found 'info.last', but info has no 'last' at step 0; it has "
                                         r"cost, draw, nested.*missing=0"):
        World(Counting, {"x": "info.last"})
    assert totals(Counting, {"x": Measurement("info.last", missing=0)}, count=1).tolist() == [[7]]


def test_ranges_follow_from_names_where_they_can():
    world = World(lambda: gymnasium.make("CartPole-v1"),
                  {"n": "steps", "d": Measurement("steps", discount=0.5), "e": Event("terminated"), "t": "terminated",
                   "r": "reward", "own": Measurement("reward", range=(0, 500))})
    assert world.horizon == 500
    assert world.ranges == [(1, 500), (1, pytest.approx(2)), (0, 1), (0, 1), (-math.inf, math.inf), (0, 500)]


def test_an_episode_outside_its_range_is_an_error():
    with pytest.raises(InputError, match="measurements.n: an episode measured 5, but its range is declared as 0 to 4"):
        totals(Counting, {"n": Measurement("steps", range=(0, 4))})


def test_the_horizon_cuts():
    world = World(Counting, {"n": "steps", "cut": "truncated", "end": "terminated"}, horizon=2, workers=0)
    found = world.episodes(one, 4, seed=0)
    assert found.totals.tolist() == [[2, 1, 0]] * 4 and found.cut == 4 and found.env_steps == 8


@pytest.mark.parametrize("measurements, message", [
    ({"x": "rewrad"}, "found 'rewrad', expected one of steps, reward, .* did you mean 'reward'"),
    ({"x": "info"}, "found 'info', expected an entry of it"),
    ({"x": "info.costs"}, "info has no 'costs' .* did you mean 'cost'"),
    ({"x": "reward[0]"}, "reward is float 1.0|reward is .*which has no numbered entries"),
    ({"x": "info.nested"}, "gave a table with list at step 0, expected a number"),
    ({"x": "info.nested.list"}, r"expected a number: info.nested.list\[0\] to info.nested.list\[2\]"),
    ({"x": "info.nested.list[3]"}, r"has 3 entries, info.nested.list\[0\] to info.nested.list\[2\]"),
    ({"x": "reward!"}, "expected .NAME or .NUMBER. behind 'reward'"),
    ({"x": lambda t: float("nan")}, "found nan at step 0, expected a finite number"),
    ({"x": lambda t: "much"}, "the function gave .*'much' at step 0, expected a number"),
    ({"x": 3}, "found 3, expected a name"),
    ({"x": {"of": "steps", "rnage": (0, 1)}}, "found 'rnage', expected of, range.* did you mean 'range'"),
    ({"x": Measurement("steps", discount=0)}, "measurements.x.discount: found 0"),
    ({"x": Measurement("steps", range=(2, 1))}, "measurements.x.range"),
    ({}, "at least one entry"),
    ("steps", "expected a dictionary"),
])
def test_mistakes_are_named(measurements, message):
    with pytest.raises(InputError, match=message):
        World(Counting, measurements, workers=0)


class FourTuple(Counting):
    def step(self, action):
        obs, reward, terminated, _, info = super().step(action)
        return obs, reward, terminated, info


class BareReset(Counting):
    def reset(self, **_):
        return super().reset()[0]


@pytest.mark.parametrize("env, message", [
    (FourTuple, "step gave a tuple of 4, expected .*the old gym"),
    (BareReset, r"reset gave a ndarray, expected Gymnasium's \(obs, info\)"),
    (lambda: 3, "the function made int, expected an environment"),
    (3, "found int, expected a function that makes an environment"),
])
def test_other_conventions_are_named(env, message):
    with pytest.raises(InputError, match=message):
        World(env, {"n": "steps"}, workers=0)


@pytest.mark.parametrize("make", [
    lambda: "CartPole-v1",
    lambda: gymnasium.make("CartPole-v1"),
    lambda: gymnasium.make_vec("CartPole-v1", num_envs=3),
    lambda: gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync"),
    lambda: lambda: gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync"),
])
def test_environments_as_users_have_them(make):
    left = totals(make(), {"n": "steps"}, policy=lambda obs: 0, count=4)
    right = totals(lambda: gymnasium.make("CartPole-v1"), {"n": "steps"}, policy=lambda obs: 0, count=4)
    assert (left == right).all() and (left < 15).all()


def test_wrappers_of_an_environment_are_kept():
    env = gymnasium.wrappers.TransformReward(gymnasium.make("CartPole-v1"), lambda r: 3 * r)
    found = totals(env, {"n": "steps", "r": "reward"}, policy=lambda obs: 0)
    assert (found[:, 1] == 3 * found[:, 0]).all()


def test_mo_gymnasium_by_name():
    pytest.importorskip("mo_gymnasium")
    found = totals("deep-sea-treasure-concave-v0", {"treasure": "reward[0]", "steps": "steps"}, policy=lambda obs: 1)
    assert found.tolist() == [[1, 1]] * 3  # straight down from the start: the nearest treasure
