"""Where a list sends a page: to the kept host's page of its content or nowhere, where nobody can
say which one that is; and a whole host only where its pages stand at the same paths.

Most tests have two hosts each of one crawl, which is loaded once.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.export.tool_lists import ToolList
from tests.export import pairs_of_hosts as pairs
from tests.export.list_readers import ublacklist
from tests.export.pairs_of_hosts import Case, both, by_year, load

SEVERAL = "several URLs of one of the two hosts have their content"
UNKNOWN = "no page of the kept host is known to have their content"
OLDER = "an older capture has a content that the kept URL never had"
NO_DIGEST = "their own content is not known"
ONE_KEY = "another URL has their key in the index, and goes elsewhere or nowhere"
OTHER_KIND = "the kept host has no digest of their kind, so nobody can compare them"
NOT_KNOWN = (
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
KEPT = "kept.com"


def drop(web, drops: dict[str, str]) -> None:
    """Hosts go for others, whatever a detection says: a list goes by contents and groups alone."""
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


@pytest.fixture
def opened(tmp_path, stages_left_out):
    """A database of its own."""
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        yield web


@pytest.fixture(scope="module")
def crawl(tmp_path_factory, leave_out_stages):
    """A database of the hosts of all cases."""
    folder = tmp_path_factory.mktemp("crawl")
    in_one_file = pairs.IN_ONE_FILE
    apart = [row for of in pairs.CASES if of not in in_one_file for row in of(*pairs.names(of))]
    together = [row for of in in_one_file for row in of(*pairs.names(of))]
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            leave_out_stages(patch)
            load(web, by_year(apart) | {"all.csv": together})
        yield web


@pytest.fixture
def dropped(crawl):
    """The crawl, of which the one host of a case goes for the other; and their names."""

    def hosts_of(of: Case):
        copy, kept = pairs.names(of)
        drop(crawl, {copy: kept})
        return crawl, copy, kept

    return hosts_of


def aliases(web, copy: str) -> tuple[dict[str, str], ToolList]:
    """Of the dropped host's paths those that have an alias, and where it leads; and what is said of
    the list.
    """
    made = web.export_list("aliases.txt", "outbackcdx")
    lines = [line.split() for line in Path("aliases.txt").read_text().splitlines()]
    assert made.rows == len(lines)
    return {url.partition(copy)[2]: there for _, url, there in lines}, made


def table(web, copy: str) -> tuple[dict[str, str | None], ToolList]:
    """The same of the table of URLs."""
    made = web.export_list("urls.csv", "urls")
    rows = pl.read_csv("urls.csv").select("url", "same_content_at").iter_rows()
    return {url.partition(copy)[2]: there for url, there in rows}, made


def of_both(web, copy: str) -> tuple[dict[str, str], ToolList, ToolList]:
    """What both lists say of pages, which is the same; and what is said of each list."""
    found, made = aliases(web, copy)
    in_table, made_table = table(web, copy)
    assert {path: there for path, there in in_table.items() if there} == found
    return found, made, made_table


@pytest.mark.parametrize(
    ("of", "n", "example"), [(pairs.four_logins, 4, "/login/0"), (pairs.four_errors, 1, "/account")]
)
def test_a_content_at_several_paths_of_either_host_is_no_alias(dropped, of, n, example):
    web, copy, kept = dropped(of)
    found, made, made_table = of_both(web, copy)
    assert found == {f"/d/{n}": f"http://{kept}/d/{n}" for n in range(12)}
    assert made.nowhere == {SEVERAL: (n, f"http://{copy}{example}")}
    assert made.lines()[-1] == (
        f"no alias, {n} page{'s' if n > 1 else ''}: {SEVERAL}, such as http://{copy}{example}"
    )
    assert made_table.lines()[-1].startswith(f"no same_content_at, {n} page")


def test_a_host_all_of_whose_pages_are_in_clusters_has_digests_all_the_same(dropped):
    """detect --clusters: only the copy has a page in no cluster. Its digest can be compared."""
    web, copy, kept = dropped(pairs.all_in_clusters)
    web.database.execute(
        """INSERT INTO near_contents BY NAME
        SELECT url_id, 'near:minhash' AS fingerprint_kind, path AS fingerprint
        FROM page_urls JOIN hosts USING (host_id) WHERE path <> '/x' AND host IN (?, ?)""",
        [copy, kept],
    )
    found, made, _ = of_both(web, copy)
    assert found == {f"/{p}": f"http://{kept}/{p}" for p in "abc"}
    assert made.nowhere == {UNKNOWN: (1, f"http://{copy}/x")}


def test_digests_of_two_kinds_are_no_different_contents(dropped):
    """What an MD5 has to do with a SHA-1 nobody can tell; of /f both kinds are known, so it can."""
    web, copy, kept = dropped(pairs.two_kinds)
    found, made, made_table = of_both(web, copy)
    assert found == {f"/{p}": f"http://{kept}/{p}" for p in "cde"}
    assert made.nowhere == {
        NO_DIGEST: (1, f"http://{copy}/z"),
        OTHER_KIND: (2, f"http://{copy}/x"),
        NOT_KNOWN: (2, f"http://{copy}/a"),
        OLDER: (1, f"http://{copy}/f"),
    }
    assert made_table.nowhere == made.nowhere


def test_pages_of_one_key_have_an_alias_where_all_of_them_go_to_one(dropped):
    """OutbackCDX takes /A, /a and /a/ for one URL, and moves all captures of a key by an alias."""
    web, copy, _ = dropped(pairs.one_key)
    found, made = aliases(web, copy)
    own = {f"/d/{n}" for n in range(12)}
    assert set(found) == own | {"/x", "/X"}
    assert made.nowhere == {
        ONE_KEY: (4, f"http://{copy}/%7Euser"),
        UNKNOWN: (2, f"http://{copy}/q?a=2&b=1&sid=0123456789abcdef"),
    }
    in_table, made = table(web, copy)
    sent = {path for path, there in in_table.items() if there}
    assert sent == own | {"/x", "/X", "/Top", "/Q?b=1&a=2", "/%7Euser", "/~user"}
    assert set(made.nowhere) == {UNKNOWN}


def key_is_taken(web, copy: str, taken: str) -> None:
    """A path whose page the table sends elsewhere, and the list of aliases does not."""
    sent = {path for path, there in table(web, copy)[0].items() if there}
    assert taken in sent
    found, made = aliases(web, copy)
    assert set(found) == sent - {taken}
    assert made.nowhere == {ONE_KEY: (1, f"http://{copy}{taken}")}


def test_a_key_that_a_file_has_too_is_none_of_an_alias(dropped):
    """It would hide the picture."""
    web, copy, _ = dropped(pairs.key_of_a_picture)
    key_is_taken(web, copy, "/4.png/")


def test_a_key_that_a_site_in_a_folder_has_too_is_none_of_an_alias(opened):
    """It would hide a page of a site that stays."""
    copy = "copy.net"
    pages = [(host, f"/{n}", f"c{n}", 2024) for host in (copy, KEPT) for n in range(12)]
    load(opened, {"c.csv": [*pages, (copy, "/3/", "other", 2024)]}, site="host+1")
    drop(opened, {copy: KEPT})
    key_is_taken(opened, copy, "/3")


def test_no_key_of_an_alias_is_one_of_a_page_that_goes_elsewhere(dropped):
    """By the canonicalizer of the Internet Archive, on which that of OutbackCDX is based."""
    library = pytest.importorskip("surt")
    web, copy, _ = dropped(pairs.many_keys)
    found, _ = aliases(web, copy)
    pages = web.sql("SELECT url FROM pages WHERE host = ?", [copy])["url"].to_list()
    there: dict[str, set[str | None]] = {}
    for url in pages:
        to = found.get(url.partition(copy)[2])
        there.setdefault(library.surt(url), set()).add(to and library.surt(to))
    sent = [to for to in there.values() if to != {None}]
    assert len(sent) > 12 and all(len(to) == 1 for to in sent)


def test_every_page_without_a_page_of_the_kept_host_is_counted(dropped):
    web, copy, _ = dropped(pairs.own_pages)
    found, made = table(web, copy)
    assert made.nowhere == {
        SEVERAL: (1, f"http://{copy}/account"),
        UNKNOWN: (3, f"http://{copy}/own/0"),
    }
    assert list(found.values()).count(None) == 4
    assert web.export_list("aliases.txt", "outbackcdx").nowhere == made.nowhere


def test_a_list_says_how_many_pages_stand_nowhere_else_where_all_were_measured(dropped):
    """What the detection stored: a page at the same path may stand for one of another content."""
    web, copy, kept = dropped(pairs.another_copy)
    drop(web, {copy: kept, "g.org": kept})

    def printed_by(name: str) -> list[str]:
        made = web.export_list("list.csv", name)
        return [line for line in made.lines() if "nowhere else" in line]

    measured = "UPDATE members SET pages = ?, elsewhere = ? FROM hosts AS h WHERE h.host = ?"
    measured += " AND h.host_id = members.host_id"
    web.database.execute(measured, [12, 10, copy])
    assert printed_by("nutch-host") == [], "of g.org nothing is known"
    web.database.execute(measured, [1, 1, "g.org"])
    for name in ("nutch-host", "surt", "urls", "cc-annotation"):
        assert printed_by(name) == ["of these pages 2 stand nowhere else, as far as is known"]
    assert printed_by("outbackcdx") == [], "an alias is for pages that stand there, too"
    web.database.execute(measured, [12, 11, copy])
    assert printed_by("surt") == ["of these pages 1 stands nowhere else, as far as is known"]


def test_one_path_under_two_schemes_is_one(dropped):
    web, copy, _ = dropped(pairs.two_schemes)
    assert len(aliases(web, copy)[0]) == 24


@pytest.mark.parametrize("of", [pairs.older_captures, pairs.older_in_one_file])
def test_what_older_captures_hide_what_moved_and_what_stands_at_several_paths(dropped, of):
    """What a page was in 2015 must stay in reach, and it is not where the kept host has it at
    another URL. Of several paths those that both have go.
    """
    web, copy, kept = dropped(of)
    found, made, _ = of_both(web, copy)
    assert found.pop("/old") == f"http://{kept}/new", "where it stands once on each"
    same = {f"/d/{n}" for n in range(12) if n not in (0, 3)} | {f"/gone/{n}" for n in range(3)}
    assert found == {path: f"http://{kept}{path}" for path in same}
    assert made.nowhere == {
        OLDER: (2, f"http://{copy}/d/0"),
        SEVERAL: (1, f"http://{copy}/gone/9"),
    }
    assert made.lines()[0].endswith("14 of 17 pages of 1 host have an alias")


def test_files_of_which_nothing_older_is_known_are_named(opened):
    """Those that were loaded before earlier captures were kept, if a URL is there twice."""
    copy = "copy.net"
    load(opened, {"all.csv": [*both(copy, KEPT), (copy, "/d/0", "news of 2015", 2015)]})
    drop(opened, {copy: KEPT})
    assert opened.export_list("aliases.txt", "outbackcdx").earlier_unknown == (0, None)
    opened.database.execute("DELETE FROM internal.earlier_captures")
    for name in ("outbackcdx", "urls"):
        made = opened.export_list("list.csv", name)
        assert made.earlier_unknown == (1, "all.csv")
        assert "an older replicadb loaded 1 file, such as all.csv: " in "\n".join(made.lines())
    assert opened.export_list("list", "surt").earlier_unknown == (0, None)
    opened.load("all.csv", force=True)
    assert opened.export_list("aliases.txt", "outbackcdx").earlier_unknown == (0, None)


def test_a_host_in_a_folder_of_the_kept_one_is_in_no_list_of_redirects(dropped):
    web, copy, _ = dropped(pairs.in_a_folder)
    for name in REDIRECTS:
        made = web.export_list(name, name)
        assert made.hosts == made.rows == made.urls == 0 and copy not in Path(name).read_text()
        assert made.left_out == {MOVED: (1, copy)}, name
    assert web.export_list("list", "surt").hosts == 1, "to leave it out, no path is needed"
    assert len(aliases(web, copy)[0]) == 12


@pytest.mark.parametrize(("of", "listed"), [(pairs.half_moved, 1), (pairs.most_moved, 0)])
def test_half_of_the_shared_pages_at_the_same_paths_is_enough(dropped, of, listed):
    assert dropped(of)[0].export_list("list", "nutch-host").hosts == listed


def test_httrack_is_told_no_name_that_it_takes_for_one_that_stays(dropped):
    """It folds www.a.org and b.org, of other sites, with names that go."""
    web, _, kept = dropped(pairs.names_that_fold)
    drop(web, dict.fromkeys(pairs.GO, kept))
    made = web.export_list("list", "httrack")
    lines = [f'--host-alias "{host}={kept}"' for host in ("d.org", "www3.c.org")]
    assert made.hosts == 2 and Path("list").read_text().splitlines() == lines
    assert list(made.left_out.values()) == [(2, "www-42.b.org")]
    assert web.export_list("list", "nutch-host").hosts == 4


def test_httrack_is_told_names_that_fold_with_the_kept_one_and_none_that_go_apart(dropped):
    web, _, kept = dropped(pairs.names_that_go_apart)
    drop(web, {host.format(kept): keep.format(kept) for host, keep in pairs.APART.items()})
    said = web.export_list("list", "httrack")
    lines = Path("list").read_text().splitlines()
    assert lines == [
        f'--host-alias "{name}={kept}"' for name in (f"www.{kept}", "www.z.org", "z.org")
    ]
    (reason,) = said.left_out
    assert reason == "taken for another host there, as www with and without number fold"
    assert said.left_out[reason] == (2, "www.x.org")


def test_a_name_that_is_no_match_pattern_is_an_expression_for_ublacklist(dropped):
    """As its grammar has them; a line that is neither is no rule, and nobody hears of it."""
    web, _, kept = dropped(pairs.no_match_patterns)
    drop(web, dict.fromkeys(pairs.ODD, kept))
    assert web.export_list("list.txt", "ublacklist").hosts == len(pairs.ODD)
    said = ublacklist(Path("list.txt").read_text())
    for host in pairs.ODD:
        assert said(f"https://{host}/a") and said(f"http://{host}:8080/"), host
    for host in ("my-shop.example.com", "xmy_shop.example.com", "my_shop.example.com.org", kept):
        assert said(f"https://{host}/a") is None, host
    assert said("https://evil.org/?u=https://my_shop.example.com/") is None
