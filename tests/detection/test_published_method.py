"""Method paper against the paper's text: one example at a time, rules from scratch each time.

The reference shares no code with the product: bins by Fayyad and Irani's recursion, Definition 3.1,
Eq. 4 to 7, Algorithms 1 to 4.
"""

from __future__ import annotations

from itertools import combinations
from math import log

import pytest

FEATURES = ("ndist", "nmatch", "ip4", "ip3", "fullpath")


def entropy(labels):
    n = len(labels)
    shares = [labels.count(label) / n for label in set(labels)]
    return -sum(share * log(share) for share in shares)


def mdl(rows):
    """Fayyad and Irani (1993): cuts of (value, label) rows in order, while the gain pays."""
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    n, best = len(rows), None
    for i in range(1, n):
        if values[i - 1] < values[i]:
            left, right = labels[:i], labels[i:]
            rest = (i * entropy(left) + (n - i) * entropy(right)) / n
            if best is None or round(rest, 12) < best[0]:
                best = (round(rest, 12), i, rest)
    if best is None:
        return []
    _, i, rest = best
    left, right = labels[:i], labels[i:]
    k, k1, k2 = (len(set(part)) for part in (labels, left, right))
    delta = log(3**k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    if not entropy(labels) - rest > (log(n - 1) + delta) / n:
        return []
    return [*mdl(rows[:i]), (values[i - 1] + values[i]) / 2, *mdl(rows[i:])]


def bin_of(value, cuts):
    return 0 if value is None else 1 + sum(value > cut for cut in cuts)


def alpha(x, data):
    """Algorithm 1: project on x, extract the rules, Eq. 4 and 5."""
    confidences = {"+": [], "-": []}
    for size in range(1, 6):
        for items in combinations(range(5), size):
            inside = [label for y, label in data if all(y[i] == x[i] for i in items)]
            for label in set(inside):
                confidences[label].append(inside.count(label) / len(inside))
    s = {label: sum(of) / len(of) if of else 0.0 for label, of in confidences.items()}
    return round(s["-"] / (s["-"] + s["+"]), 12)


def best_cut(x, data, largest):
    """Definition 3.3: the alpha of D_x whose two sides have the least entropy; ties move fewer."""
    of_x = [
        (alpha(y, data), label)
        for y, label in data
        if any(a == b for a, b in zip(x, y, strict=True))
    ]
    found = []
    for f in sorted({a for a, _ in of_x})[:-1]:
        sides = [[label for a, label in of_x if (a <= f) == low] for low in (True, False)]
        rest = sum(len(side) * entropy(side) for side in sides) / len(of_x)
        found.append((round(rest, 12), -f if largest else f, f))
    return min(found)[2] if found and len({label for _, label in of_x}) == 2 else None


def algorithm_2(fixed, unlabelled, source, target):
    """For each x in turn, until none moves; returns the final training set."""
    labels = [source] * len(unlabelled)
    moved = True
    while moved:
        moved = False
        for i, x in enumerate(unlabelled):
            if labels[i] == target:
                continue
            data = [*fixed, *zip(unlabelled, labels, strict=True)]
            cut = best_cut(x, data, largest=target == "-")
            if cut is not None and (alpha(x, data) <= cut) == (target == "+"):
                labels[i], moved = target, True
    return [*fixed, *zip(unlabelled, labels, strict=True)]


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


def test_the_first_n_are_replicas(paper):
    web = paper[0]
    for n in (0, 5, 10_000):
        web.detect(method="paper", max_negatives=12, first=n)
        found = web.replicas()
        assert found["flagged"].to_list() == [rank <= n for rank in found["rank"]]
    assert web.database.value("SELECT count(*) FROM flagged_hosts") > 0


def test_without_n_the_flags_are_ours(paper):
    for *_, pu, nu, _, flagged in paper[1]:
        assert flagged == (pu > 0.5 and nu > 0.5)


def test_candidates_are_all_that_share_a_content_and_the_thesis_takes_paths_too(lasting):
    assert lasting.detect(method="paper", max_cluster_hosts=2).counts["skipped_clusters"] > 0
    found = lasting.detect(method="paper").counts
    assert found["skipped_clusters"] == 0
    thesis = lasting.detect(method="thesis").counts["candidate_pairs"]
    assert (
        thesis == lasting.detect(candidates="either", max_cluster_hosts=0).counts["candidate_pairs"]
    )


def test_a_large_crawl_turns_patterns_and_says_so(lasting, monkeypatch):
    from replicadb.detection import notes, published_method
    from replicadb.settings import Constants

    for module in (notes, published_method):
        monkeypatch.setattr(module, "CONSTANTS", Constants(most_examples=5))
    done = lasting.detect(method="paper", max_negatives=11)
    assert done.counts["schedule"] == "pattern"
    assert any("--schedule example" in note for note in done.notes)
    asked = lasting.detect(method="paper", max_negatives=11, schedule="example")
    assert asked.counts["schedule"] == "example" and "schedule" not in str(asked.notes)
