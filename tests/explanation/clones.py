"""A crawl for who hunts clones: a shop, its clones, a kit of it in a folder of another site, and
sites of the same software.
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


def write(folder: Path, rows: list[dict[str, object]], name: str = "pages.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path
