"""Which capture of a URL counts, and what is kept of a source; a large one is not copied."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from web.test_machine_files import CASES as MACHINE

import replicadb
from replicadb.load import capture_store

from .loaded import BASE32, MD5, SHA1, adds_up, contents, rows

TIMED = list(itertools.permutations([("2021", "old"), ("2023", "new"), ("", "undated")]))
DRAWN = ["".join(order) for order in itertools.permutations("012")]
"""Orders of captures: the n-th has a site of its own, its i-th capture stands in the i-th file."""


def files_of_captures() -> list[str]:
    """Three files; rows of a URL, a time, a digest and a title."""
    files = [["url,timestamp,digest,title"] for _ in range(3)]
    for i, lines in enumerate(files):
        lines += [f"http://a{n}.com/,{of[i][0]},{of[i][1]}," for n, of in enumerate(TIMED)]
        lines += [
            f"http://s{order}.example/,2024-01-01,sha1:{order[i] * 40},".replace(
                f"sha1:{'0' * 40}",
                "",  # a capture without a digest
            )
            for order in DRAWN
        ]
    for time in ("", "2020"):
        for i, digest in ((0, "first"), (1, "second"), (1, "third")):
            files[i].append(f"http://b.com/{time},{time},{digest},")
    for order in ((1, 2), (2, 1)):
        for path, time in (("t", "2024-01-01"), ("u", "")):
            files[0] += [
                f"http://x{order[0]}.example/{path},{time},sha1:{str(n) * 40}," for n in order
            ]
    for host, full, empty in (("f01", 0, 1), ("f02", 0, 2), ("e02", 2, 0), ("e01", 1, 0)):
        files[full].append(f"http://{host}.com/,,aa,Full")
        files[empty].append(f"http://{host}.com/,,,Empty")
    files[0] += ["http://row.com/,,aa,Full", "http://row.com/,,,Empty"]
    files[0].append("http://told.com/,20240101,aa,said")
    files[1].append("http://told.com/,20240101,aa,")
    return ["\n".join(lines) + "\n" for lines in files]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Of three files of captures, of which two were loaded together: what is stored of each URL,
    by the places of the files that are there; and what was counted.
    """
    folder, found = tmp_path_factory.mktemp("captures"), {}
    paths = [folder / f"{n}.csv" for n in range(3)]
    for path, text in zip(paths, files_of_captures(), strict=True):
        path.write_text(text)
    query = "SELECT url, fingerprint, title FROM pages"
    with replicadb.open(":memory:") as web:
        for here, change in (
            ("01", lambda: web.load(*paths[:2])),
            ("012", lambda: web.load(paths[2])),
            ("counted", lambda: None),
            ("01 again", lambda: web.unload(str(paths[2]))),
            ("1", lambda: web.unload(str(paths[0]))),
        ):
            change()
            found[here] = {url: of for url, *of in web.database.rows(query)}
            if here == "counted":
                found[here] = rows(
                    web, "SELECT sum(read), sum(kept), sum(replaced), count(*) FROM sources"
                )
        yield found


def test_the_newest_capture_of_a_url_wins_whatever_the_order(stored):
    assert [stored["012"][f"http://a{n}.com/"][0] for n in range(6)] == ["new"] * 6
    n_rows, n = sum(text.count("http") for text in files_of_captures()), len(stored["012"])
    assert stored["counted"] == [(n_rows, n, n_rows - n, 3)]


def test_between_captures_of_the_same_time_or_none_the_last_loaded_wins(stored):
    assert [stored["012"][f"http://b.com/{time}"][0] for time in ("", "2020")] == ["third"] * 2


def test_which_of_two_contents_at_one_time_counts_does_not_depend_on_order(stored):
    for here in ("01", "012", "01 again", "1"):
        for order in DRAWN:
            best = max(order[int(place)] for place in here.split()[0])
            expected = None if best == "0" else best * 40
            assert stored[here][f"http://s{order}.example/"][0] == expected, (here, order)


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_same_holds_within_a_file_and_without_a_time_the_last_counts(stored, order):
    timed, untimed = (stored["012"][f"http://x{order[0]}.example/{path}"][0] for path in "tu")
    assert [timed, untimed] == ["2" * 40, str(order[1]) * 40]


