"""The catalogue of evidence: what names and networks say of two hosts that have something in common
(the others: ``evidence.py``).

Obvious replicas are defined by names and have one owner, so they teach none of it
(docs/robust.md#why-robust).
"""

from __future__ import annotations

from replicadb.detection.piece import ROBUST, Piece

AGREE = "weight > 0 AND n_same_path >= coalesce(n_unequal, 0) + unequal_root"
"""Two hosts that share pages, at equal paths as many equal ones as unequal ones at the least."""
DISAGREE = (
    "shared > 0 AND 10 * (n_same_path + 1)"
    " < 9 * (n_same_path + coalesce(n_unequal, 0) + unequal_root + 2)"
)
"""Two hosts that have something in common, whose agreement is below .9."""
ON_NETWORK = "CASE WHEN net_group > 1 THEN 1 / (net_group - 1) ELSE net_group END"
"""Eq. 2 by the first three octets; net_group is 0 where no network is shared, NULL if unknown."""
OF_NAMES_AND_NETWORKS: tuple[Piece, ...] = (
    Piece(
        name="names_alike",
        group="alike names",
        phrase="likeness of the names of two hosts that share pages, rounded down: {:.1f}",
        definition=(
            "nmatch, in tenths rounded down, of two hosts that share pages, where at equal paths "
            "they have equal content at least as often as unequal: translations and templates of "
            "one owner have not."
        ),
        sql=f"CASE WHEN {AGREE} THEN floor(nmatch * 10::FLOAT) / 10 END",
        null="no page in common, or most pages at equal paths differ",
        used_by=ROBUST,
    ),
    Piece(
        name="network_alike",
        group="alike networks",
        phrase="network of two hosts that share pages (0 two, 1 theirs alone): {:.2f}",
        definition=(
            "ip3 of two hosts that share pages, where at equal paths they have equal content at "
            "least as often as unequal: sites that one agency builds by one template have not."
        ),
        sql=f"CASE WHEN {AGREE} THEN {ON_NETWORK} END",
        null="no address known for one of them, no page in common, or most at equal paths differ",
        used_by=ROBUST,
    ),
    Piece(
        name="countries_agree",
        group="country sites",
        phrase="same content where paths are the same, of all countries' sites of the name: {:.2f}",
        definition=(
            "Of two hosts that differ by the suffix alone, where the name stands under the "
            "suffixes of four countries or more: how often any two contents that hosts of that "
            "name have at equal paths are equal, each counted once for a suffix; low where a "
            "brand has a site for each country. Only of a pair whose own agreement is below 0.9, "
            "with a country's suffix on either side."
        ),
        sql=f"CASE WHEN {DISAGREE} THEN family_agreement END",
        null="no such names, the two agree, or titles or lengths of such a site are known",
        used_by=ROBUST,
    ),
)
