"""Which capture of a URL counts, and what is kept of a source; a large one is not copied."""

from __future__ import annotations

import itertools
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from web.test_machine_files import CASES as MACHINE

import replicadb
from replicadb.load import capture_store

from .loaded import BASE32, MD5, SHA1, adds_up, contents, rows


@pytest.mark.slow
def test_the_newest_capture_of_a_url_wins_whatever_the_order(web, write):
    """A site for each order; the i-th file has the i-th capture of each."""
    orders = list(itertools.permutations([("2021", "old"), ("2023", "new"), ("", "undated")]))
    web.load(
        *(
            write(
                f"{i}.csv",
                "url,digest,timestamp\n"
                + "".join(
                    f"http://a{n}.com/,{order[i][1]},{order[i][0]}\n"
                    for n, order in enumerate(orders)
                ),
            )
            for i in range(3)
        )
    )
    assert rows(web, "SELECT host, fingerprint FROM pages ORDER BY host") == [
        (f"a{n}.com", "new") for n in range(6)
    ]
    assert rows(web, "SELECT sum(kept), sum(replaced), count(*) FROM sources") == [(6, 12, 3)]


@pytest.mark.slow
def test_between_captures_of_the_same_time_or_none_the_last_loaded_wins(web, write):
    captures = {"a.csv": ["first"], "b.csv": ["second", "third"]}
    web.load(
        *(
            write(
                name,
                "url,digest,timestamp\n"
                + "".join(
                    f"http://a.com/{time},{digest},{time}\n"
                    for time in ("", "2020")
                    for digest in digests
                ),
            )
            for name, digests in captures.items()
        )
    )
    assert rows(web, "SELECT fingerprint FROM urls") == [("third",), ("third",)]


MIXED = """url,status,mime,redirect
http://a.com/1,200,text/html,
http://a.com/2,200,TEXT/HTML; charset=utf-8,
http://a.com/3,,application/xhtml+xml,
http://a.com/4,200,text/plain,
http://a.com/5,200,application/pdf,
http://a.com/6,200,,
http://a.com/7,200,unk,
http://a.com/8,200,image/png,
http://a.com/9,404,text/html,
http://a.com/10,301,text/html,../moved
http://a.com/11,302,text/html,https://www.b.com
"""


@pytest.mark.slow
def test_pages_are_kept_redirects_are_evidence_and_the_rest_is_counted(web, write):
    result = web.load(write("a.csv", MIXED), pages_only=True)
    assert (result.read, result.kept, result.skipped) == (11, 7, 4)
    assert dict(rows(web, "SELECT reason, n FROM skips")) == {
        "type image/png": 1,
        "status 404": 1,
        "redirect": 2,
    }
    assert rows(
        web, "SELECT from_host, from_url, to_host, to_url, kind FROM links ORDER BY from_url"
    ) == [
        ("a.com", "http://a.com/10", "a.com", "http://a.com/moved", "redirect"),
        ("a.com", "http://a.com/11", "www.b.com", "https://www.b.com/", "redirect"),
    ]


@pytest.mark.slow
def test_a_file_that_is_no_page_is_kept_apart(web, write):
    result = web.load(write("a.csv", MIXED))
    assert (result.read, result.kept, result.skipped, result.assets) == (11, 8, 3, 1)
    assert "type image/png" not in dict(rows(web, "SELECT reason, n FROM skips"))
    assert len(rows(web, "FROM pages")) == 7 and (web.info()["urls"], web.info()["assets"]) == (
        7,
        1,
    )
    assert rows(web, "SELECT mime FROM urls WHERE asset") == [("image/png",)]


def test_what_a_crawler_notes_of_its_work_is_no_file(web, write):
    crawl = "url,mime\nhttp://a.com/,text/html\nhttp://a.com/dns,text/dns\n"
    assert web.load(write("a.csv", crawl)).skipped == 1


@pytest.mark.slow
def test_all_types_keeps_the_rest_too_but_redirects_stay_evidence(web, write):
    result = web.load(write("a.csv", MIXED), all_types=True)
    assert (result.kept, result.skipped) == (9, 2)


