"""Pieces of evidence in plain words, and the verdict on two hosts in a sentence."""

from __future__ import annotations

from typing import Any

from replicadb.detection.evidence import EVIDENCE

PHRASES = {
    "shared": "contents in common: {:,.0f}",
    "ndist": "names differ by {:,.0f} characters",
    "nmatch": "likeness of the parts of their names: {:.2f}",
    "ip4": "one address, few others have it: {:.2f}",
    "ip3": "one network, few others have it: {:.2f}",
    "fullpath": "likeness of all their paths: {:.2f}",
    "similarity": "likeness of their dup-clusters: {:.2f}",
    "evidence": "shared content, rarer counts more: {:,.2f}",
    "containment": "share of the smaller host's content that the other has: {:.2f}",
    "resemblance": "share of all their content that both have: {:.2f}",
    "exclusive_evidence": "shared content that few others have: {:,.2f} pages",
    "exclusive_containment": "share of the smaller host's own content that the other has: {:.2f}",
    "exclusive_resemblance": "share of all their own content that both have: {:.2f}",
    "path_overlap": "likeness of their pages' paths: {:.2f}",
    "agreement": "same content where paths are the same: {:.2f} (0.5 = unknown)",
    "alignment": "shared content at the same last path segment: {:.2f} (0.5 = unknown)",
    "reach": "sections of a host with shared content, the higher: {:.2f}",
    "reach_both": "sections of a host with shared content, the lower: {:.2f}",
    "borrowed": "share of a host's pages that any other host has, the higher: {:.2f}",
    "borrowed_both": "share of a host's pages that any other host has, the lower: {:.2f}",
    "tail_overlap": "share of last path segments that the other has, too: {:.2f}",
    "asset_evidence": "pictures, scripts and the like that few others have: {:,.2f}",
    "asset_containment": "share of the lesser's pictures, scripts and the like: {:.2f}",
    "asset_resemblance": "share of all their pictures, scripts and the like: {:.2f}",
    "link_overlap": "share of outside links in common: {:.2f}",
    "linked": "share of pages that link to the other: {:.2f}",
    "canonical": "share of canonical links and redirects to the other: {:.2f}",
    "size_agreement": "changed pages of the same length: {:.2f}",
    "title_agreement": "changed pages of the same title: {:.2f}",
    "title_overlap": "share of page titles in common: {:.2f}",
}
"""A phrase for each piece of evidence, with its value."""
SUBJECTS = {name: phrase.split(":")[0].split(" {")[0] for name, phrase in PHRASES.items()}
_PIECES = {piece.name: piece for piece in EVIDENCE}


def phrase(feature: str, value: float | None) -> str:
    """A piece of evidence and its value, in words; what NULL means where there is none."""
    if value is not None:
        return PHRASES[feature].format(value)
    return f"{SUBJECTS[feature]}: unknown ({_PIECES[feature].null})"


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
    if not place["flagged"]:
        return (
            f"{a} and {b} are not flagged as replicas ({where};"
            f" {place['flagged_pairs']:,} pairs are)"
        )
    return f"{a} and {b} are flagged as replicas ({where}){_fate(found)}"


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
