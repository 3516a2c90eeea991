"""The tables of the page: methods side by side, by cause, the paper's Tables 2 to 5, and small tables of facts.

Always true here: every function returns finished HTML in which each foreign text is escaped; every table has a caption,
header cells with a scope, and scrolls by itself where the window is narrow; None shows as a dash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from replicadb.report.charts import interval
from replicadb.report.text import NOTHING, cell, clean, count, esc, is_number, percent, plural, rate, seconds

FAMILIES = {"ours": "replicadb", "paper": "Published method and its variants", "baseline": "Baselines",
            "single": "Single evidence", "left-out": "One feature left out", "ceiling": "With true labels (ceilings)"}
CAUSES_SHOWN = 60
ROWS_SHOWN = 200
"""Rows of a table of the paper at most."""


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, kind: str = "", numbers: int = 1, note: str = "") -> str:
    """A table of finished cells.

    Args:
        caption: plain text. head: plain texts. rows: finished HTML; the first cell of a row is its header.
        kind: classes. numbers: the first column of numbers (aligned to the right). note: finished HTML below.
    """
    top = "".join(f'<th scope="col"{_right(i >= numbers)}>{esc(h)}</th>' for i, h in enumerate(head))
    body = "".join("<tr>" + "".join(f'<th scope="row">{c}</th>' if i == 0 else f"<td{_right(i >= numbers)}>{c}</td>"
                                    for i, c in enumerate(row)) + "</tr>\n" for row in rows)
    below = f'<p class="note">{note}</p>' if note else ""
    return (f'<div class="block"><div class="scroll" tabindex="0" role="region" aria-label="{esc(caption)}"><table class="{kind}"><caption>{esc(caption)}</caption>'
            f"<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody></table></div>{below}</div>\n")


def _right(yes: bool) -> str:
    return ' class="n"' if yes else ""


# -- methods side by side ---------------------------------------------------------------------------------

COLUMNS: tuple[tuple[str, str, Callable[[dict[str, Any]], tuple[Any, Any]]], ...] = (
    ("AUC", "", lambda m: (_get(m, "all", "auc"), interval(m.get("all") or {}, "auc"))),
    ("Average precision", "", lambda m: (_get(m, "all", "average_precision"), interval(m.get("all") or {}, "average_precision"))),
    ("TPR at 0.001", "", lambda m: (_get(m, "all", "tpr", "0.001"), interval(m.get("all") or {}, "tpr", "0.001"))),
    ("AUC", "no", lambda m: (_get(m, "non_obvious", "auc"), interval(m.get("non_obvious") or {}, "auc"))),
    ("Average precision", "no", lambda m: (_get(m, "non_obvious", "average_precision"), interval(m.get("non_obvious") or {}, "average_precision"))),
    ("TPR at 0.001", "no", lambda m: (_get(m, "non_obvious", "tpr", "0.001"), interval(m.get("non_obvious") or {}, "tpr", "0.001"))),
    ("TPR at 0.005", "no", lambda m: (_get(m, "non_obvious", "tpr", "0.005"), interval(m.get("non_obvious") or {}, "tpr", "0.005"))),
    ("Precision", "fl", lambda m: _of_flags(m, "precision")),
    ("Recall", "fl", lambda m: _of_flags(m, "recall")),
)
OWN_DECISION = 7
"""The first column that is of the method's flags, not of its ranking."""
SORTED_BY = 5
"""The column that orders a family: TPR at 0.001 on non-obvious replicas."""


