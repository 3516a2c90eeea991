"""Where a list sends a page: to the kept host's page of its content or nowhere, where nobody can
say which one that is; and a whole host only where its pages stand at the same paths.
"""

from __future__ import annotations

import hashlib
import itertools
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import replicadb
from tests.export.list_readers import ublacklist

COPY, KEPT = "copy.net", "kept.com"
SEVERAL = "several URLs of one of the two hosts have their content"
UNKNOWN = "no page of the kept host is known to have their content"
OLDER = "an older capture has a content that the kept URL never had"
NO_DIGEST = "their own content is not known"
ONE_KEY = "another URL has their key in the index, and goes elsewhere or nowhere"
OTHER_KIND = "the kept host has no digest of their kind, so nobody can compare them"
UNTOLD = (
    "an older capture has no digest, or one of a kind that no capture of the kept URL has, so"
    " nobody can tell what it hides"
)
MOVED = "its pages stand at other paths of the kept host, where a redirect would miss them"
REDIRECTS = (
    "nutch-host",
    "nutch-regex",
    "httrack",
    "redirect-map-nginx",
    "redirect-map-apache",
)
MOVED_TO = ((COPY, "/e"), (KEPT, "/f"))
Captures = list[tuple[str, str, str, int]]
"""Host, path, content and year."""


def both(n: int = 12) -> Captures:
    """Pages that two hosts have at the same paths."""
    return [(host, f"/d/{k}", f"d{k}", 2024) for host in (COPY, KEPT) for k in range(n)]


@pytest.fixture
def opened(tmp_path, stages_left_out):
    """A database of some captures, a file a year, in which a host goes for another, whatever a
    detection says: it goes by contents and groups alone.
    """
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        yield partial(fill, web)


def fill(
    web,
    captures: Captures,
    drops: dict[str, str] | None = None,
    together: bool = False,
    site: str = "host",
):
    years = sorted({year for *_, year in captures})
    files = {"all.csv": years} if together else {f"{year}.csv": [year] for year in years}
    for name, of in files.items():
        rows = [f'"http://{h}{p}","{c}",{y}0101000000' for h, p, c, y in captures if y in of]
        Path(name).write_text("url,digest,timestamp\n" + "\n".join(rows))
    web.load(*files, site=site)
    web.detect()
    drops = drops or {COPY: KEPT}
    made = [*drops.items(), *((keep, keep) for keep in dict.fromkeys(drops.values()))]
    members = pl.DataFrame(made, schema=["host", "keep"], orient="row").to_arrow()
    with web.database.transaction(), web.database.registered("made", members):
        web.database.execute("DELETE FROM members")
        web.database.execute(
            """INSERT INTO members BY NAME
            SELECT 1 AS group_id, h.host_id, k.host_id AS canonical_id, 1 AS rank, 1 AS score,
                0.99 AS probability
            FROM made JOIN hosts AS h USING (host) JOIN hosts AS k ON k.host = made.keep"""
        )
    return web


def aliases(web) -> dict[str, str]:
    """Of the dropped host's paths those that have an alias, and where it leads."""
    made = web.export_list("aliases.txt", "outbackcdx")
    lines = [line.split() for line in Path("aliases.txt").read_text().splitlines()]
    assert made.rows == len(lines)
    return {url.partition(COPY)[2]: there for _, url, there in lines}


def table(web) -> dict[str, str | None]:
    """The same of the table of URLs."""
    web.export_list("urls.csv", "urls")
    rows = pl.read_csv("urls.csv").select("url", "same_content_at").iter_rows()
    return {url.partition(COPY)[2]: there for url, there in rows}


def of_both(web) -> dict[str, str]:
    """What both lists say, which is the same."""
    found = aliases(web)
    assert {path: there for path, there in table(web).items() if there} == found
    return found


