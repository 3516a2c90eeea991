"""The tables of methods: side by side, more figures of each, by cause, and the tests between them.

Invariant: finished HTML, each text escaped; methods stand by family, in a family by their
true-positive rate at 0.001 on non-obvious replicas, ties in the result's order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from replicadb.report.charts import interval
from replicadb.report.safe_text import NOTHING, count, esc, is_number, plural, rate, seconds
from replicadb.report.series import hits, main_rate
from replicadb.report.table_html import get, table

FAMILIES = {
    "ours": "replicadb",
    "paper": "Published method and its variants",
    "baseline": "Baselines",
    "single": "Single evidence",
    "left-out": "One feature left out",
    "ceiling": "With true labels (ceilings)",
}
CAUSES_SHOWN = 60
COMPARISONS_SHOWN = 200

Read = Callable[[dict[str, Any]], tuple[Any, Any]]
"""Of a method: a figure and its interval, None where it has none."""


def _metric(part: str, *path: str) -> Read:
    return lambda method: (get(method, part, *path), interval(method.get(part) or {}, *path))


def _hits(part: str) -> Read:
    """The true-positive rate at 0.001, or above all others where that is not measurable
    (``main_rate``).
    """

    def read(method: dict[str, Any]) -> tuple[Any, Any]:
        at_rate = _metric(part, "tpr", "0.001")(method)
        return at_rate if is_number(at_rate[0]) else _metric(part, "above_all")(method)

    return read


def _of_flags(name: str) -> Read:
    return lambda method: (
        get(method, "flagged", name),
        interval(method.get("flagged") or {}, name),
    )


COLUMNS: tuple[tuple[str, Read], ...] = (
    ("AUC", _metric("all", "auc")),
    ("Average precision", _metric("all", "average_precision")),
    ("TPR at 0.001", _hits("all")),
    ("AUC", _metric("non_obvious", "auc")),
    ("Average precision", _metric("non_obvious", "average_precision")),
    ("TPR at 0.001", _hits("non_obvious")),
    ("TPR at 0.005", _metric("non_obvious", "tpr", "0.005")),
    ("Precision", _of_flags("precision")),
    ("Recall", _of_flags("recall")),
)
GROUPS = (("All replicas", 3), ("Non-obvious replicas", 4), ("Its own decision", 2))
"""Headings over the columns, and over how many."""
FIRST_OF_GROUP = (0, 3, 7)
OWN_DECISION = 7
"""The first column that is of the method's flags, not of its ranking."""
SORTED_BY = (5, 3, 0)
"""The columns that order a family: TPR at 0.001 on non-obvious replicas, then the areas under the
curve.
"""


def _with_interval(value: Any, bounds: Any) -> str:
    if not is_number(value):
        return NOTHING
    low_high = (
        f'<small class="ci">{rate(bounds[0], 3)}–{rate(bounds[1], 3)}</small>' if bounds else ""
    )
    return f"{rate(value)}{low_high}"


