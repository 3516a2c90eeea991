"""Method paper against the paper's text: one example at a time, rules from scratch each time.

The reference (paper_reference.py) shares no code with the product.

Tries bins, too.
"""

from __future__ import annotations

import pytest

from .crawls import only_pairs, pairs_alone
from .paper_reference import algorithm_2, alpha, bin_of, mdl

FEATURES = ("ndist", "nmatch", "ip4", "ip3", "fullpath")


@pytest.fixture(scope="module")
def paper(lasting):
    """Candidates in the order of names, non-replicas, and what detection made of them."""
    lasting.detect(method="paper", max_negatives=12)
    columns = ", ".join(FEATURES)
    candidates = lasting.database.rows(
        f"""SELECT {columns}, label, pu_score, nu_score, dominates, flagged
        FROM pair_features AS f
        JOIN ranking AS r USING (a_id, b_id)
        JOIN pattern_scores AS s USING (score_id)
        JOIN host_stats AS a ON a.host_id = f.a_id
        JOIN host_stats AS b ON b.host_id = f.b_id
        ORDER BY a.host_rank, b.host_rank""".replace("flagged\n", "r.flagged\n")
    )
    others = lasting.database.rows(f"SELECT {columns} FROM non_replicas")
    return lasting, candidates, others


@pytest.fixture(scope="module")
def cuts(paper):
    """The reference's cuts by feature."""
    _, candidates, others = paper
    rows = [(row[:5], row[5] == 1) for row in candidates] + [(row, False) for row in others]
    return [mdl(sorted((x[i], y) for x, y in rows if x[i] is not None)) for i in range(5)]


def test_bins_are_fayyad_and_irani_s_without_a_cap_or_a_bin_of_zero_s_own(paper, cuts):
    for name, expected in zip(FEATURES, cuts, strict=True):
        found = paper[0].database.column(
            "SELECT high FROM cuts WHERE feature = ? AND bin > 0 ORDER BY bin", [name]
        )[:-1]
        assert found == pytest.approx(expected, rel=1e-6), name
    assert any(cuts)


@pytest.mark.slow
@pytest.mark.parametrize(("data", "column"), [("PU", 6), ("NU", 7)])
def test_labels_turn_as_in_algorithm_2(paper, cuts, data, column):
    _, candidates, others = paper

    def pattern(row):
        return tuple(bin_of(row[i], cuts[i]) for i in range(5))

    unlabelled = [pattern(row) for row in candidates if row[5] == 0]
    fixed = (
        [(pattern(row), "+") for row in candidates if row[5] == 1]
        if data == "PU"
        else [(pattern(row), "-") for row in others]
    )
    assert fixed and unlabelled
    source, target = ("-", "+") if data == "PU" else ("+", "-")
    final = algorithm_2(fixed, unlabelled, source, target)
    for row in candidates:
        assert row[column] == pytest.approx(1 - alpha(pattern(row), final), abs=1e-9)


@pytest.mark.slow
def test_the_first_n_are_replicas(paper):
    web = paper[0]
    for n in (0, 5, 10_000):
        only_pairs(web, 5, method="paper", max_negatives=12, first=n)
        found = web.sql("FROM replicas ORDER BY rank")
        assert found["flagged"].to_list() == [rank <= n for rank in found["rank"]]
    assert web.sql("FROM replicas")["flagged"].all()


def test_without_n_the_flags_are_ours(paper):
    for *_, pu, nu, _, flagged in paper[1]:
        assert flagged == (pu > 0.5 and nu > 0.5)


@pytest.mark.slow
def test_candidates_are_all_that_share_a_content_and_the_thesis_takes_paths_too(lasting):
    assert only_pairs(lasting, method="paper")["skipped_clusters"] == 0
    thesis = only_pairs(lasting, method="thesis")["candidate_pairs"]
    either = only_pairs(lasting, candidates="either", max_cluster_hosts=0)["candidate_pairs"]
    assert thesis == either


@pytest.mark.slow
def test_a_large_crawl_turns_patterns_and_says_so(lasting, monkeypatch):
    from replicadb.detection import notes, published_method
    from replicadb.settings import Constants

    for module in (notes, published_method):
        monkeypatch.setattr(module, "CONSTANTS", Constants(most_examples=5))
    with pairs_alone(5, notes=True):
        done = lasting.detect(method="paper", max_negatives=11)
        asked = lasting.detect(method="paper", max_negatives=11, schedule="example")
    assert done.counts["schedule"] == "pattern"
    assert any("--schedule example" in note for note in done.notes)
    assert asked.counts["schedule"] == "example" and "schedule" not in str(asked.notes)