@pytest.mark.parametrize("several", [COPY, KEPT])
def test_a_content_at_several_paths_of_either_host_is_no_alias(opened, several):
    """Four pages want a login; or the kept host has an error page at four URLs."""
    one = KEPT if several == COPY else COPY
    web = opened(
        both()
        + [(several, f"/login/{n}", "login required", 2024) for n in range(4)]
        + [(one, "/account", "login required", 2024)]
    )
    assert of_both(web) == {f"/d/{n}": f"http://{KEPT}/d/{n}" for n in range(12)}
    made = web.export_list("aliases.txt", "outbackcdx")
    n, example = (4, "/login/0") if several == COPY else (1, "/account")
    assert made.nowhere == {SEVERAL: (n, f"http://{COPY}{example}")}
    assert made.lines()[-1] == (
        f"no alias, {n} page{'s' if n > 1 else ''}: {SEVERAL}, such as http://{COPY}{example}"
    )
    said = web.export_list("urls.csv", "urls").lines()[-1]
    assert said.startswith(f"no same_content_at, {n} page")


def sha1(content: str) -> str:
    return hashlib.sha1(content.encode()).hexdigest()


def md5(content: str) -> str:
    return hashlib.md5(content.encode()).hexdigest()


def test_a_host_all_of_whose_pages_are_in_clusters_has_digests_all_the_same(opened):
    """detect --clusters: only the copy has a page in no cluster. Its digest can be compared."""
    pages = [(host, f"/{p}", sha1(p), 2024) for host in (COPY, KEPT) for p in "abc"]
    web = opened([*pages, (COPY, "/x", sha1("x"), 2024)])
    web.database.execute(
        """INSERT INTO near_contents BY NAME
        SELECT url_id, 'near:minhash' AS fingerprint_kind, path AS fingerprint
        FROM page_urls WHERE path <> '/x'"""
    )
    assert of_both(web) == {f"/{p}": f"http://{KEPT}/{p}" for p in "abc"}
    made = web.export_list("aliases.txt", "outbackcdx")
    assert made.nowhere == {UNKNOWN: (1, f"http://{COPY}/x")}


def test_digests_of_two_kinds_are_no_different_contents(opened):
    """What an MD5 has to do with a SHA-1 nobody can tell; of /f both kinds are known, so it can."""
    pages = [(host, f"/{p}", sha1(p), 2024) for host in (COPY, KEPT) for p in "abcdef"]
    web = opened(
        [
            *pages,
            (COPY, "/a", md5("a"), 2020),
            (COPY, "/b", "", 2021),
            (COPY, "/f", md5("older"), 2020),
            (KEPT, "/f", md5("another"), 2020),
            (COPY, "/x", md5("x"), 2024),
            (COPY, "/y", md5("y"), 2024),
            (KEPT, "/y", sha1("y"), 2024),
            (COPY, "/z", "", 2024),
        ]
    )
    assert of_both(web) == {f"/{p}": f"http://{KEPT}/{p}" for p in "cde"}
    made = web.export_list("aliases.txt", "outbackcdx")
    assert made.nowhere == {
        NO_DIGEST: (1, f"http://{COPY}/z"),
        OTHER_KIND: (2, f"http://{COPY}/x"),
        UNTOLD: (2, f"http://{COPY}/a"),
        OLDER: (1, f"http://{COPY}/f"),
    }
    assert web.export_list("urls.csv", "urls").nowhere == made.nowhere