def test_without_times_a_page_that_came_empty_takes_no_content_away(stored):
    """Whether it came before or after, with the same load or another."""
    title = lambda here, host: stored[here][f"http://{host}.com/"][1]
    assert {title("012", host) for host in ("f01", "f02", "e02", "e01", "row")} == {"Full"}
    assert title("01 again", "f01") == title("01", "e01") == "Full"
    assert title("01", "e02") == title("01 again", "e02") == title("1", "f01") == "Empty"


def test_of_two_captures_at_one_time_the_one_with_a_title_counts(stored):
    assert stored["012"]["http://told.com/"][1] == "said"


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
http://m.com/robots.txt#top,,text/plain,
http://m.com/sitemap,,text/html,
HTTP://M.com/sitemap.xml,,text/html,
http://m.com/favicon.ico,,image/x-icon,
http://n.com/,,text/html,
http://n.com/dns,,text/dns,
http://r.com/x/y,301,,z?q=1#f
http://r.com/x/y2,301,,//b.com
http://r.com/y3,301,,mailto:x
"""
OPTIONS = {
    "none": {},
    "pages_only": {"pages_only": True},
    "machine_files": {"machine_files": True},
    "all_types": {"all_types": True},
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """MIXED and a host for each of MACHINE, loaded with one of OPTIONS: how many URLs of each host
    are kept, the result, why rows were skipped, and the database.
    """
    path, found = tmp_path_factory.mktemp("mixed") / "a.csv", {}
    cases = [
        f"http://example.{i}.com{at},,{mime or ''},\n" for i, (at, mime, _) in enumerate(MACHINE)
    ]
    path.write_text(MIXED + "".join(cases))

    def loaded(name):
        if name not in found:
            web = opened.enter_context(replicadb.open(":memory:"))
            result = web.load(path, **OPTIONS[name])
            kept = rows(
                web, "SELECT host, count(*) FROM urls JOIN hosts USING (host_id) GROUP BY 1"
            )
            skipped = dict(rows(web, "SELECT reason, n FROM skips"))
            assert (
                result.read
                == result.kept + result.skipped
                == MIXED.lower().count("\nhttp") + len(cases)
            )
            assert result.kept == sum(n for _, n in kept) and result.skipped == sum(
                skipped.values()
            )
            found[name] = dict(kept), result, skipped, web
        return found[name]

    with contextlib.ExitStack() as opened:
        yield loaded


@pytest.mark.slow
def test_pages_are_kept_redirects_are_evidence_and_the_rest_is_counted(mixed):
    kept, _, skipped, web = mixed("pages_only")
    assert kept["a.com"] == 7
    assert {reason: n for reason, n in skipped.items() if "machine" not in reason} == {
        "type image/png": 1,
        "type image/x-icon": 2,
        "type text/dns": 1,
        "type text/xml": 1,
        "status 404": 1,
        "redirect": 5,
    }
    assert rows(
        web, "SELECT * EXCLUDE source_id FROM links WHERE from_host = 'a.com' ORDER BY from_url"
    ) == [
        ("a.com", "http://a.com/10", "a.com", "http://a.com/moved", "redirect"),
        ("a.com", "http://a.com/11", "www.b.com", "https://www.b.com/", "redirect"),
    ]


@pytest.mark.slow
def test_a_file_that_is_no_page_is_kept_apart(mixed):
    kept, result, skipped, web = mixed("none")
    assert (kept["a.com"], result.assets) == (8, 3)
    assert not {"type image/png", "type image/x-icon"} & set(skipped)
    assert len(rows(web, "FROM pages WHERE starts_with(url, 'http://a.com/')")) == 7
    assert (web.info()["urls"], web.info()["assets"]) == (result.kept - 3, 3)
    mimes = "SELECT mime FROM urls WHERE asset ORDER BY 1"
    assert web.database.column(mimes) == ["image/png", "image/x-icon", "image/x-icon"]


def test_what_a_crawler_notes_of_its_work_is_no_file(mixed):
    assert mixed("none")[0]["n.com"] == 1


@pytest.mark.slow
def test_all_types_keeps_the_rest_too_but_redirects_stay_evidence(mixed):
    assert mixed("all_types")[0]["a.com"] == 9 and mixed("all_types")[2]["redirect"] == 5


@pytest.mark.slow
def test_machine_files_are_no_pages_and_are_counted_by_kind(mixed):
    kept, result, skipped, _ = mixed("none")
    kinds = Counter(kind for _, _, kind in MACHINE if kind) + Counter(["robots.txt"])
    assert result.machine_files == kinds
    for i, (_, _, kind) in enumerate(MACHINE):
        assert kept.get(f"example.{i}.com", 0) == (kind is None)
    assert {reason: n for reason, n in skipped.items() if "machine" in reason} == {
        f"machine file: {kind}": n for kind, n in kinds.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("option", "kept"), [*zip(OPTIONS, (3, 2, 4, 4), strict=True)])
def test_machine_files_are_kept_on_demand_and_with_all_types(mixed, option, kept):
    assert mixed(option)[0]["m.com"] == kept


@pytest.mark.slow
def test_a_redirect_is_resolved_against_the_url_it_came_from(mixed):
    found = rows(mixed("none")[3], "SELECT to_url FROM links WHERE from_host = 'r.com' ORDER BY 1")
    assert found == [("http://b.com/",), ("http://r.com/x/z?q=1",)]


TIMES = [n * 1_000_000_000 + 999 for n in (5, 7, 6, 1, 2, 3, 4, 5, 6, 7, 8)]
INDEXED = [
    ("d.com/0", "warc/revisit"),
    ("d.com/1", "text/html"),
    ("d.com/2", "warc/revisit"),
    ("d.com/0", "image/png"),
    ("a.com/x", "text/html"),
    ("b.co.uk/z", "warc/revisit"),
]


def _awkward(folder) -> list:
    """A crawl in a Parquet file and an index with revisits: URLs again, odd and impossible ones,
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
        "timestamp": pa.array([*TIMES[:3], None, *TIMES[3:]], pa.timestamp("ns")),
        "status": pa.array(
            [200, 200, 200, 200, 404, 200, 200, 200, 200, 301, 200, None], pa.int32()
        ),
        "mime": ["text/html"] * 10 + ["image/png", "Text/HTML; charset=x"],
        "ip": ["1.2.3.4", "1.2.3.5", None, "x"] * 3,
        "redirect": [None] * 9 + ["/in"] + [None] * 2,
        "language": ["de", "en", None] * 4,
        "title": [f" t  {n}" for n in range(12)],
    }
    pq.write_table(pa.table(table), folder / "1.parquet")
    (folder / "2.cdxj").write_text(
        "".join(
            f'com,d)/{n} 2024010100000{n} {{"url": "http://{url}", "mime": "{mime}",'
            f' "digest": "{BASE32}"}}\n'
            for n, (url, mime) in enumerate(INDEXED)
        )
    )
    return [folder / name for name in ("1.parquet", "2.cdxj")]


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
            replaced = """SELECT origin, path, fetched_at, fingerprint_kind, fingerprint, title,
                source FROM superseded JOIN origins USING (origin_id) JOIN sources USING (source_id)
                ORDER BY ALL"""
            found.append((counts, contents(web), rows(web, replaced)))
    assert found[0] == found[1]
    assert (
        len(found[0][1]["urls"]) >= 5
        and found[0][1]["rejects"]
        and found[0][1]["links"]
        and found[0][2]
    )


def test_what_a_large_source_keeps_is_planned_without_its_types_a_hundred_times(
    web, write, monkeypatch
):
    """A filter on the outcome has in it all that the outcome comes from."""
    plain, lengths = capture_store._store_captures, []

    def measured(db, *rest):
        query = "SELECT full_url FROM captures WHERE outcome IS NULL"
        lengths.append(len(db.rows(f"EXPLAIN (FORMAT JSON) {query}")[0][1]))
        return plain(db, *rest)

    monkeypatch.setattr(capture_store, "COPIED_ROWS", -1)
    monkeypatch.setattr(capture_store, "_store_captures", measured)
    web.load(write("a.csv", "url,status,mime\nhttp://a.com/1.png,200,\n"))
    assert lengths[0] < 100_000, lengths
