"""Pages in columns of tables: every format gives the same contents, and what cannot be read costs
one reject.

Tries embedded_pages, too.
"""

from __future__ import annotations

import hashlib
import json
import random

import pytest

pytest.importorskip("resiliparse")
pytest.importorskip("selectolax")

import pyarrow as pa
import pyarrow.parquet as pq

import replicadb
from replicadb.errors import DataError
from replicadb.load import content_store
from replicadb.readers import embedded_pages
from replicadb.web import page_text as extraction
from replicadb.web.html_links import HTML_LIMIT

from .contents import PAGE, dump, response

pytestmark = pytest.mark.slow


LARGE = 1 << 20


ROWS = [
    {"url": "http://a.com/1", "html": PAGE},
    {"url": "http://a.com/2", "html": "plain 中文 ü"},
    {"url": "http://a.com/3", "html": None},
    {"url": "http://a.com/4", "html": "\ufffd" * 99},
    {"url": "mailto:x", "html": PAGE},
    {"url": "http://a.com/5", "html": "x" * (LARGE + 1)},
]


def test_a_table_in_any_format_gives_the_same_contents(tmp_path, web, monkeypatch):
    """Each has a host of its own for its name."""
    names = ("parquet", "bytes.parquet", "jsonl", "csv")
    for name in names:
        rows = [row | {"url": row["url"].replace("a.com", f"{name}.com")} for row in ROWS]
        path, urls, pages = (
            tmp_path / f"x.{name}",
            [row["url"] for row in rows],
            [row["html"] for row in rows],
        )
        if name == "jsonl":
            path.write_text("\n".join(map(json.dumps, rows)))
        elif name == "csv":
            quoted = ['"' + page.replace('"', '""') + '"' if page else "" for page in pages]
            lines = [f"{url},{cell}\n" for url, cell in zip(urls, quoted, strict=True)]
            path.write_text("url,html\n" + "".join(lines))
        else:
            coded = [page and page.encode() for page in pages] if "bytes" in name else pages
            pq.write_table(pa.table({"url": urls, "html": coded}), path)
    monkeypatch.setattr(extraction, "HTML_LIMIT", LARGE)
    result = web.load(*(tmp_path / f"x.{name}" for name in names), content=True)
    assert result.contents == 2 * len(names)
    sources = "SELECT read, kept, rejected FROM sources"
    assert web.database.rows(sources) == [(6, 3, 3)] * len(names)
    assert web.database.rows("SELECT reason, count(*) FROM rejects GROUP BY 1 ORDER BY 1") == [
        ("content: binary data, no text", len(names)),
        ("content: larger than 1 MiB", len(names)),
        ("scheme mailto is not http or https", len(names)),
    ]
    titles = web.database.column("SELECT title FROM urls WHERE path = '/1'")
    assert titles == ["Über uns"] * len(names)
    found = dump(web)["contents"]
    of_each = [
        [row[1:] for row in found if row[0].startswith(f"http://{name}.com/")] for name in names
    ]
    assert all(one == of_each[0] for one in of_each)
    assert [row[4] for row in of_each[0]] == [
        "Wer wir sind\nWir sind viele.\nWeiterFortHoch",
        "plain 中文 ü",
    ]


FORMS = ("parquet", "warc")
TERMS = """SELECT origin || path, field, term, n FROM page_terms JOIN terms USING (term_id)
    JOIN urls USING (url_id) JOIN origins USING (origin_id) ORDER BY ALL"""
ANCHORS = """SELECT origin || path, to_url, anchor FROM anchors JOIN urls USING (url_id)
    JOIN origins USING (origin_id) ORDER BY ALL"""


def of_form(rows: list[tuple], form: str) -> list[list]:
    """What there is of the hosts of that form, without its name."""
    of_it = [row for row in rows if f".{form}.com/" in row[0] and form not in row[1:]]
    return sorted(json.loads(json.dumps(of_it).replace(f".{form}.com/", ".com/")), key=str)


