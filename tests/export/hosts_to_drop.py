"""Hosts that lists drop, of the crawl of the fixture ``dropped``, and those that stay."""

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
