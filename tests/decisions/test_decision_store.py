"""Decisions: taken once, kept whatever comes and goes, contradictions told and not swallowed."""

from __future__ import annotations

import shutil

import pytest
from statement_cost import nested_joins

import replicadb
from benchmarks.reliability.older_files import lay_out
from replicadb.decisions import decision_store
from replicadb.errors import DataError, UsageError
from replicadb.store.statements import statements


def crawl(hosts) -> str:
    return "url,digest\n" + "".join(f"http://{host}/{n},p{n}\n" for host in hosts for n in range(3))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loaded")
    (folder / "c.csv").write_text(crawl(["a.com", "b.net", "c.org", "xn--mller-kva.de"]))
    with replicadb.open(folder / "w.duckdb") as web:
        web.load(folder / "c.csv")
    return folder


@pytest.fixture(scope="module")
def lasting(loaded, tmp_path_factory):
    copy = shutil.copy(loaded / "w.duckdb", tmp_path_factory.mktemp("lasting"))
    with replicadb.open(copy, threads=1) as opened:
        yield opened


@pytest.fixture
def web(lasting):
    """A loaded crawl of which nothing is decided; loads and detections are for ``own``."""
    yield lasting
    for table in ("decisions", "pins", "unused_decisions"):
        lasting.database.execute(f"DELETE FROM {table}")


@pytest.fixture
def own(loaded, tmp_path):
    """The same in a file of one's own."""
    shutil.copytree(loaded, tmp_path, dirs_exist_ok=True)
    with replicadb.open(tmp_path / "w.duckdb", threads=1) as opened:
        yield opened


def label(web, tmp_path, *lines: str, **options):
    (tmp_path / "d.csv").write_text("\n".join(["host_a,host_b,label,note", *lines]) + "\n")
    return web.label(tmp_path / "d.csv", **options)


def stored(web) -> list[tuple]:
    return web.decisions().select("host_a", "host_b", "label", "note").rows()


def test_hosts_come_in_any_spelling_and_order_and_labels_in_many_words(web, tmp_path):
    result = label(
        web, tmp_path, "HTTPS://B.net:443/x,a.com.,YES,seen", "c.org,A.COM,-,", "müller.de,,Keep,"
    )
    assert (result.read, result.taken, result.unused, result.notes) == (3, 3, 0, [])
    assert stored(web) == [
        ("a.com", "b.net", "replica", "seen"),
        ("a.com", "c.org", "no replica", None),
        ("xn--mller-kva.de", None, "keep", None),
    ]


def test_every_row_is_taken_known_without_label_or_kept_with_its_reason(web, tmp_path):
    rows = [
        "a.com,b.net,replica,",
        "b.net,a.com,1,",
        "a.com,c.org,,",
        "a.com,a.com,no,",
        "a b,c.org,no,",
        "a.com,,yes,",
        "a.com,b.net,keep,",
        "a.com,c.org,perhaps,why",
        "b.net,c.org,yes,",
        "c.org,b.net,no,",
        "short",
    ]
    for _ in range(2):  # a file that comes again has its rows anew, not twice
        result = label(web, tmp_path, *rows)
        unused = web.database.rows("SELECT position, reason FROM unused_decisions ORDER BY 1")
        assert unused == [
            (4, "a site is paired with itself: both are a.com here"),
            (5, "host_a is no host"),
            (6, "host_b is no host"),
            (7, "keep goes with one host, in host_a"),
            (8, "label is none of: replica, no replica, keep, never"),
            (9, "contradicts row 10 of this file"),
            (10, "contradicts row 9 of this file"),
            (11, "has 1 cells where the header has 4"),
        ]
        assert result.problems == unused[:5] and result.unused == 8 and result.undecided == 1
        assert result.taken + result.known == 2
    assert stored(web) == [("a.com", "b.net", "replica", None)]


