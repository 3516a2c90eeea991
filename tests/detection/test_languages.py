"""Languages tell translations: by pages at the same places, and by what most pages are in."""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import shutil

import pytest

import replicadb
from replicadb.cli.explain_text import text_of
from replicadb.cli.review_text import text_of as review_text_of
from replicadb.model import Host
from replicadb.stage_constants import KIND_NUMBERS

from .crawls import csv_of, only_pairs

PLACES = range(24)
EQUAL = 8
"""Pages that stand at each host unchanged."""
LIKELY = 0.0001
"""Every candidate is likely enough to be flagged."""


def pages(host: str, language: dict[int, str] | str, places=PLACES, equal=range(EQUAL)):
    """URL, digest and language of a host's pages; only the equal ones have other hosts' bytes."""
    return [
        (
            f"http://{host}/page-of-{chr(97 + n)}",
            f"c{n}" if n in equal else f"{host}{n}",
            language if isinstance(language, str) else language.get(n, ""),
        )
        for n in places
    ]


GUESSED = {n: "fr" if n % 8 == 7 else "en" for n in PLACES}
"""A guesser errs on three of 24 pages."""
BOTH = {n: "en" if n % 2 else "de" for n in PLACES}
HOSTS = {
    "docs.net": pages("docs.net", "en-GB"),
    "german.net": pages("german.net", "de"),
    "changed.net": pages("changed.net", GUESSED),
    "wrong.net": [  # equal bytes are in one language, whatever is said of them
        (f"http://wrong.net/page-of-{chr(97 + n)}", f"docs.net{n}" if n >= EQUAL else f"w{n}", "fr")
        for n in PLACES
    ],
    "silent.net": pages("silent.net", ""),
    "nothing.net": pages("nothing.net", "und"),
    "letters.net": pages("letters.net", "deu"),
    "few.net": pages("few.net", {20: "fr"}),
    "both.net": pages("both.net", BOTH, equal=range(2, 6)),
    "half.net": pages("half.net", BOTH, range(0, 24, 2), equal=range(2, 6)),
}


@contextlib.contextmanager
def loaded(folder, rows, name="crawl.csv"):
    with open(folder / name, "w") as out:
        csv.writer(out).writerows([("url", "digest", "language"), *rows])
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / name)
        yield web


@pytest.fixture(scope="module")
def detected(tmp_path_factory):
    """A database of HOSTS, detected; copy it before you change it."""
    folder = tmp_path_factory.mktemp("languages")
    with loaded(folder, itertools.chain(*HOSTS.values())) as web:
        web.detect(min_probability=LIKELY)
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def web(detected):
    with replicadb.open(detected, read_only=True) as web:
        yield web


def pair(web, a: str, b: str, column: str):
    query = f"SELECT {column} FROM replicas WHERE host_a = $a AND host_b = $b"
    return web.database.value(query, dict(zip("ab", sorted((a, b)), strict=True)))


def test_pages_at_the_same_places_in_other_languages_make_a_translation(web):
    assert pair(web, "docs.net", "german.net", "kind") == "translation"
    assert pair(web, "docs.net", "german.net", "flagged") is False
    main = 2 * (1 - 24 / 25)
    found = pair(web, "docs.net", "german.net", "same_language")
    assert found == pytest.approx(main / (24 - EQUAL + 2))


@pytest.mark.parametrize(
    ("host", "same"),
    [
        ("changed.net", (14 + 2 * 21 / 25) / 18),  # two guesses of the changed pages are wrong
        ("wrong.net", (2 * (1 - 24 / 25)) / (EQUAL + 2)),
        ("silent.net", None),
        ("nothing.net", None),
        ("letters.net", None),
        ("few.net", (0 + 2 * 0.5) / 3),  # one page says nothing
    ],
)
def test_no_translation_is_what_is_not_surely_in_another_language(web, host, same):
    found = pair(web, "docs.net", host, "same_language")
    assert found == (None if same is None else pytest.approx(same, rel=1e-6))
    assert pair(web, "docs.net", host, "kind") == "replica"
    assert pair(web, "docs.net", host, "flagged")


