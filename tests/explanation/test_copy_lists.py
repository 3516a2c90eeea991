"""Copies of one's own hosts as a table and as lists for other tools."""

from __future__ import annotations

import csv
import io
import json
import shutil

import polars as pl
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.explanation import copy_lists
from tests.explanation import clones
from tests.explanation.clones import CLONE, PORTAL, SHOP

ORIGINAL, OTHER = "old-shop.test", "www.shop.example"


def pages() -> list[dict[str, object]]:
    """The shop's web, with its own other name, and a site that the shop says it is."""
    found = clones.pages()
    shop = [row for row in found if str(row["url"]).startswith(f"https://{SHOP}/")]
    for host in (OTHER, ORIGINAL):
        for row in shop:
            url = str(row["url"])
            found.append({**row, "url": url.replace(SHOP, host)})
            if host == ORIGINAL:
                row["canonical"] = url.replace(SHOP, host)
    return found


KIOSK, KIOSK_CLONE, KIOSK_PORTAL = "kiosk.example", "ki0sk-outlet.example", "harbour.example"
"""The shop, its clone and the portal once more, which were decided to be replicas."""


def decided() -> list[dict[str, object]]:
    """The kiosk's web, and a blog that has a few of its pages in a folder; two sites of which every
    page differs; and two with equal pages, at ten paths of which stands a login page.
    """
    as_text = json.dumps([row for row in clones.pages() if "garden" not in str(row["url"])])
    for name, other in ((SHOP, KIOSK), (CLONE, KIOSK_CLONE), (PORTAL, KIOSK_PORTAL)):
        as_text = as_text.replace(name, other)
    for name, other in (("product", "paper"), ("story", "ship"), ("licence", "permit")):
        as_text = as_text.replace(name, other)
    found = json.loads(as_text)
    (first, *_) = [row for row in found if row["url"] == f"https://{KIOSK}/p/1"]
    blog = "https://blog.test"
    found += [{**first, "url": f"{blog}/{n}", "digest": f"blog-{n}"} for n in range(60)]
    found += [
        {**first, "url": f"{blog}/wp-content/x/p/{n}", "digest": f"d-paper-{n}"} for n in range(5)
    ]
    found += [
        {"url": f"https://{host}/p/{n}", "digest": f"{host}-{n}", "title": f"Page {n}"}
        | {"length": 1000 + n}
        for host in ("mine.example", "theirs.example")
        for n in range(12)
    ]
    return found + [
        {"url": f"http://{host}.example/{name}{n}", "digest": f"{name}{n if name == 'p' else ''}"}
        for host in ("one", "two")
        for name in ("p", "login")
        for n in range(10)
    ]


@pytest.fixture(scope="module")
def detected(tmp_path_factory):
    """A database of these pages, closed; copy it before you open it."""
    folder = tmp_path_factory.mktemp("clones")
    with replicadb.open(folder / "web.duckdb", threads=1) as opened:
        opened.load(clones.write(folder, pages()))
        opened.load(clones.write(folder, decided(), "decided.jsonl"))
        opened.decide("mine.example", "theirs.example", True)
        for host in (KIOSK_PORTAL, "blog.test", KIOSK_CLONE):
            opened.decide(KIOSK, host, True)
        opened.detect()
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def web(detected, tmp_path_factory):
    with replicadb.open(shutil.copy(detected, tmp_path_factory.mktemp("opened"))) as opened:
        yield opened


def names(web, tmp_path, *hosts, **options) -> list[str]:
    """The hosts that a list of names has."""
    web.export_copies(tmp_path / "list.txt", *hosts, name="hosts", **options)
    return listed(tmp_path)


def listed(tmp_path) -> list[str]:
    lines = (tmp_path / "list.txt").read_text().splitlines()
    return [line.split()[1] for line in lines if not line.startswith("#")]


def test_a_table_has_what_copies_of_finds_and_says(web, tmp_path):
    made = web.export_copies(tmp_path / "copies.csv", SHOP)
    found = web.copies_of(SHOP)["copies"]
    rows = pl.read_csv(tmp_path / "copies.csv").to_dicts()
    assert [row["copy"] for row in rows] == [copy["host"] for copy in found]
    assert {row["host"] for row in rows} == {SHOP}
    for row, copy in zip(rows, found, strict=True):
        for name in ("standing", "kind", "rank", "pages", "own_pages", "why", "folder"):
            assert row[name] == copy[name]
        assert (row["grounds"] or "") == "; ".join(copy["grounds"])
    assert made.lines("copies.csv") == ["4 copies of 1 host to copies.csv"]