def test_what_contradicts_an_earlier_decision_is_refused_unless_it_is_to_replace_it(web, tmp_path):
    label(web, tmp_path, "a.com,b.net,yes,first", "c.org,,keep,")
    again = label(web, tmp_path, "a.com,b.net,no,second", "c.org,,never,")
    assert again.taken == 0 and "contradicts the earlier decision replica" in again.problems[0][1]
    assert stored(web)[0] == ("a.com", "b.net", "replica", "first")
    with pytest.raises(DataError, match="contradicts the earlier decision keep"):
        web.pin("c.org", "never")
    assert label(web, tmp_path, "a.com,b.net,no,second", "c.org,,never,", replace=True).taken == 2
    assert stored(web) == [
        ("a.com", "b.net", "no replica", "second"),
        ("c.org", None, "never", None),
    ]


def test_a_contradiction_through_others_is_shown_with_its_chain(web, tmp_path):
    result = label(web, tmp_path, "a.com,b.net,yes,", "b.net,c.org,yes,", "a.com,c.org,no,")
    assert result.taken == 3 and result.notes == [
        "contradiction: a.com and c.org are decided to be no replicas, and replicas through"
        " others: a.com = b.net = c.org; they are held apart"
    ]
    web.remove_decision("c.org", "a.com")
    assert "never to be flagged" in web.pin("b.net", "never").notes[0]


def test_many_contradictions_are_counted(web, tmp_path):
    rows = [f"h{n}.org,h{n + 1}.org,{'yes'}," for n in range(12)]
    rows += [f"h0.org,h{n}.org,no," for n in range(3, 12)]
    notes = label(web, tmp_path, *rows).notes
    assert notes[0].startswith("13 of the hosts are not loaded, as h0.org (the nearest name here: ")
    assert len(notes) == 7 and notes[-1] == "and 4 more contradictions like these"
    assert "h0.org = h1.org = h2.org = h3.org" in notes[4] or "h3.org" in " ".join(notes)


def test_many_decisions_and_pins_are_compared_by_no_nested_loop(web, tmp_path):
    """Else 30,000 rows on hosts that are not loaded take half a minute."""
    label(web, tmp_path, "a.com,b.net,yes,", "gone.org,,never,")
    db = web.database
    with db.temporary():
        db.execute("CREATE TEMP TABLE resolved_hosts (text VARCHAR, host VARCHAR, known BOOLEAN)")
        db.execute("CREATE TEMP TABLE judged_decisions (a VARCHAR, b VARCHAR, outcome VARCHAR)")
        db.execute("INSERT INTO resolved_hosts SELECT i, i, i % 2 = 0 FROM range(99) AS t(i)")
        db.execute("INSERT INTO judged_decisions SELECT i, i + 50, 'taken' FROM range(60) AS t(i)")
        unknown = statements(decision_store.FILE)["unknown_hosts"]
        assert nested_joins(db, unknown) == set()
        assert db.rows(unknown) == [("1", 49)]
    pinned = statements(decision_store.STORED)["replicas_never_flagged"]
    assert nested_joins(db, pinned, {"most": 5}) == set()


def test_replicas_that_are_never_flagged_are_counted(web, tmp_path):
    rows = [f"a.com,h{n}.org,yes," for n in range(12)]
    notes = label(web, tmp_path, *rows, "a.com,,never,", "h3.org,,never,").notes
    assert notes[1].startswith("contradiction: a.com and h0.org are decided to be replicas, and")
    assert len(notes) == 7 and notes[-1] == "and 8 more contradictions like these"


def test_of_a_long_chain_the_ends_are_named(web, tmp_path):
    """At each step of the chain all decisions were searched."""
    rows = [f"h{n}.org,h{n + 1}.org,yes," for n in range(3_000)]
    notes = label(web, tmp_path, *rows, "h0.org,h3000.org,no,").notes
    assert notes[1].endswith(
        "through others: h0.org = h1.org = h2.org = h3.org = h4.org = (2,991 more) = h2996.org ="
        " h2997.org = h2998.org = h2999.org = h3000.org; they are held apart"
    )