def test_pages_of_one_key_have_an_alias_where_all_of_them_go_to_one(opened):
    """OutbackCDX takes /A, /a and /a/ for one URL, and moves all captures of a key by an alias."""
    web = opened(
        [
            *both(),
            *((host, "/Top", "top", 2024) for host in (COPY, KEPT)),
            (COPY, "/top/", "of the copy alone", 2024),
            *((host, "/Q?b=1&a=2", "q", 2024) for host in (COPY, KEPT)),
            (COPY, "/q?a=2&b=1&sid=0123456789abcdef", "of the copy alone, too", 2024),
            *((host, "/x", "x", 2024) for host in (COPY, KEPT)),
            *((host, "/X", "X", 2024) for host in (COPY, KEPT)),  # one key there, too
            (COPY, "/%7Euser", "one", 2024),
            (COPY, "/~user", "two", 2024),
            (KEPT, "/one", "one", 2024),
            (KEPT, "/two", "two", 2024),
        ]
    )
    found = aliases(web)
    own = {f"/d/{n}" for n in range(12)}
    assert set(found) == own | {"/x", "/X"}
    made = web.export_list("aliases.txt", "outbackcdx")
    assert made.nowhere == {
        ONE_KEY: (4, f"http://{COPY}/%7Euser"),
        UNKNOWN: (2, f"http://{COPY}/q?a=2&b=1&sid=0123456789abcdef"),
    }
    sent = {path for path, there in table(web).items() if there}
    assert sent == own | {"/x", "/X", "/Top", "/Q?b=1&a=2", "/%7Euser", "/~user"}
    assert set(web.export_list("urls.csv", "urls").nowhere) == {UNKNOWN}


@pytest.mark.parametrize(("site", "other"), [("host", "/4.png"), ("host+1", "/3/")])
def test_a_key_that_a_file_or_a_site_in_a_folder_has_too_is_none_of_an_alias(opened, site, other):
    """An alias would hide the picture, or the page of a site that stays."""
    paths = [f"/{n}" for n in range(12)] + ["/4.png/"] * (site == "host")
    pages = [(host, path, f"c{path}", 2024) for host in (COPY, KEPT) for path in paths]
    web = opened([*pages, (COPY, other, "other", 2024)], site=site)
    taken = "/4.png/" if site == "host" else "/3"
    assert taken in {path for path, there in table(web).items() if there}
    assert set(aliases(web)) == {*paths} - {taken}
    made = web.export_list("aliases.txt", "outbackcdx")
    assert made.nowhere == {ONE_KEY: (1, f"http://{COPY}{taken}")}


def test_no_key_of_an_alias_is_one_of_a_page_that_goes_elsewhere(opened):
    """By the canonicalizer of the Internet Archive, on which that of OutbackCDX is based."""
    library = pytest.importorskip("surt")
    forms = (
        "/{}",
        "/{}/",
        "//{}",
        "/{}?",
        "/{}?x=1&y=2",
        "/{}?y=2&x=1",
        "/{}?PHPSESSID=" + "0" * 32,
    )
    names = ("Ab", "aB", "a%2fb", "%41b", "a;b", "caf%C3%A9", "%ff")
    rows = [
        (host, form.format(name), f"{(n + (host == COPY) * (n % 3 == 0)) % 20}", 2024)
        for n, (form, name) in enumerate(itertools.product(forms, names))
        for host in (COPY, KEPT)
    ]
    web = opened([*both(), *rows])
    found = aliases(web)
    pages = web.sql("SELECT url FROM pages WHERE host = ?", [COPY])["url"].to_list()
    there: dict[str, set[str | None]] = {}
    for url in pages:
        to = found.get(url.partition(COPY)[2])
        there.setdefault(library.surt(url), set()).add(to and library.surt(to))
    sent = [to for to in there.values() if to != {None}]
    assert len(sent) > 12 and all(len(to) == 1 for to in sent)


def test_every_page_without_a_page_of_the_kept_host_is_counted(opened):
    own = [(COPY, f"/own/{n}", f"own {n}", 2024) for n in range(3)]
    twice = [(KEPT, path, "login required", 2024) for path in ("/login", "/enter")]
    web = opened([*both(), *own, *twice, (COPY, "/account", "login required", 2024)])
    made = web.export_list("urls.csv", "urls")
    assert made.nowhere == {
        SEVERAL: (1, f"http://{COPY}/account"),
        UNKNOWN: (3, f"http://{COPY}/own/0"),
    }
    assert list(table(web).values()).count(None) == 4
    assert web.export_list("aliases.txt", "outbackcdx").nowhere == made.nowhere


