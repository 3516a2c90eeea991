"""Simple crawls of which anyone would say who copies whom, and who only looks alike; found by a
tester. And what pairs count for (sql/detect/60_near_candidates).
"""

from __future__ import annotations

import math
import random

import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.detection import pair_scoring
from replicadb.learning import class_prior

from .crawls import only_pairs, pairs

Pair = tuple[str, str]


def page(url: str, content: str) -> dict[str, str]:
    return {"url": f"http://{url}", "digest": f"is-{content}"}


def unrelated_sites(draw: random.Random, n: int) -> list[dict[str, str]]:
    """Sites of one to forty pages of their own: at names that others use too, at numbers, or at
    paths of their own.
    """
    usual = (
        "",
        "about",
        "contact",
        "privacy-policy",
        "blog",
        "news",
        "faq",
        "services",
        "login",
        "imprint",
    )
    rows = []
    for site in range(n):
        for p in range(min(40, 1 + int(draw.expovariate(0.12)))):
            path = (
                usual[p]
                if p < len(usual) and draw.random() < 0.5
                else (f"index.php?id={p}", f"of-{site}/page-{p}", f"of-{site}-{p}.html")[site % 3]
            )
            rows.append(page(f"own{site}.example/{path}", f"own-{site}-{p}"))
    return rows


def flagged(rows: list[dict[str, str]], tmp_path) -> set[Pair]:
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.parquet")
        only_pairs(web, 5)
        return pairs(web, "(FROM replicas WHERE flagged)")


def counting_sites() -> tuple[list[dict[str, str]], set[Pair]]:
    """Sites that count their pages. Three of fifteen pages, of which one says the same everywhere;
    eight of forty, two. Each with its www, which is a copy.
    """
    rows, aliases = [], set()
    for kind, sites, pages, common in (("news", 3, 15, 1), ("article", 8, 40, 2)):
        for site in range(sites):
            name = f"{kind}{site}.example"
            for host in (name, f"www.{name}"):
                rows.append(page(f"{host}/", f"home-{name}"))
                rows += [
                    page(
                        f"{host}/{kind}/{n}.html",
                        f"no-{kind}-{n}" if n in range(3, 3 + common) else f"{kind}-{site}-{n}",
                    )
                    for n in range(1, pages + 1)
                ]
            aliases.add((name, f"www.{name}"))
    return rows, aliases


def whole_mirrors() -> tuple[list[dict[str, str]], set[Pair]]:
    """Twelve of eleven pages and twenty of six."""
    rows, expected = [], set()
    for kind, mirrors, pages in (("whole", 12, 11), ("small", 20, 6)):
        rows += [
            page(f"{kind}{m}.example/{f'page-{n}-of-{kind}' if n else ''}", f"{kind}-{n}")
            for m in range(mirrors)
            for n in range(pages)
        ]
        names = sorted(f"{kind}{m}.example" for m in range(mirrors))
        expected |= {(a, b) for a in names for b in names if a < b}
    return rows, expected


def copies_at_numbers() -> tuple[list[dict[str, str]], set[Pair]]:
    """Sites of twelve and of thirty pages on one program, with its licence page; the last is a copy
    of the one before, of which every byte differs. Lengths and titles tell.
    """
    draw, rows, copies = random.Random(5), [], set()
    for kind, pages in (("forum", 12), ("board", 30)):
        for site in range(30):
            draws = random.Random(f"{kind}{min(site, 28)}")
            host = f"{kind}{site}.example"
            for n in range(1, pages + 1):
                kept = {"title": f"{draws.random()}", "length": draws.randrange(2_000, 40_000)}
                rows.append(page(f"{host}/{kind}.php?id={n}", f"{kind}-{site}-{n}") | kept)
            licence = draw.randrange(4) if site < 28 else 4
            rows.append(page(f"{host}/licence-of-{kind}.php", f"licence-{kind}-{licence}"))
        copies.add((f"{kind}28.example", f"{kind}29.example"))
    return rows, copies


def others() -> tuple[list[dict[str, str]], set[Pair]]:
    """Sites that are none of these."""
    return unrelated_sites(random.Random(1), 300), set()


def archive() -> tuple[list[dict[str, str]], set[Pair]]:
    """It has all pages of a tenth of the others."""
    held = [row for row in others()[0] if int(row["url"].split("own")[1].split(".")[0]) % 10 == 0]
    return [
        page(f"archive.example/web/2026/{row['url']}", row["digest"][3:]) for row in held
    ], set()


def without_a_byte() -> tuple[list[dict[str, str]], set[Pair]]:
    nothing = "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"
    rows = [
        {"url": f"http://{host}.example/{host}", "digest": nothing} for host in ("first", "second")
    ]
    return rows, set()


TOGETHER = {
    "sites that count their pages are no copies": counting_sites,
    "whole mirrors are copies however many": whole_mirrors,
    "copies at numbers of which every byte differs": copies_at_numbers,
    "unrelated sites are no copies": others,
    "an archive is no copy of what it holds": archive,
    "pages without a byte make none": without_a_byte,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> set[Pair]:
    """What is flagged in one crawl of all of them."""
    rows = [row for of in TOGETHER.values() for row in of()[0]]
    return flagged(rows, tmp_path_factory.mktemp("shapes"))


@pytest.mark.slow
@pytest.mark.parametrize("shape", TOGETHER)
def test_what_is_a_copy_is_flagged_and_what_looks_alike_is_not(found, shape):
    rows, expected = TOGETHER[shape]()
    hosts = {row["url"].split("/")[2] for row in rows}
    assert {pair for pair in found if hosts & set(pair)} == expected


@pytest.mark.parametrize("seed", [1, 2])
def test_near_candidates_count_host_by_host(seed):
    draw = random.Random(seed)
    pairs = {
        (a, b): draw.choice([-9.0, -3.5, -3.0, -1.25, 0.5, 4.0])
        for a in range(30)
        for b in range(a)
        if draw.random() < 0.4
    }
    near = {pair for pair, strength in pairs.items() if strength >= class_prior.LIKELY}
    degree = [sum(host in pair for pair in near) for host in range(30)]
    mass = {
        strength: sum(
            1 / math.sqrt(degree[a] * degree[b]) for (a, b) in near if pairs[a, b] == strength
        )
        for strength in {-3.0, -1.25, 0.5, 4.0}
    }
    strengths = np.array(sorted(set(pairs.values())))
    expected, _ = class_prior.probabilities(
        np.array(sorted(mass)), np.array([mass[s] for s in sorted(mass)]), -2.0
    )
    with replicadb.open(":memory:") as web:
        db = web.database
        rows = pl.DataFrame(
            [(a, b, int(strength * pair_scoring.MILLION)) for (a, b), strength in pairs.items()],
            schema=["a_id", "b_id", "score_id"],
            orient="row",
        )
        with db.registered("rows", rows.to_arrow()):
            db.execute("CREATE TEMP TABLE scored AS FROM rows")
        offset, probability = pair_scoring.by_host(
            db, (strengths * pair_scoring.MILLION).astype(np.int32), -2.0
        )
    assert offset == pytest.approx(expected, abs=1e-4)
    assert probability == pytest.approx(1 / (1 + np.exp(-(strengths + offset))))
