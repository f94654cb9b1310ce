"""Pictures as papers use them, by Matplotlib: what policies measure beside the target, and how a run came there."""

from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import InputError

Points = npt.NDArray[np.float64]

TARGET, POLICY, MIXTURE, PATH, LINE = "#7fb77e", "#3b6fb6", "#c0392b", "#888888", "#222222"
ELLIPSE = 2.4477  # standard errors that hold 95% of a plane's normal distribution
RAYS, HALVINGS = 240, 40
MARGIN = 0.15  # of the policies' extent, around them
AXES = {"calls": "oracle calls", "steps": "environment steps", "seconds": "seconds"}
VALUES = {"distance": "distance to the target", "error": "error", "policies": "policies stored"}


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise InputError("plot: needs the package matplotlib; pip install 'c2rl[plot]'") from error
    return pyplot


def _column(result: Any, name: Union[str, int]) -> int:
    if isinstance(name, int):
        if not 0 <= name < len(result.names):
            raise InputError(f"plot: found measurement {name}, expected 0 to {len(result.names) - 1}")
        return name
    if name not in result.names:
        raise InputError(f"plot: found measurement '{name}', expected one of {', '.join(result.names)}")
    return int(result.names.index(name))


def _window(points: Points) -> tuple[Points, Points]:
    low, high = points.min(0), points.max(0)
    extent = np.where(high > low, high - low, np.maximum(1.0, np.abs(high)) * 0.2)
    return low - MARGIN * extent, high + MARGIN * extent


def _outline(target: Any, center: Points, columns: tuple[int, int], low: Points, high: Points) -> Points:
    """Of the target in the plane of two measurements through a point of it, as far as the window shows: the corners of a
    polygon, found along rays from its inside."""
    def is_inside(x: Points) -> bool:
        point = center.copy()
        point[list(columns)] = x
        return float(np.linalg.norm(target.project(point) - point)) <= 1e-9 * max(1.0, float(np.abs(point).max()))

    within = [np.asarray(center[list(columns)])]
    for corner in ((low[0], low[1]), (low[0], high[1]), (high[0], low[1]), (high[0], high[1])):
        point = center.copy()
        point[list(columns)] = corner
        nearest = np.asarray(target.project(point))[list(columns)]
        if is_inside(nearest) and (nearest >= low).all() and (nearest <= high).all():
            within.append(nearest)
    middle = np.mean(within, axis=0)
    if not is_inside(middle):
        middle = within[0]
    corners = []
    for angle in np.linspace(0, 2 * np.pi, RAYS, endpoint=False):
        ray = np.array([np.cos(angle), np.sin(angle)]) * (high - low)
        length = np.where(ray == 0, 1, ray)
        ends = np.where(ray > 0, (high - middle) / length, np.where(ray < 0, (low - middle) / length, np.inf))
        near, far = 0.0, float(max(0.0, ends.min()))
        if is_inside(middle + far * ray):
            near = far
        for _ in range(HALVINGS):
            half = (near + far) / 2
            near, far = (half, far) if is_inside(middle + half * ray) else (near, half)
        corners.append(middle + near * ray)
    return np.array(corners)


def measurement_space(result: Any, x: Union[str, int] = 0, y: Union[str, int] = 1, ax: Any = None, path: bool = True,
                      separating_line: bool = True) -> Any:
    """Two measurements: the target (where there are more, its slice through the point of it that is nearest to the
    mixture), the policies with ellipses that hold 95%, the mixture, what the oracle answered call by call, and where no
    mixture can be inside, the line that keeps them apart."""
    pyplot = _pyplot()
    if len(result.names) < 2:
        raise InputError(f"plot: a plane needs two measurements, and there is '{result.names[0]}' only; plot.progress shows the run")
    columns = (_column(result, x), _column(result, y))
    ax = ax or pyplot.subplots()[1]
    mixture = np.asarray(result.measurement, float)
    nearest = np.asarray(result.target.project(mixture), float)
    answers = np.array([[float(v) for v in row["measurement"]] for row in result.history]).reshape(-1, len(mixture))
    policies = np.array([member.measurement for member in result.policies]).reshape(-1, len(mixture))
    shown = [mixture, nearest, *policies, *(answers if path else [])]
    low, high = _window(np.array(shown)[:, list(columns)])

    outline = _outline(result.target, nearest, columns, low, high)
    slice_ = "" if len(result.names) == 2 else " (slice)"
    ax.fill(outline[:, 0], outline[:, 1], facecolor=TARGET, edgecolor=TARGET, alpha=0.35, lw=1.5, label="target" + slice_, zorder=1)
    if path and len(answers):
        ax.plot(*answers[:, columns].T, "-", color=PATH, lw=0.8, zorder=2)
        ax.scatter(*answers[:, columns].T, s=14, color=PATH, label="answers", zorder=2)
    _draw_policies(ax, result, policies, columns)
    if len(policies) > 1:
        for point in policies:
            ax.plot(*np.array([mixture, point])[:, columns].T, ":", color=POLICY, lw=0.8, zorder=3)
    ax.scatter(*mixture[list(columns)], s=70, marker="*", color=MIXTURE, label="mixture", zorder=6)
    if separating_line and len(result.names) == 2 and not result:
        _draw_separation(ax, result, low, high)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=result.names[columns[0]], ylabel=result.names[columns[1]])
    ax.set_title(result.status)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _draw_policies(ax: Any, result: Any, policies: Points, columns: tuple[int, int]) -> None:
    from matplotlib.patches import Ellipse

    weights = np.array([member.weight for member in result.policies])
    ax.scatter(*policies[:, columns].T, s=20 + 60 * weights, color=POLICY, label="policies (area: weight)", zorder=5)
    for member, point in zip(result.policies, policies):
        error = np.nan_to_num(np.asarray(member.standard_error, float)[list(columns)], posinf=0)
        if (error > 0).any():
            width, height = 2 * ELLIPSE * error
            ax.add_patch(Ellipse(point[list(columns)], width, height, fill=False, color=POLICY, lw=0.8, zorder=4))
        ax.annotate(member.id, point[list(columns)], xytext=(5, 5), textcoords="offset points", fontsize="small")


