"""How often the country sites of one name agree, slowly: each two of them, path by path."""

from __future__ import annotations

from itertools import combinations
from typing import Any

SUFFIXES = ("co.uk", "com.br", "org.uk", "com", "net", "org", "de", "fr", "it", "nl", "uk")


def split(host: str) -> tuple[str, str]:
    """A host's name without www, and its public suffix."""
    suffix = next((s for s in SUFFIXES if host.endswith("." + s)), "")
    return host[: len(host) - len(suffix) - 1].removeprefix("www."), suffix


def is_country(suffix: str) -> bool:
    return len(suffix.split(".")[-1]) == 2


def countries_agree(of: Any, a: str, b: str, shared: int, same: int, unequal: int) -> float | None:
    """Of a reference's pair that shares so much, with so many equal paths of equal and of unequal
    content.
    """
    (name, one), (other_name, other) = split(a), split(b)
    if name != other_name or one == other or not (is_country(one) or is_country(other)):
        return None
    if not shared or 10 * (same + 1) >= 9 * (same + unequal + 2):
        return None
    family = [host for host in of.hosts if split(host)[0] == name]
    countries = {split(host)[1] for host in family if is_country(split(host)[1])}
    if len(countries) < 4 or any(
        page["length"] or page["title"]
        for host in family
        for path, page in of.at[host].items()
        if page["page"] and path != "/"
    ):
        return None
    standing = {
        (split(host)[1], path, page["content"])
        for host in family
        for path, page in of.at[host].items()
        if page["page"] and page["content"] and path in of.path_weight2
    }
    pairs = [(x[2] == y[2]) for x, y in combinations(standing, 2) if x[1] == y[1]]
    return sum(pairs) / len(pairs) if pairs else None
