import types

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
from stable_baselines3 import PPO

from c2rl import InputError
from c2rl.environments import Measurement, World
from c2rl.oracles import StableBaselines3
from choices import CHOICE, Choice
from counting import Broken, Counting

MEASURED = {"length": "steps", "left": lambda t: t.action == 0}


def ask(oracle, direction, seed=1, effort=1.0, enough=None, start=None, report=lambda part: None):
    call = types.SimpleNamespace(direction=np.array(direction, float), seed=seed, effort=effort, enough=enough, start=start,
                                 report=report)
    answer = oracle.minimize(call)
    assert answer.episodes.env_steps <= answer.env_steps
    answer.episodes = answer.episodes.totals
    return answer


QUICK = {"PPO": dict(n_steps=64, batch_size=32, learning_rate=0.01), "A2C": dict(learning_rate=0.01),
         "DQN": dict(learning_starts=50, exploration_fraction=0.5, learning_rate=0.01, target_update_interval=50, train_freq=1)}


@pytest.mark.parametrize("algorithm", QUICK)
@pytest.mark.parametrize("best", [0, 1, 2])
def test_finds_what_is_best_in_a_direction(algorithm, best):
    with World(Choice, CHOICE, workers=0) as world:
        oracle = StableBaselines3(algorithm, total_timesteps=600, evaluation_episodes=4, **QUICK[algorithm]).bind(world)
        direction = [0.5, 0.5, 0.5]
        direction[best] = -0.5
        answer = ask(oracle, direction)
        assert answer.episodes.tolist() == [np.eye(3)[best].tolist()] * 4
        assert answer.env_steps >= 600


@pytest.mark.parametrize("algorithm", ["SAC", "TD3", "TQC"])
def test_actions_that_are_real_numbers(algorithm):
    if algorithm == "TQC":
        pytest.importorskip("sb3_contrib")
    with World(lambda: Choice(controls=True), {"u": "info.a[0]", "square": lambda t: float(t.action[0]) ** 2}, workers=0) as world:
        oracle = StableBaselines3(algorithm, total_timesteps=300, evaluation_episodes=4, learning_starts=50,
                                  learning_rate=0.01, policy_kwargs=dict(net_arch=[16])).bind(world)
        found = ask(oracle, [1.0, 0.0]).episodes  # the least u
        assert (found[:, 0] < -0.9).all() and (found == found[0]).all()


def test_the_same_call_has_the_same_answer_and_a_saved_policy_is_the_same(tmp_path):
    totals = []
    for workers in (0, 2):
        with World("CartPole-v1", MEASURED, workers=workers) as world:
            oracle = StableBaselines3("PPO", total_timesteps=512, n_steps=128, evaluation_episodes=16, checks=1).bind(world)
            answer = ask(oracle, [-1, 0])
            totals.append(answer.episodes)
            oracle.save(answer.policy, tmp_path / "policy")
            again = oracle.load(tmp_path / "policy")
            assert (oracle.episodes(again, 20, 5).totals == oracle.episodes(answer.policy, 20, 5).totals).all()
    assert (totals[0] == totals[1]).all()


def test_a_warm_start_begins_where_the_policy_was():
    with World(Choice, CHOICE, workers=0) as world:
        settings = dict(total_timesteps=600, evaluation_episodes=4, **QUICK["PPO"])
        first = ask(StableBaselines3("PPO", **settings).bind(world), [-0.5, 0.5, 0.5]).policy
        weights = {name: value.clone() for name, value in first.model.policy.state_dict().items()}
        for warm, expected in ((True, True), (False, False)):
            oracle = StableBaselines3("PPO", warm_start=warm, **{**settings, "learning_rate": 1e-12}).bind(world)
            assert oracle.goes_on == warm
            found = ask(oracle, [0.5, 0.5, -0.5], start=first).policy.model.policy.state_dict()
            near = all(np.allclose(found[name], weights[name], atol=1e-6) for name in weights)
            assert near == expected
        assert all((first.model.policy.state_dict()[name] == weights[name]).all() for name in weights)


