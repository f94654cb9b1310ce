import gymnasium
import numpy as np
import pytest
from counting import Broken, Counting

from c2rl import InputError
from c2rl.environments import Measurement, World
from c2rl.environments.spaces import Done, Seen
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple


def walk(batch, steps):
    """What a fixed rule does in all slots; ended ones begin again with their next number."""
    seen = []
    for slot in range(batch.size):
        batch.reset(slot, slot)
    for step in range(steps):
        batch.action[:] = batch.features[:, 2] + batch.features[:, 3] > 0.02 * (step % 5)
        batch.action[0] = 0  # falls soon
        batch.step()
        seen.append(np.concatenate([batch.features.ravel(), batch.measurement.ravel(), batch.terminated, batch.truncated]))
        for slot in np.flatnonzero(batch.terminated | batch.truncated):
            batch.reset(int(slot), 1000 * step + int(slot))
    return np.array(seen)


def test_the_same_in_any_number_of_processes():
    world = World("CartPole-v1", {"n": "steps", "left": lambda t: t.obs[0] < 0, "end": "terminated"})
    walks = []
    for workers in (0, 1, 2):
        batch = world.batch(5, workers=workers)
        walks.append(walk(batch, 120))
        batch.close()
    assert (walks[0] == walks[1]).all() and (walks[0] == walks[2]).all()
    assert walks[0][:, 5 * 4 + 5 * 3:].any()  # some have ended


def test_ended_slots_stay_as_they_are():
    batch = World(Counting, {"n": "steps", "r": "reward"}).batch(2, workers=0)
    batch.reset(0, 1)
    batch.reset(1, 2)
    batch.action[:] = [2, 1]
    for _ in range(3):
        batch.step()
    assert batch.terminated.tolist() == [1, 0] and batch.features[:, 0].tolist() == [6, 3]
    batch.step()
    assert batch.features[:, 0].tolist() == [6, 4] and batch.measurement.tolist() == [[1, 2], [1, 1]]
    batch.reset(0, 3)
    assert batch.terminated.tolist() == [0, 0] and batch.measurement[0].tolist() == [0, 0]


def test_one_discount_is_the_learners_and_several_are_in_the_steps():
    for discounts, expected in (((0.5, 0.5), [[1, 1], [1, 1]]), ((0.5, 1.0), [[1, 1], [0.5, 1]])):
        world = World(Counting, {"a": Measurement("steps", discount=discounts[0]), "b": Measurement("steps", discount=discounts[1])})
        assert world.discount == (0.5 if discounts[0] == discounts[1] else 1)
        batch = world.batch(1, workers=0)
        batch.reset(0, 0)
        batch.action[:] = 1
        found = []
        for _ in range(2):
            batch.step()
            found.append(batch.measurement[0].tolist())
        assert found == expected


def test_a_failing_worker_closes_the_batch():
    batch = World(lambda: Broken("kill"), {"n": "steps"}).batch(2, workers=2)
    for slot in range(2):
        batch.reset(slot, 0)
    batch.action[:] = 2
    with pytest.raises(RuntimeError, match="SIGKILL"):
        for _ in range(10):
            batch.step()
    assert batch.processes() == []
    with pytest.raises(RuntimeError, match="closed"):
        batch.step()


def test_observations():
    assert Seen(Discrete(5, start=2)).encode(4) == 2
    image = Seen(Box(0, 255, (2, 3), np.uint8))
    assert image.features == 6 and image.encode(np.arange(6).reshape(2, 3)).tolist() == [0, 1, 2, 3, 4, 5]
    mixed = Seen(Dict(a=Box(-1, 1, (2,)), b=Discrete(3)))
    assert mixed.features == 5 and mixed.encode({"a": np.array([0.5, -0.5], np.float32), "b": 1}).tolist() == [0.5, -0.5, 0, 1, 0]
    assert Seen(MultiDiscrete([200, 300])).encode(np.array([1, 2])).tolist()[199:204] == [0, 0, 0, 1, 0]
    many = Seen(Tuple((Discrete(2000), MultiBinary(2))))
    assert many.features == 2002 and many.encode((1999, np.array([1, 0], np.int8))).tolist()[1998:] == [0, 1, 1, 0]
    with pytest.raises(InputError, match="expected one of a fixed size"):
        Seen(gymnasium.spaces.Sequence(Discrete(2)))


@pytest.mark.parametrize("space", [
    Box(0, 11, (2,), np.int32), Box(np.array([-1, 5]), np.array([1, 6]), dtype=np.int64), MultiDiscrete([2, 3]), MultiBinary([2, 2]),
    Tuple((Discrete(2, start=3), MultiBinary(2))), Dict(place=Discrete(5), carried=MultiDiscrete([2, 3]), dropped=Box(0, 1, (1,), np.int8))])
def test_few_whole_numbers_are_numbered_states(space):
    """Each observation has a number of its own, and they are all used."""
    seen = Seen(space)
    space.seed(0)
    numbers = {repr(obs): seen.encode(obs) for obs in (space.sample() for _ in range(3000))}
    assert seen.features == 0 and len(numbers) == seen.states
    assert sorted(numbers.values()) == list(range(seen.states))


def test_what_is_outside_of_the_space_has_no_number():
    assert Seen(Box(0, 3, (2,), np.int32)).encode(np.array([4, 0])) == -1
    assert Seen(Discrete(3)).encode(3) == -1


def test_actions():
    assert Done(Discrete(3, start=5)).decode(1) == 6
    several = Done(MultiDiscrete([2, 3]))
    assert several.actions == 6
    assert [several.decode(i).tolist() for i in range(6)] == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert Done(MultiBinary(2)).decode(2).tolist() == [1, 0]
    box = Done(Box(np.array([0, -2], np.float32), np.array([10, 2], np.float32)))
    assert box.controls == 2 and box.decode([0, 0.5]).tolist() == [5, 1] and box.decode([-7, 7]).tolist() == [0, 2]
    free = Done(Box(-np.inf, np.inf, (1,)))
    assert free.decode([3.5]).tolist() == [3.5]
    with pytest.raises(InputError, match="combinations, expected at most"):
        Done(MultiDiscrete([100, 100]))
    with pytest.raises(InputError, match="expected Discrete, MultiDiscrete, MultiBinary or Box"):
        Done(Dict(a=Discrete(2)))