def test_a_table_of_several_hosts_is_one_row_group(web, tmp_path):
    web.export_copies(tmp_path / "copies.parquet", ORIGINAL, SHOP)
    table = pq.ParquetFile(tmp_path / "copies.parquet")
    hosts = table.read(["host"])["host"].to_pylist()
    assert list(dict.fromkeys(hosts)) == [ORIGINAL, SHOP] and table.metadata.num_row_groups == 1


def test_a_list_has_copies_and_none_of_one_s_own_names_no_original_and_no_kit(web, tmp_path):
    known = [c["host"] for c in web.copies_of(SHOP)["copies"] if c["standing"] == "known"]
    assert set(known) == {CLONE, ORIGINAL, OTHER}
    assert names(web, tmp_path, SHOP) == [CLONE]
    made = web.export_copies(tmp_path / "list.txt", SHOP, name="ublock")
    assert made.left_out == {
        "of the registered domain of what it copies": (1, OTHER),
        "the original, by links, mail or dates": (1, ORIGINAL),
        "a copy in a folder of another site": (1, PORTAL),
    }
    assert not any("kept" in line for line in made.lines("list.txt"))


def test_a_redirect_is_for_no_copy_that_has_its_pages_elsewhere(web, tmp_path):
    """The clone has the shop's pages in a folder; the two other names have them where they are."""
    made = web.export_copies(tmp_path / "map.txt", ORIGINAL, name="redirect-map-nginx")
    assert CLONE not in (tmp_path / "map.txt").read_text()
    assert f"{SHOP} {ORIGINAL};" in (tmp_path / "map.txt").read_text()
    (said,) = [line for line in made.lines("map.txt") if CLONE in line]
    assert said == (
        "left out, 1 name: its pages stand at other paths of the kept host, where a redirect would"
        f" miss them, such as {CLONE}"
    )


def test_the_list_of_a_group_leaves_out_a_copy_that_is_kept_and_this_one_does_not(web, tmp_path):
    kept = set(web.sql("SELECT canonical_host FROM replica_groups")["canonical_host"])
    (one,) = kept & {SHOP, OTHER, ORIGINAL}
    web.export_list(tmp_path / "drops.txt", "hosts")
    dropped = [line.split()[-1] for line in (tmp_path / "drops.txt").read_text().splitlines()]
    assert one not in dropped and CLONE in dropped
    asked = ORIGINAL if one != ORIGINAL else SHOP
    assert CLONE in names(web, tmp_path, asked)


def test_of_many_hosts_each_copy_once_and_none_of_them(web, tmp_path):
    listed = names(web, tmp_path, SHOP, ORIGINAL)
    assert sorted(listed) == sorted(set(listed)) and CLONE in listed
    assert not {SHOP, ORIGINAL} & set(listed)


def test_a_probability_lists_copies_that_are_not_flagged(web, tmp_path):
    likelier = names(web, tmp_path, SHOP, unlikely=True, min_probability=0)
    assert CLONE in likelier and any(host.startswith("garden") for host in likelier)
    assert names(web, tmp_path, SHOP, min_probability=1) == []
    web.export_copies(tmp_path / "copies.csv", SHOP, min_probability=0.5)
    assert pl.read_csv(tmp_path / "copies.csv")["probability"].min() >= 0.5


def test_what_is_pinned_is_in_no_list(web, tmp_path):
    web.pin(CLONE, "keep")
    try:
        made = web.export_copies(tmp_path / "list.txt", SHOP, name="ublock")
        assert made.left_out["pinned by --keep"] == (1, CLONE) and made.rows == 0
    finally:
        web.remove_decision(CLONE)


def test_what_cannot_be_is_refused(web, tmp_path):
    with pytest.raises(UsageError, match="no host"):
        web.export_copies(tmp_path / "a.csv")
    with pytest.raises(UsageError, match="from 0 to 1"):
        web.export_copies(tmp_path / "a.csv", SHOP, min_probability=2)
    with pytest.raises(UsageError, match="no list is called 'ubloc'"):
        web.export_copies(tmp_path / "a.txt", SHOP, name="ubloc")
    with pytest.raises(DataError, match="nearest"):
        web.export_copies(tmp_path / "a.csv", "shopp.example")
    assert not list(tmp_path.iterdir())


