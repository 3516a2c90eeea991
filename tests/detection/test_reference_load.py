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


def in_part(host: str) -> list[str]:
    """Rows of PARTS: 24 pages of one content each for two of them, and more of its own for big."""
    kind, pages = PARTS[host]
    own = [f"{kind}{n}" if n < 24 else f"{host}-{n}" for n in range(pages)]
    return [f"http://{host}/part/{n},,{text}\n" for n, text in enumerate(own)]


PARTS = {"big.org": ("s", 36), "small.com": ("s", 24), "other.com": ("o", 24)}
PARTS["alike.org"] = ("o", 24)
"""What is the same, and how many pages: big has all of small and more."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    """A database of an old and a new crawl, with PARTS, loaded; copy it."""
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
    of_parts = {"old": in_part("small.com") + in_part("other.com")}
    of_parts["new"] = in_part("big.org") + in_part("alike.org")
    with replicadb.open(folder / "web.duckdb") as web:
        for label, sites in (("old", old), ("new", new)):
            path = Path(crawl(folder / f"{label}.csv", sites))
            path.write_text(path.read_text() + "".join(of_parts[label]))
            web.load(path, label=label)
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
    of_crawl = {"old-a.com", "www.old-a.com", "old-b.com", "both.com", "zz.net"}
    old = of_crawl | {"small.com", "other.com"}
    only_pairs(web, candidates=candidates)
    every = features(web)
    counts = only_pairs(web, candidates=candidates, reference="old")
    assert features(web) == {
        (a, b): values for (a, b), values in every.items() if (a in old) != (b in old)
    }
    assert features(web).keys() == pairs(web) and 0 < len(pairs(web)) < len(every)
    assert (counts["reference_hosts"], counts["new_hosts"]) == (7, 8)
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
    assert came == {frozenset(("newest-b.com", host)) for host in of_crawl}


@pytest.mark.slow
def test_only_new_hosts_are_flagged_as_copies_of_old_ones(web):
    """Evaluate takes the reference over. And a copy that has more of its own than the old host,
    which is a part of it, would be kept by the number of its pages. So it is where nothing is old,
    and so the old host would go. A pair of new hosts that is decided drops none, and a note says
    so; of two old ones: test_decided.py.
    """
    web.detect(min_probability=0.01)
    assert dropped(web)["small.com"] == "big.org"
    web.decide("fresh.com", "copy-of-fresh.com", True)
    shown = web.detect(reference="old", min_probability=0.01).notes
    assert not any("so nothing was compared" in note for note in shown)
    assert [note for note in shown if "so by decision" in note] == [
        "1 flagged pair is so by decision and of two hosts that old has not, for which no host is"
        " dropped; without --reference one of the two may be"
    ]
    gone, surely = dropped(web), {"new-a.com", "another-a.net", "new-b.org", "alike.org"}
    assert surely <= set(gone) <= surely | {"new-c.com"}
    assert gone["new-a.com"] in ("old-a.com", "www.old-a.com")
    assert gone["new-b.org"] in ("old-b.com", "zz.net") and gone["alike.org"] == "other.com"
    held = dict(web.database.rows("SELECT host, why FROM held_hosts"))
    assert held["big.org"] == "many of its pages do not stand at the other"
    with Scratch(web.database) as scratch:
        assert "20_pair_features" not in scratch.detect().stages_run
        decided = {("copy-of-fresh.com", "fresh.com")}
        ranked = set(scratch.rows("SELECT host_a, host_b FROM replicas"))
        assert ranked == pairs(web) | decided


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


def dropped(web) -> dict[str, str]:
    return dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
