"""Hyperlink maps: equation 1 by hand and by a slow reference, links over redirects, and pages at
the edge of the crawl.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_database import terms_of, with_pages

from replicadb.near_duplicates import hyperlink_map, random_projection
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.store.arrow import insert_frame

TEXT = "a long enough text that two pages have word for word in common"


def page(url: str, text: str, *links: str, **more) -> dict:
    return {"url": f"http://{url}", "text": text, "links": [(link, None) for link in links]} | more


def pairs(web, **options) -> set[tuple[int, int]]:
    hyperlink_map.find(web.database, PageOptions(**({"damping": 0.3, "eps_hm": 0.01} | options)))
    rows = web.database.rows("SELECT a_id, b_id FROM found")
    assert len(rows) == len(set(rows)) and all(a < b for a, b in rows)
    return set(rows)


def test_the_equation_by_hand():
    # 0 links to 1 and 2, 1 links to 2, 2 to nothing known; d = 1/2, two rounds
    points = np.array([[0.5, 1.0], [1.0, 0.0], [0.0, 0.5]])
    maps, linked = hyperlink_map.hyperlink_maps(
        points, np.array([0, 0, 1]), np.array([1, 2, 2]), 0.5, 2
    )
    # component 0, round 1: 0.5 + (1 + 0) / 4 = 0.75, 1 + 0 = 1, 0; round 2: 0.5 + (1 + 0) / 4, 1,
    # 0; times 1/2 component 1, round 1: 1 + 0.5 / 4 = 1.125, 0.25, 0.75; round 2: 1 + (0.25 + 0.75)
    # / 4, 0.375, 0.875
    assert maps == pytest.approx(np.array([[0.375, 0.625], [0.5, 0.1875], [0.0, 0.4375]]), abs=1e-9)
    assert linked.tolist() == [True, True, False]


@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(0, 0.95))
@settings(max_examples=30, deadline=None)
def test_maps_are_those_of_the_equation_and_lie_between_0_and_1(seed, rounds, damping):
    draw = np.random.default_rng(seed)
    n, points = 12, draw.random((12, 3))
    links = sorted({(int(a), int(b)) for a, b in draw.integers(0, n, (25, 2)) if a != b})
    source, target = np.array(links).T
    maps, linked = hyperlink_map.hyperlink_maps(points, source, target, damping, rounds)
    slow = points.copy()
    for _ in range(rounds):
        means = [slow[[b for a, b in links if a == p] or [p]].mean(axis=0) for p in range(n)]
        slow = points + damping * np.array(means)
    assert maps == pytest.approx(np.minimum(slow * (1 - damping), 1), abs=1e-8)
    assert (maps >= 0).all() and (maps <= 1).all()
    assert linked.tolist() == [any(a == p for a, _ in links) for p in range(n)]
    order = draw.permutation(len(links))
    again, _ = hyperlink_map.hyperlink_maps(points, source[order], target[order], damping, rounds)
    assert (again == maps).all()


def test_a_page_with_no_known_link_has_a_map_near_its_own_signature_as_the_others_have():
    points = np.full((3, 2), 0.5)
    maps, _ = hyperlink_map.hyperlink_maps(points, np.array([0]), np.array([1]), 0.3, 5)
    assert np.ptp(maps) == 0 and maps[0, 0] == pytest.approx(0.5, abs=0.001)


NEIGHBOURS = [
    page("x.net/fruit", "apples pears plums cherries grapes"),
    page("y.net/ships", "schooner brig frigate galleon sloop"),
]


@pytest.mark.slow
def test_equal_pages_that_lead_to_unlike_pages_do_not_collide(web):
    with_pages(
        web,
        [
            *NEIGHBOURS,
            page("a.net/", TEXT, "http://x.net/fruit"),
            page("b.net/", TEXT, "http://y.net/ships"),
            page("c.net/", TEXT, "http://x.net/fruit"),
        ],
    )
    assert pairs(web) == {(3, 5)}
    random_projection.find(web.database, PageOptions())
    assert set(web.database.rows("SELECT a_id, b_id FROM found")) == {(3, 4), (3, 5), (4, 5)}
    assert pairs(web, damping=0.0) == {(3, 4), (3, 5), (4, 5)}


def test_where_one_page_has_no_known_links_rp_alone_decides(web):
    with_pages(
        web,
        [
            *NEIGHBOURS,
            page("a.net/", TEXT, "http://x.net/fruit"),
            page("b.net/", TEXT, "http://never.net/seen"),
            page("c.net/", TEXT),
        ],
    )
    assert pairs(web) == {(3, 4), (3, 5), (4, 5)}
    assert set(web.database.column("SELECT score FROM found")) == {1.0}


def test_mirrors_whose_links_stay_on_their_own_host_collide_page_by_page(web):
    def site(host: str) -> list[dict]:
        return [
            page(f"{host}/", "start of the whole collection", "/one", "/two"),
            page(f"{host}/one", TEXT, "/two"),
            page(f"{host}/two", "harbour lights and engine rooms at night", "/"),
        ]

    with_pages(web, site("a.net") + site("b.net"))
    counts = hyperlink_map.find(web.database, PageOptions())
    assert set(web.database.rows("SELECT a_id, b_id FROM found")) == {(1, 4), (2, 5), (3, 6)}
    assert counts["links"] == 8 and counts["linked_pages"] == 6


def test_links_count_once_not_to_the_page_itself_and_over_one_redirect(web):
    with_pages(
        web,
        [
            *NEIGHBOURS,
            page(
                "a.net/",
                TEXT,
                "/",
                "http://x.net/fruit",
                "http://x.net/fruit",
                "http://old.net/",
                "http://older.net/",
            ),
            page("b.net/", "", "http://x.net/fruit"),
            page("c.net/", "other words", "http://b.net/"),
            page("d.net/", TEXT, "http://x.net/fruit", superseded=True),
        ],
    )
    insert_frame(
        web.database,
        "links",
        [
            (1, "old.net", "http://old.net/", "y.net", "http://y.net/ships", "redirect"),
            (2, "old.net", "http://old.net/", "x.net", "http://x.net/fruit", "redirect"),
            (1, "old.net", "http://older.net/", "y.net", "http://old.net/", "redirect"),
            (1, "old.net", "http://older.net/", "y.net", "http://y.net/ships", "canonical"),
            (1, "x.net", "http://x.net/fruit", "y.net", "http://y.net/ships", "redirect"),
        ],
        ("source_id", "from_host", "from_url", "to_host", "to_url", "kind"),
    )
    signatures = random_projection.signatures(web.database, PageOptions())
    source, target = hyperlink_map.known_links(web.database, signatures.url_ids)
    ids = signatures.url_ids
    assert sorted(zip(ids[source].tolist(), ids[target].tolist(), strict=True)) == [(3, 1)]
    web.database.execute("DELETE FROM links WHERE source_id = 2")
    source, target = hyperlink_map.known_links(web.database, signatures.url_ids)
    assert sorted(zip(ids[source].tolist(), ids[target].tolist(), strict=True)) == [(3, 1), (3, 2)]


@pytest.mark.parametrize("pages", [NEIGHBOURS, NEIGHBOURS[::-1]])
def test_of_two_targets_of_a_redirect_the_least_url_counts_whichever_was_loaded_first(web, pages):
    with_pages(web, [*pages, page("a.net/", TEXT, "http://old.net/")])
    led = [
        (1, "old.net", "http://old.net/", url[7:12], url, "redirect")
        for url in ("http://y.net/ships", "http://x.net/fruit")
    ]
    columns = ("source_id", "from_host", "from_url", "to_host", "to_url", "kind")
    insert_frame(web.database, "links", led, columns)
    signatures = random_projection.signatures(web.database, PageOptions())
    _, target = hyperlink_map.known_links(web.database, signatures.url_ids)
    assert signatures.url_ids[target].tolist() == [1 + pages.index(NEIGHBOURS[0])]


def test_pairs_and_scores_are_those_of_the_definition(web):
    draw = np.random.default_rng(8)
    words = TEXT.split()
    made = [
        page(
            f"h{i % 5}.net/{i}",
            " ".join([*words * 3, *draw.choice(words, 5)]),
            *(f"http://h{j % 5}.net/{j}" for j in draw.integers(0, 90, i % 4)),
        )
        for i in range(60)
    ]
    with_pages(web, made)
    options = PageOptions(damping=0.3)
    signatures = random_projection.signatures(web.database, options)
    maps, linked = hyperlink_map.hyperlink_maps(
        signatures.points,
        *hyperlink_map.known_links(web.database, signatures.url_ids),
        options.damping,
        options.rounds,
    )
    apart = {}
    for i in range(60):
        for j in range(i + 1, 60):
            rp = np.abs(signatures.points[i] - signatures.points[j]).max()
            hm = np.abs(maps[i] - maps[j]).max() if linked[i] and linked[j] else 0.0
            apart[i + 1, j + 1] = rp, hm
    for eps_rp, eps_hm in ((0.03, 0.03), (0.05, 0.01), (0.01, 0.5)):
        found = pairs(web, eps_rp=eps_rp, eps_hm=eps_hm)
        expected = {
            pair: 1 - max(rp, hm)
            for pair, (rp, hm) in apart.items()
            if rp <= eps_rp and hm <= eps_hm
        }
        assert found == set(expected) and 0 < len(found) < len(apart)
        assert {(a, b): s for a, b, s in web.database.rows("FROM found")} == expected


def test_a_page_from_outside_is_judged_by_rp_and_one_of_the_database_by_its_map(web):
    made = [
        *NEIGHBOURS,
        page("a.net/", TEXT, "http://x.net/fruit"),
        page("b.net/", TEXT, "http://y.net/ships"),
        page("c.net/", TEXT, "http://x.net/fruit"),
    ]
    with_pages(web, made)
    content = SimpleNamespace(terms=terms_of(made[2]))
    hyperlink_map.find(web.database, PageOptions(), SimpleNamespace(content=content, url_id=None))
    assert set(web.database.rows("FROM found")) == {(-1, 3, 1.0), (-1, 4, 1.0), (-1, 5, 1.0)}
    hyperlink_map.find(
        web.database,
        PageOptions(damping=0.3, eps_hm=0.01),
        SimpleNamespace(content=content, url_id=3),
    )
    assert set(web.database.rows("FROM found")) == {(-1, 5, 1.0)}