def test_half_a_copy_of_a_site_in_two_languages_is_in_one_with_it(web):
    """The half is in German, of the whole nobody can say."""
    assert pair(web, "both.net", "half.net", "kind") != "translation"
    assert pair(web, "both.net", "half.net", "same_language") > 0.9


def test_models_say_the_same_of_hosts_known_and_new(web):
    model = web.model()
    rows = web.database.rows("SELECT host_a, host_b, kind, flagged FROM replicas")
    assert {kind for _, _, kind, _ in rows} == {"translation", "replica"} and len(rows) > 30
    for a, b, kind, flagged in rows:
        score = model.score_pair(a, b)
        assert (score.kind, score.flagged) == (kind, flagged)
    new = [
        Host(
            "german.net",
            [
                {"path": "/" + url.split("/", 3)[3], "fingerprint": digest, "language": said}
                for url, digest, said in pages("german.net", said)
            ],
            complete=True,
        )
        for said in ("de-AT", "en", "")
    ]
    kinds = [{m.host: m.kind for m in model.lookup(host)}["docs.net"] for host in new]
    assert kinds == ["translation", "replica", "replica"]


def test_it_is_told_in_plain_words(web):
    found = web.explain("german.net", "docs.net")
    assert (
        "they look like a translation, since they are in different languages;" in found["verdict"]
    )
    assert found["languages"] == [
        {"host": "docs.net", "language": "en", "pages": 24, "spoken": 24},
        {"host": "german.net", "language": "de", "pages": 24, "spoken": 24},
    ]
    line = "languages: docs.net en (24 of 24 pages), german.net de (24 of 24 pages)"
    text = text_of(found)
    assert line in text and "changed pages in the same language: 0.00" in text
    assert line in review_text_of(found, 200)
    other = text_of(web.explain("silent.net", "nothing.net"))
    assert "language" not in other


def test_main_languages_tell_where_those_of_pages_were_not_kept(detected, tmp_path):
    """As after loads by an older version: what most pages are in is known host by host."""
    with replicadb.open(shutil.copy(detected, tmp_path)) as web:
        web.database.execute("DELETE FROM internal.page_languages")
        web.database.execute("DELETE FROM stages")
        only_pairs(web, 5, min_probability=LIKELY)
        assert pair(web, "docs.net", "german.net", "kind") == "translation"
        assert pair(web, "docs.net", "german.net", "same_language") == pytest.approx(1 - 24 / 25)
        assert pair(web, "docs.net", "changed.net", "kind") == "replica"
        assert KIND_NUMBERS.translated_language > 1 - 24 / 25


def test_a_newer_language_counts_and_leaves_with_its_load(tmp_path):
    def said():
        return web.database.rows(
            "SELECT language, count(*) FROM urls JOIN page_languages USING (url_id) GROUP BY 1"
        )

    with loaded(tmp_path, HOSTS["german.net"]) as web:
        assert said() == [("de", 24)]
        with open(tmp_path / "newer.csv", "w") as out:
            rows = [(*row[:2], "fr", "2024-05-01") for row in HOSTS["german.net"]]
            csv.writer(out).writerows([("url", "digest", "language", "timestamp"), *rows])
        web.load(tmp_path / "newer.csv", label="newer")
        assert said() == [("fr", 24)]
        web.unload("newer")
        assert said() == [("de", 24)]
        assert web.database.value("SELECT count(*) FROM page_languages") == 24


def test_languages_of_an_index_are_those_of_the_same_captures_in_a_table(tmp_path):
    """Common Crawl's CDXJ says them as its Parquet does; other lines say none."""
    said = ["eng,deu", "deu", "", "-", None]
    of_index, of_table = (
        [
            {"url": f"http://{host}.com/{n}", "digest": f"{host}{n}"}
            | ({"languages": x} if x is not None else {})
            for n, x in enumerate(said)
        ]
        for host in ("index", "table")
    )
    lines = (f"com,index)/{n} 20240101000000 {json.dumps(x)}\n" for n, x in enumerate(of_index))
    (tmp_path / "a.cdxj").write_text("".join(lines))
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(x) + "\n" for x in of_table))
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "a.cdxj", tmp_path / "a.jsonl")
        found = web.database.rows(
            "SELECT host, path, language FROM urls JOIN page_languages USING (url_id)"
            " JOIN hosts USING (host_id) ORDER BY ALL"
        )
    assert found == [
        (f"{host}.com", path, language)
        for host in ("index", "table")
        for path, language in (("/0", "eng"), ("/1", "deu"))
    ]


