"""The slow reference of files other than pages (docs/robust.md#assets)."""

from __future__ import annotations

from typing import Any

from .plain_forms import SCALE, alike, known_pages


def asset_features(of: Any, a: str, b: str, shared: int) -> dict[str, float | None]:
    """What the files of two hosts say.

    Args:
        of: the Reference of the crawl. shared: of the files that both have, by inverse pair
            frequency.
    """
    of_a, of_b = of.host_asset_weight[a], of.host_asset_weight[b]
    if not (of_a and of_b):
        return dict.fromkeys(("asset_evidence", "asset_containment", "asset_resemblance"))
    return {
        "asset_evidence": shared / SCALE,
        "asset_containment": shared / (min(of_a, of_b) + SCALE),
        "asset_resemblance": shared / (of_a + of_b - shared + SCALE),
    }


def files_alone(of: Any, a: str, b: str) -> bool:
    """Neither host has a page whose content is known, and both have files.

    Args:
        of: the Reference of the crawl.
    """
    pages, files = of.n_contents, of.host_asset_weight
    return not pages[a] and not pages[b] and bool(files[a] and files[b])


def in_place_of_pages(of: Any, a: str, b: str, cap: int) -> dict[str, float | None]:
    """What files say where neither host has a page: a file counts as a page of few hosts."""
    both_have = [
        of.exclusive[f]
        for f, hosts in of.cluster_hosts.items()
        if len(hosts) <= cap and a in hosts and b in hosts
    ]
    shared = sum(both_have)
    of_a, of_b = of.host_asset_weight[a], of.host_asset_weight[b]
    weight = shared * of.by_two / SCALE
    least, both = min(of_a, of_b) * of.alone / SCALE, (of_a + of_b) * of.alone / SCALE
    files = of_a // SCALE, of_b // SCALE
    return dict.fromkeys(
        """path_overlap reach reach_both borrowed borrowed_both tail_overlap
        asset_evidence asset_containment asset_resemblance""".split()
    ) | {
        "evidence": shared / SCALE,
        "containment": weight / (least + of.alone),
        "resemblance": weight / (both - weight + of.alone),
        "exclusive_evidence": shared / SCALE,
        "exclusive_containment": shared / (min(of_a, of_b) + SCALE),
        "exclusive_resemblance": shared / (of_a + of_b - shared + SCALE),
        "alignment": 0.5,
        **alike(of, a, b, shared > 0),
        "known_pages": known_pages(*files, both_have),
        "plain_resemblance": weight / (both - weight) if shared and min(files) >= 5 else None,
    }
