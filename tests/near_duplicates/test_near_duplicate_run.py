"""What is stored of a run: the same matches and clusters, whichever page was loaded first."""

from __future__ import annotations

import contextlib
import random

import pytest
from conftest import rest_slow
from page_database import with_pages

from replicadb.near_duplicates import pair_expansion
from replicadb.near_duplicates.near_duplicate_run import fingerprint
from replicadb.near_duplicates.page_options import METHODS, PageOptions
from replicadb.store.database import Database

OPTIONS = PageOptions(bits=8, eps_rp=0.03, eps_hm=0.03, level="text")
THRESHOLD = {"minhash": 0.6, "mwo": 0.85}


def chains(seed: int) -> list[dict]:
    """Three texts that change word by word from page to page, and at times not at all."""
    rng, pages = random.Random(seed), []
    for chain in "abc":
        text = rng.choices([f"word{n}" for n in range(200)], k=60)
        for n in range(12):
            for _ in range(rng.choice((0, 0, 1, 2, 3))):
                text[rng.randrange(60)] = f"word{rng.randrange(200)}"
            url = f"http://{rng.choice('pqr')}.example/{chain}{n}"
            links = [(f"http://p.example/{chain}{rng.randrange(12)}", None)]
            pages.append({"url": url, "text": " ".join(text), "links": links})
    return pages


@pytest.fixture(scope="module")
def in_order(tmp_path_factory):
    """The pages in a database as they come, and in another in an order drawn by chance; runs stay
    in them.
    """
    pages = chains(1)
    orders = [pages, random.Random(2).sample(pages, len(pages))]
    with contextlib.ExitStack() as opened:
        found = [opened.enter_context(Database(":memory:")) for _ in orders]
        for db, order in zip(found, orders, strict=True):
            with_pages(db, order)
        yield found


def stored(db: Database, method: str, chains: bool) -> list[list[tuple]]:
    """What a run finds; of an earlier one of the method nothing stays."""
    options = OPTIONS.with_changes(threshold=THRESHOLD.get(method), chains=chains)
    fingerprint(db, method, options)
    given = {"method": method}
    return [
        db.rows(f"SELECT * FROM page_level.{view} WHERE method = $method ORDER BY ALL", given)
        for view in ("page_matches", "near_duplicates")
    ]


@pytest.mark.parametrize("method", rest_slow(METHODS))
def test_no_order_of_loads_shows_in_matches_and_clusters(in_order, monkeypatch, method):
    monkeypatch.setattr(pair_expansion, "FAN_OUT", 2)
    one, other = in_order
    matches, clusters = found = stored(one, method, chains=False)
    assert len(matches) > 3 and len({row[1] for row in clusters}) >= 3
    assert all(a < b for a, b, *_ in matches)
    assert stored(other, method, chains=False) == found


def test_nor_does_it_where_clusters_are_connected_components(in_order):
    """Which are made of matches, whatever found them."""
    one, other = in_order
    found = stored(one, "minhash", chains=True)
    assert len(found[0]) > 3 and stored(other, "minhash", chains=True) == found


def test_of_pages_that_match_alike_the_least_url_is_the_centre():
    urls = [f"http://{host}.example/" for host in "cab"]
    with Database(":memory:") as db:
        with_pages(db, [{"url": url, "text": "one text"} for url in urls])
        _, clusters = stored(db, "exact", chains=False)
    assert clusters == [("exact", 1, url, "http://a.example/", 1.0) for url in sorted(urls)]
