"""Lists whose rows are URLs: every row that goes, and what its page at the kept host is."""

from __future__ import annotations

import json
from typing import NamedTuple

import polars as pl
import pytest

import replicadb
from replicadb.export.tool_lists import ToolList
from replicadb.result_api import StaleWarning

pytestmark = pytest.mark.slow
PAGES = range(12)


def near_copies(date: str = "2026-01-01") -> str:
    """Texts of two hosts: near duplicates at each path but the first, where they are equal."""
    texts = [" ".join(f"word{n}-{k}" for k in range(300)) for n in range(8)]
    rows = [
        {"url": f"http://{host}/{n}", "date": date, "text": f"{texts[n]} {host if n else ''}"}
        for host in ("one.near", "two.near")
        for n in range(8)
    ]
    return "\n".join(map(json.dumps, rows))


def with_ids() -> dict[str, str]:
    """By file hosts with ids: row numbers of each host; and each URL's own, with two dates."""
    found = {}
    for family, days in (("name", (1,)), ("twice", (1, 2))):
        pages = [
            (f"http://{host}.{family}/{n}", n) for host in ("one", "two", "own") for n in PAGES
        ]
        rows = [
            f"{url},{'own' if 'own' in url else 'd'}{family}{n},2026010{day},"
            f"{n if family == 'name' else url}/{day}\n"
            for url, n in pages
            for day in days
        ]
        found[f"{family}.csv"] = "url,digest,timestamp,mine\n" + "".join(rows)
    return found


def with_files(family: str) -> str:
    """Copies with files that are no pages by the ending of their names, as where a table of texts
    has no types, and another host.
    """
    paths = [*(f"{n}.html" for n in PAGES), "feed.xml", "data.json", "paper.pdf"]
    hosts = [(host, "") for host in ("one", "two")] + [("other", "other ")]
    rows = [f"http://{h}.{family}/{path},{family} {of}{path}" for h, of in hosts for path in paths]
    return "\n".join(["url,digest", *rows])


class Lists(NamedTuple):
    urls: pl.DataFrame
    said: ToolList
    later: pl.DataFrame


@pytest.fixture(scope="module")
def lists(tmp_path_factory) -> Lists:
    """The list of a crawl of families of copies: of near duplicates; captured twice, without ids
    and with one page that differs; captured twice with ids, beside a host of one page; those of
    ``with_ids``; and those of ``with_files``, with every file loaded as a page and without. And
    the list once the near duplicates have been captured again, before another detection.
    """
    folder = tmp_path_factory.mktemp("lists")
    (folder / "near.jsonl").write_text(near_copies())
    for name, text in with_ids().items():
        (folder / name).write_text(text)
    for day in (1, 2):
        plain = "".join(
            f"http://{host}/{n},{host if n == 5 else ''}d{n},2026010{day}\n"
            for host in ("one.plain", "two.plain")
            for n in PAGES
        )
        (folder / f"plain{day}.csv").write_text("url,digest,timestamp\n" + plain)
        mine = "".join(
            f"http://{host}/{n},i{n},2026010{day},{host}-{n}-{day}\n"
            for host in ("one.mine", "two.mine", "few.mine")
            for n in range(6 if host != "few.mine" else 1)
        )
        (folder / f"mine{day}.csv").write_text("url,digest,timestamp,mine\n" + mine)
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "near.jsonl", content=True)
        for day in (1, 2):
            web.load(folder / f"plain{day}.csv")
            web.load(folder / f"mine{day}.csv", columns={"id": "mine"})
        web.load(*(folder / name for name in with_ids()), columns={"id": "mine"})
        for family in ("some", "all"):
            (folder / f"{family}.csv").write_text(with_files(family))
            web.load(folder / f"{family}.csv", all_types=family == "all")
        web.detect()
        assert len(web.flagged_hosts()) == 7
        said = web.export_list(folder / "drop.parquet", "urls")
        (folder / "again.jsonl").write_text(near_copies(date="2026-02-01"))
        web.load(folder / "again.jsonl", content=True)
        with pytest.warns(StaleWarning, match="near duplicates among pages that came are not"):
            web.export_list(folder / "later.parquet", "urls")
        (copy,) = web.copies_of("one.near")["copies"]
        assert copy["own_pages"] == copy["at_same_paths"] == 8
        pages = web.explain("one.near", "two.near")["pages"]
        assert (pages["shared"]["n"], pages["differing"]["n"]) == (8, 0)
        same = web.sql("SELECT same_path AND near FROM shared_pages('one.near', 'two.near')")
        assert sorted(same.rows()) == [(False,)] + [(True,)] * 7
    tables = (pl.read_parquet(folder / f"{name}.parquet") for name in ("drop", "later"))
    return Lists(next(tables), said, next(tables))


@pytest.fixture(scope="module")
def urls(lists) -> pl.DataFrame:
    return lists.urls


def below(urls: pl.DataFrame, family: str) -> pl.DataFrame:
    return urls.filter(pl.col("url").str.contains(rf"//\w+\.{family}/"))


def test_pages_that_are_near_duplicates_are_marked(urls):
    found = below(urls, "near")
    near = dict(zip(found["url"].str.slice(-1), found["near"], strict=True))
    assert near == {str(n): n > 0 for n in range(8)}


def test_pages_that_were_captured_again_are_near_duplicates_as_before(lists):
    before, after = (below(found, "near") for found in (lists.urls, lists.later))
    assert before["same_content_at"].null_count() == 0 and after.equals(before)


def test_without_ids_each_page_is_listed_once_and_what_is_nowhere_else_is_not_near(urls):
    found = below(urls, "plain")
    near = dict(zip(found["url"].str.split("/").list[-1], found["near"], strict=True))
    assert near == {str(n): None if n == 5 else False for n in PAGES}
    assert found["id"].null_count() == len(found) == len(PAGES)


def test_every_id_of_a_dropped_host_is_listed_older_captures_too(urls):
    found = below(urls, "mine")
    (dropped,) = set(found["url"].str.split("/").list[2])
    wanted = {f"{dropped}-{n}-{day}" for n in range(6) for day in (1, 2)}
    assert len(found) == 12 and set(found["id"]) == wanted
    assert found["same_content_at"].null_count() == 0


def test_where_ids_do_not_say_which_pages_go_the_list_says_so(lists):
    """Ids that three hosts have, each its own row numbers; and of three hosts one date of two."""
    made = lists.said
    assert (made.ids_elsewhere, made.ids_lost) == (12, 36)
    assert [line for line in made.lines() if line.endswith("join on url")] == [
        "12 ids stand at pages that are not in this list, too: join on url",
        "36 rows had the URL of another row of the same file; their ids are not in this list: join"
        " on url",
    ]


def test_files_that_are_no_pages_are_left_out_of_a_list_of_pages_and_counted(lists):
    """Of hosts that were loaded with every file as a page none is left out."""
    hosts = lists.urls.group_by(pl.col("url").str.split("/").list[2].alias("host")).len()
    of_family = dict(zip(hosts["host"].str.split(".").list[-1], hosts.rows(), strict=True))
    host, rows = of_family["some"]
    example = f"http://{host}/data.json"
    assert rows == 12 + 1 and of_family["all"][1] == 12 + 3
    assert lists.said.files_left == (2, example)
    assert [line for line in lists.said.lines() if line.startswith("left out")] == [
        f"left out, 2 files of these hosts that are no pages, such as {example};"
        " load --all-types takes every file for a page"
    ]
