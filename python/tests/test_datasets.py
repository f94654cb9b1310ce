import numpy as np
import pytest

from c2rl import InputError, datasets


def episode(steps, end, m=2):
    return datasets.Episode(np.arange(steps + 1), [1] * steps, np.ones((steps, m)), 0.5, terminated=end, truncated=not end)


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "data"
    datasets.write(path, [episode(3, True), episode(2, False)], measurements=["a", "b"], actions=4, states=10, discount=0.9, horizon=7)
    about, data = datasets.read(path)
    assert {key: about[key] for key in ("kind", "version", "measurements", "discount", "horizon", "states", "features", "actions")} == {
        "kind": "dataset", "version": "1", "measurements": '["a", "b"]', "discount": "0.9", "horizon": "7", "states": "10",
        "features": "0", "actions": "4"}
    assert data["state"].tolist() == [0, 1, 2, 0, 1] and data["next_state"].tolist() == [1, 2, 3, 1, 2]
    assert data["episode_begin"].tolist() == [0, 3, 5]
    assert data["terminated"].tolist() == [0, 0, 1, 0, 0] and data["truncated"].tolist() == [0, 0, 0, 0, 1]
    assert data["measurement"].shape == (5, 2) and data["probability"].tolist() == [0.5] * 5


def test_features(tmp_path):
    seen = np.random.default_rng(0).random((4, 3), np.float32)
    datasets.write(tmp_path / "data", [datasets.Episode(seen, [0, 1, 0], [[1], [2], [3]], [0.5, 0.25, 1], True)],
                   measurements=["a"], actions=2)
    about, data = datasets.read(tmp_path / "data")
    assert about["features"] == "3" and (data["observation"] == seen[:-1]).all() and (data["next_observation"] == seen[1:]).all()


def test_tensors_are_the_arrays_of_the_file(tmp_path):
    pytest.importorskip("torch")
    import c2rl.torch

    datasets.write(tmp_path / "data", [episode(1000, True)], measurements=["a", "b"], actions=4, states=1001)
    about, tensors = c2rl.torch.load_dataset(tmp_path / "data")
    assert tensors["measurement"].shape == (1000, 2) and tensors["state"].tolist() == list(range(1000))
    # One mapping of the file: the columns lie in it as the header says.
    assert tensors["measurement"].data_ptr() - tensors["probability"].data_ptr() == 8 * 1000
    assert tensors["state"].data_ptr() - tensors["measurement"].data_ptr() == 2 * 8 * 1000


@pytest.mark.parametrize("given, message", [
    (lambda: [], "found no transition"),
    (lambda: [datasets.Episode([0], [1], [[1, 1]], 1, True)], r"episodes\[0\].seen: found 1, expected 2"),
    (lambda: [episode(2, True, m=3)], r"episodes\[0\].measurements: found 3 a step, expected 2"),
])
def test_mistakes_are_named(tmp_path, given, message):
    with pytest.raises(InputError, match=message):
        datasets.write(tmp_path / "data", given(), measurements=["a", "b"], actions=4, states=10)
