"""Pieces of evidence in plain words, and the verdict on two hosts in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replicadb.counted import counted
from replicadb.detection.evidence import EVIDENCE
from replicadb.detection.kinds import LOOKS_LIKE, TOO_FEW
from replicadb.stage_constants import KIND_NUMBERS

_PIECES = {piece.name: piece for piece in EVIDENCE}


def phrase(feature: str, value: float | None) -> str:
    """A piece of evidence and its value, in words; what NULL means where there is none."""
    return _PIECES[feature].in_words(value)


def verdict(found: dict[str, Any]) -> str:
    """What to think of the two, in one sentence."""
    a, b = (f"{found[host]['host']}" for host in ("a", "b"))
    place, decided = found["place"], found.get("decision")
    if place is None:
        return (
            f"{a} and {b} were no candidates: detection did not compare them, since"
            f" {found['not_compared']}"
        )
    if decided and decided["bound"]:
        are = "are flagged as replicas" if place["flagged"] else "are not flagged as replicas"
        return f"{a} and {b} {are}, as was decided ({_by_evidence(place)}){_fate(found)}"
    where = f"rank {place['rank']:,} of {counted(place['candidates'], 'candidate pair')}"
    if place["probability"] is not None:
        where = f"probability {probability(place['probability'])}, {where}"
    if place.get("left_out"):
        return (
            f"{a} and {b} are as likely as flagged pairs and not flagged: {_why_left_out(place)};"
            f" such pairs are flagged only where detect --kinds asks for them ({where})"
        )
    if not place["flagged"]:
        never = [pin["host"] for pin in found.get("pins", ()) if pin["pin"] == "never"]
        reason = f", and {' and '.join(never)} never will be, as was decided" if never else ""
        flagged = place["flagged_pairs"]
        return (
            f"{a} and {b} are not flagged as replicas{reason} ({where};"
            f" {counted(flagged, 'pair')} {'is' if flagged == 1 else 'are'}{_from(place)})"
        )
    return f"{a} and {b} are flagged as replicas ({where}){_fate(found)}"


def _from(place: dict[str, Any]) -> str:
    """From which probability on pairs are flagged, where that is why this one is not."""
    least = place["flagged_from"]
    if least is None or place["probability"] is None or place["probability"] >= least:
        return ""
    return f", from {probability(least)} on" if least <= 1 else ""


def _why_left_out(place: dict[str, Any]) -> str:
    kind = place["left_out"]
    same = place.get("same_language")
    foreign = same is not None and same < KIND_NUMBERS.translated_language
    why = ", since they are in different languages" if kind == "translation" and foreign else ""
    return TOO_FEW if kind == "thin" else f"they look {LOOKS_LIKE[kind]}{why}"


def languages(rows: Sequence[dict[str, Any]]) -> str:
    """What two hosts say that they are in, in a line; nothing where neither says it.

    Args:
        rows: ``host``, ``language``, ``pages`` in it and those ``spoken`` in any.
    """
    each = (
        f"{row['host']} {row['language']} ({row['pages']:,} of {counted(row['spoken'], 'page')})"
        for row in rows
    )
    return f"languages: {', '.join(each)}" if rows else ""


def _by_evidence(place: dict[str, Any]) -> str:
    """What the evidence alone says of a decided pair."""
    if place["score_id"] is None:
        return "they were no candidates"
    if place["by_evidence"] is None:
        return f"rank {place['rank']:,} of {counted(place['candidates'], 'candidate pair')}"
    return f"by the evidence alone the probability is {probability(place['by_evidence'])}"


def not_compared(facts: dict[str, Any]) -> str:
    """Why two hosts are no candidates.

    Args:
        facts: ``later`` (hosts of which the detection has nothing), ``reference`` (its load) and
            ``old`` (how many of the two are of that), ``candidates`` (by content, path or either),
            ``within`` and ``beyond`` (contents in common on as many hosts as make pairs, and on
            more), ``min_shared``, ``cap`` (hosts), and ``pages`` (of one content).
    """
    within, beyond, least = (facts[name] for name in ("within", "beyond", "min_shared"))
    if facts["later"]:
        later = facts["later"]
        return f"it had nothing of {' and '.join(later)}, which came later or {_has(later)} no page"
    if facts["reference"] is not None and facts["old"] != 1:
        which = "both are" if facts["old"] else "neither is"
        return f"{which} of the load {facts['reference']}, and it compared with that alone"
    if facts["candidates"] == "path":
        return "they share no path that few hosts have"
    if within and within < least:
        return f"they share {counted(within, 'content')}, and it asked for {least:,} (--min-shared)"
    if within:
        return f"{_that_they_share(within)} came later"
    if beyond:
        stand = "stands" if beyond == 1 else "stand"
        return (
            f"{_that_they_share(beyond)} {stand} on more than {counted(facts['cap'], 'host')}"
            " (--max-cluster-hosts)"
        )
    if facts["pages"]:
        return "what they share came later, or was left out of it"
    return "they share no content" + (
        ", and no path that few hosts have" if facts["candidates"] == "either" else ""
    )


def _has(hosts: list[str]) -> str:
    return "has" if len(hosts) == 1 else "have"


def _that_they_share(n: int) -> str:
    return f"the {'content' if n == 1 else f'{n:,} contents'} that they share"


def probability(p: float) -> str:
    """A probability; what is not quite 1 never reads as 1, nor what is not quite 0 as 0."""
    if p >= 0.99995:
        return "above 0.9999"
    return f"{p:.4f}" if p >= 0.00005 else "below 0.0001"


def _fate(found: dict[str, Any]) -> str:
    """What becomes of the two, where one of them goes or would go."""
    names = {found["a"]["host"], found["b"]["host"]}
    for fate in found["groups"]:
        if {fate["host"], fate["canonical_host"]} != names:
            continue
        if fate["held_back"]:
            return f"; {fate['host']} stays nevertheless: {fate['held_back']}"
        return (
            f"; {fate['host']} is to be dropped, {fate['canonical_host']} is kept:"
            f" {fate['kept_because']}"
        )
    return ""


def fate_in_words(fate: dict[str, Any]) -> str:
    """What becomes of a host, in a sentence.

    Args:
        fate: ``host``, ``canonical_host``, ``group_id``, ``hosts`` of the group, ``kept_because``,
            ``held_back``, ``pages``, ``elsewhere`` and ``not_compared``.
    """
    host, kept, stand = fate["host"], fate["canonical_host"], ""
    if fate["pages"]:
        what = "pages stand" if fate["pages"] > 1 else "page stands"
        stand = f"; {fate['elsewhere']:,} of its {fate['pages']:,} {what} there, too"
        if fate["not_compared"]:
            stand += f", and {fate['not_compared']:,} cannot be compared with what is at their path"
    if fate["held_back"]:
        return f"{host} is not dropped for {kept}: {fate['held_back']}{stand}"
    if host == kept:
        return f"{host} is kept in group {fate['group_id']} of {counted(fate['hosts'], 'host')}"
    return f"{host} is dropped for {kept}: {fate['kept_because']}{stand}"
