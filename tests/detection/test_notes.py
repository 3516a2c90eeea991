"""Notes of a detection name what to do, reach Python, and stop once it was done."""

from __future__ import annotations

import shutil

import pytest
from conftest import FORGET

import replicadb
from replicadb.counted import counted
from replicadb.detection import drops, notes
from replicadb.detection.evidence import OF_FILES
from replicadb.settings import CONSTANTS, Settings
from replicadb.store import run_log

from .crawls import only_pairs, pairs_alone

TEXT = "url,{role}\n" + "".join(
    f"http://{host}/{page},{text} page {page} and words enough to make shingles of {page} {page}\n"
    for host, text in (("a.com", "First"), ("b.net", "Second"), ("c.org", "Third"))
    for page in range(3)
)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A database of two hosts with one page, whose pair has its features, and the counts; copy it
    before you change it.
    """
    folder = tmp_path_factory.mktemp("two")
    (folder / "crawl.csv").write_text("url,digest\nhttp://bank.com/,x\nhttp://b.com/,x\n")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        return folder / "web.duckdb", only_pairs(web)


@pytest.fixture
def two(compared, tmp_path):
    """The same two hosts in a database of one's own, and the counts."""
    path, counts = compared
    with replicadb.open(shutil.copy(path, tmp_path / "two.duckdb")) as web:
        web.database.con.execute(FORGET)
        yield web, counts


@pytest.fixture
def plain(web, write):
    """Pages without any fingerprint or text."""
    web.load(write("plain.csv", "url\nhttp://a.com/x\nhttp://b.net/x\nhttp://b.net/y\n"))
    return web


@pytest.mark.slow
def test_without_fingerprints_the_two_ways_out_are_named_with_their_cost(plain):
    with pairs_alone(notes=True):
        by_default, by_path = (
            plain.detect(**more, min_probability=0.9).notes for more in ({}, {"candidates": "path"})
        )
    (note,) = [note for note in by_default if "has a fingerprint" in note]
    for named in (
        "no page has a fingerprint",
        "--column fingerprint=NAME",
        "--column content=NAME",
        "--content --force",
        "500 a second",
        "--candidates path",
    ):
        assert named in note
    assert not [note for note in by_path if "has a fingerprint" in note]


def test_equal_to_no_byte_is_told_apart_from_no_fingerprint(web, write):
    web.load(write("crawl.csv", "url,digest\nhttp://a.com/,x\nhttp://b.com/,y\n"))
    with pairs_alone(notes=True):
        lines = web.detect(min_probability=0.9).notes
    assert lines[0].startswith("no two pages have equal fingerprints")
    assert not [note for note in lines if "--first" in note]  # which is of the papers' methods


def test_text_is_asked_for_where_changed_copies_look_like_versions_and_pages_were_read(two):
    db, counts = two[0].database, two[1] | {"flagged_pairs": 1}
    asked = "the text of pages was not read"

    def said(**more) -> bool:
        return any(asked in note for note in notes.notes_of(db, Settings(), counts | more))

    assert not said(left_out={"version": 2})  # a table has no text
    db.execute("UPDATE sources SET format = 'warc'")
    for kind, is_said in (("version", True), ("translation", True), ("thin", False)):
        assert said(left_out={kind: 2}) is is_said
    assert said(estimated_at_most=100, estimated_at_least=1) and not said()
    db.execute("INSERT INTO page_contents (url_id) SELECT url_id FROM urls LIMIT 1")
    assert not said(left_out={"version": 2})


def test_a_lower_probability_is_named_where_it_lets_hosts_go(two):
    db, counts = two[0].database, two[1] | {"flagged_pairs": 1, "held_back": 1}
    for why, is_said in ((drops.UNLIKE, False), (drops.UNLIKELY, True)):
        db.execute("INSERT INTO held (why) VALUES ($why)", {"why": drops.HELD[why]})
        found = " ".join(notes.notes_of(db, Settings(), counts))
        assert ("--min-probability lets less likely go" in found) is is_said


def test_hosts_to_keep_that_are_not_loaded_are_named_with_the_nearest(two):
    db, counts = two[0].database, two[1] | {"flagged_pairs": 1}

    def said(keep: str) -> list[str]:
        found = notes.notes_of(db, Settings(keep=keep), counts)
        return [note for note in found if note.startswith("--keep")]

    assert said("bnk.com,links") == [
        "--keep: 1 host that it names is not loaded: bnk.com (the nearest name here: bank.com)"
    ]
    (many,) = said("x.com,BANK.com,https://b.com/,y.com,z.com,q.com")
    assert many.startswith(
        "--keep: 4 hosts that it names are not loaded: x.com, y.com, z.com and 1"
    )
    assert not said("http://BANK.com,links") and not said("links")


