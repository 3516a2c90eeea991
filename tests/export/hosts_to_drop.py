"""Hosts that lists drop, of the crawl of the fixture ``dropped``, and those that stay; and how to
make others go.
"""

from __future__ import annotations

ODD = "a*b,c=d$1(e).com"
DROPPED = {
    "kept.com": "www.kept.com",
    "clone.org": "www.kept.com",
    "default": "www.kept.com",
    "10.0.0.9": "www.kept.com",
    ODD: "www.kept.com",
    "xn--bcher-kva.example": "other_site.net",
    "www2.shop.net": "other_site.net",
}
STAYING = ("www.kept.com", "other_site.net", "shop.net", "sub.clone.org")
HOSTS = (*STAYING, *DROPPED)


def url(host: str, path: str = "/1") -> str:
    return f"http://{host}{':8080' if host == 'clone.org' else ''}{path}"


def members_of(web, drops: dict[str, str]) -> None:
    """Make hosts dropped copies of others, whatever a detection said of them."""
    web.database.execute("DELETE FROM members")
    for rank, pair in enumerate(drops.items(), 1):
        web.database.execute(
            """INSERT INTO members BY NAME
            SELECT ? AS group_id, d.host_id, k.host_id AS canonical_id, group_id AS rank, 1 AS score
            FROM hosts AS d, hosts AS k WHERE d.host = ? AND k.host = ?""",
            [rank, *pair],
        )