@pytest.mark.slow
def test_machine_files_are_no_pages_and_are_counted_by_kind(web, write):
    lines = ["url,mime,digest"] + [
        f"http://example.{i}.com{path},{mime or ''},sha1:{i}"
        for i, (path, mime, _) in enumerate(MACHINE)
    ]
    result = web.load(write("crawl.csv", "\n".join(lines)), label="left")
    kinds = Counter(kind for _, _, kind in MACHINE if kind)
    assert result.machine_files == kinds
    assert result.kept == sum(kind is None for _, _, kind in MACHINE)
    assert dict(rows(web, "SELECT reason, n FROM skips WHERE reason LIKE 'machine file: %'")) == {
        f"machine file: {kind}": n for kind, n in kinds.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, 3),
        ({"pages_only": True}, 2),
        ({"machine_files": True}, 4),
        ({"all_types": True}, 4),
    ],
)
def test_machine_files_are_kept_on_demand_and_with_all_types(web, write, options, kept):
    crawl = write(
        "crawl.csv",
        "url,mime\nhttp://a.com/robots.txt#top,text/plain\nhttp://a.com/sitemap,text/html\n"
        "HTTP://A.com/sitemap.xml,text/html\nhttp://a.com/favicon.ico,image/x-icon\n",
    )
    assert web.load(crawl, **options).kept == kept


@pytest.mark.slow
def test_a_redirect_is_resolved_against_the_url_it_came_from(web, write):
    web.load(
        write(
            "a.csv",
            "url,status,location\nhttp://a.com/x/y,301,z?q=1#f\n"
            "http://a.com/x/y2,301,//b.com\nhttp://a.com/y3,301,mailto:x\n",
        )
    )
    assert rows(web, "SELECT to_url FROM links ORDER BY 1") == [
        ("http://a.com/x/z?q=1",),
        ("http://b.com/",),
    ]


def _awkward(folder) -> list:
    """A crawl in two Parquet files and an index with revisits: URLs again, odd and impossible ones,
    other types, a bad digest.
    """
    urls = [
        "http://a.com/x",
        "http://a.com/x",
        "http://a.com/x#part",
        "HTTP://A.com:80/x",
        "http://a.com/sub/y",
        "https://b.co.uk:8080/",
        "http://b.co.uk/z",
        "ftp://c.com/",
        None,
        "http://c.com/out",
        "http://c.com/img",
        "http://www.a.com/x",
    ]
    table = {
        "url": urls,
        "digest": [
            SHA1,
            BASE32,
            None,
            "my-own",
            SHA1.upper(),
            MD5,
            "-",
            SHA1,
            SHA1,
            SHA1,
            SHA1,
            f"sha1:{BASE32}",
        ],
        "timestamp": pa.array([5, 7, 6, None, 1, 2, 3, 4, 5, 6, 7, 8], pa.timestamp("us")),
        "status": pa.array(
            [200, 200, 200, 200, 404, 200, 200, 200, 200, 301, 200, None], pa.int32()
        ),
        "mime": ["text/html"] * 10 + ["image/png", "Text/HTML; charset=x"],
        "ip": ["1.2.3.4", "1.2.3.5", None, "x"] * 3,
        "redirect": [None] * 9 + ["/in"] + [None] * 2,
    }
    pq.write_table(pa.table(table), folder / "1.parquet")
    later = {
        **table,
        "timestamp": pa.array([n * 1_000_000_000 + 999 for n in range(12)], pa.timestamp("ns")),
        "title": [f" t  {n}" for n in range(12)],
    }
    pq.write_table(pa.table(later), folder / "2.parquet")
    (folder / "3.cdxj").write_text(
        "".join(
            f'com,d)/{n} 2024010100000{n} {{"url": "http://d.com/{n % 3}", "mime": "{mime}",'
            f' "digest": "{BASE32}"}}\n'
            for n, mime in enumerate(["warc/revisit", "text/html", "warc/revisit", "image/png"])
        )
    )
    return [folder / name for name in ("1.parquet", "2.parquet", "3.cdxj")]


