"""What crawlers write beside archives, in the lines that they write: Nutch, Heritrix, browsertrix,
StormCrawler and Elasticsearch; whole, cut off, in other encodings and with other orders of columns.

Tries crawl_log, too.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import DataError

from .tables import captures, problems

FIXTURES = Path(__file__).parents[2] / "fixtures"
SKIPS = "SELECT reason, n FROM skips ORDER BY reason"
MD5 = "5d41402abc4b2a76b9719d911017c592"
NUTCH = "\n".join(
    [
        "Url,Status code,Status name,Fetch Time,Modified Time,Retries since fetch,"
        "Retry interval seconds,Retry interval days,Score,Signature,Metadata",
        *(
            f'"http://a.com/{n}",{n},"{name}",Mon Mar 09 10:16:25 UTC 2015,'
            f'Thu Jan 01 00:00:00 UTC 1970,0,2592000.0,30.0,1.0,"{signature}",'
            '"_pst_:success(1), lastModified=0|||Content-Type:text/html|||"'
            for n, name, signature in [
                (1, "db_unfetched", "null"),
                (2, "db_fetched", MD5),
                (3, "db_gone", "null"),
                (4, "db_redir_temp", "null"),
                (6, "db_notmodified", MD5),
                (7, "db_duplicate", MD5),
            ]
        ),
    ]
)
SHA1 = "sha1:KMCIAOLW74QORCY3YR67IOPQCHLYD6ZA"
HERITRIX = f"""\
2013-05-22T08:17:27.889Z     1         57 dns:a.com P http://a.com/ text/dns #048 \
20130522081726618+296 {SHA1} - content-size:57
2013-05-22T08:17:28.485Z   404        287 http://a.com/no P http://a.com/ text/html #046 \
20130522081728235+236 {SHA1} - content-size:490
2013-05-22T08:17:28.834Z   200        164 http://a.com/ - - text/html #048 \
20130522081728799+9 {SHA1} - content-size:441,3t
2013-05-22T08:17:29.001Z -9998          - http://a.com/private L http://a.com/ unknown #001 - - - -
2013-05-22T08:17:29.209Z   200        607 http://a.com/b L http://a.com/ text/html #047 \
20130522081729146+13 {SHA1} http://a.com/ warcRevisit:digest {{"warcFilename":"x.warc.gz"}}
"""
LIST_OF_PAGES = "\n".join(
    [
        '{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}',
        '{"id": "YrM", "url": "https://a.com/", "ts": "2022-01-18T04:54:32Z", "title": "A",'
        ' "loadState": 4, "status": 200, "mime": "text/html", "text": "hello"}',
        '{"id": "QS8", "url": "https://a.com/b", "ts": "2022-01-18T04:54:33Z", "title": "B"}',
    ]
)
LOG = "\n".join(
    json.dumps(
        {
            "logLevel": "info",
            "timestamp": "2023-02-23T20:29:46.594Z",
            "context": context,
            "message": message,
            "details": details,
        }
    )
    for context, message, details in [
        ("general", "Seeds", [{"url": "https://a.com/"}]),
        ("worker", "Starting page", {"workerid": 0, "page": "https://a.com/"}),
        ("pageStatus", "Page Finished", {"loadState": 4, "page": "https://a.com/"}),
        ("pageGraph", "Page graph data for successfully crawled page", {"url": "https://a.com/b"}),
    ]
)
STORM = "\n".join(
    json.dumps(
        {
            "_index": "status",
            "_id": url,
            "_score": 1,
            "_source": {
                "url": url,
                "status": status,
                "metadata": {
                    "hostname": "a.com",
                    "signature": [MD5],
                    "url.path": ["http://x/"],
                    **({"_redirTo": ["/moved"]} if status == "REDIRECTION" else {}),
                },
                "nextFetchDate": "2024-01-02T00:00:00.000Z",
            },
        }
    )
    for url, status in [
        ("http://a.com/", "FETCHED"),
        ("http://a.com/2", "DISCOVERED"),
        ("http://a.com/3", "FETCH_ERROR"),
        ("http://a.com/4", "REDIRECTION"),
    ]
)
KATANA = "\n".join(
    json.dumps(
        {
            "timestamp": "2025-03-01T10:00:00Z",
            "request": {"method": "GET", "endpoint": url, "source": "http://a.com/", "body": "q"},
            **rest,
        }
    )
    for url, rest in [
        ("http://a.com/", {"response": {"status_code": 200, "headers": {}, "body": "hello"}}),
        ("http://a.com/no", {"response": {"status_code": 404, "headers": {}, "body": "no"}}),
        ("http://a.com/down", {"error": "context deadline exceeded"}),
    ]
)


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """All of them in one database, each a load of its name; and the result of each load."""
    folder = tmp_path_factory.mktemp("exports")
    results = {}
    with replicadb.open(folder / "web.duckdb") as web:
        for label, name, text in (
            ("nutch", "part-r-00000", NUTCH),
            ("heritrix", "crawl.log", HERITRIX),
            ("pages", "pages.jsonl", LIST_OF_PAGES),
            ("log", "crawl.log", LOG),
            ("storm", "hits.jsonl", STORM),
            ("katana", "katana.jsonl", KATANA),
        ):
            # Each has a host of its own, so that none replaces what another one says of a page.
            (folder / label).mkdir()
            (folder / label / name).write_text(text.replace("a.com", f"{label}.com"))
            results[label] = web.load(folder / label / name, label=label)
        results["nutch's"] = web.load(FIXTURES / "nutch_readdb.csv", label="nutch's")
        yield web, results


def pages(web, label: str, *columns: str) -> list[tuple]:
    """Of the pages of a load, the columns; its host is a.com again."""
    rows = web.database.rows(
        f"SELECT url, {', '.join(columns)} FROM pages JOIN sources USING (source)"
        " JOIN loads USING (load_id) WHERE loads.name = ? ORDER BY url",
        [label],
    )
    return [(url.replace(f"{label}.com", "a.com"), *rest) for url, *rest in rows]


def skips(web, label: str) -> list[tuple]:
    return web.database.rows(
        "SELECT reason, n FROM skips JOIN sources USING (source_id) JOIN loads USING (load_id)"
        " WHERE loads.name = ? ORDER BY reason",
        [label],
    )


KIND, WHEN = "fingerprint_kind", "fetched_at::VARCHAR"


@pytest.mark.slow
def test_nutchs_dump_has_its_own_header_status_words_and_dates(exports):
    web, results = exports
    when = "2015-02-07 10:16:25"  # due again after the interval, 30 days later
    assert pages(web, "nutch", KIND, WHEN) == [
        (f"http://a.com/{n}", "md5", when) for n in (2, 6, 7)
    ]
    assert skips(web, "nutch") == [
        ("redirect", 1), ("status 404", 1), ("status db_unfetched", 1),
    ]  # fmt: skip
    (line,) = results["nutch"].columns
    assert "Fetch Time less Retry interval seconds is when it was fetched" in line


@pytest.mark.slow
def test_heritrix_log_is_an_index(exports):
    web, results = exports
    assert pages(web, "heritrix", KIND) == [("http://a.com/", "sha1"), ("http://a.com/b", "sha1")]
    assert skips(web, "heritrix") == [
        ("look-up of a name", 1), ("status -9998", 1), ("status 404", 1),
    ]  # fmt: skip
    assert results["heritrix"].rejected == 0


@pytest.mark.slow
def test_heritrix_logs_of_the_samples_are_read(staged, shared):
    logs = sorted((shared / "formats" / "hawarp").glob("*.log"))
    found = [staged(log) for log in logs]
    assert any(captures(rows) for rows in found)
    for rows in found:
        assert all(problem.startswith("skip: ") for *_, problem in problems(rows))


@pytest.mark.slow
def test_browsertrix_lists_of_pages_and_logs(exports):
    web, _ = exports
    assert pages(web, "pages", KIND, WHEN) == [
        ("https://a.com/", "sha1", "2022-01-18 04:54:32"),
        ("https://a.com/b", None, "2022-01-18 04:54:33"),
    ]
    assert skips(web, "pages") == [("header of a list of pages", 1)]
    assert pages(web, "log") == [("https://a.com/",), ("https://a.com/b",)]
    assert skips(web, "log") == [("line of a log", 2)]


@pytest.mark.slow
def test_katanas_results_are_responses_and_what_failed_was_not_fetched(exports):
    web, _ = exports
    hello = hashlib.sha1(b"hello").hexdigest()
    assert pages(web, "katana", "fingerprint") == [("http://a.com/", hello)]
    assert skips(web, "katana") == [("not fetched", 1), ("status 404", 1)]


@pytest.mark.slow
def test_stormcrawlers_status_index_as_elasticsearch_hits(exports):
    web, _ = exports
    assert pages(web, "storm", "fingerprint") == [("http://a.com/", MD5)]
    assert skips(web, "storm") == [
        ("redirect", 1), ("status discovered", 1), ("status fetch_error", 1),
    ]  # fmt: skip


@pytest.mark.slow
def test_stormcrawlers_redirects_are_links_and_its_next_fetch_is_no_time_of_one(exports):
    web, _ = exports
    assert web.database.rows("SELECT to_url, kind FROM links WHERE from_host = 'storm.com'") == [
        ("http://storm.com/moved", "redirect")
    ]
    assert pages(web, "storm", "fetched_at") == [("http://a.com/", None)]


def test_a_whole_answer_of_elasticsearch_is_read_as_its_hits_are(staged, write):
    hits = [json.loads(line) for line in STORM.splitlines()]
    answer = json.dumps({"took": 3, "hits": {"hits": hits}}, indent=1)
    whole, lines = staged(write("answer.json", answer)), staged(write("hits.jsonl", STORM))
    assert whole == lines and len(lines) == 4


@pytest.mark.slow
def test_nutchs_time_is_when_a_page_is_due_again_and_the_last_fetch_an_interval_before(web, write):
    """As its -format json writes it, and told otherwise; the dump's is tried above."""
    row = {
        "url": "http://b.com/",
        "statusName": "db_fetched",
        "fetchTime": "Mon Mar 09 10:16:25 UTC 2015",
        "retryIntervalSeconds": 86400,
        "signature": MD5,
    }
    path = write("dump.jsonl", json.dumps(row))
    times = "SELECT fetched_at::VARCHAR FROM pages WHERE host = 'b.com'"
    web.load(path, label="json")
    assert web.database.rows(times) == [("2015-03-08 10:16:25",)]
    web.load(path, label="json", columns={"interval": None}, force=True)
    assert web.database.rows(times) == [("2015-03-09 10:16:25",)]


