"""What text a URL has: its own or that of its content, whatever the order of loads and unloads."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("resiliparse")
pytest.importorskip("selectolax")

from load.contents import record

import replicadb
from replicadb.errors import DataError
from replicadb.near_duplicates.loaded_contents import (
    came_unclustered,
    has_contents,
    stage_near_contents,
    stage_texts,
)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
TEXTS = """
    SELECT o.origin || u.path AS url, t.url_id IN (FROM compared_texts SELECT url_id) AS compared,
        t.* EXCLUDE (url_id)
    FROM texts_of_urls AS t JOIN urls AS u USING (url_id) JOIN origins AS o USING (origin_id)
    ORDER BY ALL"""
TERMS = """
    SELECT o.origin || u.path AS url, field, term, n
    FROM compared_terms JOIN terms USING (term_id)
    JOIN urls AS u USING (url_id) JOIN origins AS o USING (origin_id)
    ORDER BY ALL"""
ANCHORS = """
    SELECT o.origin || u.path AS url, to_url, anchor
    FROM compared_anchors JOIN urls AS u USING (url_id) JOIN origins AS o USING (origin_id)
    ORDER BY ALL"""


def digest(n: int) -> str:
    """The base32 of some SHA-1."""
    return "A" * 30 + LETTERS[n // 32] + LETTERS[n % 32]


def captured(
    url: str, n: int, day: int = 1, text: str | None = None, title: str | None = None
) -> bytes:
    """A page of that digest, or a revisit of it where there is no text."""
    http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    body = (
        ""
        if text is None
        else f"<title>{title or text}</title><p>{text}</p><a href=l>to {title or text}</a>"
    )
    return record(
        "revisit" if text is None else "response",
        url,
        (http + body).encode(),
        "application/http; msgtype=response",
        f"WARC-Payload-Digest: sha1:{digest(n)}",
        f"WARC-Date: 2024-01-{day:02}T00:00:00Z",
    )


def line(url: str, n: int, day: int = 1) -> str:
    return f"{url},sha1:{digest(n)},202401{day:02},text/html,200\n"


HEAD = "url,digest,timestamp,mime,status\n"
URLS = [f"http://{host}.example/p{n}" for host in "abc" for n in range(4)]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Files whose captures have contents of each other: of one digest in two files the texts are
    not even equal.
    """
    folder = tmp_path_factory.mktemp("texts")
    files = {
        "pages.warc": b"".join(captured(u, n, 1, f"one {n}") for n, u in enumerate(URLS[:6]))
        + captured(URLS[0], 20, 3, "newer"),
        "more.warc": b"".join(captured(u, n, 2, f"two {n}") for n, u in enumerate(URLS[3:9])),
        "revisits.warc": b"".join(captured(u, n, 4) for n, u in enumerate(URLS[2:10])),
        "own.warc": captured("http://d.example/", 30, 1, "older")
        + captured("http://d.example/", 31, 2, "newest")
        + b"".join(captured(f"http://{host}.example/r", 30, 3) for host in "ed")
        + captured("http://f.example/", 32, 1, "again")
        + captured("http://f.example/", 32, 2),
        "index.csv": (HEAD + "".join(line(u, n, 5) for n, u in enumerate(URLS[4:]))).encode(),
        "lines.csv": (
            HEAD + "".join(line(f"http://x.example/{n}", n) for n in (*range(12), 30, 32))
        ).encode(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return {name: folder / name for name in files}


def state(web) -> list:
    """What is known of texts, without ids."""
    with web.database.temporary():
        stage_texts(web.database)
        return [web.database.rows(query) for query in (TEXTS, TERMS, ANCHORS)]


def fresh(crawl, names) -> list:
    with replicadb.open(":memory:") as web:
        web.load(*(crawl[name] for name in sorted(names)), content=True)
        return state(web)


@pytest.mark.slow
def test_no_order_of_loads_and_unloads_shows_in_texts(crawl):
    """pages.warc is loaded before more.warc, whose texts of the same digests are others; and it is
    taken out, which lends to files that borrow. Of own.warc, see below.
    """
    with replicadb.open(":memory:") as web:
        web.load(crawl["pages.warc"], crawl["index.csv"], content=True)
        later = ("revisits.warc", "more.warc", "lines.csv")
        web.load(*(crawl[name] for name in later), content=True)
        web.unload(str(crawl["pages.warc"]))
        assert state(web) == fresh(crawl, {*later, "index.csv"})


def by_url(web) -> dict[str, tuple[bool, str]]:
    """Whether it is compared, and its text."""
    return {url: (compared, row[4]) for url, compared, *row in state(web)[0]}


def test_a_line_of_an_index_has_the_text_and_is_compared_where_its_url_had_it(crawl):
    with replicadb.open(":memory:") as web:
        web.load(crawl["lines.csv"], crawl["index.csv"])
        assert not by_url(web) and not has_contents(web.database)
        web.load(crawl["pages.warc"], content=True)
        found = by_url(web)
        assert found["http://x.example/3"] == (False, "one 3\nto one 3")
        assert "http://x.example/0" not in found  # replaced in its own file
        assert "http://x.example/9" not in found and found[URLS[1]] == (True, "one 1\nto one 1")
        found = web.similar("http://x.example/3", method="exact").to_dicts()
        assert URLS[3] in {row["url"] for row in found}
        with pytest.raises(DataError, match="its content was not loaded"):
            web.similar("http://x.example/9", method="exact")


def test_a_page_whose_newest_capture_is_a_line_of_an_index_keeps_its_text_and_links(web, write):
    url = "http://a.example/p"
    (one, two) = (write("a.warc", captured(url, 1, 1, "here")), write("b.csv", HEAD))
    two.write_text(HEAD + line(url, 1, 5))
    web.load(one, content=True)
    before = state(web)
    web.load(two)
    assert state(web) == before and before[2]
    assert web.info()["page_contents"] == 1
    two.write_text(HEAD + line(url, 2, 6))
    web.load(two)
    assert not state(web)[0] and not has_contents(web.database)


def test_texts_of_captures_that_are_not_stored_stay_with_their_revisits(crawl):
    """Of d.example/ the older capture is replaced in its own file; of f.example/, too."""
    with replicadb.open(":memory:") as web:
        assert web.load(crawl["own.warc"], content=True).contents == 4
        found = by_url(web)
        assert {url: text.split("\n")[0] for url, (_, text) in found.items()} == {
            "http://d.example/": "newest",
            "http://d.example/r": "older",
            "http://e.example/r": "older",
            "http://f.example/": "again",
        }
        assert {url for url, *_ in state(web)[2]} == {"http://d.example/", "http://f.example/"}
        assert web.database.value("SELECT count(*) FROM page_contents") == 3


def test_many_equals_are_stored_once(web, write):
    """What borrows costs no row, however many borrow."""
    lines = HEAD + "".join(line(f"http://x{n}.example/", 1) for n in range(300))
    web.load(write("i.csv", lines), write("a.warc", captured(URLS[0], 1, 1, "here")), content=True)
    assert web.database.value("SELECT count(*) FROM page_contents") == 1
    assert web.database.value("SELECT count(*) FROM page_terms") < 20
    assert len(by_url(web)) == 301 and web.info()["page_contents"] == 1


WORDS = [f"w{i}" for i in range(3000)]


def titled_page(name: str, title: str) -> str:
    draw = random.Random(name)
    return f"{title} {' '.join(draw.choice(WORDS) for _ in range(60))}"


@pytest.mark.slow
def test_texts_that_came_after_their_index_hold_a_host_back(tmp_path):
    """An index shares 14 pages with an archive, and has other contents at six of its paths, under
    the same titles; their texts stand elsewhere in the archive.
    """
    pages, lines = [], ["url,digest,timestamp,mime,title\n"]
    for group in range(2):
        for i in range(20):
            n, title = group * 100 + i, f"Title {group} number {i}"
            same = titled_page(f"{n}", title)
            pages.append(captured(f"http://long-name-a{group}.com/p{i}", n, 1, same, title))
            if i >= 14:
                other = titled_page(f"{n} other", title)
                pages.append(captured(f"http://archive{group}.net/q{i}", n + 50, 1, other, title))
            of = n if i < 14 else n + 50
            url = f"http://www.b{group}.org/p{i}"
            lines.append(f"{url},sha1:{digest(of)},20240101,text/html,{title}\n")
        for i in range(20, 40):
            url = f"http://long-name-a{group}.com/p{i}"
            title = f"T{group} {i}"
            pages.append(
                captured(url, group * 100 + i, 1, titled_page(f"{group} {i}", title), title)
            )
    (tmp_path / "w.warc").write_bytes(b"".join(pages))
    (tmp_path / "i.csv").write_text("".join(lines))
    with replicadb.open(":memory:") as web:
        for name in ("i.csv", "w.warc"):
            web.load(tmp_path / name, content=True)
        web.detect()
        assert not len(web.flagged_hosts())
        held = web.sql("SELECT why FROM held_hosts")["why"].to_list()
    assert held.count("pages at the same paths differ") == 2


OTHERS = """
    SELECT count(*)
    FROM near_contents_now JOIN urls USING (url_id) JOIN hosts USING (host_id)
    WHERE host NOT IN ('a.net', 'b.net')"""


def crawl_file(folder, name: str, rows: list[tuple[str, str, int]]):
    """URL, digest and year of each capture."""
    lines = [
        "url,digest,timestamp",
        *(f"http://{url},{digest},{year}" for url, digest, year in rows),
    ]
    (folder / name).write_text("\n".join(lines))
    return folder / name


def near_now(db, hosts: str | None) -> set[tuple[str, str, str]]:
    """Host, path and cluster of the pages of two hosts; of others there is none where they alone
    are asked for.
    """
    with db.temporary():
        stage_near_contents(db, hosts)
        assert hosts is None or not came_unclustered(db) or db.value(OTHERS) == 0
        rows = db.rows(
            """SELECT h.host, u.path, n.fingerprint_kind || n.fingerprint
            FROM near_contents_now AS n
            JOIN urls AS u USING (url_id) JOIN hosts AS h USING (host_id)
            WHERE h.host IN ('a.net', 'b.net')"""
        )
    assert len(rows) == len(set(rows))
    return set(rows)


def test_near_contents_of_some_hosts_are_those_that_all_have(tmp_path):
    """After a later load, in which pages came again, at other hosts, and with new digests."""
    first = [(f"{h}.net/{n}", f"{h if n == 1 else ''}d{n}", 2020) for h in "abc" for n in range(4)]
    later = [("a.net/0", "d0", 2021), ("a.net/1", "new", 2021), ("b.net/9", "d2", 2021)]
    later += [("d.net/9", "d3", 2021), ("b.net/8", "cd1", 2021), ("b.net/7", "unseen", 2021)]
    two = "SELECT host_id FROM hosts WHERE host IN ('a.net', 'b.net')"
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(crawl_file(tmp_path, "first.csv", first))
        web.detect()
        web.database.execute(
            """INSERT INTO near_contents BY NAME
            SELECT url_id, 'near:minhash' AS fingerprint_kind, fingerprint
            FROM urls WHERE path <> '/0'"""
        )
        before = near_now(web.database, None)
        assert len(before) == 6 and near_now(web.database, two) == before
        web.load(crawl_file(tmp_path, "later.csv", later))
        every = near_now(web.database, None)
        assert near_now(web.database, two) == every and len(every - before) >= 2