def test_an_unknown_host_waits_in_a_file_and_in_a_pin_and_is_an_error_in_a_pair(own, tmp_path):
    result = label(own, tmp_path, "a.com,gone.org,yes,")
    assert result.taken == 1 and "waits until it is" in result.notes[0]
    with pytest.raises(DataError, match=r"no host b\.nett here; the nearest names: b\.net, "):
        own.decide("a.com", "b.nett", True)
    (tmp_path / "old.csv").write_text(
        "url,digest,status,redirect\nhttp://old.org/,,301,http://b.net/\n"
    )
    own.load(tmp_path / "old.csv")
    with pytest.raises(DataError, match=r"no page of old\.org is here; a URL of it redirects to b"):
        own.decide("a.com", "old.org", True)
    with pytest.raises(UsageError, match="paired with itself"):
        own.decide("a.com", "A.com", True)
    (note,) = own.pin("http://New.net/", "keep").notes
    assert note.startswith("1 of the hosts is not loaded, as new.net (the nearest name here: b.net")
    assert ("new.net", None, "keep", None) in stored(own)


@pytest.mark.parametrize("said", ["no replica", "replica", None, 2])
def test_a_pair_is_decided_by_true_or_false(own, said):
    with pytest.raises(UsageError, match="replica is True or False, not "):
        own.decide("a.com", "b.net", said)
    assert len(own.decisions()) == 0


def test_what_is_given_is_of_its_type(own, tmp_path):
    for given, what in (
        ({"note": 5}, "note is text, not 5"),
        ({"source": ["me"]}, "source is text, not"),
        ({"replace": "no"}, "replace is True or False, not 'no'"),
    ):
        with pytest.raises(UsageError, match=what):
            own.decide("a.com", "b.net", True, **given)
        if "source" not in given:
            with pytest.raises(UsageError, match=what):
                own.pin("a.com", "keep", **given)
    with pytest.raises(UsageError, match="replace is True or False, not 1"):
        own.label(tmp_path / "none.csv", replace=1)
    for pin in ("kept", ["keep"]):
        with pytest.raises(UsageError, match="a pin is keep or never, not"):
            own.pin("a.com", pin)
    assert len(own.decisions()) == 0


def test_many_hosts_are_pinned_together_or_none_is(web):
    pinned = web.pin(["A.com", "http://b.net/", "a.com"], "never", note="ours")
    assert (pinned.taken, pinned.known) == (2, 1)
    before = stored(web)
    with pytest.raises(DataError) as refused:
        web.pin(["c.org", *(f"h{n}.org" for n in range(30)), "a.com", "b.net"], "keep")
    assert str(refused.value).startswith(
        "2 of 33 cannot be decided so, and nothing was: a.com, b.net; a.com: contradicts the"
        " earlier decision never (label, "
    )
    with pytest.raises(UsageError, match=r"^2 of 3 .*: a b, \?; a b: is no host$"):
        web.pin(["c.org", "a b", "?"], "keep")
    for given in (5, [5], None, [""]):
        with pytest.raises(UsageError, match="host name; give the name of a host"):
            web.pin(given, "keep")
    for given in (5, None):
        with pytest.raises(UsageError, match=f"{given}: no host name"):
            web.remove_decision(given)
    with pytest.raises(UsageError, match="give one of the two"):
        decision_store.pin(web.database, {"keep": ["c.org"], "never": ["C.org"]})
    assert stored(web) == before
    assert web.pin(["a.com", "b.net", "c.org"], "keep", replace=True).taken == 3
    assert {row[2] for row in stored(web)} == {"keep"}


def test_of_many_that_cannot_be_pinned_a_few_are_named(web):
    web.pin([f"h{n}.org" for n in range(40)], "never")
    with pytest.raises(DataError, match=r"^40 of 40 .*: h0.org, .*, h4.org and 35 more; h0.org: "):
        web.pin([f"h{n}.org" for n in range(40)], "keep")


