"""The page about an evaluation of page methods: precision/recall curves, break-even points, and
what each method compared.

Invariant: a curve is drawn from the result alone; the same result gives the same bytes.
Source: the RP + HM paper (2003), Figure 1 (precision and recall over thresholds, break-even point);
Huffman et al. (2007), Tables 2 and 3.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from replicadb import report
from replicadb.report import table_html
from replicadb.report.page_frame import frame
from replicadb.report.page_papers_section import papers_sections
from replicadb.report.recall_chart import recall_panel
from replicadb.report.safe_text import NOTHING, count, esc, percent

PER_CHART = 4  # curves that are distinct in one chart
PUBLISHED = {"F": "F 77.3 %", "F,R": "F 82.6 %", "F,R,RS": "F 84.0 %"}
"""Of the combined signals, which are out of fold here and there. All other published figures were
measured otherwise than these tables are (by document, by query, out of fold): they stand beside
figures measured alike in the section of ``--as-published``.
"""


def write(result: dict[str, Any], path: str | Path, database: str) -> None:
    """Write the page about a result of
    :func:`replicadb.evaluation.page_method_evaluation.evaluate_pages`.

    Raises:
        DataError: the file cannot be written.
    """
    report.save(render(report.stamped(result), database), path)


def render(result: dict[str, Any], database: str) -> str:
    """The whole page."""
    by_kind = {
        kind: [row for row in result["rows"] if row["kind"] == kind]
        for kind in ("method", "signal", "combined")
    }
    sections = [
        (
            "methods",
            "Page methods",
            _curves(by_kind["method"], 1)
            + _table("Page methods, at their own threshold", by_kind["method"], "at_threshold"),
        ),
        (
            "signals",
            "Signals",
            _curves(by_kind["signal"], 101)
            + _table("Signals, at the best threshold on these pairs", by_kind["signal"], "best"),
        ),
        ("combined", "Signals together", _combined(by_kind["combined"])),
        *papers_sections(result.get("as_published"), 201),
        ("work", "All pages of the database", _work(result.get("work") or [])),
    ]
    best = max(by_kind["method"], key=lambda row: row.get("break_even") or 0, default=None)
    lead = (
        f"Best break-even of precision and recall: <b>{esc(best['name'])}</b>,"
        f" {percent(best['break_even'])}."
        if best and best.get("break_even") is not None
        else ""
    )
    header = (
        '<p class="kind">Near-duplicate pages by'
        f" method</p>\n<h1><bdi>{esc(database)}</bdi></h1>\n<p"
        f' class="lead">{count(result["pairs"])} known pairs, '
        f"{count(result['duplicates'])} of them duplicates. {lead}</p>\n"
    )
    return frame(f"Near duplicates in {database}: evaluation", header, sections, result)


def _curves(rows: list[dict[str, Any]], number: int) -> str:
    """Charts of a few curves each, the best by average precision first."""
    drawn = sorted(
        (row for row in rows if len(row.get("curve") or ()) > 1),
        key=lambda row: -(row.get("average_precision") or 0),
    )
    parts = [drawn[i : i + PER_CHART] for i in range(0, len(drawn), PER_CHART)]
    return (
        '<div class="panels">'
        + "".join(
            recall_panel(part, number + i, "Precision over recall as the threshold moves")
            for i, part in enumerate(parts)
        )
        + "</div>\n"
    )


def _table(caption: str, rows: list[dict[str, Any]], at: str) -> str:
    shown = []
    for row in rows:
        found = row.get(at) or {}
        low, high = found.get("f_interval") or (None, None)
        shown.append(
            [
                esc(row["name"]),
                *(percent(found.get(key)) for key in ("precision", "recall", "f")),
                f"{percent(low)} to {percent(high)}",
                percent(row.get("break_even")),
                percent(row.get("average_precision")),
                count(row.get("compared")),
            ]
        )
    return table_html.table(
        caption,
        [
            "",
            "P",
            "R",
            "F",
            "95 % of F",
            "break-even",
            "average precision",
            "pairs compared",
        ],
        shown,
        note=("A signal's threshold is chosen on these pairs. " if at == "best" else "")
        + "What was published stands beside figures measured alike, with --as-published.",
    )


def _combined(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return '<p class="warn">Not measured.</p>\n'
    shown = [
        [
            esc(row["name"].replace(",", " + ")),
            *(
                percent((row.get(name) or {}).get(key))
                for name in ("ripper", "tree")
                for key in ("precision", "recall", "f")
            ),
            percent(row["f"]),
            f'<span class="pub">{esc(PUBLISHED.get(row["name"], NOTHING))}</span>',
        ]
        for row in rows
    ]
    return table_html.table(
        "Signals together, out of fold",
        ["", "RIPPER P", "R", "F", "tree P", "R", "F", "mean F", "published"],
        shown,
    )


def _work(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return '<p class="warn">Not measured.</p>\n'
    names = ("positional_pairs", "prefix_pairs", "candidates", "pairs")

    def candidates(row: dict[str, Any]) -> int | None:
        return next((row[name] for name in names if name in row), None)

    shown = [
        [
            esc(row["name"]),
            f"{row['seconds']:.1f}",
            count(row.get("pages")),
            count(candidates(row)),
            count(row["pairs"]),
        ]
        for row in rows
    ]
    return table_html.table(
        "Each method over all pages", ["", "seconds", "pages", "pairs looked at", "matches"], shown
    )
