"""A row of small line plots as one SVG file, both axes logarithmic: a cost in step with the work is
a line at 45 degrees.

Invariant: same points, same bytes; a grey line through the first point of the last series
shows that slope.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 190, 170, 46, 14, 38, 16
COLOURS = ("#b35806", "#2166ac", "#4d9221")


@dataclass(frozen=True)
class Panel:
    """One plot."""

    x: str
    """What the horizontal axis counts."""
    y: str
    series: list[tuple[str, list[tuple[float, float]]]]
    """Name and points; all above 0."""


def svg(panels: list[Panel]) -> str:
    """The file's text; panels without points are left out."""
    panels = [p for p in panels if any(points for _, points in p.series)]
    step, parts = LEFT + WIDTH + GAP, []
    for i, panel in enumerate(panels):
        parts += _panel(panel, i * step + LEFT)
    width, height = len(panels) * step, TOP + HEIGHT + BOTTOM
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
                f' width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
            ),
            '<rect width="100%" height="100%" fill="white"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _panel(panel: Panel, left: float) -> list[str]:
    points = [point for _, series in panel.series for point in series if min(point) > 0]
    (x_low, x_high), (y_low, y_high) = (_decades([p[k] for p in points]) for k in (0, 1))

    def x(value: float) -> float:
        return round(left + WIDTH * math.log(value / x_low) / math.log(x_high / x_low), 1)

    def y(value: float) -> float:
        return round(TOP + HEIGHT * (1 - math.log(value / y_low) / math.log(y_high / y_low)), 1)

    parts = [
        f'<path d="M{x(value)} {TOP}v{HEIGHT}" stroke="#e5e5e5"/>'
        f'<text x="{x(value)}" y="{TOP + HEIGHT + 14}" text-anchor="middle">{value:g}</text>'
        for value in _ticks(x_low, x_high)
    ] + [
        f'<path d="M{left} {y(value)}h{WIDTH}" stroke="#e5e5e5"/>'
        f'<text x="{left - 4}" y="{y(value) + 4}" text-anchor="end">{value:g}</text>'
        for value in _ticks(y_low, y_high)
    ]
    parts.append(
        f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 31}"'
        f' text-anchor="middle">{panel.x}</text><text x="{left}" y="{TOP - 4}">{panel.y}</text>'
    )
    x0, y0 = next(point for point in reversed(points) if point[0] == min(p[0] for p in points))
    reach = min(x_high / x0, y_high / y0)
    parts.append(
        f'<path d="M{x(x0)} {y(y0)}L{x(x0 * reach)} {y(y0 * reach)}" stroke="#999"'
        ' stroke-dasharray="3 3" fill="none"/>'
    )
    for i, (name, series) in enumerate(panel.series):
        series = [point for point in series if min(point) > 0]
        if not series:
            continue
        colour = COLOURS[i]
        parts.append(
            f'<path d="M{"L".join(f"{x(a)} {y(b)}" for a, b in series)}" stroke="{colour}"'
            ' stroke-width="2" fill="none"/>'
        )
        parts += [f'<circle cx="{x(a)}" cy="{y(b)}" r="3" fill="{colour}"/>' for a, b in series]
        parts.append(f'<text x="{left + 6}" y="{TOP + 14 + 14 * i}" fill="{colour}">{name}</text>')
    return parts


def _decades(values: list[float]) -> tuple[float, float]:
    """Bounds of an axis, of 1, 3, 10, 30 ...: just around the values, two steps or more apart."""
    low, high = (
        math.floor(2 * math.log10(min(values)) + 1e-6),
        math.ceil(2 * math.log10(max(values)) - 1e-6),
    )
    return _step(low), _step(max(high, low + 2))


def _step(k: int) -> float:
    """1, 3, 10, 30 ... for k = 0, 1, 2, 3 ..."""
    return (3.0 if k % 2 else 1.0) * 10.0 ** (k // 2)


def _ticks(low: float, high: float) -> list[float]:
    first = round(2 * math.log10(low))
    return [value for value in map(_step, range(first, first + 40)) if value <= high * 1.01]