def test_training_ends_where_it_is_good_enough():
    with World(Choice, CHOICE, workers=0) as world:
        settings = dict(total_timesteps=4000, evaluation_episodes=4, check_episodes=4, **QUICK["PPO"])
        stopped = ask(StableBaselines3("PPO", **settings).bind(world), [-1, 0, 0], enough=-0.9)
        whole = ask(StableBaselines3("PPO", early_stop=False, **settings).bind(world), [-1, 0, 0], enough=-0.9)
    assert stopped.env_steps < 4000 <= whole.env_steps
    assert (stopped.episodes[:, 0] == 1).all()


def test_effort_multiplies_the_steps_and_reports_come():
    parts = []
    with World(Choice, CHOICE, workers=0) as world:
        oracle = StableBaselines3("A2C", total_timesteps=100, evaluation_episodes=2, checks=1, check_episodes=2).bind(world)
        assert ask(oracle, [1, 0, 0], effort=3.0, report=parts.append).env_steps == 300 + 2 + 2
    assert parts == sorted(parts) and 0 < parts[0] < 0.05 and parts[-1] == 1


def test_a_zero_direction_needs_no_training():
    with World(Choice, CHOICE, workers=0) as world:
        answer = ask(StableBaselines3("PPO", evaluation_episodes=3).bind(world), [0, 0, 0])
    assert answer.env_steps == 3 and answer.episodes.sum() == 3


def test_discounted_measurements_are_learnt_with_their_discount():
    world = World("CartPole-v1", {"n": Measurement("steps", discount=0.9)}, workers=0)
    assert StableBaselines3("PPO").bind(world)._gamma() == 0.9
    assert StableBaselines3("PPO", gamma=0.5).bind(world)._gamma() == 0.5
    assert StableBaselines3("PPO").bind(World("CartPole-v1", MEASURED, workers=0))._gamma() == 0.99


def test_dict_observations():
    class Named(Choice):
        def __init__(self):
            super().__init__()
            self.observation_space = gymnasium.spaces.Dict(x=gymnasium.spaces.Box(-1, 1, (1,)), k=gymnasium.spaces.Discrete(2))

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return {"x": np.zeros(1, np.float32), "k": 1}, {}

        def step(self, action):
            return {"x": np.zeros(1, np.float32), "k": 0}, 0.0, True, False, {}

    with World(Named, CHOICE, workers=1) as world:
        oracle = StableBaselines3("PPO", total_timesteps=600, evaluation_episodes=9, **QUICK["PPO"]).bind(world)
        assert ask(oracle, [0.5, -0.5, 0.5]).episodes.tolist() == [[0, 1, 0]] * 9


def test_what_training_raises_arrives():
    with World(lambda: Broken("raise"), {"n": "steps"}, workers=0) as world:
        with pytest.raises(ZeroDivisionError, match="the simulator divided by zero"):
            ask(StableBaselines3("PPO", total_timesteps=100).bind(world), [1])

    def stop(part):
        raise KeyboardInterrupt

    with World(Counting, {"n": "steps"}, workers=0) as world:
        with pytest.raises(KeyboardInterrupt):
            ask(StableBaselines3("A2C", total_timesteps=1000).bind(world), [1], report=stop)


@pytest.mark.parametrize("make, message", [
    (lambda: StableBaselines3("PPPO"), "found 'PPPO', expected one of A2C.* did you mean 'PPO'"),
    (lambda: StableBaselines3(3), "expected the name of an algorithm"),
    (lambda: StableBaselines3("PPO", total_timesteps=0), "oracle.total_timesteps: found 0, expected a whole number, 1 or more"),
    (lambda: StableBaselines3("PPO", env="CartPole-v1"), "oracle.env: every call has its own"),
    (lambda: StableBaselines3("PPO").minimize(None), "knows no environment"),
    (lambda: StableBaselines3("SAC").bind(World("CartPole-v1", MEASURED)), "SAC with Box.* and Discrete.*: The algorithm only supports"),
    (lambda: StableBaselines3("PPO", lerning_rate=1).bind(World("CartPole-v1", MEASURED)), "unexpected keyword argument 'lerning_rate'"),
])
def test_mistakes_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_classes_are_taken_as_they_are():
    assert StableBaselines3(PPO).algorithm is PPO
