"""What notebooks show of results, certificates and targets. Everything that has a name is escaped."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

GOOD, BAD, OPEN = "#2e7d32", "#b71c1c", "#8a6d00"
COLORS = {"feasible": GOOD, "optimal": GOOD, "infeasible": BAD}
CELL = "padding:2px 10px;text-align:right"


def _number(value: float, error: float = 0.0) -> str:
    shown = f"{value:.6g}"
    return shown + (f" ± {error:.2g}" if np.isfinite(error) and error > 0 else "")


def _table(head: list[str], rows: list[list[str]]) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="{CELL}">{cell}</{tag}>' for cell in cells) + "</tr>"

    return ('<table style="border-collapse:collapse;margin:6px 0">' + row(head, "th") + "".join(row(cells, "td") for cells in rows)
            + "</table>")


def of_certificate(certificate: Any) -> str:
    """In the command's words where they are known: its rounded inequalities are true ones."""
    if not certificate.bound > 0:
        return "<div>nothing shows that the target is out of reach</div>"
    if certificate.words:
        return f"<pre style='margin:2px 0'>{escape(certificate.words)}</pre>"
    direction = escape(np.array2string(np.asarray(certificate.direction), precision=6))
    return (f"<div>along {direction} every mixture is at {certificate.achievable_at:.6g} or more, and the target at "
            f"{certificate.target_at:.6g} or less: the distance is at least {certificate.bound:.6g} ({escape(certificate.grade)})</div>")


def of_target(names: list[str], constraints: list[str]) -> str:
    items = "".join(f"<li><code>{escape(text)}</code></li>" for text in constraints)
    return f"<div>target over {escape(', '.join(names))}<ul style='margin:2px 0'>{items}</ul></div>"


def of_result(result: Any) -> str:
    claim = f" ({escape(str(result.claim))})" if result.claim else ""
    parts = [f'<div><b style="color:{COLORS.get(result.status, OPEN)}">{escape(result.status)}</b>{claim}'
             + (f", distance {result.distance:.6g}" if result.distance > 0 else "") + "</div>"]
    names = [escape(name) for name in result.names]
    rows = [[escape(member.id), f"{member.weight:.6g}", *map(_number, member.measurement, member.standard_error)]
            for member in result.policies]
    rows.append(["<b>mixture</b>", "1", *(f"<b>{_number(*cell)}</b>" for cell in zip(result.measurement, result.standard_error))])
    parts.append(_table(["policy", "weight", *names], rows))
    if result.constraints:
        parts.append(of_target(result.names, result.constraints))
    if not result and result.certificate is not None:
        parts.append(of_certificate(result.certificate))
    steps = f", {result.env_steps:,} environment steps" if result.env_steps else ""
    calls = f"{result.oracle_calls} oracle call{'' if result.oracle_calls == 1 else 's'}"
    parts.append(f'<div style="color:gray">{calls}{steps}, {result.seconds:.3g} s</div>')
    return "<div>" + "".join(parts) + "</div>"