def test_a_list_says_how_many_pages_stand_nowhere_else_where_all_were_measured(opened):
    """What the detection stored: a page at the same path may stand for one of another content."""
    web = opened([*both(), ("c.org", "/d/0", "d0", 2024)], {COPY: KEPT, "c.org": KEPT})

    def printed_by(name: str) -> list[str]:
        made = web.export_list("list.csv", name)
        return [line for line in made.lines() if "nowhere else" in line]

    measured = "UPDATE members SET pages = ?, elsewhere = ? FROM hosts AS h WHERE h.host = ?"
    measured += " AND h.host_id = members.host_id"
    web.database.execute(measured, [12, 10, COPY])
    assert printed_by("nutch-host") == [], "of c.org nothing is known"
    web.database.execute(measured, [1, 1, "c.org"])
    for name in ("nutch-host", "surt", "urls", "cc-annotation"):
        assert printed_by(name) == ["of these pages 2 stand nowhere else, as far as is known"]
    assert printed_by("outbackcdx") == [], "an alias is for pages that stand there, too"
    web.database.execute(measured, [12, 11, COPY])
    assert printed_by("surt") == ["of these pages 1 stands nowhere else, as far as is known"]


def test_one_path_under_two_schemes_is_one(opened):
    pages = both()
    web = opened([*pages, *((f"{h}:8080", p, c, y) for h, p, c, y in pages if h == COPY)])
    assert len(aliases(web)) == 24


@pytest.mark.parametrize("together", [False, True])
def test_what_older_captures_hide_what_moved_and_what_stands_at_several_paths(opened, together):
    """As of a news page that is a soft 404 now: what it was in 2015 must stay in reach, and it is
    not where the kept host has it at another URL. Of several paths those that both have go. In one
    file or in a file a year.
    """
    older = [(COPY, "/d/0", "news of 2015", 2015), (COPY, "/d/1", "d1", 2015)]
    older += [(COPY, "/d/3", "old", 2015), (KEPT, "/d/4", "old", 2015)]
    there = [(host, "/d/2", "d2 of 2015", 2015) for host in (COPY, KEPT)]
    moved = [(COPY, "/old", "moved", 2024), (KEPT, "/new", "moved", 2024)]
    gone = [(host, f"/gone/{n}", "gone", 2024) for host in (COPY, KEPT) for n in range(3)]
    captures = [*both(), *older, *there, *moved, *gone, (COPY, "/gone/9", "gone", 2024)]
    web = opened(captures, together=together)
    found = of_both(web)
    assert found.pop("/old") == f"http://{KEPT}/new", "where it stands once on each"
    same = {f"/d/{n}" for n in range(12) if n not in (0, 3)} | {f"/gone/{n}" for n in range(3)}
    assert found == {path: f"http://{KEPT}{path}" for path in same}
    made = web.export_list("aliases.txt", "outbackcdx")
    assert made.nowhere == {
        OLDER: (2, f"http://{COPY}/d/0"),
        SEVERAL: (1, f"http://{COPY}/gone/9"),
    }
    assert made.lines()[0].endswith("14 of 17 pages of 1 host have an alias")


def test_files_of_which_nothing_older_is_known_are_named(opened):
    """Those that were loaded before earlier captures were kept, if a URL is there twice."""
    web = opened([*both(), (COPY, "/d/0", "news of 2015", 2015)], together=True)
    assert web.export_list("aliases.txt", "outbackcdx").earlier_unknown == (0, None)
    web.database.execute("DELETE FROM internal.earlier_captures")
    for name in ("outbackcdx", "urls"):
        made = web.export_list("list.csv", name)
        assert made.earlier_unknown == (1, "all.csv")
        assert "an older replicadb loaded 1 file, such as all.csv: " in "\n".join(made.lines())
    assert web.export_list("list", "surt").earlier_unknown == (0, None)
    web.load("all.csv", force=True)
    web.detect()
    assert web.export_list("aliases.txt", "outbackcdx").earlier_unknown == (0, None)