def test_batches_and_slices_do_not_show(write, tmp_path, monkeypatch):
    """Nor does the form in which the same pages come, each on hosts of its own."""
    for form in FORMS:
        rows = [
            {
                "url": f"http://h{i % 7}.{form}.com/p{i}",
                "html": (
                    f"<p>common words {i} {i * i}</p><a href=/l{i % 5}>to {i % 5}</a><a"
                    f" href='HTTP://B.com/{i % 3}'>b</a>"
                ),
            }
            for i in range(20)
        ]
        if form == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet")
        else:
            write("x.warc", b"".join(response(row["url"], row["html"]) for row in rows))
    found = []
    for terms_a_batch, rows_a_slice, threads in ((10**6, 5000, 1), (60, 7, 2)):
        monkeypatch.setattr(content_store, "BATCH_TERMS", terms_a_batch)
        monkeypatch.setattr(embedded_pages, "SLICE_ROWS", rows_a_slice)
        monkeypatch.setattr(embedded_pages, "SLICE_BYTES", terms_a_batch * 100)
        with replicadb.open(f"{threads}.duckdb", threads=threads) as web:
            assert web.load(*(f"x.{form}" for form in FORMS), content=True).contents == 40
            assert web.database.value(
                "SELECT count(DISTINCT term_id) = count(*) AND count(DISTINCT term) = count(*)"
                " FROM terms"
            )
            whole = dump(web)
            found.append(
                {
                    "terms": web.database.rows(TERMS),
                    "vocabulary": whole["vocabulary"],
                    "anchors": web.database.rows(ANCHORS),
                    "contents": [row[:-4] for row in whole["contents"]],
                }
            )
    assert found[0] == found[1] and len(found[0]["anchors"]) == 2 * 40
    for what in ("terms", "anchors", "contents"):
        parquet, warc = (of_form(found[0][what], form) for form in FORMS)
        assert (parquet == warc or what == "contents") and parquet


def test_digests_and_lengths_do_not_hang_on_keeping_the_content(tmp_path):
    named = (
        {"file_row_number": [9, 8, 7, 6, 5]},
        {"digest": ["A", None, "C", None, "E"], "length": [1, None, 3, None, None]},
    )
    for n, more in enumerate(named):
        pages = {
            "url": [f"http://a{n}.com/{i}" for i in range(4)] + [f"mailto:x{n}"],
            "body": [PAGE, None, "gone", "%PDF-1.4", PAGE],
            "mime": ["text/html"] * 3 + ["application/pdf"] * 2,
            "status": [200, 200, 404, 200, 200],
        }
        pq.write_table(pa.table(pages | more), tmp_path / f"{n}.parquet", row_group_size=2)
    found = []
    for content in (False, True):
        with replicadb.open(f"{content}.duckdb") as web:
            web.load(
                *(tmp_path / f"{n}.parquet" for n in range(len(named))),
                content=content,
                all_types=True,
            )
            found.append(
                [
                    web.database.rows(
                        "SELECT url, fingerprint_kind, fingerprint, length FROM pages ORDER BY ALL"
                    ),
                    web.database.rows("SELECT position, url, reason FROM rejects ORDER BY ALL"),
                ]
            )
    assert found[0] == found[1] and len(found[0][0]) == 4 * len(named)
    assert [row[3] for row in found[0][0][3::4]] == [len("%PDF-1.4")] * len(named)


