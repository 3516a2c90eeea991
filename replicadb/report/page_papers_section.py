"""The sections of ``pages evaluate --as-published``: what became of the page papers' headlines, the
signals out of fold, MWO by query, and the RP + HM paper's Figure 1.

Invariant: they stand on the page only where they were asked for; published figures stand beside
those that were measured as they were. Source: ``replicadb.evaluation.page_papers``.
"""

from __future__ import annotations

from typing import Any

from replicadb.report import table_html
from replicadb.report.recall_chart import recall_panel
from replicadb.report.safe_text import NOTHING, count, esc, is_number, percent, rate


def papers_sections(found: dict[str, Any] | None, number: int) -> list[tuple[str, str, str]]:
    """Anchor, title and HTML of each section; none where nothing was asked for.

    Args:
        number: of the first chart.
    """
    if not found:
        return []
    return [
        ("papers", "What became of the papers' headlines", _headlines(found["headlines"])),
        ("published-signals", "Signals out of fold", _signals(found["signals"])),
        ("queries", "Overlap by query", _queries(found["mwo"])),
        ("figure-1", "Figure 1: content and links", _figure_1(found["documents"], number)),
    ]


def _headlines(lines: list[dict[str, Any]]) -> str:
    rows = [
        [
            esc(line["claim"]),
            esc(line["paper"]),
            esc(line["figure"]),
            _both(line["published"]),
            _both(line["here"]),
            esc(line["verdict"]),
        ]
        for line in lines
    ]
    head = ["headline", "paper", "figure", "published", "here", "verdict"]
    return table_html.table("The papers' headlines", head, rows, numbers=9)


def _both(figures: list[Any]) -> str:
    """Two figures, or the one that there is."""
    known = figures if figures[1] is not None else figures[:1]
    return ", ".join(rate(value, 3) if is_number(value) else NOTHING for value in known)


def _signals(lines: list[dict[str, Any]]) -> str:
    rows = [
        [esc(line["name"]), percent(line["here"]), _published(percent(line["published"]))]
        for line in lines
    ]
    return table_html.table(
        "F out of fold, mean of RIPPER and the tree",
        ["signals", "F", "published"],
        rows,
        note="As Tables 2 to 4 of Huffman et al. have it; a single signal over the pairs that"
        " have it.",
    )


def _queries(found: dict[str, Any]) -> str:
    rows = [
        [
            esc(row["query"] or "all pairs"),
            count(row["near_duplicates"]),
            percent(row["precision"]),
            percent(row["recall"]),
        ]
        for row in found["queries"]
    ]
    rows.append(["mean of all queries", "", *map(percent, found["mean"])])
    rows.append(["published mean of ten", "", *(_published(percent(v)) for v in (0.943, 0.947))])
    left = ", ".join(f"{esc(row['left'])} {count(row['pairs'])}" for row in found["filters"])
    return table_html.table(
        "MWO at 0.5, the queries with the most near duplicates",
        ["query", "near duplicates", "precision", "recall"],
        rows,
        note=f"Das et al., Table 4. Pairs left by each step: {left}.",
    )


def _published(text: str) -> str:
    return f'<span class="pub">{text}</span>'


CORNER = 0.6
"""Where the axes of Figure 1 begin: below, its curves lie on each other."""


def _short(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Curves named by what they hold fixed alone."""
    return [line | {"name": line["name"].split(",")[0]} for line in lines]


def _figure_1(lines: list[dict[str, Any]], number: int) -> str:
    """Both ways of the sweep, a chart each, and where precision and recall break even."""
    alone = [line for line in lines if line["eps_hm"] is None]
    by_hm, by_rp = (
        [line for line in lines if line["moves"] == moving and line not in alone]
        for moving in ("eps_rp", "eps_hm")
    )
    panels = "".join(
        recall_panel(_short(drawn), number + i, words, low=CORNER)
        for i, (drawn, words) in enumerate(
            (
                (alone + by_hm, "By document, from .6 on, as eps_RP moves at three eps_HM"),
                (alone + by_rp, "The same as eps_HM moves at three eps_RP"),
            )
        )
        if any(len(line["curve"]) > 1 for line in drawn)
    )
    rows = [
        [
            esc(line["name"]),
            percent(line["break_even"]),
            percent(line["best_f"]),
            *(rate(line[name]) for name in ("eps_rp", "eps_hm")),
            *(percent(value) for value in line["loosest"] or (None, None)),
        ]
        for line in lines
    ]
    head = ["curve", "break-even", "best F", "at eps_RP", "and eps_HM"]
    table = table_html.table(
        "Precision and recall by document",
        [*head, "recall, moving one widest", "precision there"],
        rows,
        note="Precision over all pages that are returned, recall over 100 sampled ones that have a"
        " near duplicate. Published: they break even at"
        f" {_published('90 %')} by RP and {_published('93 %')} by both; no curve is printed in"
        f" numbers. Of the pairs {percent(lines[0]['pairs_with_maps'])} have maps that differ.",
    )
    return f'<div class="panels">{panels}</div>\n{table}'