SAID = ("one.com", "two.net", "three.org", "four.de")
SILENT = ("five.com", "six.net", "seven.org", "eight.de")
"""Hosts whose last captures are of an index, which says neither canonical links nor languages."""


def said(hosts: tuple[str, ...], time: int) -> list[tuple]:
    """Captures of a time: canonical links and languages are others than before, one redirect is as
    before.
    """
    rows = []
    for number, host in enumerate(hosts):
        for page in range(12):
            target = f"http://{hosts[(number + time + page % 2) % 4]}/p{page}"
            language = ("de", "en", "fr")[(number + time * page) % 3]
            digest = f"{hosts[0]}{page}" if page < 9 else host
            rows.append((f"http://{host}/p{page}", time, 200, digest, "", target, language))
        other = f"http://{hosts[number - 1]}/p1"
        rows.append((f"http://{host}/old", time, 301, "", other, "", ""))
    if hosts is SILENT and time == 3:
        rows = [(*row[:-2], "", "") for row in rows]
    return [(url, f"2026010{time}000000", *row) for url, time, *row in rows]


def written(tmp_path, *captures: tuple[tuple[str, ...], int]) -> str:
    """A file of what hosts say at a time."""
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.csv"
    rows = [row for hosts, time in captures for row in said(hosts, time)]
    path.write_text(csv_of(rows, "url,timestamp,status,digest,redirect,canonical,language"))
    return str(path)


@contextlib.contextmanager
def loaded_from(tmp_path, *files: str):
    """A database of its own of these files, loaded in this order."""
    with replicadb.open(tmp_path / f"{len(list(tmp_path.iterdir()))}.duckdb") as web:
        for path in files:
            web.load(path)
        yield web


def evidence_in(web) -> dict[tuple[str, ...], list[tuple]]:
    """Of SAID and of SILENT, pair by pair, how canonical links and languages of two agree."""
    only_pairs(web)
    rows = web.sql(
        "SELECT host_a, host_b, canonical, same_language FROM candidate_pairs"
        " ORDER BY host_a, host_b"
    ).rows()
    return {hosts: [row for row in rows if row[0] in hosts] for hosts in (SAID, SILENT)}


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    """What captures of three times say when they are loaded in one file; in three, the oldest
    first; and in three, the newest first, and of the others the older first or last. Also what
    the first two of three say.
    """
    folder = tmp_path_factory.mktemp("orders")
    every = itertools.product((SAID, SILENT), (1, 2, 3))
    with loaded_from(folder, written(folder, *every)) as web:
        whole = evidence_in(web)
    one, two, three = (written(folder, (SAID, time), (SILENT, time)) for time in (1, 2, 3))
    with loaded_from(folder, one, two) as web:
        before = evidence_in(web)
        web.load(three)
        oldest_first = evidence_in(web)
    mixed = (written(folder, (SAID, 1), (SILENT, 2)), written(folder, (SAID, 2), (SILENT, 1)))
    with loaded_from(folder, three, *mixed) as web:
        return whole, oldest_first, evidence_in(web), before


def test_captures_of_a_url_in_several_files_say_what_they_say_in_one(orders):
    whole, oldest_first, newest_first, _ = (found[SAID] for found in orders)
    assert len(whole) == 6 and all(value is not None for row in whole for value in row)
    assert oldest_first == newest_first == whole


def test_what_a_newer_file_does_not_say_of_a_url_the_one_before_says(orders):
    """An index after an archive."""
    _, oldest_first, newest_first, before = (found[SILENT] for found in orders)
    assert len(oldest_first) == 6 and oldest_first == newest_first
    assert [row[2] for row in oldest_first] == [row[2] for row in before]
    assert None not in [row[3] for row in oldest_first]
