"""The section of Figure 5: how well each method finds replicas, as curves, with the published
figures beside.

Invariant: where there is nothing to draw, the panel says why; below the panels the numbers
stand as tables, so that nobody needs to see the picture. Source: paper Figure 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicadb.evaluation import published_figures
from replicadb.report import charts, table_html
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import esc, is_number, rate
from replicadb.report.series import DASHES, Series


def figure_5(series: list[Series], numbers: Iterator[int]) -> str:
    """ROC, precision and recall, reduction ratio, each of all and of non-obvious replicas; with a
    legend that hides and shows methods.
    """
    if not series:
        return '<p class="warn">No method has a curve to draw.</p>\n'
    panels = "".join(
        panel(svg, heading, words, "No method has this curve.")
        for svg, heading, words in _panels(series, numbers)
    )
    return (
        f'<div class="curves">{_legend(series)}<div class="panels four">{panels}</div></div>\n'
        f'<div class="side">{_areas(series)}{_removed(series)}</div>\n'
    )


def _panels(series: list[Series], numbers: Iterator[int]) -> Iterator[tuple[str | None, str, str]]:
    """Picture, heading and words of each panel."""
    yield (
        charts.roc(series, "roc", next(numbers), "all replicas"),
        "ROC, all replicas",
        "Replicas found against non-replicas let in. The left end, on a logarithmic axis,"
        " is what matters in practice.",
    )
    yield (
        charts.roc(series, "roc_non_obvious", next(numbers), "non-obvious replicas"),
        "ROC, non-obvious replicas",
        "The same without the pairs that their names give away.",
    )
    yield (
        charts.precision_recall(series, "precision_recall", next(numbers), "all replicas"),
        "Precision and recall, all replicas",
        "Precision down the ranking, all replicas among candidates.",
    )
    non_obvious = "precision_recall_non_obvious"
    yield (
        charts.precision_recall(series, non_obvious, next(numbers), "non-obvious replicas"),
        "Precision and recall, non-obvious replicas",
        "The same without the pairs that their names give away.",
    )
    yield (
        charts.reduction(series, next(numbers), "_both"),
        "Reduction ratio, all replicas",
        "Share of duplicate URLs removed with both hosts of each pair, as the paper counts it, at"
        " low false-positive rates. Diamonds: published.",
    )
    yield (
        charts.reduction(series, next(numbers), "_non_obvious"),
        "Reduction ratio, non-obvious replicas",
        "Share removed by these pairs alone, one host of each kept.",
    )


def _areas(series: list[Series]) -> str:
    areas = [
        (
            s.title,
            _area(s, "all"),
            _area(s, "non_obvious"),
            rate(_in_folds(s)),
            rate(published_figures.AUC.get(s.method["name"])),
        )
        for s in series
    ]
    return table_html.table(
        "Area under the ROC curve",
        ["Method", "all", "non-obvious", "all, mean of folds", "published"],
        [
            [f"<bdi>{esc(a)}</bdi>", *map(esc, others), f'<span class="pub">{esc(d)}</span>']
            for a, *others, d in areas
        ],
        kind="facts",
        note="Published figures are means of five folds, each scored by what the others taught.",
    )


def _area(series: Series, part: str) -> str:
    return rate((series.method.get(part) or {}).get("auc"))


def _in_folds(series: Series) -> float | None:
    """AUC out of fold: the mean over folds; None where there are none."""
    folds = [fold["all"]["auc"] for fold in series.method.get("folds") or ()]
    known = [area for area in folds if is_number(area)]
    return sum(known) / len(known) if known else None


def _legend(series: list[Series]) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" id="show-{s.name}"'
        f' autocomplete="off"{" checked" if s.shown else ""}>'
        '<svg width="30" height="10" aria-hidden="true"><line x1="1" y1="5" x2="29" y2="5"'
        f' stroke="{s.color}"'
        f' stroke-width="{s.line["strokeWidth"]}"'
        f' stroke-dasharray="{" ".join(map(str, DASHES[s.place]))}"/></svg>'
        f"<bdi>{esc(s.title)}</bdi></label>"
        for s in series
    )
    return f'<fieldset class="legend"><legend>Methods shown</legend>{boxes}</fieldset>\n'


def _removed(series: list[Series]) -> str:
    rates = sorted(
        {r["fpr"] for s in series for r in s.method.get("rr") or () if is_number(r.get("fpr"))}
    )[:6]
    if not rates:
        return ""
    rows = []
    for s in series:
        found = {r.get("fpr"): r for r in s.method.get("rr") or ()}
        both = {f: (row.get("both") or {}).get("rr") for f, row in found.items()}
        theirs = published_figures.RR.get(s.method["name"], {})
        rows.append(
            [
                f"<bdi>{esc(s.title)}</bdi>",
                *(rate(found.get(f, {}).get("rr")) for f in rates),
                *(
                    f"{rate(both.get(f))}"
                    + (f'<small class="pub">{rate(theirs[f])}</small>' if f in theirs else "")
                    for f in rates
                ),
            ]
        )
    return table_html.table(
        "Reduction ratio by false-positive rate",
        ["Method", *(f"one kept: {f:g}" for f in rates), *(f"both gone: {f:g}" for f in rates)],
        rows,
        kind="facts",
        note="One host of each pair kept, which is ours, and both removed, as the paper counts;"
        ' <span class="pub">in italics: published.</span>',
    )
