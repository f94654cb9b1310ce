import numpy as np
import pytest

from c2rl import Dataset, InputError


def episode(steps, end, m=2):
    return Dataset.Episode(np.arange(steps + 1), [1] * steps, np.ones((steps, m)), 0.5, terminated=end, truncated=not end)


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "data"
    made = Dataset.of_episodes([episode(3, True), episode(2, False)], names=["a", "b"], actions=4, states=10, discount=0.9, horizon=7)
    made.write(path)
    read = Dataset.read(path)
    assert read.names == ["a", "b"] and read.discount == 0.9 and read.horizon == 7 and len(read) == 5 and read.episodes == 2
    data = read.arrays
    assert data["state"].tolist() == [0, 1, 2, 0, 1] and data["next_state"].tolist() == [1, 2, 3, 1, 2]
    assert data["episode_begin"].tolist() == [0, 3, 5]
    assert data["terminated"].tolist() == [0, 0, 1, 0, 0] and data["truncated"].tolist() == [0, 0, 0, 0, 1]
    assert data["measurement"].shape == (5, 2) and data["probability"].tolist() == [0.5] * 5


def test_features():
    seen = np.random.default_rng(0).random((4, 3), np.float32)
    data = Dataset.of_episodes([Dataset.Episode(seen, [0, 1, 0], [[1], [2], [3]], [0.5, 0.25, 1], True)], names=["a"], actions=2).arrays
    assert (data["observation"] == seen[:-1]).all() and (data["next_observation"] == seen[1:]).all()


def test_tensors_are_the_arrays_of_the_file(tmp_path):
    pytest.importorskip("torch")
    import c2rl.torch

    Dataset.of_episodes([episode(1000, True)], names=["a", "b"], actions=4, states=1001).write(tmp_path / "data")
    about, tensors = c2rl.torch.load_dataset(tmp_path / "data")
    assert tensors["measurement"].shape == (1000, 2) and tensors["state"].tolist() == list(range(1000))
    # One mapping of the file: the columns lie in it as the header says.
    assert tensors["measurement"].data_ptr() - tensors["probability"].data_ptr() == 8 * 1000
    assert tensors["state"].data_ptr() - tensors["measurement"].data_ptr() == 2 * 8 * 1000


@pytest.mark.parametrize("given, message", [
    (lambda: [], "found no transition"),
    (lambda: [Dataset.Episode([0], [1], [[1, 1]], 1, True)], r"episodes\[0\].seen: found 1, expected 2"),
    (lambda: [episode(2, True, m=3)], r"episodes\[0\].measurements: found 3 a step, expected 2"),
])
def test_mistakes_are_named(given, message):
    with pytest.raises(InputError, match=message):
        Dataset.of_episodes(given(), names=["a", "b"], actions=4, states=10)
