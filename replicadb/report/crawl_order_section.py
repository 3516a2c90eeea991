"""The section on crawling: URLs saved where hosts are judged by their first URLs and dropped then.

Invariant: it stands on the page only where it was asked for (``evaluate --crawl-order``); the
numbers stand in a table below the chart. Source: ``replicadb.evaluation.crawl_order``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.report import table_html
from replicadb.report.drawing import draw, hover_points, layer, linear_scale, log_scale
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import count, esc, is_number

LINES = (
    ("best", "#888888", "had the gold decided"),
    ("replicas", "#0b6e99", "saved, of replicas"),
    ("lost", "#b3541e", "contents lost"),
)
"""What is drawn of each step, its colour and its words."""
COLUMNS = ("seen", "dropped", "saved", "replicas", "other", "wrong", "lost", "best")
HEADINGS = [
    *("URLs seen", "hosts dropped", "URLs saved", "of replicas", "of others"),
    *("of non-replicas", "contents lost", "had the gold decided"),
]


def crawl_order_section(found: Any, numbers: Iterator[int]) -> str:
    """The curve of URLs saved and its numbers; '' where there are none."""
    steps = _steps(found)
    if not steps:
        return ""
    order = "shortest paths first" if found.get("order") == "path" else "earliest captures first"
    words = (
        f"Each host is judged by its first URLs, {order}, and dropped then. Of"
        f" {esc(count(found.get('urls')))} URLs so many are never fetched; of them so many have a"
        " content that nothing fetched has. Blue: saved, of replicas; grey: had the gold decided;"
        " brown: contents lost."
    )
    chart = panel(_plot(steps, next(numbers)), "Fetches saved while crawling", words)
    table = table_html.table(
        "Fetches saved by the number of URLs seen",
        HEADINGS,
        [[esc(count(step[name])) for name in COLUMNS] for step in steps],
    )
    return f'<div class="panels four">{chart}</div>\n{table}'


def _steps(found: Any) -> list[dict[str, Any]]:
    steps = found.get("steps") if isinstance(found, dict) else None
    return [
        step
        for step in (steps if isinstance(steps, list) else [])
        if isinstance(step, dict) and all(is_number(step.get(name)) for name in COLUMNS)
    ]


def _plot(steps: list[dict[str, Any]], number: int) -> str:
    seen = [max(step["seen"], 1) for step in steps]
    most = max(max(step[name] for step in steps) for name, *_ in LINES)
    x = log_scale(min(seen), max(*seen, min(seen) + 1), "URLs seen of each host")
    y = linear_scale(0, max(most, 1), "URLs", "~s")
    layers, tips = [], []
    for name, color, words in LINES:
        values = [{"x": at, "y": step[name]} for at, step in zip(seen, steps, strict=True)]
        layers.append(
            layer(name, {"type": "line", "color": color, "point": {"color": color}}, values, x, y)
        )
        points = [
            value | {"tip": f"after {count(value['x'])} URLs: {count(value['y'])} {words}"}
            for value in values
        ]
        tips.append(hover_points(name, points, x, y, color))
    return draw(
        layers + tips, number, "URLs saved by the number of URLs seen. The numbers are below."
    )
