"""What stands first: the findings in a few numbers and sentences, and the hosts to drop.

Invariant: a number that is not known is left out or shown as a dash, never as 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.report import table_html
from replicadb.report.own_crawl.groups_section import stand
from replicadb.report.safe_text import (
    NOTHING,
    count,
    esc,
    host_name,
    is_number,
    percent,
    plural,
    probability,
)

Row = dict[str, Any]


def headline(findings: Row, inventory: Row) -> str:
    """The header of the page."""
    totals = findings.get("totals") or {}
    counts = (inventory["detection"] or {}).get("counts", {})
    shown = "".join(
        f"<div><strong>{esc(n)}</strong><span>{esc(what)}</span><small>{esc(more)}</small></div>"
        for n, what, more in _cards(totals, inventory)
    )
    warnings = "".join(f'<p class="warn">{esc(text, 1000)}</p>\n' for text in _warnings(findings))
    return (
        '<p class="kind">Website replicas in a crawl</p>\n'
        f"<h1><bdi>{esc(inventory['database'])}</bdi></h1>\n"
        f'{warnings}<p class="lead">{" ".join(_sentences(totals, counts))}</p>\n'
        f'<div class="cards">{shown}</div>\n'
    )


def _warnings(findings: Row) -> Iterator[str]:
    if not findings["detected"]:
        yield "No replicas were looked for yet: run replicadb detect, then make this page again."
    if findings["stale"]:
        yield (
            f"This detection is older than what is there: {findings['stale']} since then. Sums are"
            " of then, and lists leave out what is gone: detect again, and report again."
        )


def _cards(totals: Row, inventory: Row) -> Iterator[tuple[str, str, str]]:
    assets = inventory["assets"]
    yield (
        count(inventory["hosts"]),
        _name(inventory["hosts"], "host", "hosts"),
        plural(inventory["urls"], "page")
        + (f" and {plural(assets, 'other file')}" if assets else ""),
    )
    if not totals:
        return
    yield (
        count(totals["flagged"]),
        _name(totals["flagged"], "pair flagged as replicas", "pairs flagged as replicas"),
        f"of {plural(totals['candidates'], 'candidate pair')}",
    )
    yield (
        count(totals["dropped"]),
        _name(totals["dropped"], "host to drop", "hosts to drop"),
        f"in {plural(totals['groups'], 'group')}; {count(totals['held'])} more held back",
    )
    yield (
        count(totals["saved_urls"]),
        _name(totals["saved_urls"], "URL saved", "URLs saved"),
        f"{_part(totals['saved_urls'], totals['urls'])} of all",
    )
    if is_number(totals["wrong"]):
        yield (
            f"{totals['wrong']:,.1f}",
            "wrong flags expected",
            f"{_part(totals['wrong'], totals['flagged'])} of the flagged pairs",
        )


def _name(n: Any, one: str, more: str) -> str:
    """What a number counts that stands apart from it."""
    return one if n == 1 else more


def _part(part: Any, whole: Any) -> str:
    return percent(part / whole) if is_number(part) and is_number(whole) and whole else NOTHING


def _between(counts: Row) -> str:
    """Between which numbers the replicas lie, as a clause; nothing where no method said so."""
    fewest, most = counts.get("estimated_at_least"), counts.get("estimated_at_most")
    if not (is_number(fewest) and is_number(most)):
        return ""
    between = f": {count(fewest)} to {count(most)}, eight times in ten" if fewest < most else ""
    estimated = counts.get("estimated_replicas")
    return (
        f" An estimated <b>{count(estimated)}</b> of the candidate pairs"
        f" {_name(estimated, 'is a replica', 'are replicas')}, flagged or not{between}."
    )


def _dropped(totals: Row) -> str:
    if not totals["dropped"]:
        held = totals["held"]
        stay = _name(held, "likely copy stays", "likely copies stay")
        safe = f": {count(held)} {stay}, since a drop would not be safe" if held else ""
        return f"<b>No host</b> is to be dropped{safe}."
    return (
        f"<b>{plural(totals['dropped'], 'host')}</b> can be dropped as copies of"
        f" {plural(totals['groups'], 'other host')}; that saves"
        f" <b>{plural(totals['saved_urls'], 'URL')}</b>,"
        f" {_part(totals['saved_urls'], totals['urls'])} of the crawl."
    )


def _sentences(totals: Row, counts: Row) -> Iterator[str]:
    if not totals:
        return
    if not totals["candidates"]:
        yield "No two hosts share anything: there is no candidate pair, and nothing to flag."
        return
    if not totals["flagged"]:
        yield (
            f"Of {plural(totals['candidates'], 'candidate pair')} none is flagged: none is likely"
            f" enough to be replicas. The likeliest stand first in the ranking.{_between(counts)}"
        )
        return
    yield _dropped(totals)
    if is_number(totals["elsewhere"]) and totals["pages"]:
        yield (
            f"{_part(totals['elsewhere'], totals['pages'])} of the pages of dropped hosts stand at"
            " the kept host, too: their content does, or a page at their path that is like them."
            + _not_compared(totals)
        )
    if is_number(totals["wrong"]):
        yield (
            f"Of {plural(totals['flagged'], 'flagged pair')}, <b>{totals['wrong']:,.1f}</b> are"
            f" expected to be wrong.{_between(counts)}"
        )
    else:
        yield "This method gives no probabilities, so how many flags are wrong is not known."


def drops_section(findings: Row, database: str) -> str:
    """The hosts to drop that save most, and the drops that are held back."""
    drops, held, totals = findings["drops"], findings["held"], findings["totals"]
    if not drops and not held:
        return "<p>No host is to be dropped.</p>\n"
    out = ""
    if drops:
        out += table_html.table(
            f"The {count(len(drops))} that save most, of {count(totals['dropped'])}"
            if len(drops) < totals["dropped"]
            else plural(totals["dropped"], "host"),
            ["host", "kept instead", "why", "kept because", "pages there, too", "URLs", "prob."],
            [
                [
                    host_name(row["host"]),
                    host_name(row["canonical_host"]),
                    _text(row["why"]),
                    _text(row["kept_because"]),
                    stand(row),
                    count(row["urls"]),
                    probability(row["probability"]),
                ]
                for row in drops
            ],
            numbers=4,
            kind="drops",
            note=f"All of them: <code>replicadb export {esc(database)} hosts.csv</code>",
        )
    if held:
        out += table_html.table(
            f"Held back: {count(len(held))} of {count(totals['held'])}",
            ["host", "would go for", "what holds it back", "pages there, too", "prob."],
            [
                [
                    host_name(row["host"]),
                    host_name(row["canonical_host"]),
                    _text(row["why"]),
                    stand(row),
                    probability(row["probability"]),
                ]
                for row in held
            ],
            numbers=3,
            kind="drops",
        )
    return out


def _text(value: Any) -> str:
    return esc(value) if value else NOTHING


def _not_compared(totals: Row) -> str:
    if not totals["not_compared"]:
        return ""
    return (
        f" {_part(totals['not_compared'], totals['pages'])} have another content at their path,"
        " and nothing says whether it is the same page."
    )
