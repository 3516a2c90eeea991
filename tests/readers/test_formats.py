"""Sample files of real crawlers load, or are told in one line; one page from three kinds of source
is one page. (Every file is read by test_real_archives.py and test_cdx.py.)
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.readers import formats

from .tables import captures, problems

pytestmark = pytest.mark.slow

NO_CRAWL = re.compile(r"\.(json|log|html)$|\.paths\.gz$|/test-segments/|/empty\.warc$")
BROKEN = (
    "aut/badexample.arc.gz",
    "resiliparse/clipped.warc.gz",
    "solrwayback/Evil-Warc-Headers.warc",
    "warcio/bad.arc",
    "solrwayback/transfer_compression_none_truncated.warc.gz",
    "warcio/example-space-in-url.arc",
)
WHOLE = (
    "pywb/bad.cdx",
    "warcio.js/example-bad-length.warc",
    "warcio/example-bad.warc.gz.bad",
)  # only other readers stop there


SAME_PAGES = ("pywb/dupes.warc.gz", "pywb/dupes.cdx", "pywb/dupes.cdxj")
"""An archive and two indexes of it; of larger ones the digests are compared in
test_real_archives.py.
"""
FAILS = "pywb/invalid_example_1.wacz"
OTHERS = (
    "aut/badexample.arc.gz",
    "webarchive-discovery/Mona_Lisa.html",
    "hawarp/heritrix1-crawl-job1.log",
    "commoncrawl-whirlwind/whirlwind.warc.wat",
    "derived/cc-index/table/cc-main/warc/crawl=CC-MAIN-2024-22/subset=warc/"
    "part-00000-sample.c000.gz.parquet",
)
"""One of each format that none of those has, and one that is no crawl."""
LOADED = {FAILS, *SAME_PAGES, *OTHERS}
READ = LOADED | {
    "cdx_toolkit/ia-cdx-server-response.txt",
    "commoncrawl-whirlwind/whirlwind.warc.gz",
    "commoncrawl-whirlwind/whirlwind.warc.wet",
    "derived/whirlwind.cdx11",
    "derived/whirlwind.cdxj",
}


def samples(folder: Path) -> list[Path]:
    """One file of each kind, one of each crawler, and those that are named above."""
    chosen = sorted(folder / name for name in READ)
    seen = {key for path in chosen for key in keys(folder, path)}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if not seen >= keys(folder, path):
            chosen.append(path)
            seen |= keys(folder, path)
    return sorted({*chosen})


def keys(folder: Path, path: Path) -> set[tuple[str, ...]]:
    """A file's crawler and its kind."""
    return {("of", path.relative_to(folder).parts[0]), ("kind", *path.suffixes[-2:])}


@pytest.fixture(scope="module")
def everything(shared, tmp_path_factory):
    """The sample files that are named here in one database, what the load said, and their
    folder.
    """
    folder = tmp_path_factory.mktemp("formats")
    for name in LOADED:
        linked = folder / "samples" / name
        linked.parent.mkdir(parents=True, exist_ok=True)
        linked.symlink_to(shared / "formats" / name)
    with replicadb.open(folder / "web.duckdb") as web:
        yield web, web.load(folder / "samples"), folder / "samples"


def test_the_samples_load_from_first_to_last_file(everything):
    web, result, folder = everything
    files = [source.name for source in formats.expand([str(folder)])]
    refused = {line.split(": ")[0] for line in result.unrecognised + result.failed} | set(
        result.known
    )
    loaded = set(web.database.column("SELECT source FROM sources"))
    assert loaded | refused == set(files) and not loaded & refused
    assert result.sources == len(LOADED) - 2 and result.kept > 25 and result.rejected > 0


def test_a_sample_of_each_kind_and_each_crawler_is_read(staged, shared):
    """What is none of a crawl is told in one line."""
    read, rows = 0, 0
    for path in samples(shared / "formats"):
        try:
            found = staged(path)
        except DataError as error:
            assert "\n" not in str(error)
            no_crawl = NO_CRAWL.search(str(path)) or path.name.endswith(formats.SIDE_FILES)
            assert no_crawl or str(path).endswith(FAILS), error
            continue
        assert all(row["url"] or row["problem"] for row in found)
        assert len({row["position"] for row in found}) == len(found)
        read, rows = read + 1, rows + len(found)
    assert read > 35 and rows > 1_000


