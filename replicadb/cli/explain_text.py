"""What ``replicadb explain`` prints: the verdict, then the grounds, a section each.

Invariant: every line follows from the explanation alone; what a crawl wrote is printed with control
characters made visible.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.counted import counted
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.explanation.words import fate_in_words, languages
from replicadb.visible_text import visible

FOR, AGAINST, UNKNOWN = 10, 6, 6
"""Pieces of evidence that are shown."""
LITTLE = 0.05
"""Log odds; a piece that adds less is left to ``--json``."""
OWNERS = "identifier_overlap"
"""The piece of evidence that weighs who runs a site."""
PICTURES = ("favicon", "image")
"""Kinds of what both have that tell of a look, not of an owner."""
IDENTIFIERS = 8
"""Of what both say of who runs them, and pictures of both."""
RULES = 3
"""Rules of each label that are shown for each learner."""
LONGEST = 500
"""Characters of a URL that are shown; the rest is left to ``--json``."""


def text_of(found: dict[str, Any], database: str = "DB") -> str:
    """The explanation as text; ``database`` stands in the commands that it names."""
    sections = [
        [found["verdict"] + ".", *_decisions(found)],
        list(_evidence(found)),
        list(_neighbours(found)),
        list(_rules(found)),
        list(_languages(found)),
        list(_identifiers(found)),
        list(_leads(found)),
        list(_pages(found)),
        list(_groups(found)),
        list(_advice(found, database)),
    ]
    return "\n\n".join(
        "\n".join(visible(line) for line in section) for section in sections if section
    )


def _decisions(found: dict[str, Any]) -> Iterator[str]:
    """What people decided of the pair and of its hosts."""
    if decision := found.get("decision"):
        waits = "" if decision["bound"] else "; the last detection did not go by it"
        note = f": {decision['note']}" if decision["note"] else ""
        yield (
            f"decided on {decision['decided_at']} ({decision['source']}): {decision['label']}"
            f"{note}{waits}"
        )
    for pin in found.get("pins", ()):
        word = "never to be dropped" if pin["pin"] == "keep" else "never to be flagged"
        yield f"{pin['host']} is {word}" + (f": {pin['note']}" if pin["note"] else "")


def _evidence(found: dict[str, Any]) -> Iterator[str]:
    weighed = [row for row in found["evidence"] if row["contribution"] is not None]
    if not weighed:
        known = [row for row in found["evidence"] if row["feature"] in ("shared", *PAPER_FEATURES)]
        if known:
            yield "what is known of the pair, and the share of candidates that have less"
            yield from (f"  {row['words']}{_below(row)}" for row in known)
        return
    telling = [row for row in weighed if abs(row["contribution"]) >= LITTLE]
    known = [row for row in telling if row["value"] is not None]
    has_less = "log odds added; share of candidates that have less"
    yield from _grounds(f"speaks for it ({has_less})", [r for r in known if _adds(r)], FOR)
    yield from _grounds(
        f"speaks against it ({has_less})", [r for r in known if not _adds(r)], AGAINST
    )
    unknown = [row for row in telling if row["value"] is None]
    yield from _grounds("not known (log odds added where it is not)", unknown, UNKNOWN)


def _adds(row: dict[str, Any]) -> bool:
    return bool(row["contribution"] > 0)


def _grounds(title: str, rows: list[dict[str, Any]], most: int) -> Iterator[str]:
    """A title and so many rows below it; nothing where there is no row."""
    if rows:
        yield title
    for row in rows[:most]:
        yield f"  {row['contribution']:+6.2f}  {row['words']}{_below(row)}"
    if len(rows) > most:
        yield f"          and {len(rows) - most} more: --json"


def _below(row: dict[str, Any]) -> str:
    below = row["below"]
    return "" if below is None else f"  ({100 * below:.4g} %)"


def _neighbours(found: dict[str, Any]) -> Iterator[str]:
    if neighbours := found["neighbours"]:
        yield (
            f"neighbours: hosts that both are probably replicas of: {neighbours['common']:.1f}, a"
            f" share of {neighbours['overlap']:.2f} of those of either; that adds"
            f" {neighbours['added']:+.2f}"
        )


def _rules(found: dict[str, Any]) -> Iterator[str]:
    rules, place = found["rules"], found["place"]
    if not rules:
        return
    bins = ", ".join(f"{name} {bin}" for name, bin in rules["pattern"].items())
    yield f"method {found['method']}: bins {bins} (the table cuts says of which values)"
    for data, score in (("PU", "pu_score"), ("NU", "nu_score")):
        one = rules[data]
        cut = "no cut" if one["cut"] is None else f"cut {one['cut']:.4f} of alpha(x, -)"
        passes = f"{one['passes']} pass" + ("" if one["passes"] == 1 else "es")
        if one["moved_in"] is None:
            moved = "never moves, as it is obvious"
        elif one["moved_in"]:
            moved = f"moved in pass {one['moved_in']} of {passes}"
        else:
            moved = f"did not move in {passes}"
        yield (
            f"  {data}: likelihood of a replica {place[score]:.4f}, at first"
            f" {1 - one['alpha_initial']:.4f}; {cut}, {moved}"
        )
        for label in ("replica", "no replica"):
            for rule in [rule for rule in one["rules"] if rule["label"] == label][:RULES]:
                inside = ", ".join(f"{name} {bin}" for name, bin in rule["antecedent"].items())
                yield (
                    f"    {{{inside}}} -> {label}: support {rule['support']:,}, confidence"
                    f" {rule['confidence']:.4f}"
                )
    where = "on the frontier" if place["frontier"] else "not on the frontier"
    plane = f"Pareto plane: ({place['pu_score']:.4f}, {place['nu_score']:.4f}), {where}"
    if rules["aggregate"] != "pareto":
        plane = f"ranked by {rules['aggregate'].upper()} alone"
    yield f"  {plane}; dominates {place['dominates']:,} of {place['candidates']:,} candidates"


def _leads(found: dict[str, Any]) -> Iterator[str]:
    """What either says itself of its URLs that the other has."""
    for row in found.get("leads", ()):
        one = row["urls"] == 1
        if row["kind"] == "canonical":
            does = "names a page" if one else "name pages"
            what = f"{counted(row['urls'], 'page')} of {row['host']} {does} of {row['other']}"
            yield f"{what} by rel=canonical"
        else:
            does = "redirects" if one else "redirect"
            yield f"{counted(row['urls'], 'URL')} of {row['host']} {does} to {row['other']}"


def _pages(found: dict[str, Any]) -> Iterator[str]:
    shared, differing = found["pages"]["shared"], found["pages"]["differing"]
    files = shared.get("files", 0)
    yield (
        f"pages with one content on both: {shared['n']:,}"
        + (f", and {counted(files, 'file')}" if files else "")
        + (", the most telling first" if shared["n"] + files else "")
    )
    for row in shared["first"]:
        near = ", near duplicates" if row["near"] else ""
        n = row["hosts_with_it"]
        on = "not compared by the last detection" if n is None else f"on {counted(n, 'host')}"
        yield f"  {_url(row['url_a'])}"
        yield f"  {_url(row['url_b'])}  ({on}{near})"
    yield f"pages at one path that should match and do not: {differing['n']:,}"
    for row in differing["first"]:
        yield f"  {_url(row['url_a'])}{_page(row, 'a')}"
        yield f"  {_url(row['url_b'])}{_page(row, 'b')}"


def _url(url: str) -> str:
    if len(url) <= LONGEST:
        return url
    return f"{url[:LONGEST]}... ({len(url):,} characters; --json has all)"


def _page(row: dict[str, Any], side: str) -> str:
    length, title = row[f"length_{side}"], row[f"title_{side}"]
    facts = [] if length is None else [f"{length:,} bytes"]
    facts += [] if title is None else [f"title {title!r}"]
    return f"  ({', '.join(facts)})" if facts else ""


def _identifiers(found: dict[str, Any]) -> Iterator[str]:
    """What both say of who runs them, and pictures of both; nothing where nothing is alike."""
    rows = found["identifiers"][:IDENTIFIERS]
    owners = f"both say of who runs them (one owner may have many sites{_of_owners(found)}):"
    for title, what, alike in (
        (owners, "page", False),
        ("both have these pictures (not weighed for whose they are):", "URL", True),
    ):
        said = [row for row in rows if (row["kind"] in PICTURES) is alike]
        if said:
            yield title
        for row in said:
            on = f"{row['pages_a']:,} and {counted(row['pages_b'], what)}"
            yield f"  {named_identifier(row)}  ({on}; {row['hosts']:,} hosts have it)"
    if rows and (more := found["identifiers_in_all"] - len(rows)):
        yield f"  and {more:,} more"


def _languages(found: dict[str, Any]) -> Iterator[str]:
    """The main languages of both, and those of pages at the same places, where any are known."""
    if said := languages(found.get("languages", ())):
        yield said
    yield from (
        row["words"]
        for row in found["evidence"]
        if row["feature"] == "same_language" and row["value"] is not None
    )


def named_identifier(row: dict[str, Any]) -> str:
    """Kind and value; of a server the value says what it is."""
    return str(row["value"]) if row["kind"] == "server" else f"{row['kind']} {row['value']}"


def _of_owners(found: dict[str, Any]) -> str:
    """That one owner weighs nothing, as long as no answer has given it a weight."""
    untaught = any(
        row["feature"] == OWNERS and row["value"] and row["contribution"] == 0
        for row in found["evidence"]
    )
    return "; it weighs nothing until answers to review teach it" if untaught else ""


def _groups(found: dict[str, Any]) -> Iterator[str]:
    yield from map(fate_in_words, found["groups"])
    if not found["groups"]:
        yield "neither is in a group: both stay"


def _advice(found: dict[str, Any], database: str) -> Iterator[str]:
    if found["stale"]:
        yield f"note: {found['stale']} since the last detection"
    if found["place"] is None and not found.get("decision"):
        names = f"{found['a']['host']} {found['b']['host']}"
        yield f"what they would have: replicadb score {database} {names}"
    if found.get("too_thin"):
        names = f"'{found['a']['host']}', '{found['b']['host']}'"
        yield (
            "too thin to judge; pages of one to fetch from the other, where there are any:"
            f' replicadb sql {database} "FROM pages_to_fetch({names})"'
        )