@pytest.mark.slow
def test_a_large_source_is_not_copied_and_comes_out_the_same(tmp_path, write, monkeypatch):
    files, excluded, found = _awkward(tmp_path), str(write("no.txt", "c.com\n")), []
    for n, rows_copied in enumerate((capture_store.COPIED_ROWS, -1)):
        monkeypatch.setattr(capture_store, "COPIED_ROWS", rows_copied)
        with replicadb.open(tmp_path / f"{n}.duckdb") as web:
            counts = [
                vars(web.load(*files, site="host+1", exclude_hosts=excluded)) | {"seconds": 0},
                rows(
                    web,
                    "SELECT source, read, kept, replaced, skipped, rejected FROM sources ORDER BY"
                    " source_id",
                ),
            ]
            assert adds_up(web)
            loaded, replaced = (
                contents(web),
                rows(web, "SELECT path, fetched_at, title FROM superseded ORDER BY ALL"),
            )
            web.unload(str(files[1]))
            found.append((counts, loaded, contents(web), replaced))
    assert found[0] == found[1]
    assert (
        len(found[0][1]["urls"]) >= 5
        and found[0][1]["rejects"]
        and found[0][1]["links"]
        and found[0][3]
    )


@pytest.mark.slow
def test_which_of_two_contents_at_one_time_counts_does_not_depend_on_order(web, write):
    """A site for each order, a file for each place in it; 0 is a capture without a digest."""
    orders = ["".join(order) for order in itertools.permutations("012")]
    for place in range(3):
        rows = "".join(
            f"http://s{order}.example/,2024-01-01,sha1:{order[place] * 40}\n" for order in orders
        ).replace(f"sha1:{'0' * 40}", "")
        web.load(write(f"{place}.csv", "url,timestamp,digest\n" + rows), label=str(place))
    for places in (3, 2, 1):
        stored = web.database.rows("SELECT host, fingerprint FROM pages")
        assert dict(stored) == {
            f"s{order}.example": None if order[:places] == "0" else max(order[:places]) * 40
            for order in orders
        }
        web.unload(str(places - 1))


@pytest.mark.slow
@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_same_holds_within_a_file_and_without_a_time_the_last_counts(web, write, order):
    rows = "".join(f"http://x.example/{{}},{{}},sha1:{str(n) * 40}\n" for n in order)
    timed, untimed = rows.format(*["t", "2024-01-01"] * 2), rows.format(*["u", ""] * 2)
    web.load(write("both.csv", "url,timestamp,digest\n" + timed + untimed))
    found = web.database.column("SELECT fingerprint FROM urls ORDER BY path")
    assert found == ["2" * 40, str(order[1]) * 40]


@pytest.mark.parametrize("order", [("full", "empty"), ("empty", "full")])
@pytest.mark.parametrize("together", [False, True])
def test_without_times_a_page_that_came_empty_takes_no_content_away(web, write, order, together):
    files = {
        "full": "url,digest,title\nhttp://a.com/,aa,Full\n",
        "empty": "url,digest,title\nhttp://a.com/,,Empty\n",
    }
    paths = [write(f"{name}.csv", files[name]) for name in order]
    full = next(path for path in paths if path.name == "full.csv")
    for sources in [paths] if together else [[path] for path in paths]:
        web.load(*sources)
    assert web.sql("SELECT title FROM pages")["title"].to_list() == ["Full"]
    web.unload(str(full))
    assert web.sql("SELECT title FROM pages")["title"].to_list() == ["Empty"]


def test_without_times_a_row_of_a_file_that_is_empty_takes_no_content_away(web, write):
    web.load(write("c.csv", "url,digest,title\nhttp://a.com/,aa,Full\nhttp://a.com/,,Empty\n"))
    assert web.sql("SELECT title FROM pages")["title"].to_list() == ["Full"]