STATUSES = [
    ("moved(12), lastModified=0: http://b.com/new?a=1,2", "http://b.com/new?a=1,2"),
    ("temp_moved(13), lastModified=1425910585000: https://b.com/", "https://b.com/"),
    ("moved(12), lastModified=0", None),
    ("success(1), lastModified=0", None),
    ("exception(16), lastModified=0: http://b.com/", None),
]
"""What Nutch's ProtocolStatus.toString says of a fetch, and where it redirects."""


def test_where_a_redirect_leads_nutch_says_among_its_metadata(staged, write, web):
    head = NUTCH.splitlines()[0]
    for before in ("", "note:moved(12), lastModified=0: x|||"):
        cells = [f"{before}_pst_:{said}|||Content-Type:text/html|||" for said, _ in STATUSES]
        rows = [
            f'"http://a.com/{n}",5,"db_redir_perm",Mon Mar 09 10:16:25 UTC 2015,'
            f'Thu Jan 01 00:00:00 UTC 1970,0,2592000.0,30.0,1.0,"null","{cell}"'
            for n, cell in enumerate(cells)
        ]
        found = staged(write("part-r-00000", "\n".join([head, *rows]) + "\n"))
        assert [row["redirect"] for row in found] == [target for _, target in STATUSES]
    web.load("part-r-00000")
    assert web.info()["redirects"] == 2 and web.info()["rejects"] == 0


