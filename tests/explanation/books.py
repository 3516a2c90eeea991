"""The crawl of which most explanations are tried: copies of a site of books; and hosts of several
loads, origins and ports, of which each pair has its own question.
"""

from __future__ import annotations

NEAR = ("www.crispbonfire.net", "crimsonglove.net", "www2.crimson.net", "bare.org")
"""Names that a mistyped one is near to."""
AT_TWO_SCHEMES = """http://left.com/a,,sha1:l1,20240101000000
http://left.com/b,,sha1:l2,20240101000000
http://left.com/c,,sha1:l3,20240101000000
http://right.net/a,,sha1:l1,20240101000000
http://right.net/b,,sha1:l2,20240101000000
https://right.net/b,,sha1:l2,20240101000000
http://right.net/c,,sha1:r3,20240101000000
"""


def books() -> list[dict[str, object]]:
    """Copies a and b, where b changed two pages; a version c; and others, which share nothing."""
    rows: list[dict[str, object]] = [
        {
            "url": f"http://{host}/story-{n}/part-{n}.html",
            "digest": f"{host}{n}" if n in changed else f"book{n}",
            "title": f"Part {n}",
            "length": 1000 + n,
        }
        for host, changed in (
            ("a-books.com", ()),
            ("b-books.net", (3, 4)),
            ("c-books.org", range(12)),
        )
        for n in range(20)
    ]
    rows += [
        {
            "url": f"http://own{n}.org/only-{n}-{k}",
            "digest": f"own{n}-{k}",
            "title": None,
            "length": 9,
        }
        for n in range(30)
        for k in range(4)
    ]
    return rows + [
        {"url": f"http://{name}/", "digest": None, "title": None, "length": 9} for name in NEAR
    ]


def two_origins() -> list[str]:
    """Two hosts over http and https: at three of eight paths they agree over http alone."""
    return [
        f"{scheme}://{host}/{n},{'same' if n < 3 and scheme == 'http' else scheme + host}{n},,"
        for scheme in ("http", "https")
        for host in ("one.example", "two.example")
        for n in range(8)
    ]


def near_copies() -> list[dict[str, str]]:
    """Two hosts with eight pages that are near duplicates, but for the first, which are equal."""
    texts = [" ".join(f"word{n}-{k}" for k in range(300)) for n in range(8)]
    return [
        {"url": f"http://{host}/{n}", "text": f"{texts[n]} {host if n else ''}"}
        for host in ("near.example", "alike.example")
        for n in range(8)
    ]


def crowded() -> list[str]:
    """Two hosts that have one content at 300 URLs each, and a home page of its own at 300 ports."""
    rows = [
        row
        for number, host in enumerate(("left.example", "right.example"))
        for n in range(300)
        for row in (
            f"http://{host}/gone?id={n}{host[0]},gone,,",
            f"http://{host}:{1024 + n}/,home {number} {n},,",
        )
    ]
    return rows + [
        f"http://{host}/{n},page{n},,"
        for host in ("left.example", "right.example")
        for n in range(9)
    ]


def at_ports() -> list[str]:
    """Two hosts at several ports: one path differs, others differ at a port alone, have a side that
    is not known, or agree.
    """
    return [
        "http://a.net/1,x,long,9",
        "http://a.net:81/1,y,short,8",
        "http://b.net/1,z,other,7",
        "http://a.net/2,x,,",
        "http://a.net:81/2,y,,",
        "http://b.net:82/2,y,,",
        "http://a.net/3,,,",
        "http://b.net/3,z,,",
        "http://a.net/4,same,,",
        "http://b.net/4,same,,",
    ]


def nine_pages(*hosts: str) -> list[str]:
    return [f"http://{host}/{n}.html,p{n},," for host in hosts for n in range(9)]


LOADS = {
    "old": [*nine_pages("a.com", "b.org"), "http://f.com/there,f,,"],
    "new": [
        *nine_pages("c.net", "d.de"),
        "http://e.com/copy,p0,,",
        "http://g.com/here,f,,",
        *two_origins(),
        *crowded(),
        *at_ports(),
    ],
}
"""By label. Of copies a and b under the one, and c and d under the other, e has a page at another
path; f and g share another page.
"""