def test_a_column_that_breaks_off_fails_the_file_and_leaves_nothing(tmp_path, web):
    rng = random.Random(1)
    pages = [f"<p>{rng.randbytes(900).hex()}" for _ in range(2000)]
    pq.write_table(
        pa.table({"url": [f"http://a.com/{i}" for i in range(2000)], "html": pages}),
        tmp_path / "x.parquet",
        row_group_size=500,
    )
    whole = bytearray((tmp_path / "x.parquet").read_bytes())
    whole[len(whole) // 2 : len(whole) // 2 + 3000] = rng.randbytes(3000)
    (tmp_path / "x.parquet").write_bytes(whole)
    with pytest.raises(DataError, match=r"x.parquet: cannot be read as parquet: "):
        web.load(tmp_path / "x.parquet", content=True)
    assert not any(map(any, dump(web).values())) and not web.database.value(
        "SELECT count(*) FROM urls"
    )


def test_what_is_wrong_with_a_row_stays_wrong_with_content(write, web):
    path = write(
        "x.csv",
        "url,html\nhttp://a.com/1,<p>one\nhttp://a.com/2,<p>two,EXTRA\nftp://a.com/3,<p>three\n",
    )
    web.load(path, content=True)
    assert web.database.rows("SELECT position, url, reason FROM rejects ORDER BY ALL") == [
        (3, "http://a.com/2", "line has more cells than the header"),
        (4, "ftp://a.com/3", "scheme ftp is not http or https"),
    ]


def test_a_table_without_rows_has_no_pages_and_stops_nothing(write, web):
    write("a.csv", "url,html\n")
    write("b.csv", "url,html\nhttp://a.com/1,<p>one\n")
    result = web.load("a.csv", "b.csv", content=True)
    assert (result.sources, result.contents, result.failed) == (2, 1, [])


def test_pages_too_large_to_read_or_unwanted_never_fill_the_memory(tmp_path, web, monkeypatch):
    monkeypatch.setattr(embedded_pages, "HTML_LIMIT", 1000)
    pages = ["<p>" + "x" * 2000, "<p>" + "y" * 500, "z" * 2000] * 200
    pq.write_table(
        pa.table(
            {
                "url": [f"http://a.com/{i}" for i in range(600)],
                "html": pages,
                "mime": ["text/html", "text/html", "image/png"] * 200,
            }
        ),
        tmp_path / "x.parquet",
    )
    result = web.load(tmp_path / "x.parquet", content=True, all_types=True)
    assert (result.kept, result.contents, result.rejected) == (400, 200, 200)
    assert web.database.column("SELECT DISTINCT reason FROM rejects") == [
        "content: larger than 16 MiB"
    ]
    assert web.database.rows(
        "SELECT DISTINCT length, fingerprint_kind, fingerprint FROM urls WHERE mime = 'image/png'"
    ) == [(2000, "sha1", hashlib.sha1(b"z" * 2000).hexdigest())]


def test_too_little_memory_is_reported_as_that(tmp_path, write, cli):
    pq.write_table(
        pa.table(
            {
                "url": [f"http://a.com/{i}" for i in range(100)],
                "html": ["<p>" + "x" * 545_000] * 100,
                "mime": ["application/pdf"] * 100,
            }
        ),
        tmp_path / "x.parquet",
        use_dictionary=False,
    )
    answer = cli(
        "load", "web.duckdb", "x.parquet", "--content", "--all-types", "--memory-limit", "40MB"
    )
    assert answer.code == 3 and "out of memory" in answer.err and "--memory-limit" in answer.err


def test_bad_pages_cost_one_reject_each(web, write):
    bad = {"binary": bytes(range(256)) * 99, "large": b"<p>" + b"a" * HTML_LIMIT}
    fine = {
        "nested": b"<div>" * 20_000 + b"deep",
        "none": b"",
        "charset": b"<meta charset=utf-16><p>\xe4",
    }
    pages = [response(f"http://a.com/{name}", body) for name, body in (bad | fine).items()] + [
        response("http://a.com/skipped", bad["binary"], status="500 No")
    ]
    write("x.warc", b"".join(pages))
    result = web.load("x.warc", content=True)
    assert (result.read, result.kept, result.skipped, result.rejected, result.contents) == (
        6,
        3,
        1,
        2,
        3,
    )
    assert web.database.rows("SELECT url, reason FROM rejects ORDER BY 1") == [
        ("http://a.com/binary", "content: binary data, no text"),
        ("http://a.com/large", "content: larger than 16 MiB"),
    ]