@pytest.mark.slow
def test_text_that_was_loaded_is_not_asked_for_and_a_lower_threshold_until_one_is_given(web, write):
    result = web.load(write("t.csv", TEXT.format(role="content")), content=True)
    assert result.notes == result.warnings == []
    with pairs_alone(notes=True):
        lines = web.detect(clusters="none", min_probability=0.9).notes
    assert [note for note in lines if "--page-method minhash" in note]
    result = web.detect()  # by minhash, unasked
    assert not [note for note in [*lines, *result.notes] if "--content" in note]
    (note,) = (note for note in result.notes if "--threshold 0.4" in note)
    assert "replicadb fingerprint" in note and "--page-method minhash" in note
    assert not [note for note in web.detect().notes if "for near duplicates:" in note]
    for threshold, is_said in ((0.4, True), (0.05, False)):
        web.fingerprint("minhash", threshold=threshold)
        found = notes.notes_of(web.database, Settings(clusters="minhash"), result.counts)
        said = [note for note in found if "--threshold" in note]
        assert bool(said) is is_said and all("0.05, where" in note for note in said)


@pytest.mark.slow
def test_clusters_on_too_many_hosts_name_the_option_until_it_is_used(web, write):
    rows = "".join(f"http://h{n}.com/,sha1:aa\n" for n in range(4))
    web.load(write("crawl.csv", "url,digest\n" + rows))
    with pairs_alone(notes=True):
        found, none = (
            [note for note in notes if "skipped_clusters" in note]
            for notes in (
                web.detect(max_cluster_hosts=most, min_probability=0.9).notes for most in (3, 0)
            )
        )
    (note,) = found
    assert note.startswith("1 dup-cluster stands") and "--max-cluster-hosts" in note
    assert not none


@pytest.mark.slow
def test_nothing_flagged_names_what_flags_more(web, write):
    rows = [f"http://h{n}.com/{page},{n}-{page}\n" for n in range(9) for page in range(9)]
    rows += [f"http://h{n}.com/licence,licence\n" for n in range(9)]
    web.load(write("crawl.csv", "url,digest\n" + "".join(rows)))
    result = web.detect()
    assert result.counts["flagged_pairs"] == 0 < result.counts["candidate_pairs"]
    (line,) = [note for note in result.notes if "--min-probability" in note]
    assert "--max-wrong" not in line, "none of them is likely enough for it, whatever it is"
    for left_out, said in ({}, True), ({"thin": 1}, False):
        noted = notes.notes_of(web.database, Settings(), result.counts | {"left_out": left_out})
        assert any("likely enough to be" in note for note in noted) is said
    asked = notes.notes_of(web.database, Settings(min_probability=0.9), result.counts)
    assert not any("--min-prob" in note for note in asked)


@pytest.mark.slow
def test_results_older_than_the_loads_warn_and_say_what_to_do(small_detected, tmp_path, write):
    path = shutil.copy(small_detected, tmp_path / "web.duckdb")
    with replicadb.open(path) as web:
        assert web.notes == []
        web.load(write("b.csv", "url\nhttp://b.com/\n"))
        (note,) = web.notes
        assert f"replicadb detect {path}" in note
        for view in (web.replicas, web.flagged_hosts, web.groups):
            with pytest.warns(UserWarning, match="since the last detection"):
                view()
        only_pairs(web)
        assert web.notes == []


def test_flags_that_no_paper_defines_are_called_ours(two):
    """Algorithms 3 and 4 take the first n and leave n open."""
    db, counts = two[0].database, two[1] | {"flagged_pairs": 1}
    for method in ("paper", "thesis"):
        assert [n for n in notes.notes_of(db, Settings(method=method), counts) if "is ours" in n]
        first = notes.notes_of(db, Settings(method=method, first=1), counts)
        assert not [n for n in first if "--first" in n]


def test_answers_are_asked_for_where_the_number_of_replicas_is_hardly_known(web):
    for fewest, most, decided, said in (
        (10, 356, {}, True),
        (10, 10 * CONSTANTS.hardly_known, {}, True),
        (10, 10 * CONSTANTS.hardly_known - 1, {}, False),
        (0, 4, {}, False),  # next to none, and that is known
        (0, 40, {}, True),
        (10, 356, {"decided_pairs": 0}, True),  # a pin decides no pair
    ):
        counts = {"estimated_at_least": fewest, "estimated_at_most": int(most), **decided}
        found = notes._hardly_known(web.database, counts)
        assert [f"{fewest} to {int(most)} pairs" in note for note in found] == [True] * said
        assert all(f"replicadb review {web.database.path}" in note for note in found)
    assert notes._hardly_known(web.database, {}) == []  # method paper


