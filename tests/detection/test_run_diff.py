"""What changed between two detections, pair by pair, with the reason."""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.errors import DataError, UsageError

from .crawls import csv_of
from .three_copies import FIRST, pages

pytestmark = pytest.mark.slow


SECOND = [*pages("c.com", range(20)), *pages("a.com", range(20, 24))]


@pytest.fixture
def own(three_copies, tmp_path):
    with replicadb.open(shutil.copy(three_copies, tmp_path), threads=1) as web:
        yield web


@pytest.fixture(scope="module")
def changed(three_copies, tmp_path_factory):
    """The same with a second load; the first leaves, and some of it comes again with more."""
    folder = tmp_path_factory.mktemp("changed")
    with replicadb.open(shutil.copy(three_copies, folder), threads=1) as web:
        web.detect(name="strict", min_probability=1.0)
        (folder / "second.csv").write_text(csv_of(FIRST[:40] + SECOND))
        web.load(folder / "second.csv", label="second")
        web.unload(web.database.value("SELECT name FROM loads ORDER BY load_id"))
        web.detect(name="after", min_probability=0.001)
        yield web


def test_hosts_that_came_and_went_and_pages_that_came_are_the_reason(changed):
    found = changed.diff("before", "after")
    reasons = {
        (row["host_a"], row["host_b"]): (row["change"], row["reason"])
        for row in found.pairs.to_dicts()
    }
    grown = "URLs of a.com 20 -> 24"
    assert reasons == {
        ("a.com", "c.com"): ("now flagged", f"{grown}; c.com is new; no candidate before"),
        ("b.org", "c.com"): ("now flagged", "c.com is new; no candidate before"),
        ("a.com", "gone.net"): (
            "no longer flagged",
            f"{grown}; gone.net is gone; no candidate any more",
        ),
        ("b.org", "gone.net"): ("no longer flagged", "gone.net is gone; no candidate any more"),
    }
    named = [(row["change"], row["host"]) for row in found.hosts.to_dicts()]
    n = found.counts
    assert named == sorted(named, key=lambda row: row[0] != "now dropped")
    for change in ("now dropped", "no longer dropped", "for another host"):
        assert sum(row[0] == change for row in named) == n[change.replace(" ", "_")]
    assert named
    assert found.settings == "" and found.came == ["second"] and len(found.went) == 1
    assert found.counts | {"flagged": 3, "now_flagged": 2, "no_longer_flagged": 2} == found.counts


def test_other_settings_are_the_reason_where_the_pair_is_as_it_was(changed):
    found = changed.diff("before", "strict")
    assert found.settings == "min_probability 0.001 -> 1.0"
    assert set(found.pairs["reason"]) == {found.settings} and len(found.pairs) == 3
    row = found.pairs.to_dicts()[0]
    assert row["probability_before"] == row["probability_after"] and row["shared_after"] == 20


def test_what_a_person_decided_is_the_reason(own):
    own.pin("gone.net", "never")
    own.decide("a.com", "b.org", False)
    own.decide("apart.net", "a.com", True)
    own.detect(name="after", min_probability=0.001)
    changed = {row["host_b"]: row for row in own.diff("before", "after").pairs.to_dicts()}
    assert {host: row["reason"] for host, row in changed.items()} == {
        "b.org": "decided",
        "apart.net": "decided; no candidate before",
        "gone.net": "decided: never gone.net",
    }
    change = changed["apart.net"]
    assert (change["host_a"], change["change"]) == ("a.com", "now flagged")
    assert change["probability_after"] == 1
    assert len(own.diff("after").pairs) == 0


def test_a_run_is_compared_with_the_current_one_and_nothing_is_changed(changed):
    found = changed.diff("before")
    assert found.pairs.equals(changed.diff("before", "after").pairs)
    assert len(changed.diff("after").pairs) == 0
    assert changed.database.temporaries == {}
    assert repr(found) == (
        "<RunDiff before -> current: 3 flagged, 2 now flagged, 2 no longer flagged, 2 dropped,"
        " 1 now dropped, 1 no longer dropped, 0 for another host>"
    )


def test_unknown_runs_and_one_run_twice_are_refused(changed, web):
    with pytest.raises(DataError, match="no run called 'x'; there are: before, strict, after"):
        changed.diff("before", "x")
    with pytest.raises(DataError, match=r"no run called 'curent' \(did you mean 'current'\?\)"):
        changed.diff("before", "curent")
    with pytest.raises(UsageError, match="name two runs"):
        changed.diff("after", "after")
    with pytest.raises(DataError, match="no run called 'x'; no detection was given a name"):
        web.diff("x")


def test_hosts_that_changed_places_say_so_and_why_the_other_is_kept(own):
    own.detect(name="after", min_probability=0.001, keep="b.org,short")
    current = {row["host"]: row for row in own.diff("before").hosts.to_dicts()}
    named = {row["host"]: row for row in own.diff("before", "after").hosts.to_dicts()}
    assert (current["a.com"]["change"], current["a.com"]["canonical_after"]) == (
        "now dropped",
        "b.org",
    )
    assert current["a.com"]["reason"] == "the two changed places: b.org is kept: --keep names it"
    assert current["b.org"]["reason"] == "the two changed places"
    assert current["gone.net"]["reason"] == "b.org is kept: --keep names it"
    assert (named["a.com"]["reason"], named["gone.net"]["reason"]) == (
        "the two changed places",
        None,
    )


def test_of_a_host_that_is_dropped_no_longer_the_reason_is_told(changed, own):
    """Decided, gone, or no longer a flagged copy."""

    def reasons(found) -> dict[str, str | None]:
        rows = found.hosts.filter(change="no longer dropped").to_dicts()
        return {row["host"]: row["reason"] for row in rows}

    dropped = own.flagged_hosts()["host"]
    assert len(dropped) == 2
    for pin, reason in (
        ("keep", "decided: it is to be kept"),
        ("never", "decided: it is never to be flagged"),
    ):
        own.pin(["a.com", "b.org", "gone.net"], pin, replace=True)
        own.detect(min_probability=0.001)
        assert reasons(own.diff("before")) == dict.fromkeys(dropped, reason)
    assert reasons(changed.diff("before")) == {"gone.net": "it is gone"}
    assert reasons(changed.diff("before", "strict")) == {
        "b.org": "no longer flagged with a.com",
        "gone.net": "no longer flagged with a.com",
    }


def test_many_hosts_to_keep_are_counted_and_say_nothing_of_a_pair(own):
    names = [f"h{n}.example" for n in range(1000)]
    own.detect(name="named", min_probability=1.0, keep=[*names, "links", "short"])
    found = own.diff("before", "named")
    pairs = "min_probability 0.001 -> 1.0"
    kept = "keep links,contents,urls,domain,short -> 1,000 hosts,links,short"
    assert found.settings == f"{pairs}, {kept}"
    assert len(found.pairs) == 3 and set(found.pairs["reason"]) == {pairs}
    own.detect(name="others", min_probability=1.0, keep=[*names[1:], "x.example", "links", "short"])
    assert own.diff("named", "others").settings == (
        "keep 1,000 hosts,links,short -> others, 1,000 hosts,links,short"
    )
    own.detect(name="few", min_probability=1.0, keep="links,a.com,b.org,short")
    assert "-> links,a.com,b.org,short" in own.diff("named", "few").settings
