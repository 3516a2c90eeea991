"""Only new hosts against those of a reference load."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.evaluation.scratch import Scratch
from replicadb.learning.star_clusters import nearest_groups

from .crawls import only_pairs, pairs_alone

PAGES = ("", "about", "contact", "prices", "team", "news", "jobs", "help")


def crawl(path, sites: dict[str, str]) -> str:
    """A CSV of sites, each with the pages of a kind of content."""
    rows = [
        f"http://{host}/{page},10.0.{len(host)}.1,{kind}-{page}"
        for host, kind in sites.items()
        for page in PAGES
    ]
    path.write_text("url,ip,digest\n" + "\n".join(rows) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    """A database of an old and a new crawl, loaded; copy it."""
    folder = tmp_path_factory.mktemp("reference")
    old = {"old-a.com": "a", "www.old-a.com": "a", "old-b.com": "b", "both.com": "c", "zz.net": "b"}
    new = {
        "new-a.com": "a",
        "new-b.org": "b",
        "another-a.net": "a",
        "both.com": "c",
        "fresh.com": "d",
        "copy-of-fresh.com": "d",
        "new-c.com": "c",
    }
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(crawl(folder / "old.csv", old), label="old")
        web.load(crawl(folder / "new.csv", new), label="new")
    return folder / "web.duckdb"


@pytest.fixture
def web(loaded, tmp_path):
    with replicadb.open(shutil.copy(loaded, tmp_path)) as web:
        yield web


def pairs(web) -> set[tuple[str, str]]:
    return set(web.database.rows("SELECT host_a, host_b FROM candidate_pairs"))


def features(web) -> dict[tuple[str, str], tuple]:
    """Of each candidate pair."""
    rows = web.database.rows(
        "SELECT a.host, b.host, COLUMNS(f.* EXCLUDE (a_id, b_id)) FROM pair_features AS f"
        " JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS b ON b.host_id = b_id"
    )
    return {tuple(sorted(row[:2])): row[2:] for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("candidates", ["either"])
def test_pairs_are_of_an_old_and_a_new_host_with_the_features_of_all_against_all(
    web, tmp_path, candidates
):
    """And another load makes the reference count anew."""
    old = {"old-a.com", "www.old-a.com", "old-b.com", "both.com", "zz.net"}
    only_pairs(web, candidates=candidates)
    every = features(web)
    counts = only_pairs(web, candidates=candidates, reference="old")
    assert features(web) == {
        (a, b): values for (a, b), values in every.items() if (a in old) != (b in old)
    }
    assert features(web).keys() == pairs(web) and 0 < len(pairs(web)) < len(every)
    assert (counts["reference_hosts"], counts["new_hosts"]) == (5, 6)
    assert counts["expected_pairs"] >= counts["candidate_pairs"] == len(pairs(web))
    apart = [
        set(hosts)
        for shared in ("path", "fingerprint")
        for (hosts,) in web.database.rows(
            f"SELECT list(DISTINCT host) FROM pages WHERE {shared} IS NOT NULL GROUP BY {shared}"
        )
    ]
    assert counts["expected_pairs"] == sum(len(each & old) * len(each - old) for each in apart)
    before = pairs(web)
    web.load(crawl(tmp_path / "newer.csv", {"newest-b.com": "b"}), label="newer")
    only_pairs(web, candidates=candidates, reference="old")
    came = {frozenset(pair) for pair in pairs(web) - before if "newest-b.com" in pair}
    assert came == {frozenset(("newest-b.com", host)) for host in old}


@pytest.mark.slow
def test_only_new_hosts_are_flagged_as_copies_of_old_ones(web):
    """Evaluate takes the reference over."""
    shown = web.detect(reference="old", min_probability=0.01).notes
    assert not any("so nothing was compared" in note for note in shown)
    dropped = dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
    assert (
        {"new-a.com", "another-a.net", "new-b.org"}
        <= set(dropped)
        <= {"new-a.com", "another-a.net", "new-b.org", "new-c.com"}
    )
    assert dropped["new-a.com"] in ("old-a.com", "www.old-a.com") and dropped["new-b.org"] in (
        "old-b.com",
        "zz.net",
    )
    with Scratch(web.database) as scratch:
        assert "20_pair_features" not in scratch.detect().stages_run
        assert set(scratch.rows("SELECT host_a, host_b FROM replicas")) == pairs(web)


@pytest.mark.slow
def test_a_label_that_no_load_has_is_refused_and_the_loads_named(web, cli):
    said = r"no load is called 'older' \(did you mean 'old'\?\); there are: 'old', 'new'"
    with pytest.raises(UsageError, match=said):
        web.detect(reference="older")
    path = web.database.path
    web.close()
    answer = cli("detect", path, "--reference", "nothing")
    assert answer.code == 2 and "no load is called 'nothing'" in answer.err


def test_a_new_host_goes_to_the_old_host_of_its_best_pair():
    import numpy as np

    centre, tie = nearest_groups(
        np.array([3, 4, 3]), np.array([0, 0, 1]), np.array([0.9, 0.8, 0.7]), 5
    )
    assert centre.tolist() == [0, 1, 2, 0, 0] and tie.tolist() == [0.9, 0, 0, 0.9, 0.8]


def test_where_no_host_is_new_a_note_says_that_nothing_was_compared(web, tmp_path):
    hosts = web.database.column("SELECT host FROM hosts")
    web.load(crawl(tmp_path / "all.csv", dict.fromkeys(hosts, "q")), label="all")
    said = "every host stands in all, too, so nothing was compared"
    with pairs_alone(notes=True):
        notes = web.detect(reference="all", min_probability=0.9).notes
    assert any(said in note for note in notes)


def test_a_new_host_that_stays_since_it_has_more_of_its_own_is_reported(tmp_path):
    """A copy that has more of its own than the old host, which is a part of it, would be kept by
    the number of its pages. So it is where nothing is old, and so the old host would go."""
    kinds = {"big": ("", 36), "small": ("", 24), "other": ("o", 24), "alike": ("o", 24)}

    def rows(host: str, suffix: str) -> list[str]:
        kind, pages = kinds[host]
        own = [f"{kind}{n}" if n < 24 else f"{host}-{n}" for n in range(pages)]
        return [f"http://{host}.{suffix}/{n},{text}" for n, text in enumerate(own)]

    def table(name: str, lines: list[str]) -> str:
        (tmp_path / name).write_text("\n".join(["url,digest", *lines]) + "\n")
        return str(tmp_path / name)

    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(table("old.csv", rows("small", "com") + rows("other", "com")), label="old")
        web.load(table("new.csv", rows("big", "org") + rows("alike", "org")), label="new")
        web.detect(min_probability=0.5)
        assert dropped(web)["small.com"] == "big.org"
        web.detect(reference="old", min_probability=0.5)
        held = dict(web.database.rows("SELECT host, why FROM held_hosts"))
        assert dropped(web) == {"alike.org": "other.com"}
        assert held == {"big.org": "many of its pages do not stand at the other"}


def test_a_pair_of_new_hosts_that_is_decided_drops_none_and_is_told_of(web):
    """Of two old ones: test_decided.py."""
    web.decide("fresh.com", "copy-of-fresh.com", True)
    done = web.detect(reference="old")
    assert not {"fresh.com", "copy-of-fresh.com"} & set(dropped(web))
    assert [note for note in done.notes if "so by decision" in note] == [
        "1 flagged pair is so by decision and of two hosts that old has not, for which no host is"
        " dropped; without --reference one of the two may be"
    ]


def dropped(web) -> dict[str, str]:
    return dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
