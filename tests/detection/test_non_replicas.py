"""Obvious non-replicas: a sample of pairs that share nothing, for method paper to learn from."""

from __future__ import annotations

import pytest

from replicadb.settings import CHOICES

from .crawls import csv_of, only_pairs, opened, pairs


def negatives_of(web) -> set[tuple[str, str]]:
    return set(
        web.database.rows(
            """SELECT a.host, b.host FROM non_replicas JOIN hosts AS a ON a.host_id = a_id
                                    JOIN hosts AS b ON b.host_id = b_id"""
        )
    )


@pytest.mark.slow
def test_obvious_non_replicas_share_nothing_and_are_those_of_the_seed(tmp_path):
    """As many as are asked for at most; and none by method robust, which does not learn of them."""
    rows = [
        (f"http://h{h:02d}.com/p{p}", "", f"{h // 2:02d}{p}")
        for h in range(60)
        for p in range(h % 7, h % 7 + 2)
    ]
    content, paths = (
        {
            f"h{h:02d}.com": {
                row[i]
                for row in [
                    (d, u.split("/", 3)[3])
                    for u, _, d in rows
                    if u.startswith(f"http://h{h:02d}.com")
                ]
            }
            for h in range(60)
        }
        for i in (0, 1)
    )
    with opened(tmp_path, csv_of(rows)) as web:
        for negatives in CHOICES["negatives"]:
            drawn = {}
            for seed in (0, 1, 0)[: 3 if negatives == "content" else 2]:
                only_pairs(web, 3, method="paper", seed=seed, negatives=negatives)
                drawn.setdefault(seed, negatives_of(web))
                assert negatives_of(web) == drawn[seed]
            assert (
                drawn[0] != drawn[1]
                and len(drawn[0]) == web.database.value("SELECT count(*) FROM candidate_pairs") // 2
            )
            assert all(a < b and not content[a] & content[b] for a, b in drawn[0] | drawn[1])
            sharing = [pair for pair in drawn[0] | drawn[1] if paths[pair[0]] & paths[pair[1]]]
            assert bool(sharing) == (negatives == "content")
            assert not pairs(web) & (drawn[0] | drawn[1])
        for most in (0, 3):
            only_pairs(web, 3, method="paper", max_negatives=most)
            assert len(negatives_of(web)) == most
        only_pairs(web, 3, method="robust")
        assert negatives_of(web) == set()


@pytest.mark.slow
def test_obvious_non_replicas_have_the_features_that_they_would_have_as_candidates(tmp_path):
    rows = [  # from the 60th on sites share paths alone
        (f"http://h{h:02d}.com/{p}", "", f"{h // 2 if h < 60 else h:02d}{p}")
        for h in range(80)
        for p in ("", *range(h % 7, h % 7 + 2))
    ]
    query = (
        "SELECT a_id, b_id, ndist, nmatch, ip4, ip3, fullpath, path_overlap, agreement FROM {}"
        " ORDER BY ALL"
    )
    with opened(tmp_path, csv_of(rows)) as web:
        found = set()
        for negatives in CHOICES["negatives"]:
            only_pairs(web, 3, method="paper", negatives=negatives)
            drawn = web.database.rows(query.format("non_replicas"))
            assert len(drawn) > 10 and all(row[6] > 0 for row in drawn)  # the home page at least
            found |= set(drawn)
        only_pairs(web, candidates="path")
        assert found <= set(web.database.rows(query.format("pair_features")))
