"""A crawl for who hunts clones: a shop, its clones, a kit of it in a folder of another site, and
sites of the same software; a store over two schemes; and copies that were captured several times.
"""

from __future__ import annotations

import json
from pathlib import Path

SHOP, CLONE, PORTAL = "shop.example", "sh0p-outlet.example", "portal.example"


def pages() -> list[dict[str, object]]:
    def page(host, path, text, day=1, **more):
        title = f"Title of {text}"
        return {
            "url": f"https://{host}{path}",
            "digest": f"d-{text}".replace(" ", "-"),
            "title": title,
            "timestamp": f"202601{day:02}000000",
            "length": 1000 + len(text),
            **more,
        }

    found = [page(SHOP, f"/p/{n}", f"product {n}") for n in range(24)]
    found += [
        page(CLONE, f"/store/p/{n}", f"product {n}", 9, canonical=f"https://{SHOP}/p/{n}")
        for n in range(20)
    ]
    found += [page(PORTAL, f"/own/{n}", f"story {n}", 3) for n in range(400)]
    found += [page(PORTAL, f"/~kit/p/{n}", f"product {n}", 3) for n in range(9)]
    for k in range(12):
        host = f"garden{k}.example"
        found += [page(host, f"/p/{n}", f"spade {k} {n}") for n in range(24)]
        found.append(page(host, "/licence", "licence"))
    found.append(page(SHOP, "/licence", "licence"))
    return found


CAPTURED = {"old": (2019, 2026, 2021), "new": (2022, 2023)}
"""Of two copies the years in which each page was captured."""


def captured() -> dict[str, list[dict[str, object]]]:
    """By the name of a file the pages of a copy; and two hosts with equal pictures and no page."""
    found = {
        f"{host}.jsonl": [
            {"url": f"http://{host}.test/{n}", "digest": f"d{n}", "timestamp": f"{year}"}
            for n in range(20)
            for year in years
        ]
        for host, years in CAPTURED.items()
    }
    found["pictures.jsonl"] = [
        {"url": f"http://{h}.test/{n}.png", "digest": f"p{n}"}
        for h in ("one", "two")
        for n in range(9)
    ]
    return found


def of_schemes() -> list[dict[str, object]]:
    """A store that was crawled by http and by https, its whole copy, and two hacked sites that show
    half of it in a folder: with its paths, and under other names.
    """
    rows: list[dict[str, object]] = []
    for n in range(20):
        at = [
            f"{scheme}://{host}/p/{n}.html"
            for scheme in ("http", "https")
            for host in ("store.example", "whole.example")
        ]
        if n < 10:
            at += [f"https://kit.example/wp/x/p/{n}.html", f"https://renamed.example/wp/z/{n}x"]
        rows += [
            {"url": url, "digest": f"store{n}", "title": f"Store {n}", "length": 900 + n}
            for url in at
        ]
    return rows + [
        {"url": f"https://{host}.example/own/{n}", "digest": f"{host}{n}", "length": 900 + n}
        | {"title": f"{host} {n}"}
        for host in ("kit", "renamed", *(f"other{n}" for n in range(20)))
        for n in range(15 if host == "kit" else 60)
    ]


def write(folder: Path, rows: list[dict[str, object]], name: str = "pages.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path