def test_the_evidence_in_a_list_is_in_plain_numbers(web, tmp_path):
    web.export_copies(tmp_path / "list.txt", ORIGINAL, name="ublacklist")
    lines = (tmp_path / "list.txt").read_text().splitlines()
    (clone,) = [line for line in lines if line.startswith(f"*://{CLONE}/")]
    (shop,) = [line for line in lines if line.startswith(f"*://{SHOP}/")]
    assert f"# {CLONE} copies {ORIGINAL}, 20 of its 25 pages, probability" in clone
    assert f"# {SHOP} copies {ORIGINAL}, 25 of its 25 pages, at the same paths, prob" in shop


def test_a_copy_without_an_equal_page_says_what_was_compared(web, tmp_path):
    """Every page of the two differs; that they are copies was decided."""
    made = web.export_copies(tmp_path / "l.txt", "mine.example", name="ublacklist")
    assert made.hosts == 1
    (said,) = [line for line in (tmp_path / "l.txt").read_text().splitlines() if "#" in line]
    assert said.endswith(
        "# theirs.example copies mine.example, as was decided, none of its 12 pages known to be"
        " equal, probability above 0.9999"
    )
    row = {"own_pages": 0, "why": ""}
    assert copy_lists._compared(1, row) == "no page known to be equal"


@pytest.mark.slow
def test_the_command_writes_a_file_a_list_and_standard_output(cli, web, detected, tmp_path):
    shutil.copy(detected, tmp_path)
    printed = cli("copies-of", "web.duckdb", SHOP, "-o", "-")
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert [row["copy"] for row in rows] == [c["host"] for c in web.copies_of(SHOP)["copies"]]
    (tmp_path / "mine.txt").write_text(f"{SHOP}\nnever-met.example\n")
    listed = cli("copies-of", "web.duckdb", "@mine.txt", "--as", "hosts", "-o", "list.txt")
    assert listed.code == 0 and "1 row for hosts to list.txt: 1 host" in listed.err
    assert CLONE in (tmp_path / "list.txt").read_text()
    for wrong in (["--json", "-o", "a.csv"], ["-f", "csv"], ["--min-probability", "0.5"]):
        answer = cli("copies-of", "web.duckdb", SHOP, *wrong)
        assert answer.code == 2 and answer.err.count("\n") == 1


def test_a_site_with_a_copy_in_a_folder_is_in_no_list_however_likely(web, tmp_path):
    """Two sites of others' pages are told to be replicas: one folder is a kit, one too small."""
    copies = {copy["host"]: copy for copy in web.copies_of(KIOSK)["copies"]}
    known = {copies[host]["standing"] for host in (KIOSK_PORTAL, "blog.test", KIOSK_CLONE)}
    assert known == {"known"}
    assert copies["blog.test"]["folder"] is None and copies[KIOSK_PORTAL]["folder"] == "/~kit"
    made = web.export_copies(tmp_path / "list.txt", KIOSK, name="hosts")
    assert listed(tmp_path) == [KIOSK_CLONE], "its folder has all of its pages"
    (left,) = [left for reason, left in made.left_out.items() if "folder" in reason]
    assert left[0] == 2


def test_a_probability_is_asked_for_in_vain_after_a_published_method(by_paper, tmp_path):
    for name in (None, "hosts"):
        with pytest.raises(UsageError, match="method paper gives no probabilities"):
            by_paper.export_copies(
                tmp_path / "c.csv", "a-books.com", name=name, min_probability=0.5
            )
    assert not (tmp_path / "c.csv").exists()


def test_one_page_at_many_equal_paths_counts_at_each(web, tmp_path):
    """Of a login page at ten paths of both hosts four counted."""
    web.export_copies(tmp_path / "copies.csv", "one.example", min_probability=0.0)
    (copy,) = web.copies_of("one.example", unlikely=True)["copies"]
    assert (copy["own_pages"], copy["at_same_paths"]) == (20, 20)
    assert copy["why"].startswith("20 of 20 pages of yours, at the same paths")
    table = pl.read_csv(tmp_path / "copies.csv")
    assert table["at_same_paths"].to_list() == [20] * len(table)