@pytest.mark.parametrize("lines", [True, False])
def test_nutchs_metadata_in_json_say_it_too(staged, write, lines):
    row = {"url": "http://a.com/", "fetchTime": "", "retryIntervalSeconds": 1, "metadata": {}}
    rows = [row | {"metadata": {"_pst_": said, "_rs_": "1"}} for said, _ in STATUSES]
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    found = staged(write("dump", text))
    assert [row["redirect"] for row in found] == [target for _, target in STATUSES]


def test_nutchs_dump_as_text_is_told_from_a_table(staged, write):
    text = "http://a.com/\tVersion: 7\nStatus: 2 (db_fetched)\nScore: 0.0\nMetadata: \n \n\n"
    with pytest.raises(DataError, match="it is Nutch's readdb -dump as text"):
        staged(write("part-r-00000", text))


def test_nutchs_columns_may_stand_in_any_order(staged, write):
    rows = [
        ["Signature", "Status name", "Status code", "Url"],
        [MD5, "db_fetched", "2", "http://a.com/"],
        ["null", "db_gone", "3", "http://a.com/x"],
    ]
    found = staged(write("a.csv", "\n".join(map(",".join, rows))))
    assert [(row["url"], row["status"], row["problem"]) for row in found] == [
        ("http://a.com/", "db_fetched", None), ("http://a.com/x", "db_gone", None),
    ]  # fmt: skip