def test_a_host_in_a_folder_of_the_kept_one_is_in_no_list_of_redirects(opened):
    inside = [(KEPT, f"/pub/copy/d/{n}", f"d{n}", 2024) for n in range(12)]
    own = [(KEPT, f"/own/{n}", f"own{n}", 2024) for n in range(9)]
    web = opened([*both()[:12], *inside, *own])
    for name in REDIRECTS:
        made = web.export_list(name, name)
        assert made.hosts == made.rows == made.urls == 0 and COPY not in Path(name).read_text()
        assert made.left_out == {MOVED: (1, COPY)}, name
    assert web.export_list("list", "surt").hosts == 1, "to leave it out, no path is needed"
    assert len(aliases(web)) == 12


@pytest.mark.parametrize(("moved", "listed"), [(12, 1), (13, 0)])
def test_half_of_the_shared_pages_at_the_same_paths_is_enough(opened, moved, listed):
    """Twelve stand there."""
    pages = [(h, f"{at}/{n}", f"e{n}", 2024) for h, at in MOVED_TO for n in range(moved)]
    assert opened([*both(), *pages]).export_list("list", "nutch-host").hosts == listed


def test_httrack_is_told_no_name_that_it_takes_for_one_that_stays(opened):
    """It folds www.a.org and b.org, of other sites, with names that go."""
    stay = ("www.a.org", "www2.a.org", "b.org", "wwwx.c.org", "sub.c.org", "www.e.org")
    go = ("www3.a.org", "www-42.b.org", "www3.c.org", "d.org")
    pages = [(host, f"/{n}", f"{host}{n}", 2024) for host in stay for n in range(3)]
    pages += [(host, "/d/1", "d1", 2024) for host in go]
    web = opened([*both(), *pages], dict.fromkeys(go, KEPT))
    made = web.export_list("list", "httrack")
    lines = [f'--host-alias "{host}={KEPT}"' for host in ("d.org", "www3.c.org")]
    assert made.hosts == 2 and Path("list").read_text().splitlines() == lines
    assert list(made.left_out.values()) == [(2, "www-42.b.org")]
    assert web.export_list("list", "nutch-host").hosts == 4


def test_httrack_is_told_names_that_fold_with_the_kept_one_and_none_that_go_apart(opened):
    names = ("www.kept.com", "www.b.org", "www2.b.org", "www.e.org", "e.org")
    keeps = (KEPT, KEPT, "d.org", KEPT, KEPT)
    pages = [(host, "/d/1", "d1", 2024) for host in (*names, "d.org")]
    made = opened([*both(), *pages], dict(zip(names, keeps, strict=True)))
    said = made.export_list("list", "httrack")
    lines = Path("list").read_text().splitlines()
    assert lines == [
        f'--host-alias "{name}={KEPT}"' for name in ("e.org", "www.e.org", "www.kept.com")
    ]
    (reason,) = said.left_out
    assert reason == "taken for another host there, as www with and without number fold"
    assert said.left_out[reason] == (2, "www.b.org")


def test_a_name_that_is_no_match_pattern_is_an_expression_for_ublacklist(opened):
    """As its grammar has them; a line that is neither is no rule, and nobody hears of it."""
    odd = ["my_shop.example.com", "-a.example.com", "b-.example.com", "x--y.example.com"]
    pages = [(host, f"/{n}", f"d{n}", 2024) for host in (*odd, KEPT) for n in range(3)]
    web = opened(pages, dict.fromkeys(odd, KEPT))
    assert web.export_list("list.txt", "ublacklist").hosts == len(odd)
    said = ublacklist(Path("list.txt").read_text())
    for host in odd:
        assert said(f"https://{host}/a") and said(f"http://{host}:8080/"), host
    for host in ("my-shop.example.com", "xmy_shop.example.com", "my_shop.example.com.org", KEPT):
        assert said(f"https://{host}/a") is None, host
    assert said("https://evil.org/?u=https://my_shop.example.com/") is None