def test_answers_that_change_most_flags_are_told_with_both_numbers(two):
    web, settings = two[0], Settings()
    db = web.database

    def notes_at(now: int, given=settings) -> list[str]:
        found = notes.notes_of(db, given, two[1] | {"flagged_pairs": now})
        return [note for note in found if "the last detection" in note]

    for before, now, said in (
        *((438, 55, True), (40, 60, False), (40, 61, True)),
        *((40, 19, True), (1, 4, False), (0, 9, True)),
    ):
        run_log.record(db, "detect", 0.0, settings.as_dict(), {"flagged_pairs": before})
        assert notes_at(now) == [], "nothing was answered"
        web.decide("bank.com", "b.com", True)
        assert notes_at(now) == [], "what was not drawn teaches nothing"
        db.execute("UPDATE decisions SET source = 'review'")
        line = f"flagged {counted(before, 'pair')}, this one {now}:"
        assert [line in note for note in notes_at(now)] == [True] * said
        assert notes_at(now, settings.with_changes(max_wrong=0.2)) == [], "the settings are others"
        db.execute("DELETE FROM decisions")


def test_more_wrong_flags_than_the_least_probability_lets_come_are_told(two):
    db, counts = two[0].database, two[1] | {"flagged_pairs": 1}
    db.execute("INSERT INTO pattern_scores (score_id, probability, n) VALUES (1, .7, 9), (2, 1, 9)")

    def said(**given) -> list[str]:
        found = notes.notes_of(db, Settings().with_changes(**given), counts)
        return [note for note in found if "--max-wrong" in note and "no pair below" in note]

    (note,) = said(max_wrong=0.2)
    assert note.startswith(
        "no pair below a probability of 0.8 is flagged, so --max-wrong 0.2 flags"
    )
    assert not said() and not said(max_wrong=0.1)
    assert not said(max_wrong=0.2, min_probability=0.5)
    db.execute("UPDATE pattern_scores SET probability = .9 WHERE score_id = 1")
    assert not said(max_wrong=0.2)
    db.execute("INSERT INTO evidence_weights (feature) VALUES ($1)", [OF_FILES])
    assert "no pair below a probability of 0.94" in said(max_wrong=0.2)[0]


def test_fewer_wrong_flags_than_half_a_one_are_not_promised(two):
    """--max-wrong .001 left as many flags as .01 and said nothing."""
    db, counts = two[0].database, two[1] | {"flagged_pairs": 1}
    db.execute("DELETE FROM pattern_scores")
    db.execute(
        "INSERT INTO pattern_scores (score_id, probability, n) VALUES (1, .96, 9), (2, 1, 9)"
    )

    def said(**given) -> list[str]:
        found = notes.notes_of(db, Settings().with_changes(**given), counts)
        return [note for note in found if "half a wrong flag" in note]

    assert not said(max_wrong=0.01), "five features alone are flagged from .8 on"
    db.execute("INSERT INTO evidence_weights (feature) VALUES ('evidence')")
    (note,) = said(max_wrong=0.01)
    assert "so --max-wrong 0.01 flags no fewer; --min-probability" in note
    assert not said(max_wrong=0.025) and not said() and not said(max_wrong=0.2)
    assert not said(max_wrong=0.01, min_probability=0.5)


def test_pairs_at_equal_paths_of_which_nothing_tells_what_they_are(web, write):
    """Three sites with forty paths in common and ten contents, as languages with one set of pages
    that nobody translated; three more of which titles are known, and three with lengths.
    """
    rows = "".join(
        f"http://{site}{known}.net/{known}/{n}-{chr(97 + n % 26)},"
        f"{'c' if n < 10 else site}{known}{n},"
        f"{f'Page {n}' if known == 'title' else ''},{900 + n if known == 'length' else ''}\n"
        for known in ("", "title", "length")
        for site in ("one", "two", "three")
        for n in range(40)
    )
    others = "".join(f"http://s{k}.org/{n},s{k}-{n},,\n" for k in range(40) for n in range(3))
    web.load(write("crawl.csv", f"url,digest,title,length\n{rows}{others}"))
    detected = web.detect(min_probability=0.01)
    assert detected.counts["flagged_pairs"] == 9
    (said,) = [note for note in detected.notes if "may be of translations or versions" in note]
    assert said.startswith("3 flagged pairs with the same paths and mostly other contents")
