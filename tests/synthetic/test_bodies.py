"""Generated crawls with markup: equal contents have equal markup, and small edits change every page
and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import polars as pl
import pytest

from replicadb.errors import UsageError
from replicadb.synthetic.crawl import bodies
from replicadb.synthetic.crawl.generate import generate

pytestmark = pytest.mark.slow

EDIT = re.compile(r"<p>[^<]*</p><!-- \d+ -->\n")
LARGER = 80, 1500
OWN = ("fingerprint", "length", "html")


def crawl(folder, hosts: int = 40, urls: int = 500, **options) -> pl.DataFrame:
    return pl.read_parquet(generate(folder, hosts, urls, seed=7, **options).crawl)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, pl.DataFrame]:
    """The same crawl without markup, with it, and with small edits."""
    ways = {
        "plain": {},
        "content": {"content": True},
        "edits": {"content": True, "page_edits": "small"},
    }
    return {
        name: crawl(tmp_path_factory.mktemp(name), *LARGER, **options)
        for name, options in ways.items()
    }


def words(html: str) -> Counter:
    return Counter(
        re.sub(
            r"<[^>]*>",
            " ",
            html.partition('<div class="content">')[2].partition('<div class="footer">')[0],
        ).split()
    )


def test_all_but_the_markup_is_the_same_crawl(made):
    rest = [name for name in made["plain"].columns if name not in OWN]
    assert [*made["plain"].columns, "html"] == made["content"].columns == made["edits"].columns
    assert made["plain"].select(rest).equals(made["content"].select(rest)) and made[
        "content"
    ].select(rest).equals(made["edits"].select(rest))


def test_pages_have_equal_markup_where_they_have_equal_contents_and_only_there(made):
    both = (
        made["plain"]
        .select(content="fingerprint")
        .with_columns(made["content"]["html"], made["content"]["fingerprint"])
        .drop_nulls("html")
    )
    assert (
        both.n_unique("content")
        == both.n_unique("html")
        == both.n_unique(["content", "html"])
        == both.n_unique("fingerprint")
    )
    assert both["content"].n_unique() < len(both)


def test_fingerprint_and_length_are_those_of_the_markup(made):
    for name in ("content", "edits"):
        for row in made[name].drop_nulls("html").head(50).iter_rows(named=True):
            assert row["fingerprint"] == hashlib.sha1(row["html"].encode()).hexdigest() and row[
                "length"
            ] == len(row["html"].encode())


def test_what_is_no_page_has_no_markup(tmp_path):
    themes = crawl(tmp_path, profile="themes", content=True)
    assert ((themes["mime"] == "text/html") == themes["html"].is_not_null()).all() and themes[
        "html"
    ].null_count() > 0
    assert themes["fingerprint"].null_count() == 0


def test_small_edits_leave_no_two_pages_the_same_and_nothing_else_differs(made):
    edited, before = made["edits"].drop_nulls("html"), made["content"].drop_nulls("html")
    assert edited["html"].n_unique() == len(edited)
    assert [EDIT.sub("", html) for html in edited["html"]] == before["html"].to_list()
    kinds = Counter(
        re.sub(r"\w", "x", EDIT.search(html)[0].partition("</p>")[0]).count(" ")
        for html in edited["html"]
    )
    assert len(kinds) >= 3, "dates and counters, banners, advertisements"


def test_the_same_seed_gives_the_same_bytes_in_pieces_of_any_size(made, tmp_path, monkeypatch):
    monkeypatch.setattr(bodies, "ROWS_AT_A_TIME", 333)
    assert crawl(tmp_path, *LARGER, content=True, page_edits="small").equals(made["edits"])


def test_texts_of_different_pages_are_unrelated_and_versions_of_a_page_are_not(made):
    html = made["content"].drop_nulls("html").unique("html", maintain_order=True)
    texts = [words(text) for text in html["html"].head(300)]
    alike = lambda a, b: (a & b).total() / max(a.total(), b.total())
    shared = [alike(a, b) for i, a in enumerate(texts) for b in texts[i + 1 : i + 30]]
    assert sorted(shared)[int(0.98 * len(shared))] < 0.45
    by_title = (
        made["content"]
        .drop_nulls("html")
        .with_columns(
            title=pl.col("html").str.extract("<title>(.*?)</title>"),
            path=pl.col("url").str.extract("//[^/]*(/.*)"),
        )
    )
    versions = (
        by_title.unique("html")
        .group_by("title", "path")
        .agg("html")
        .filter(pl.col("html").list.len() > 1)["html"]
        .to_list()
    )
    near = [alike(words(a), words(b)) for a, b, *_ in versions]
    assert sum(0.75 < x < 1 for x in near) >= 8


def test_pages_of_a_site_share_its_menu(made):
    rows = (
        made["content"]
        .drop_nulls("html")
        .with_columns(
            host=pl.col("url").str.extract("//([^/]*)"),
            menu=pl.col("html").str.extract("<ul>(.*?)</ul>"),
        )
    )
    each = (
        rows.group_by("host")
        .agg(pl.len(), pl.col("menu").n_unique().alias("menus"))
        .filter(pl.col("len") > 3)
    )  # three pages have no third of a menu
    assert (each["menus"] < each["len"] / 3).mean() > 0.75 and rows["menu"].n_unique() > 40


def test_with_links_the_title_is_the_one_of_the_markup(tmp_path):
    linked = crawl(tmp_path, links=True, content=True).drop_nulls("html").drop_nulls("title")
    assert (
        linked.columns[-1] == "html"
        and (linked["html"].str.extract("<title>(.*?)</title>") == linked["title"]).all()
    )


@pytest.mark.parametrize(
    "options, said",
    [
        ({"page_edits": "small"}, "ask for content"),
        ({"content": True, "page_edits": "large"}, "none, small"),
    ],
)
def test_edits_that_cannot_be_meant_are_refused(tmp_path, options, said):
    with pytest.raises(UsageError, match=said):
        crawl(tmp_path / "made", **options)
    assert not (tmp_path / "made").exists()


def test_the_command_writes_markup(cli):
    done = cli("synth", "made", "--hosts", 40, "--urls", 400, "--content", "--page-edits", "small")
    assert (
        done.code == 0
        and "--content" in done.err
        and "html" in pl.read_parquet_schema("made/crawl.parquet")
    )
    refused = cli("synth", "other", "--hosts", 40, "--page-edits", "small")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