def ordered(methods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By family, and in a family the best first (SORTED_BY)."""
    families = list(FAMILIES)

    def place(method: dict[str, Any]) -> tuple[float, ...]:
        found = [COLUMNS[i][1](method)[0] for i in SORTED_BY]
        family = method.get("family")
        return families.index(family) if family in families else len(families), *(
            -v if is_number(v) else 1 for v in found
        )

    return sorted(methods, key=place)  # stable: ties keep the result's order


def is_variant(method: dict[str, Any]) -> bool:
    """A setting of another method, or a part of its evidence: of interest to few, so it has a table
    of its own.
    """
    return method.get("family") in ("single", "left-out") or str(method["name"]).startswith(
        "thesis-"
    )


def methods_table(
    caption: str, methods: list[dict[str, Any]], everyone: list[dict[str, Any]]
) -> str:
    """Methods with their intervals: one body a family, columns sortable by script.

    Args:
        everyone: all methods that were evaluated; the best figure of those that need no labels is
            bold.
    """
    free = [m for m in everyone if not m.get("needs_gold")]
    best = {
        i: max((v for v in (COLUMNS[i][1](m)[0] for m in free) if is_number(v)), default=None)
        for i in range(OWN_DECISION)
    }
    bodies = []
    for family, members in itertools.groupby(ordered(methods), key=lambda m: m.get("family")):
        title = esc(FAMILIES.get(family, family or "Others"))
        wide = len(COLUMNS) + 2
        name = f'<tr class="family"><th scope="rowgroup" colspan="{wide}">{title}</th></tr>'
        bodies.append(f"<tbody>{name}\n{''.join(_method_row(m, best) for m in members)}</tbody>")
    groups = "".join(
        f'<th scope="colgroup" colspan="{wide}">{esc(name)}</th>' for name, wide in GROUPS
    )
    names = [name.replace("0.001", main_rate(everyone)) for name, _ in COLUMNS]
    head = "".join(
        f'<th scope="col" class="{_kind(i)}" data-sort>{esc(name)}</th>'
        for i, name in enumerate(names)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(caption)}"><table'
        ' class="methods sortable">'
        f"<caption>{esc(caption)}</caption><thead><tr><td></td>{groups}<td></td></tr>"
        f'<tr><th scope="col" data-sort="text">Method</th>{head}<th scope="col" class="n first"'
        " data-sort>Time</th></tr>"
        f"</thead>\n{''.join(bodies)}</table></div>\n"
    )


def _kind(column: int) -> str:
    return "n first" if column in FIRST_OF_GROUP else "n"


def _method_row(method: dict[str, Any], best: dict[int, Any]) -> str:
    cells = []
    for i, (_, read) in enumerate(COLUMNS):
        value, bounds = read(method)
        bold = (
            " best"
            if is_number(value) and value == best.get(i) and not method.get("needs_gold")
            else ""
        )
        cells.append(
            f'<td class="{_kind(i)}{bold}"{_order(value)}>{_with_interval(value, bounds)}</td>'
        )
    took = method.get("seconds")
    gold = (
        ' <abbr title="learns from the known replicas: no method for a crawl without'
        ' labels">labels</abbr>'
    )
    title, name = esc(method.get("title") or method["name"]), esc(method["name"])
    return (
        f'<tr><th scope="row"><bdi>{title}</bdi>{gold if method.get("needs_gold") else ""}'
        f'<small class="id"><bdi>{name}</bdi></small></th>{"".join(cells)}'
        f'<td class="n first"{_order(took)}>{seconds(took)}</td></tr>\n'
    )


def _order(value: Any) -> str:
    return f' data-v="{value:.9g}"' if is_number(value) else ""


def more_table(methods: list[dict[str, Any]]) -> str:
    """What the table side by side has no room for: other rates, precision at n, and the decision's
    size.
    """
    rates, places = ("0.0001", "0.005", "0.01"), ("10", "100", "1000")
    head = [
        "Method",
        *(f"TPR at {f}" for f in rates),
        *(f"Precision at {int(n):,}" for n in places),
        "Non-obvious: TPR at 0.0001",
        "TPR at 0.01",
        *(f"Precision at {int(n):,}" for n in places),
        "Flagged pairs",
        "FPR of flags",
        "Non-obvious: precision of flags",
        "Recall of flags",
        "Folds: AUC from",
        "to",
    ]
    rows = []
    for m in ordered(methods):
        folds = [
            auc for auc in (get(f, "all", "auc") for f in m.get("folds") or ()) if is_number(auc)
        ]
        rows.append(
            [
                f"<bdi>{esc(m.get('title') or m['name'])}</bdi>",
                *(rate(get(m, "all", "tpr", f)) for f in rates),
                *(rate(get(m, "all", "precision_at", n), 3) for n in places),
                *(rate(get(m, "non_obvious", "tpr", f)) for f in ("0.0001", "0.01")),
                *(rate(get(m, "non_obvious", "precision_at", n), 3) for n in places),
                count(get(m, "flagged", "pairs")),
                rate(get(m, "flagged", "fpr"), 5),
                *(
                    rate(get(m, "flagged", "non_obvious", name), 3)
                    for name in ("precision", "recall")
                ),
                rate(min(folds, default=None)),
                rate(max(folds, default=None)),
            ]
        )
    return table("More figures of each method", head, rows) if rows else ""


def causes_table(causes: dict[str, Any], methods: list[dict[str, Any]], fpr: str = "0.001") -> str:
    """True-positive rate by cause of replication for some methods."""
    return _by_cause(
        f"By cause: true-positive rate at false-positive rate {fpr}",
        "The threshold is that of all replicas.",
        causes,
        methods,
        lambda figures: hits(figures, fpr),
    )


def causes_precision(causes: dict[str, Any], methods: list[dict[str, Any]]) -> str:
    """Average precision by cause of replication for some methods."""
    return _by_cause(
        "By cause: average precision",
        "Replicas of the cause among all non-replicas, those of other causes left out.",
        causes,
        methods,
        lambda figures: get(figures or {}, "average_precision"),
    )


def _by_cause(
    caption: str,
    note: str,
    causes: dict[str, Any],
    methods: list[dict[str, Any]],
    read: Callable[[Any], Any],
) -> str:
    """A figure by cause of replication for some methods, shaded; the commonest causes first."""
    found = {cause for m in methods for cause in m.get("by_cause") or {}} | set(causes)
    if not found:
        return ""

    def size(cause: str) -> int:
        known = (causes.get(cause) or {}).get("gold")
        if is_number(known):
            return int(known)
        return max([0, *(get(m, "by_cause", cause, "replicas") or 0 for m in methods)])

    listed = sorted(found, key=lambda c: (-size(c), str(c)))
    rows = []
    for cause in listed[:CAUSES_SHOWN]:
        cells = [
            f"<bdi>{esc(cause)}</bdi>",
            count(size(cause)),
            count((causes.get(cause) or {}).get("candidates")),
        ]
        for method in methods:
            value = read(get(method, "by_cause", cause))
            cells.append(
                f'<span class="h h{int(min(max(value, 0), 1) * 9.999)}">{rate(value, 3)}</span>'
                if is_number(value)
                else NOTHING
            )
        rows.append(cells)
    left = (
        f" {plural(len(listed) - CAUSES_SHOWN, 'rarer cause')} left out."
        if len(listed) > CAUSES_SHOWN
        else ""
    )
    return table(
        caption,
        ["Cause", "Known", "Candidates", *(m.get("title") or m["name"] for m in methods)],
        rows,
        kind="heat",
        note=(
            "Known: replicas of this cause in the gold; candidates: those that share content at"
            f" all. {note}{left}"
        ),
    )


def comparisons_table(comparisons: list[dict[str, Any]], titles: dict[str, str]) -> str:
    """Wilcoxon signed-rank tests between methods, one row a pair of methods, two
    columns a metric.
    """
    tests = {
        (str(c.get("a")), str(c.get("b")), str(c.get("metric"))): c
        for c in comparisons
        if isinstance(c, dict)
    }
    metrics = list(dict.fromkeys(metric for *_, metric in tests))[:6]
    rows = []
    for a, b in list(dict.fromkeys((a, b) for a, b, _ in tests))[:COMPARISONS_SHOWN]:
        cells = [f"<bdi>{esc(titles.get(a, a))}</bdi>", f"<bdi>{esc(titles.get(b, b))}</bdi>"]
        for metric in metrics:
            found = tests.get((a, b, metric), {})
            p, difference = (
                found.get("holm_p", found.get("wilcoxon_p")),
                found.get("mean_difference"),
            )
            cells += [
                f"{difference:+.4f}" if is_number(difference) else NOTHING,
                (
                    NOTHING
                    if not is_number(p)
                    else f"{p:.2g}"
                    if p < 0.05
                    else f'<span class="pub">{p:.2g}</span>'
                ),
            ]
        rows.append(cells)
    n = sorted({c["n"] for c in tests.values() if is_number(c.get("n"))})
    parts = " to ".join(count(v) for v in dict.fromkeys(n[:1] + n[-1:])) or "some"
    head = [
        "Method",
        "against",
        *(h for metric in metrics for h in (metric.replace("_", " "), "p")),
    ]
    return (
        table(
            "Differences between methods: mean, and p of the Wilcoxon signed-rank test, corrected"
            " by Holm’s method",
            head,
            rows,
            numbers=2,
            note=(
                f"Over {parts} parts of the pairs, non-obvious replicas. p is corrected for the"
                " number of methods that one is compared with by one metric (Holm 1979). In"
                " italics: not significant at 5%."
            ),
        )
        if rows
        else ""
    )
