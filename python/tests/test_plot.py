import json
import pathlib

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import c2rl
from c2rl import plot

NAVIGATION = pathlib.Path(__file__).resolve().parents[2] / "examples" / "navigation.toml"


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def feasible():
    return c2rl.solve(NAVIGATION, progress=False)


@pytest.fixture(scope="module")
def infeasible():
    return c2rl.solve(NAVIGATION, constraints=["steps <= 9", "risk <= 0.5"], progress=False)


def inside(outline, points):
    return matplotlib.path.Path(outline).contains_points(points)


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_target_is_drawn_where_it_is(feasible):
    ax = plot.measurement_space(feasible)
    (polygon,) = [patch for patch in ax.patches if isinstance(patch, matplotlib.patches.Polygon)]
    outline = polygon.get_xy()
    assert inside(outline, [[10.9, 0.45], [10, 0.05]]).all() and not inside(outline, [[11.05, 0.25], [10.5, 0.55], [10.5, -0.05]]).any()
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("steps", "risk", "feasible")
    assert "no mixture below (proof)" not in labels(ax)


def test_curved_targets_and_slices():
    result = c2rl.mix([[3, 0, 0], [0, 3, 0], [0, 0, 0]], names=["a", "b", "c"], constraints=["norm(a - 1, b - 1) <= 1", "c <= 1"])
    (polygon,) = plot.measurement_space(result, "a", "b").patches
    corners = polygon.get_xy()
    assert np.hypot(*(corners - 1).T) == pytest.approx(1, abs=1e-6)  # the slice through a point with c <= 1 is the circle
    assert plot.measurement_space(result, "a", "c").get_legend_handles_labels()[1][0] == "target (slice)"


def test_policies_have_ellipses_of_their_errors():
    result = c2rl.mix([[1, 0], [0, 1]], names=["a", "b"], constraints=["a <= 0.9", "b <= 0.9"], standard_errors=[[0.01, 0.02], [0, 0]])
    (ellipse,) = [patch for patch in plot.measurement_space(result).patches if isinstance(patch, matplotlib.patches.Ellipse)]
    assert tuple(ellipse.center) == (1, 0)
    assert (ellipse.width, ellipse.height) == pytest.approx((2 * 2.4477 * 0.01, 2 * 2.4477 * 0.02))


def test_a_line_separates_what_is_out_of_reach(infeasible):
    ax = plot.measurement_space(infeasible)
    (line,) = [line for line in ax.lines if str(line.get_label()).startswith("no mixture")]
    normal, at = infeasible.certificate.direction, infeasible.certificate.achievable_at
    assert line.get_xydata() @ normal == pytest.approx(at)
    for row in infeasible.history:  # all that was ever found is beyond it, and the target is not
        assert np.array(row["measurement"]) @ normal >= at - 1e-9
    assert infeasible.target.project(infeasible.measurement) @ normal < at


def test_progress_of_one_run(infeasible):
    for value in ("distance", "error", "policies"):
        (line,) = plot.progress(infeasible, value).lines
        assert line.get_xdata().tolist() == list(range(1, infeasible.oracle_calls + 1))
        assert line.get_ydata().tolist() == [float(row[value]) for row in infeasible.history]


def test_progress_of_several_runs_is_their_median_with_a_band():
    class Run:
        def __init__(self, distances, steps):
            self.history = [{"distance": d, "env_steps": s, "seconds": 1.0, "policies": 1, "error": 0} for d, s in zip(distances, steps)]

    runs = [Run([4, 1], [10, 10]), Run([5, 2], [10, 20]), Run([6], [15])]
    ax = plot.progress(runs, against="steps")
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [15, 20, 30] and line.get_ydata().tolist() == [5, 5, 2]  # one that ended stays
    (band,) = ax.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == np.quantile([1, 2, 6], 0.25) and heights.max() == np.quantile([4, 5, 6], 0.75)


def test_the_whole_figure(feasible):
    assert feasible.plot("risk", "steps").get_ylabel() == "steps"
    figure = plot.summary(feasible)
    assert [ax.get_title() for ax in figure.axes][:1] == ["feasible"] and len(figure.axes) == 3


def test_mistakes_are_named(feasible):
    with pytest.raises(c2rl.InputError, match="found measurement 'stps', expected one of steps, risk"):
        plot.measurement_space(feasible, "stps")
    with pytest.raises(c2rl.InputError, match="plot.against: found 'hours', expected one of calls, steps, seconds"):
        plot.progress(feasible, against="hours")
    one = c2rl.mix([[1.0], [2.0]], names=["a"], constraints=["a <= 1.5"])
    with pytest.raises(c2rl.InputError, match="a plane needs two measurements"):
        plot.measurement_space(one)


def test_notebooks(feasible, infeasible):
    shown = feasible._repr_html_()
    assert "feasible" in shown and "<td" in shown and "0 &lt;= steps &lt;= 11" in shown and "call-2" in shown
    assert "steps" in infeasible.certificate._repr_html_() and "28" in infeasible.certificate._repr_html_()
    odd = c2rl.mix([[1.0], [2.0]], names=["<script>"], constraints=['"<script>" <= 1.5'])
    assert "<script>" not in odd._repr_html_() and "&lt;script&gt;" in odd._repr_html_()
    assert "&lt;=" in c2rl.target(["a <= 1"], ["a"])._repr_html_()


def test_tensorboard(tmp_path, infeasible):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from c2rl import _tensorboard

    _tensorboard.write(infeasible, tmp_path)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    found = events.Scalars("c2rl/distance")
    assert [event.step for event in found] == [row["call"] for row in infeasible.history]
    assert [event.value for event in found] == pytest.approx([row["distance"] for row in infeasible.history])
    assert {"answer/steps", "direction/risk", "c2rl/policies"} <= set(events.Tags()["scalars"])