def _get(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _of_flags(method: dict[str, Any], name: str) -> tuple[Any, Any]:
    flagged = method.get("flagged") or {}
    return flagged.get(name), interval(flagged, name)


def _with_interval(value: Any, bounds: Any) -> str:
    if not is_number(value):
        return NOTHING
    low_high = f'<small class="ci">{rate(bounds[0], 3)}–{rate(bounds[1], 3)}</small>' if bounds else ""
    return f"{rate(value)}{low_high}"


def ordered(methods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By family, and in a family by true-positive rate at 0.001 on non-obvious replicas (then AUC), the best first."""
    families = list(FAMILIES)

    def place(method: dict[str, Any]) -> tuple:
        found = [COLUMNS[i][2](method)[0] for i in (SORTED_BY, 3, 0)]
        family = method.get("family")
        return families.index(family) if family in families else len(families), *(-v if is_number(v) else 1 for v in found)

    return sorted(methods, key=place)  # stable: ties keep the result's order


def is_variant(method: dict[str, Any]) -> bool:
    """A setting of another method, or a part of its evidence: of interest to few, so it has a table of its own."""
    return method.get("family") in ("single", "left-out") or str(method["name"]).startswith("thesis-")


def methods_table(caption: str, methods: list[dict[str, Any]], everyone: list[dict[str, Any]]) -> str:
    """Methods with their intervals: one body a family, columns sortable by script.

    Args:
        everyone: all methods that were evaluated; the best figure of those that need no labels is bold.
    """
    best = {i: max((v for v in (COLUMNS[i][2](m)[0] for m in everyone if not m.get("needs_gold")) if is_number(v)), default=None)
            for i in range(OWN_DECISION)}
    bodies, last = [], None
    for method in ordered(methods):
        family = method.get("family")
        if family != last:
            bodies.append(f'</tbody><tbody><tr class="family"><th scope="rowgroup" colspan="{len(COLUMNS) + 2}">{esc(FAMILIES.get(family, family))}</th></tr>\n'
                          if bodies else f'<tbody><tr class="family"><th scope="rowgroup" colspan="{len(COLUMNS) + 2}">{esc(FAMILIES.get(family, family))}</th></tr>\n')
            last = family
        bodies.append(_method_row(method, best))
    groups = ('<tr><td></td><th scope="colgroup" colspan="3">All replicas</th><th scope="colgroup" colspan="4">Non-obvious replicas</th>'
              '<th scope="colgroup" colspan="2">Its own decision</th><td></td></tr>')
    head = "".join(f'<th scope="col" class="n{" first" if i in (0, 3, 7) else ""}" data-sort>{esc(name)}</th>' for i, (name, _, _) in enumerate(COLUMNS))
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(caption)}"><table class="methods sortable">'
            f"<caption>{esc(caption)}</caption>"
            f'<thead>{groups}<tr><th scope="col" data-sort="text">Method</th>{head}<th scope="col" class="n first" data-sort>Time</th></tr></thead>\n'
            f"{''.join(bodies)}</tbody></table></div>\n")


def _method_row(method: dict[str, Any], best: dict[int, Any]) -> str:
    cells = []
    for i, (_, _, read) in enumerate(COLUMNS):
        value, bounds = read(method)
        bold = " best" if is_number(value) and value == best.get(i) and not method.get("needs_gold") else ""
        order = f' data-v="{value:.9g}"' if is_number(value) else ""
        cells.append(f'<td class="n{bold}{" first" if i in (0, 3, 7) else ""}"{order}>{_with_interval(value, bounds)}</td>')
    took = method.get("seconds")
    order = f' data-v="{took:.9g}"' if is_number(took) else ""
    gold = ' <abbr title="learns from the known replicas: no method for a crawl without labels">labels</abbr>' if method.get("needs_gold") else ""
    name = esc(method["name"])
    title = esc(method.get("title") or method["name"])
    return (f'<tr><th scope="row"><span class="title"><bdi>{title}</bdi></span>{gold}<small class="id"><bdi>{name}</bdi></small></th>'
            f"{''.join(cells)}<td class=\"n first\"{order}>{seconds(took)}</td></tr>\n")


def more_table(methods: list[dict[str, Any]]) -> str:
    """What the table side by side has no room for: other rates, precision at n, and the decision's size."""
    rates, places = ("0.0001", "0.005", "0.01"), ("10", "100", "1000")
    head = ["Method", *(f"TPR at {f}" for f in rates), *(f"Precision at {int(n):,}" for n in places), "Non-obvious: TPR at 0.0001", "TPR at 0.01",
            *(f"Precision at {int(n):,}" for n in places), "Flagged pairs", "FPR of flags", "Folds: AUC from", "to"]
    rows = []
    for m in ordered(methods):
        folds = [auc for auc in (_get(f, "all", "auc") for f in m.get("folds") or ()) if is_number(auc)]
        rows.append([f"<bdi>{esc(m.get('title') or m['name'])}</bdi>", *(rate(_get(m, "all", "tpr", f)) for f in rates),
                     *(rate(_get(m, "all", "precision_at", n), 3) for n in places), *(rate(_get(m, "non_obvious", "tpr", f)) for f in ("0.0001", "0.01")),
                     *(rate(_get(m, "non_obvious", "precision_at", n), 3) for n in places), count(_get(m, "flagged", "pairs")), rate(_get(m, "flagged", "fpr"), 5),
                     rate(min(folds, default=None)), rate(max(folds, default=None))])
    return table("More figures of each method", head, rows) if rows else ""


def details(summary: str, inner: str) -> str:
    """Numbers that open on demand (and are printed)."""
    return f"<details><summary>{esc(summary)}</summary>\n{inner}</details>\n" if inner else ""


# -- the rest ---------------------------------------------------------------------------------------------


def causes_table(causes: dict[str, Any], methods: list[dict[str, Any]], fpr: str = "0.001") -> str:
    """True-positive rate by cause of replication for some methods, shaded; the commonest causes first."""
    found = {cause for m in methods for cause in m.get("by_cause") or {}} | set(causes)
    if not found:
        return ""

    def size(cause: str) -> int:
        known = (causes.get(cause) or {}).get("gold")
        return known if is_number(known) else max([0, *(_get(m, "by_cause", cause, "replicas") or 0 for m in methods)])

    listed = sorted(found, key=lambda c: (-size(c), str(c)))
    rows = []
    for cause in listed[:CAUSES_SHOWN]:
        cells = [f"<bdi>{esc(cause)}</bdi>", count(size(cause)), count((causes.get(cause) or {}).get("candidates"))]
        for method in methods:
            value = _get(method, "by_cause", cause, "tpr", fpr)
            cells.append(f'<span class="h h{int(min(max(value, 0), 1) * 9.999)}">{rate(value, 3)}</span>' if is_number(value) else NOTHING)
        rows.append(cells)
    left = f" {plural(len(listed) - CAUSES_SHOWN, 'rarer cause')} left out." if len(listed) > CAUSES_SHOWN else ""
    return table(f"By cause: true-positive rate at false-positive rate {fpr}", ["Cause", "Known", "Candidates", *(m.get("title") or m["name"] for m in methods)],
                 rows, kind="heat", note=f"Known: replicas of this cause in the gold; candidates: those that share content at all. The "
                 f"threshold is that of all replicas.{left}")


def paper_table(number: str, found: dict[str, Any]) -> str:
    """One of the paper's tables: what was measured, and what was published where it has the same place, below each figure."""
    columns, rows = list(found.get("columns") or []), [list(r) for r in found.get("rows") or []][:ROWS_SHOWN]
    published = _published_rows(found.get("published"))
    by_label = {clean(row[0]): row for row in published if row}
    used, cells = set(), []
    for row in rows:
        theirs = by_label.get(clean(row[0])) if row else None
        if theirs is not None:
            used.add(clean(row[0]))
        cells.append([_both(value, theirs[i] if theirs is not None and i < len(theirs) else None, i) for i, value in enumerate(row)])
    for label, theirs in by_label.items():
        if label not in used:
            cells.append([_both(None if i else theirs[0], value if i else None, i) for i, value in enumerate(theirs)])
    key = '<span class="pub">in italics: published, on another crawl.</span> ' if published else ""
    title = clean(found.get("title") or "")
    caption = title if title.lower().startswith("table") else f"Table {number}. {title}"
    first = next((i for i in range(1, len(columns)) if any(len(r) > i and is_number(r[i]) for r in rows)), 1)
    return table(caption, [str(c) for c in columns], cells, kind="paper", numbers=first, note=key + (esc(found["note"], 1000) if found.get("note") else ""))


def _published_rows(published: Any) -> list[list[Any]]:
    rows = published.get("rows") if isinstance(published, dict) else published
    return [list(r) for r in rows or () if isinstance(r, list | tuple)][:ROWS_SHOWN]


def _both(ours: Any, theirs: Any, place: int) -> str:
    if place == 0:
        return f"<bdi>{esc(cell(ours))}</bdi>"
    below = "" if theirs is None or cell(theirs) == cell(ours) and not is_number(theirs) else f'<small class="pub">{esc(cell(theirs))}</small>'
    return f"{esc(cell(ours))}{below}"


def comparisons_table(comparisons: list[dict[str, Any]], titles: dict[str, str]) -> str:
    """Wilcoxon signed-rank tests between methods, one row a pair of methods, two columns a metric."""
    tests = {(str(c.get("a")), str(c.get("b")), str(c.get("metric"))): c for c in comparisons if isinstance(c, dict)}
    metrics = list(dict.fromkeys(metric for *_, metric in tests))[:6]
    rows = []
    for a, b in list(dict.fromkeys((a, b) for a, b, _ in tests))[:ROWS_SHOWN]:
        cells = [f"<bdi>{esc(titles.get(a, a))}</bdi>", f"<bdi>{esc(titles.get(b, b))}</bdi>"]
        for metric in metrics:
            found = tests.get((a, b, metric), {})
            p, difference = found.get("wilcoxon_p"), found.get("mean_difference")
            cells += [f"{difference:+.4f}" if is_number(difference) else NOTHING,
                      NOTHING if not is_number(p) else f"{p:.2g}" if p < 0.05 else f'<span class="pub">{p:.2g}</span>']
        rows.append(cells)
    n = sorted({c["n"] for c in tests.values() if is_number(c.get("n"))})
    head = ["Method", "against", *(h for metric in metrics for h in (metric.replace("_", " "), "p"))]
    return table("Differences between methods: mean, and p of the Wilcoxon signed-rank test", head, rows, numbers=2,
                 note=f"Over {' to '.join(count(v) for v in dict.fromkeys((n[0], n[-1])))} parts of the pairs. In italics: not significant at 5%."
                 if n else "") if rows else ""


def facts(caption: str, rows: Sequence[tuple[str, str, str]]) -> str:
    """Quantity, here, published: plain texts."""
    return table(caption, ["", "this crawl", "published"], [[esc(name), esc(ours), f'<span class="pub">{esc(theirs)}</span>'] for name, ours, theirs in rows],
                 kind="facts")


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Name and value, as a description list of plain texts."""
    return '<dl class="facts">' + "".join(f"<div><dt>{esc(k)}</dt><dd><bdi>{esc(v)}</bdi></dd></div>" for k, v in rows) + "</dl>\n"


def share(part: Any, whole: Any) -> str:
    """A count with its share of another."""
    if not is_number(part):
        return NOTHING
    return f"{count(part)} ({percent(part / whole)})" if is_number(whole) and whole else count(part)