@pytest.mark.slow
def test_decisions_survive_loads_unloads_detections_and_newer_versions(own, tmp_path):
    """And what waited for its host binds once that is loaded."""
    own.detect()
    assert own.notes == []
    label(own, tmp_path, "a.com,b.net,no,two shops", "c.org,,keep,")
    assert own.notes[0].startswith("decisions came or went since the last detection")
    own.pin("new.net", "keep")
    before = stored(own)
    own.unload(own.database.value("SELECT name FROM loads"))
    assert own.database.value("SELECT count(*) FROM hosts") == 0 and stored(own) == before
    (tmp_path / "e.csv").write_text(crawl(["new.net"]))
    own.load(tmp_path / "c.csv", tmp_path / "e.csv")
    own.detect()
    assert stored(own) == before and own.notes == []
    bound = "SELECT bound FROM given_decisions WHERE host_a = 'new.net'"
    assert own.database.rows(bound) == [(True,)]
    assert own.database.rows("SELECT replica FROM decided") == [(False,)]
    own.close()
    lay_out(tmp_path / "w.duckdb", 15)
    with (
        pytest.warns(UserWarning, match="detect again"),
        replicadb.open(tmp_path / "w.duckdb") as a,
    ):
        assert stored(a) == before
        assert a.decide("a.com", "c.org", True).taken == 1


def test_what_was_exported_is_taken_as_it_was(web, tmp_path):
    label(web, tmp_path, 'a.com,b.net,yes,"a ""word"", two"', "b.net,,never,", "a.com,x.org,no,")
    web.decisions().write_csv(tmp_path / "all.csv")
    with replicadb.open(":memory:") as other:
        result = other.label(tmp_path / "all.csv")
        assert result.taken == 3 and stored(other) == stored(web)
        assert other.decisions()["decided_at"].equals(web.decisions()["decided_at"])


def test_who_decided_is_taken_with_a_decision_else_it_is_the_file(web, tmp_path):
    web.decide("a.com", "b.net", True, source="anna")
    label(web, tmp_path, "a.com,c.org,no,")
    web.decisions().write_csv(tmp_path / "all.csv")
    (tmp_path / "bert.csv").write_text(
        "host_a,host_b,label,source\na.com,b.net,no,bert\nd.com,,keep,bert\ne.com,,never,\n"
    )
    with replicadb.open(":memory:") as other:
        other.label(tmp_path / "all.csv")
        assert other.decisions()["source"].to_list() == web.decisions()["source"].to_list()
        refused = other.label(tmp_path / "bert.csv")
        assert refused.taken == 2 and "earlier decision replica (anna, " in refused.problems[0][1]
        other.label(tmp_path / "bert.csv", replace=True)
        said = dict(other.decisions().select("host_a", "source").rows())
        assert (said["d.com"], said["e.com"]) == ("bert", str(tmp_path / "bert.csv"))
        assert other.decisions().row(0, named=True)["source"] == "bert"


def test_a_decision_is_taken_back_by_any_spelling(web):
    web.decide("a.com", "b.net", True)
    web.pin("c.org", "keep")
    web.remove_decision("http://B.net/", "a.com")
    web.remove_decision("C.ORG")
    assert stored(web) == []
    with pytest.raises(DataError, match=r"nothing was decided of a\.com and b\.net"):
        web.remove_decision("a.com", "b.net")


def test_what_the_last_detection_does_not_know_of_does_not_bind(own):
    """Neither a pin nor a pair, and of the latter the evidence is not said."""
    own.detect(min_probability=1e-9, kinds="all")
    dropped, kept = own.sql("SELECT host, canonical_host FROM flagged_hosts").row(0)
    bound = "SELECT label, bound, by_evidence > 0 FROM given_decisions ORDER BY label"
    own.pin(dropped, "keep")
    own.pin(kept, "never")
    assert own.database.rows(bound) == [("keep", False, None), ("never", False, None)]
    own.detect(min_probability=1e-9, kinds="all")
    assert own.database.rows(bound) == [("keep", True, None), ("never", True, None)]
    own.remove_decision(kept)
    own.remove_decision(dropped)
    own.decide(dropped, kept, False)
    own.detect(min_probability=1e-9, kinds="all")
    assert own.database.rows(bound) == [("no replica", True, True)]
    own.decide(dropped, kept, True, replace=True)
    assert own.database.rows(bound) == [("replica", False, None)]
