import pathlib

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import c2rl
import c2rl.torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-5  # of float32 sums in another order


def networks(tmp_path, example, **changes):
    problem = c2rl.Problem.from_file(ROOT / "examples" / example, {key.replace("__", "."): value for key, value in changes.items()})
    result = c2rl.solve(problem, out=tmp_path / "run", progress=False)
    return [(member.policy, tmp_path / "run" / member.file) for member in result.policies]


@pytest.mark.parametrize("execution", ["greedy", "stochastic"])
def test_networks_of_states(tmp_path, execution):
    for native, path in networks(tmp_path, "navigation.toml", oracle__kind="a2c", oracle__training_steps=50_000,
                                 oracle__execution=execution, solver__max_oracle_calls=2):
        module = c2rl.torch.load_policy(path)
        states = np.arange(54)
        expected = native.probabilities(states)
        if execution == "greedy":
            assert (module.predict(states)[0] == expected.argmax(1)).all() and module.predict(27)[0] == expected[27].argmax()
        else:
            found = module.distribution(torch.from_numpy(states)).probs.detach().numpy()
            assert np.abs(found - expected).max() < TOLERANCE


def test_networks_of_features(tmp_path):
    for native, path in networks(tmp_path, "cart_pole.toml", oracle__training_steps=4_000, solver__max_oracle_calls=1,
                                 oracle__execution="stochastic"):
        module = c2rl.torch.load_policy(path)
        features = np.random.default_rng(0).normal(size=(100, 4)).astype(np.float32)
        found = module.distribution(torch.from_numpy(features)).probs.detach().numpy()
        assert np.abs(found - native.probabilities(features)).max() < TOLERANCE
        assert (module.predict(features, deterministic=True)[0] == native.predict(features)[0]).all()
        module(torch.from_numpy(features)).sum().backward()  # it can be trained on
        assert all(p.grad is not None for name, p in module.named_parameters() if "policy" in name)


def test_one_network_for_all_directions(tmp_path):
    found = networks(tmp_path, "navigation_dqn.toml", oracle__conditioned=True, oracle__step_cost=0.3)
    for native, path in found:
        assert (c2rl.torch.load_policy(path).predict(np.arange(54))[0] == native.probabilities(np.arange(54)).argmax(1)).all()
    shared = list((tmp_path / "run/policies").glob("shared-*"))
    assert shared
    for file in shared:
        file.unlink()
    with pytest.raises(c2rl.InputError, match="is missing"):
        c2rl.torch.load_policy(found[0][1])


@pytest.mark.parametrize("squashed", [False, True])
def test_networks_of_real_actions(tmp_path, squashed):
    for native, path in networks(tmp_path, "pendulum.toml", oracle__training_steps=4_000, solver__max_oracle_calls=1,
                                 oracle__squashed=squashed):
        module = c2rl.torch.load_policy(path)
        features = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32)
        expected = native.predict(features)[0]
        assert np.abs(module.predict(features)[0] - expected).max() < TOLERANCE * max(1, np.abs(expected).max())
        assert module.predict(features[0])[0].shape == (1,)
        torch.manual_seed(0)
        drawn = np.array([module.predict(features[:1], deterministic=False)[0][0, 0] for _ in range(2000)])
        spread = np.exp(native.arrays["log_spread"][0])
        if squashed:
            assert (np.abs(drawn) <= 1).all()
        else:
            assert drawn.mean() == pytest.approx(expected[0, 0], abs=4 * float(spread) / 40)
            assert drawn.std() == pytest.approx(float(spread), rel=0.1)


def test_what_is_no_network_is_named(tmp_path):
    ((_, path), *_) = networks(tmp_path, "navigation.toml")
    with pytest.raises(c2rl.InputError, match="kind 'tabular', expected a network: network or gaussian"):
        c2rl.torch.load_policy(path)
    with pytest.raises(c2rl.InputError, match="expected a dataset"):
        c2rl.torch.load_dataset(path)
    (tmp_path / "short").write_bytes(b"abc")
    with pytest.raises(c2rl.InputError, match="has 3 bytes, expected a safetensors file"):
        c2rl.torch.load_policy(tmp_path / "short")
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-1])
    with pytest.raises(c2rl.InputError, match="not those of its shape"):
        c2rl.torch.load_policy(tmp_path / "cut")