def _draw_separation(ax: Any, result: Any, low: Points, high: Points) -> None:
    """Whatever can be achieved is beyond direction . x = achievable_at."""
    certificate = result.certificate
    if certificate is None or not certificate.bound > 0:
        return
    normal = np.asarray(certificate.direction, float)
    at = certificate.achievable_at
    along = np.array([-normal[1], normal[0]])
    foot = normal * at / (normal @ normal)
    length = float(np.linalg.norm(high - low)) + float(np.linalg.norm(foot - (low + high) / 2))
    ends = np.array([foot - length * along, foot + length * along])
    ax.plot(*ends.T, "--", color=LINE, lw=1, zorder=4, label=f"no mixture below ({certificate.grade})")


def _curve(result: Any, against: str, value: str) -> tuple[Points, Points]:
    """One run: where it was after every call."""
    rows = result.history
    if not rows:
        raise InputError("plot: the result has no history; c2rl.solve and c2rl.load give one")
    if against == "calls":
        x = np.arange(1, len(rows) + 1, dtype=float)
    else:
        x = np.cumsum([float(row["env_steps" if against == "steps" else "seconds"]) for row in rows])
    return x, np.array([float(row[value]) for row in rows])


def progress(results: Any, value: str = "distance", against: str = "calls", ax: Any = None, label: Union[str, None] = None,
             band: tuple[float, float] = (0.25, 0.75)) -> Any:
    """Distance, error or policies stored of a run, or of several as their median with a band of quantiles, against calls,
    environment steps or seconds."""
    if value not in VALUES:
        raise InputError(f"plot.value: found '{value}', expected one of {', '.join(VALUES)}")
    if against not in AXES:
        raise InputError(f"plot.against: found '{against}', expected one of {', '.join(AXES)}")
    pyplot = _pyplot()
    ax = ax or pyplot.subplots()[1]
    runs: Sequence[Any] = list(results) if isinstance(results, (list, tuple)) else [results]
    curves = [_curve(run, against, value) for run in runs]
    if len(curves) == 1:
        x, y = curves[0]
        (line,) = ax.step(x, y, where="post", marker="o", ms=3, label=label)
    else:
        x = np.unique(np.concatenate([c[0] for c in curves]))
        x = x[x >= max(c[0][0] for c in curves)]  # where every run has a value
        values = np.array([c[1][np.searchsorted(c[0], x, side="right") - 1] for c in curves])  # a run that ended stays
        (line,) = ax.step(x, np.median(values, 0), where="post", label=label)
        low, high = (np.quantile(values, q, axis=0) for q in band)
        ax.fill_between(x, low, high, step="post", color=line.get_color(), alpha=0.2, lw=0)
    positive = np.concatenate([c[1] for c in curves])
    if value != "policies" and (positive > 0).any() and positive[positive > 0].max() > 100 * positive[positive > 0].min():
        ax.set_yscale("symlog", linthresh=float(positive[positive > 0].min()))
    ax.set_ylim(0, 1.1 * float(positive.max()) or None)
    if against == "calls":
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel=AXES[against], ylabel=VALUES[value])
    if label:
        ax.legend(frameon=False, fontsize="small")
    return ax


def summary(result: Any, x: Union[str, int] = 0, y: Union[str, int] = 1) -> Any:
    """A figure with both: what is measured, and distance and policies call by call. What result.plot() draws."""
    pyplot = _pyplot()
    panels = [name for name, there in (("space", len(result.names) > 1), ("progress", bool(result.history))) if there]
    if not panels:
        raise InputError("plot: there is one measurement only, and no history: nothing to draw")
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5.2 * len(panels), 4), layout="constrained", squeeze=False)
    for name, ax in zip(panels, axes[0]):
        if name == "space":
            measurement_space(result, x, y, ax)
        else:
            progress(result, "distance", ax=ax)
            other = ax.twinx()
            calls, stored = _curve(result, "calls", "policies")
            other.plot(calls, stored, "s", color=PATH, ms=3)
            other.set_ylabel(VALUES["policies"], color=PATH)
            other.set_ylim(0, max(stored) + 1)
            other.yaxis.get_major_locator().set_params(integer=True)
    return figure