def test_what_is_left_out_is_no_crawl_and_what_fails_is_reported_in_one_line(everything):
    _, result, _ = everything
    assert [line for line in result.unrecognised if not NO_CRAWL.search(line.split(": ")[0])] == []
    assert (
        len(result.failed) == 1
        and "invalid_example_1.wacz: no WARC file in its archive/ folder" in result.failed[0]
    )
    assert all("\n" not in line for line in result.unrecognised + result.failed + result.warnings)


def test_counts_add_up_for_every_file_and_in_all(everything):
    web, result, _ = everything
    assert (
        web.database.rows(
            "SELECT source FROM sources WHERE read <> kept + replaced + skipped + rejected"
        )
        == []
    )
    assert (
        web.database.rows(
            """SELECT source FROM sources JOIN (SELECT source_id, count(*) AS n FROM rejects
                GROUP BY 1) USING (source_id)
                                WHERE n <> rejected"""
        )
        == []
    )
    assert result.read == result.kept + result.replaced + result.skipped + result.rejected
    assert web.database.value("SELECT count(*) FROM urls") == result.kept


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_sample_ends_in_counted_rejects(staged, shared, name):
    assert problems(staged(shared / "formats" / name))


@pytest.mark.parametrize("name", WHOLE)
def test_a_sample_at_which_others_stop_is_read_whole(staged, shared, name):
    rows = staged(shared / "formats" / name)
    assert captures(rows) and problems(rows) == []


def test_the_same_captures_from_warc_cdx_and_cdxj_have_one_fingerprint(everything):
    web, _, folder = everything
    found = [
        set(
            web.database.rows(
                """SELECT origin || path, fingerprint_kind, fingerprint FROM (FROM urls
                    UNION ALL BY NAME FROM superseded)
                                      JOIN origins USING (origin_id)
                                          JOIN sources USING (source_id) WHERE source = ?
                                          AND fingerprint IS NOT NULL""",
                [str(folder / name)],
            )
        )
        for name in SAME_PAGES
    ]
    assert found[0] and found[0] <= found[1] | found[2]
    common = (
        {url for url, *_ in found[0]}
        & {url for url, *_ in found[1]}
        & {url for url, *_ in found[2]}
    )
    assert common
    for url in common:
        assert {row for rows in found for row in rows if row[0] == url} == {
            row for row in found[0] if row[0] == url
        }


def test_an_odd_line_break_in_a_value_ends_no_line(write):
    path = write("odd.jsonl", '{"title": "a\u2028b", "url": "http://a.example/"}\n')
    assert formats.recognise(path) == "jsonl"


def test_of_an_unpacked_wacz_the_archive_counts_and_lists_of_its_pages_do_not(web, tmp_path):
    """They have no digests, and the later times of the browser."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage"
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.com/\r\n"
        f"WARC-Date: 2024-05-01T10:00:00Z\r\nContent-Length: {len(page)}\r\n\r\n"
    )
    late = '"2024-05-01T10:00:03Z"'
    files = {
        "archive/a.warc": head.encode() + page + b"\r\n\r\n",
        "pages/pages.jsonl": f'{{"url": "http://a.com/", "ts": {late}}}\n'.encode(),
        "logs/x.log": f'{{"timestamp": {late}, "details": {{"page": "http://a.com/"}}}}\n'.encode(),
    }
    for name, content in files.items():
        (tmp_path / "crawl" / name).parent.mkdir(parents=True)
        (tmp_path / "crawl" / name).write_bytes(content)
    result = web.load(tmp_path / "crawl")
    assert (result.kept, result.replaced, result.failed) == (1, 0, [])
    assert [line.rpartition("crawl/")[2].split(":")[0] for line in result.unrecognised] == [
        "logs/x.log",
        "pages/pages.jsonl",
    ]
    result = web.load(tmp_path / "crawl/pages/pages.jsonl")
    (said,) = (line for line in result.warnings if "had a fingerprint" in line)
    assert "pages.jsonl: 1 URL had a fingerprint, and the newer capture here has none" in said
