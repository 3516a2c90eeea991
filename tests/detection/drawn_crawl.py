"""A small awkward crawl, drawn at random, with all that features are made of."""

from __future__ import annotations

import random

ENDINGS = ("com", "net", "org", "com.br", "org.uk")
WORDS = ("a", "mirror", "shop", "news", "x", "blue-sky", "lyrics", "www2")
PAGES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf")
ASSETS = ("image/png", "text/css", "font/woff2", "application/javascript")
PATHS = ["/", "/index.html", "/a/", "/a/b.html", "/c?q=1", "/shop/x?p=2", "/mirror/a/b.html"]
PATHS += [f"/{section}/{i}.html" for section in ("s", "t", "u", "v") for i in range(12)]
FEW = [f"w/{i:05d}.php" for i in range(40)]
"""Tails that few hosts have, on some of them under a prefix; long numbers stay."""
CONTENTS = [f"{i:040x}" for i in range(100)]


def draw_rows(seed: int, n_hosts: int = 48) -> list[dict]:
    """A crawl of every awkward kind: http and https twins, several addresses or none, IPv6, unknown
    content.
    """
    rng = random.Random(seed)
    hosts = set()
    while len(hosts) < n_hosts:
        stem = ".".join(rng.sample(WORDS, rng.randint(1, 3))) + rng.choice(("", "1", "2"))
        hosts.add(rng.choice(("www.", "")) + stem + "." + rng.choice(ENDINGS))
        if rng.random() < 0.02:
            hosts.add(f"10.0.{rng.randint(0, 3)}.{rng.randint(1, 9)}")
    ips = [f"192.0.{rng.randint(1, 4)}.{rng.randint(1, 9)}" for _ in range(12)]
    ips += [f"2001:db8::{rng.randint(0, 2)}:0:0:0:{rng.randint(1, 5):x}" for _ in range(6)]
    names = sorted(hosts)
    targets = [f"http://{rng.choice(names)}{rng.choice(PATHS)}" for _ in range(30)] + [
        f"https://away{i % 9}.net/{i}" for i in range(25)
    ]
    rows = []
    for host in names:
        addresses = rng.sample(ips, rng.choice((0, 1, 1, 1, 2, 3)))
        popular, speaks = rng.random() < 0.4, rng.random()
        draw = {
            "group": rng.randint(0, 7),
            "faithful": rng.randint(0, 12),
            "assets": rng.random() < 0.6,
            "pages": rng.random() < 0.95,
            "titles": rng.random() < 0.8,
            "named": rng.choice(("", f" | {host}", f" - {host}", " | The site")),
            "links": speaks < 0.7,
            "canonicals": speaks > 0.4,
            "links_to": rng.sample(targets, 12),
        }
        moved = {rng.choice(("/", "/old/")) + path for path in rng.sample(FEW, rng.randint(0, 15))}
        for path in sorted(
            moved | set(rng.sample(PATHS, rng.randint(2, 30))) | ({"/"} if popular else set())
        ):
            for scheme in rng.choice((["http"], ["https"], ["http", "https"])):
                page = draw_page(rng, draw, path, targets)
                digest = draw_digest(rng, draw, path, page["mime"])
                rows.append(
                    {
                        "scheme": scheme,
                        "host": host,
                        "path": path,
                        "url": f"{scheme}://{host}{path}",
                        "status": "200",
                        "ip": rng.choice(addresses) if addresses else None,
                        "fingerprint": digest,
                        "redirect": None,
                        "timestamp": rng.choice((None, "20200101000000", "20210101000000")),
                    }
                    | page
                )
        if draw["canonicals"]:
            rows += [redirect(host, i, rng.choice(targets)) for i in range(rng.randint(0, 4))]
    rows += [row for n in range(1, 5) for row in static_host(rng, f"static{n}.files.net")]
    rng.shuffle(rows)
    return rows


def static_host(rng: random.Random, host: str) -> list[dict]:
    """Some of thirty pictures that are nowhere a page, and a few of its own."""
    names = [n for n in range(30) if rng.random() < 0.6]
    names += [rng.randint(100, 999) for _ in range(rng.randint(0, 5))]
    return [
        {
            "scheme": "http",
            "host": host,
            "path": f"/f/{n}.png",
            "url": f"http://{host}/f/{n}.png",
            "status": "200",
            "ip": "192.0.1.1",
            "fingerprint": f"5{n:038x}f",
            "redirect": None,
            "timestamp": None,
            "mime": "image/png",
            "length": 900 + n,
            "title": None,
            "links": None,
            "canonical": None,
        }
        for n in dict.fromkeys(names)
    ]


def redirect(host: str, number: int, target: str) -> dict:
    return {
        "scheme": "http",
        "host": host,
        "path": f"/gone/{number}",
        "url": f"http://{host}/gone/{number}",
        "status": "301",
        "ip": None,
        "fingerprint": None,
        "redirect": target,
    }


def draw_digest(rng: random.Random, host: dict, path: str, mime: str | None) -> str | None:
    """Of what a page or asset says; assets mostly say something else than pages do."""
    kind = 50 * ((mime in ASSETS) != (rng.random() < 0.1))
    copied = f"{hash_of(path) * 8 + host['group']:039x}{kind // 10}"
    return rng.choice(
        (
            None,
            f"{rng.getrandbits(160):040x}",
            rng.choice(CONTENTS[kind:]),
            CONTENTS[len(path) % 7 + kind],
            *[copied] * host["faithful"],
        )
    )


def draw_page(rng: random.Random, host: dict, path: str, targets: list[str]) -> dict:
    """Type, length, title, links and canonical link of a page or asset; a content may be a page
    here and an asset there.
    """
    pages, assets = (
        host["pages"] and ((*PAGES, None)) * (1 + 9 * (len(path) % 3 > 0)),
        host["assets"] and ASSETS * (1 + 9 * (len(path) % 3 == 0)),
    )
    types = (pages or ()) + (assets or ()) or ASSETS
    size = 1000 + hash_of(path) % 5000
    return {
        "mime": rng.choice(types),
        "length": rng.choice(
            (None, 0, size, size, size + 10, size * 103 // 100 + 1, rng.randint(1, 9000))
        ),
        "title": rng.choice(
            (None, f"Title of {path}", f"TITLE of {path}", "Home", f"{rng.random()}")
            + (f"Title of {path}{host['named']}",) * 3
        )
        if host["titles"]
        else None,
        "links": rng.sample(host["links_to"], rng.randint(0, 4))
        + rng.choices(targets, k=int(rng.random() < 0.3))
        if host["links"] and rng.random() < 0.7
        else None,
        "canonical": rng.choice(targets) if host["canonicals"] and rng.random() < 0.4 else None,
    }


def hash_of(text: str) -> int:
    return sum(ord(c) * (i + 7) for i, c in enumerate(text))
