"""Pieces of evidence in plain words, and the verdict on two hosts in a sentence."""

from __future__ import annotations

from typing import Any

from replicadb.detection.evidence import EVIDENCE
from replicadb.detection.kinds import LOOKS_LIKE, TOO_FEW

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
            f" {_not_compared(found)}"
        )
    if decided and decided["bound"]:
        are = "are flagged as replicas" if place["flagged"] else "are not flagged as replicas"
        return f"{a} and {b} {are}, as was decided ({_by_evidence(place)}){_fate(found)}"
    where = f"rank {place['rank']:,} of {place['candidates']:,} candidate pairs"
    if place["probability"] is not None:
        where = f"probability {_probability(place['probability'])}, {where}"
    if kind := place.get("left_out"):
        return (
            f"{a} and {b} are as likely as flagged pairs and not flagged: {_why_left_out(kind)},"
            f" and such pairs are flagged when asked for alone, by detect --kinds ({where})"
        )
    if not place["flagged"]:
        return (
            f"{a} and {b} are not flagged as replicas ({where};"
            f" {place['flagged_pairs']:,} pairs are)"
        )
    return f"{a} and {b} are flagged as replicas ({where}){_fate(found)}"


def _why_left_out(kind: str) -> str:
    return TOO_FEW if kind == "thin" else f"they look {LOOKS_LIKE[kind]}"


def _by_evidence(place: dict[str, Any]) -> str:
    """What the evidence alone says of a decided pair."""
    if place["score_id"] is None:
        return "they were no candidates"
    if place["by_evidence"] is None:
        return f"rank {place['rank']:,} of {place['candidates']:,} candidate pairs"
    return f"by the evidence alone the probability is {_probability(place['by_evidence'])}"


def _not_compared(found: dict[str, Any]) -> str:
    n = found["pages"]["shared"]["n"]
    if not n:
        return "they share no content"
    return f"the {n:,} contents that they share stand on too many hosts, or came later"


def _probability(p: float) -> str:
    """A probability; what is not quite 1 never reads as 1."""
    return f"{p:.4f}" if p < 0.99995 else "above 0.9999"


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
            ``held_back``, ``pages`` and ``elsewhere``.
    """
    host, kept, stand = fate["host"], fate["canonical_host"], ""
    if fate["pages"] is not None:
        stand = f"; {fate['elsewhere']:,} of its {fate['pages']:,} pages stand there, too"
    if fate["held_back"]:
        return f"{host} is not dropped for {kept}: {fate['held_back']}{stand}"
    if host == kept:
        return f"{host} is kept in group {fate['group_id']} of {fate['hosts']:,} hosts"
    return f"{host} is dropped for {kept}: {fate['kept_because']}{stand}"
