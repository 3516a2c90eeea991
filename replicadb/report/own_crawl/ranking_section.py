"""The ranking as a table to filter and sort, and what the script needs to explain its pairs.

Invariant: without a script the first pairs stand in the table; with one all of them do, and every
text from a crawl goes into the page as text. Values go by column, texts that repeat by number, so
ten thousand pairs take one or two megabytes.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

from replicadb.explanation.words import fate_in_words
from replicadb.report.safe_text import (
    NOTHING,
    clean,
    count,
    esc,
    host_name,
    plural,
    probability,
    rate,
)

Row = dict[str, Any]
STATIC_ROWS = 50
"""Shown without a script, and on one leaf of the table with one."""
LONG = 2_000
"""Characters of a URL."""
ROBUST = ("probability", "flagged", "kind", "shared", "containment", "strength")
PAPER = ("score", "flagged", "pu_score", "nu_score", "shared", "containment")
HEADS = {
    "probability": "Prob.",
    "score": "Score",
    "flagged": "Flagged",
    "kind": "Kind",
    "pu_score": "PU",
    "nu_score": "NU",
    "shared": "Shared",
    "containment": "Contained",
    "strength": "Strength",
}
MEANINGS = {
    "probability": "estimated probability of a replica",
    "score": "share of candidates that it dominates: what pairs are ranked by",
    "shared": "contents that both have",
    "containment": "share of the smaller host's content that the other has",
    "strength": "what pairs are ranked by, in log odds",
    "pu_score": "likelihood of a replica from PU data",
    "nu_score": "likelihood of a replica from NU data",
}


def ranking_section(findings: Row, database: str) -> str:
    """The table with its filters, and the panel for one pair."""
    ranking, totals = findings["ranking"], findings["totals"]
    rows = ranking["rows"]
    if not rows:
        return "<p>There is no candidate pair, so there is no ranking.</p>\n"
    one = "candidate pair" if totals["ranked"] == totals["candidates"] else "ranked pair"
    said = (
        f"<p>{_bounded(len(rows), totals['ranked'], one)}."
        f" {_carry(len(ranking['explained']['rank']), len(rows))} Any two hosts:"
        f" <code>replicadb explain {esc(shlex.quote(database))} HOST_A HOST_B</code></p>\n"
    )
    columns = _columns(rows)
    return f"{said}{_controls(rows)}{_table(rows[:STATIC_ROWS], columns, len(rows))}{PANEL}"


def _carry(explained: int, shown: int) -> str:
    """How many pairs carry a full explanation."""
    if not explained:
        return "None of them carries a full explanation."
    carry = (
        "All of them carry"
        if shown == explained > 1
        else "It carries"
        if shown == explained
        else (
            f"{count(explained)} of them, those that decide what is dropped, the first and those"
            f" nearest to where flags end, {'carries' if explained == 1 else 'carry'}"
        )
    )
    return f"{carry} a full explanation: select a pair to see why it stands where it does."


def _bounded(shown: int, all_of_them: int, one: str) -> str:
    if all_of_them == 1:
        return f"The only {one}"
    if shown == all_of_them:
        return f"All {plural(shown, one)}, the likeliest replicas first"
    if shown == 1:
        return f"The first of {plural(all_of_them, one)}, the likeliest replicas"
    return f"The first {plural(shown, one)} of {count(all_of_them)}, the likeliest replicas first"


def _columns(rows: list[Row]) -> tuple[str, ...]:
    return PAPER if rows[0]["probability"] is None else ROBUST


def _controls(rows: list[Row]) -> str:
    kinds = sorted({row["kind"] for row in rows if row["kind"]})
    options = "".join(f'<option value="{esc(kind)}">{esc(kind)}</option>' for kind in kinds)
    return (
        '<div class="filters" id="filters" role="search" hidden>'
        '<label>Host contains <input type="search" id="filter" autocomplete="off"'
        ' spellcheck="false" aria-keyshortcuts="/"></label>'
        '<label>Decision <select id="decision" autocomplete="off"><option value="">all</option>'
        '<option value="1">flagged</option><option value="0">not flagged</option>'
        '<option value="explained">explained in full</option></select></label>'
        f'<label>Kind <select id="kind" autocomplete="off"><option value="">all</option>{options}'
        "</select></label>"
        '<span class="found" id="found" role="status" aria-live="polite"></span></div>\n'
    )


def _table(rows: list[Row], columns: tuple[str, ...], n: int) -> str:
    heads = "".join(
        f'<th scope="col" data-key="{key}" class="{_align(key)}"'
        f' title="{esc(MEANINGS.get(key, ""))}">{HEADS[key]}</th>'
        for key in columns
    )
    body = "".join(
        f'<tr><td class="n">{count(row["rank"])}</td><th scope="row">{host_name(row["host_a"])}'
        f'</th><td class="host">{host_name(row["host_b"])}</td>'
        + "".join(f'<td class="{_align(key)}">{esc(_shown(row, key))}</td>' for key in columns)
        + "</tr>\n"
        for row in rows
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Ranking">'
        f'<table class="ranking" id="pairs" aria-rowcount="{n + 1}"><caption>Candidate pairs'
        '</caption><thead><tr><th scope="col" data-key="rank" class="n">Rank</th>'
        '<th scope="col" data-key="host_a">Host</th><th scope="col" data-key="host_b">Host</th>'
        f"{heads}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
        f'<noscript><p class="warn">The first {len(rows)} are shown; the others, filters and'
        " explanations need the page’s script.</p></noscript>\n"
        '<div class="pager" id="pager" hidden><button type="button" data-go="first">first</button>'
        '<button type="button" data-go="back">back</button><span id="leaf"></span>'
        '<button type="button" data-go="on">on</button><button type="button" data-go="last">last'
        '</button><span class="note">Keys: ↑ ↓ go through pairs, Enter explains, Esc closes, /'
        " filters.</span></div>\n"
    )


PANEL = (
    '<aside id="why" role="dialog" aria-labelledby="why-title" tabindex="-1" hidden>'
    '<button type="button" id="why-close">Close</button><div id="why-text"></div></aside>\n'
)


def _align(key: str) -> str:
    small = " spare" if key in ("kind", "shared", "containment", "strength", "nu_score") else ""
    return f"{'' if key in ('flagged', 'kind') else 'n'}{small}".strip()


def _shown(row: Row, key: str) -> str:
    value = row[key]
    if key == "flagged":
        return "yes" if value else ""
    if key == "kind":
        return value or ""
    if key == "shared":
        return count(value)
    if key == "probability":
        return probability(value)
    if key == "strength":
        return NOTHING if value is None else f"{value:.2f}"
    return rate(value)


# -- what the script needs
# ---------------------------------------------------------------------------------------------


class Texts:
    """Texts by number, each once, safe to look at."""

    def __init__(self) -> None:
        self.listed: list[str] = []
        self.numbers: dict[str, int] = {}

    def number(self, text: Any) -> int | None:
        """The place of a text in the list, which it joins where it is new; None for None."""
        if text is None:
            return None
        key = str(text)
        if key not in self.numbers:
            self.numbers[key] = len(self.listed)
            self.listed.append(clean(key, LONG))
        return self.numbers[key]

    def numbers_of(self, texts: Iterable[Any]) -> list[int | None]:
        """The places of several texts."""
        return [self.number(text) for text in texts]


def page_data(findings: Row) -> Row:
    """The values of ``<script id="data">``."""
    ranking, texts = findings["ranking"], Texts()
    rows = ranking["rows"]
    columns = _columns(rows) if rows else ()
    numbers = [key for key in columns if key not in ("flagged", "kind")]
    pairs: Row = {
        "a": texts.numbers_of(row["host_a"] for row in rows),
        "b": texts.numbers_of(row["host_b"] for row in rows),
        "rank": [row["rank"] for row in rows],
        "flagged": [int(row["flagged"]) for row in rows],
        "kind": texts.numbers_of(row["kind"] for row in rows),
    } | {key: [_rounded(row[key]) for row in rows] for key in numbers}
    return {
        "columns": list(columns),
        "leaf": STATIC_ROWS,
        "command": f"replicadb explain {clean(shlex.quote(findings['database']))}",
        "pairs": pairs,
        "hosts": {
            str(texts.number(name)): [
                host["urls"],
                *(texts.number(f"{fate_in_words(fate)}.") for fate in host["fates"]),
            ]
            for name, host in ranking["hosts"].items()
        },
        "explained": _explained(ranking["explained"], texts),
        "thresholds": findings["strengths"]["others"],
        "flagged": findings["totals"]["flagged"],
        "least": findings["totals"]["least_probability"],
        "texts": texts.listed,
    }


def _rounded(value: float | None) -> float | None:
    return value if value is None or isinstance(value, int) else round(value, 6)


def _explained(found: Row, texts: Texts) -> Row:
    """Explanations as short lists of numbers; texts by their number."""
    words = texts.numbers_of(found["words"])
    return {
        "rank": found["rank"],
        "verdict": texts.numbers_of(f"{verdict}." for verdict in found["verdict"]),
        "evidence": [_evidence(rows, words) for rows in found["evidence"]],
        "neighbours": {
            place: [round(rows[0][key], 3) for key in ("common", "overlap", "added")]
            for place, rows in found["neighbours"].items()
        },
        "shared": {
            place: [rows[0]["n"], *(_shared(row, texts) for row in rows)]
            for place, rows in found["shared"].items()
        },
        "differing": {
            place: [rows[0]["n"], *(_differing(row, texts) for row in rows)]
            for place, rows in found["differing"].items()
        },
        "rules": _rules(found, texts) if found["rules"] else None,
    }


def _evidence(rows: list[tuple[int, Any, Any]], words: list[int | None]) -> list[list[Any]]:
    """Text, what it adds and the share of candidates that have less; what adds most first."""
    order = sorted(rows, key=lambda row: -abs(row[1] or 0))
    return [[words[word], added, below] for word, added, below in order]


def _shared(row: Row, texts: Texts) -> list[Any]:
    urls = [texts.number(row[key]) for key in ("url_a", "url_b")]
    return [*urls, row["hosts_with_it"], int(bool(row["near"]))]


def _differing(row: Row, texts: Texts) -> list[Any]:
    urls = [texts.number(row[key]) for key in ("url_a", "url_b")]
    titles = [texts.number(row[key]) for key in ("title_a", "title_b")]
    return [*urls, *titles, row["length_a"], row["length_b"]]


def _rules(found: Row, texts: Texts) -> Row:
    """Method paper: what was learned of each pair's pattern, by its number."""
    return {
        "pattern": found["score_id"],
        "by_pattern": {
            pattern: [_learner(votes[data], data, texts) for data in ("PU", "NU")]
            for pattern, votes in found["rules"].items()
        },
    }


def _learner(one: Row, data: str, texts: Texts) -> list[int | None]:
    """Sentences: likelihood, cut and pass, then the rules that voted."""
    cut = "no cut" if one["cut"] is None else f"cut {one['cut']:.4f} of alpha(x, -)"
    passes = "1 pass" if one["passes"] == 1 else f"{one['passes']} passes"
    first = f", the first in pass {one['moved_in']} of" if one["moved"] else ", in"
    said = [
        f"{data} data: likelihood of a replica {1 - one['alpha']:.4f}, at first"
        f" {1 - one['alpha_initial']:.4f}; {cut}; of {one['movable']:,} unlabelled pairs in these"
        f" bins {one['moved']:,} moved{first} {passes}"
    ]
    for rule in one["rules"]:
        inside = ", ".join(f"{name} in bin {at}" for name, at in rule["antecedent"].items())
        said.append(
            f"{inside} → {rule['label']}: support {rule['support']:,}, confidence"
            f" {rule['confidence']:.4f}"
        )
    return texts.numbers_of(said)
