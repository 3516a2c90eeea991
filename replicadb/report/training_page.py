"""The page about a training on page pairs: the multiple-signal paper's Tables 2 to 5 and Figures 1
to 3, made from one's own labels.

Invariant: published figures stand beside one's own and are named so; a part that the result
does not have is said to be missing; the
same result gives the same bytes. Source: Huffman et al. (SIGIR 2007), section 5.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from replicadb import report
from replicadb.page_pairs import published_signals
from replicadb.report import table_html, training_charts
from replicadb.report.page_frame import frame, panel
from replicadb.report.safe_text import NOTHING, count, esc, is_number, percent

HEAD = ("RIPPER P", "R", "F", "tree P", "R", "F", "mean F", "published")
SETS = {
    "simhash": "similarity hash",
    "tfidf": "tf-idf distance",
    "F": "F",
    "F,R": "F + R",
    "F,R,RS": "F + R + RS",
    "human": "a human rater",
}


def write(result: dict[str, Any], path: str | Path, database: str) -> None:
    """Write the page about a result of :func:`replicadb.page_pairs.page_training.train`.

    Raises:
        DataError: the file cannot be written.
    """
    report.save(render(report.stamped(result), database), path)


def render(result: dict[str, Any], database: str) -> str:
    """The whole page."""
    sections = [
        ("data", "What was learned from", _data(result, database)),
        ("figure-1", "Figures 1 to 3", _figures(result)),
        (
            "table-2",
            "Table 2: single signals",
            _table(result.get("table_2"), "Single signals, on the pairs that have them"),
        ),
        (
            "table-3",
            "Table 3: groups of signals",
            _table(result.get("table_3"), "Groups of signals, on all pairs"),
        ),
        ("table-4", "Table 4: snippets of fetched bodies", _table_4(result.get("table_4"))),
        ("table-5", "Table 5: tested on other pairs", _table_5(result.get("table_5"))),
        (
            "rules",
            "The rules and the tree",
            f'<div class="scroll"><pre>{_lines(result.get("rules") or NOTHING)}</pre></div>\n',
        ),
        ("terms", "Terms", TERMS),
    ]
    return frame(
        f"Duplicate pages in {database}: training",
        _header(result, database),
        sections,
        result,
    )


def _header(result: dict[str, Any], database: str) -> str:
    single = max((row["f"] or 0 for row in result.get("table_2") or ()), default=None)
    best = next((row["name"] for row in result.get("table_2") or () if row["f"] == single), "")
    beside = (
        f" The best single signal, <code>{esc(best)}</code>, reaches {percent(single)}."
        if is_number(single)
        else ""
    )
    return (
        '<p class="kind">Duplicate pages by many'
        f' signals</p>\n<h1><bdi>{esc(database)}</bdi></h1>\n<p class="lead">Rules and tree reach a'
        " mean F of "
        f"<b>{percent(result.get('f'))}</b> in cross-validation.{beside}</p>\n"
    )


def _data(result: dict[str, Any], database: str) -> str:
    split = (
        "pairs that share a page stay together"
        if result.get("split") == "pages"
        else "pairs at random"
    )
    rows = [
        ("Database", database),
        ("Labels", str(result.get("labels", NOTHING))),
        ("Pairs", count(result.get("pairs"))),
        ("Duplicates", table_html.share(result.get("duplicates"), result.get("pairs"))),
        ("Pairs left out", count(result.get("left_out"))),
        ("Signals", ", ".join(result.get("signals") or ())),
        ("Compression", str(result.get("engine"))),
        ("Folds, seeds", f"{result.get('folds')}, {result.get('seeds')}"),
        ("Folds keep", split),
    ]
    return table_html.pairs(rows)


def _figures(result: dict[str, Any]) -> str:
    missing = "Not measured: train with --tables or --report on labels of both kinds."
    return (
        '<div class="panels">'
        + "".join(
            [
                panel(
                    training_charts.figure_1(result.get("table_3") or [], SETS, 1),
                    "Figure 1: F of detection techniques",
                    "Bars: here. Diamonds: published.",
                    missing,
                ),
                panel(
                    training_charts.figure_2(result.get("figure_2") or {}, 2),
                    "Figure 2: precision over recall",
                    "All groups together, out of fold. Dotted: where F is that of the classifiers.",
                    missing,
                ),
                panel(
                    training_charts.figure_3(result.get("figure_3") or [], 3),
                    "Figure 3: signals added by rising cost",
                    "Points: mean F; lines: from the lower to the upper quartile over the seeds."
                    " (r): of the rendered page.",
                    missing,
                ),
            ]
        )
        + "</div>\n"
    )


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        percent((row.get(name) or {}).get(key))
        for name in ("ripper", "tree")
        for key in ("precision", "recall", "f")
    ] + [percent(row.get("f"))]


def _table(rows: list[dict[str, Any]] | None, caption: str) -> str:
    if not rows:
        return '<p class="warn">Not measured.</p>\n'
    shown = []
    for row in rows:
        published = row.get("published")
        theirs = (
            " / ".join(f"{value:.1f}" for value in published)
            if published and len(published) == 3
            else f"{published[-1]:.1f}"
            if published
            else NOTHING
        )
        shown.append(
            [
                esc(SETS.get(row["name"], row["name"])),
                *_cells(row),
                f'<span class="pub">{esc(theirs)}</span>',
            ]
        )
    return table_html.table(
        caption,
        ["", *HEAD],
        shown,
        note=(
            "P, R, F: precision, recall, F at the seed of median F. In italics: published mean F"
            " (the human's P / R / F)."
        ),
    )


def _table_4(rows: list[dict[str, Any]] | None) -> str:
    if not rows:
        return '<p class="warn">Not measured.</p>\n'
    shown = [
        [
            esc(SETS.get(row["name"], row["name"])),
            percent(row["f"]),
            percent(row["f_with_fs"]),
            *(
                f'<span class="pub">{esc(NOTHING if value is None else f"{value:.1f}")}</span>'
                for value in row["published"]
            ),
        ]
        for row in rows
    ]
    return table_html.table(
        "Mean F without and with FS",
        ["", "F", "F with FS", "published F", "published with FS"],
        shown,
    )


def _table_5(rows: list[dict[str, Any]] | None) -> str:
    if not rows:
        return (
            '<p class="warn">No other pairs were given: <code>pages train --test'
            " OTHER.csv</code>.</p>\n"
        )
    uk, chinese = (published_signals.TABLE_5[test] for test in ("UK", "Chinese"))
    shown = [
        [f"<bdi>{esc(row['test'])}</bdi>", *_cells(row), percent(row["both"]["f"])] for row in rows
    ]
    return table_html.table(
        "Trained here, tested there",
        ["", *HEAD[:7], "both together"],
        shown,
        note=f"Published, trained on US queries: mean F {uk[-1]} on UK queries, {chinese[-1]} on"
        " Chinese ones.",
    )


def _lines(text: str) -> str:
    return "\n".join(esc(line) for line in text.split("\n"))


TERMS = """<dl class="terms">
<dt>F, R</dt><dd>Signals of what was fetched (domain, title, compression distance, similarity \
hash, tf-idf distance), and of what a browser shows.</dd>
<dt>FS, RS</dt><dd>Compression distance of the text around the query's words, fetched and \
rendered.</dd>
<dt>mcd</dt><dd>Modified normalised compression distance: 0 for equal texts, near 1 for unrelated \
ones.</dd>
<dt>Mean F</dt><dd>Mean of the two classifiers' F = 2PR / (P + R), each at its seed of median \
F.</dd>
<dt>Published</dt><dd>Huffman, Lehman, Stolboushkin, Wong-Toi, Yang and Roehrig (SIGIR 2007), \
"Multiple-signal duplicate detection for search evaluation": 34,577
pairs of results of one query, 537 of them duplicates. Other pairs, so their figures are a \
yardstick and no target.</dd>
</dl>
"""