def n_lines(text: str) -> int:
    """Without a header."""
    return text.rstrip("\n").count("\n") + (text is not NUTCH)


def wrong(rows: list[dict]) -> list[str]:
    """The problems but for what is passed over as it is no page."""
    return [problem for *_, problem in problems(rows) if not problem.startswith("skip: ")]


@pytest.mark.parametrize("text", [NUTCH, HERITRIX, LIST_OF_PAGES, LOG, STORM])
def test_cut_off_or_of_another_encoding_no_line_is_lost(staged, write, text):
    cut = staged(write("cut", text.rstrip("\n")[:-9]))
    assert len(cut) == n_lines(text)
    latin = staged(write("latin", text.replace("a.com/", "a.com/é?").encode("latin-1")))
    assert len(latin) == n_lines(text) and wrong(latin) == []


@pytest.mark.parametrize("text", [NUTCH, HERITRIX, LOG, STORM])
def test_a_cut_archive_costs_its_last_line(staged, write, text):
    rows = staged(write("cut.gz", gzip.compress(text.encode())[:-12]))
    assert len(wrong(rows)) == 1 and len(rows) == n_lines(text)


def test_keys_may_stand_in_any_order(staged, write):
    turned = [dict(reversed(json.loads(line).items())) for line in STORM.splitlines()]
    rows = staged(write("turned.jsonl", "\n".join(map(json.dumps, turned))))
    assert rows == staged(write("hits.jsonl", STORM)) and len(rows) == 4


NUTCHS_PAGES = {
    "http://a.com/": 0,
    "http://a.com/a,b": 1,
    "http://a.com/p?q=1&r=%22x%22": 2,
    "http://a.com/qxy": 3,  # was q"x"y: Nutch does not double quotation marks
    "http://a.com/%E9t%E9": 4,
    "http://a.com/%E5,": 5,  # of two characters Nutch wrote the lower byte
    "https://b.org:8443/x;y": 6,
    "http://a.com/nm": 11,
    "http://a.com/dup": 12,
    "http://a.com/empty-meta": 14,
    "http://a.com/quoted-meta": 15,
    "http://a.com/line-meta": 16,
}
"""The URLs that were fetched, and the numbers of their records (fixtures/README.md)."""


@pytest.mark.slow
def test_what_nutch_wrote_of_our_records_is_read_as_it_was_put_in(exports):
    web, results = exports
    began = datetime(2015, 3, 9, 10, 16, 25)
    assert pages(web, "nutch's", "fingerprint", "fetched_at") == [
        (url, hashlib.md5(f"page{n}".encode()).hexdigest(), began + timedelta(hours=n))
        for url, n in sorted(NUTCHS_PAGES.items())
    ]
    assert skips(web, "nutch's") == [
        ("redirect", 2), ("status 404", 1), ("status db_orphan", 1), ("status db_unfetched", 1),
    ]  # fmt: skip
    assert (results["nutch's"].read, results["nutch's"].rejected) == (17, 0)


@pytest.mark.slow
def test_what_elasticdump_wrote_of_a_status_index_is_read_as_it_was_put_in(web):
    result = web.load(FIXTURES / "stormcrawler_status.jsonl")
    assert web.database.rows(
        "SELECT url, title, fetched_at::DATE::VARCHAR FROM pages ORDER BY url"
    ) == [
        ("http://a.com/", 'Title "of" 0', "2024-01-01"),
        ("http://a.com/%C3%A9%E6%97%A5", 'Title "of" 2', "2024-01-03"),
        ("http://a.com/q%22x%22,y", 'Title "of" 1', "2024-01-02"),
        ("http://b.org/", 'Title "of" 7', "2024-01-08"),
    ]
    (columns,) = result.columns
    assert "signature as fingerprint" in columns and "parse%2EContent-Type as mime" in columns
    given = ["http://a.com/", "http://a.com/é日", 'http://a.com/q"x",y', "http://b.org/"]
    assert web.database.column("SELECT fingerprint FROM pages ORDER BY url") == [
        hashlib.sha256(url.encode()).hexdigest()[:32] for url in given
    ]
    assert web.database.column("SELECT to_url FROM links ORDER BY to_url") == [
        "http://a.com/target", "https://c.net/x%22y",
    ]  # fmt: skip
    assert web.database.rows(SKIPS) == [
        ("redirect", 2), ("status discovered", 1), ("status error", 1), ("status fetch_error", 1),
    ]  # fmt: skip
