"""Copies of one's own hosts as a table and as lists for other tools."""

from __future__ import annotations

import csv
import io
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


@pytest.fixture(scope="module")
def detected(tmp_path_factory):
    """A database of these pages, closed; copy it before you open it."""
    folder = tmp_path_factory.mktemp("clones")
    with replicadb.open(folder / "web.duckdb") as opened:
        opened.load(clones.write(folder, pages()))
        opened.detect()
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def web(detected, tmp_path_factory):
    with replicadb.open(shutil.copy(detected, tmp_path_factory.mktemp("opened"))) as opened:
        yield opened


def names(web, tmp_path, *hosts, **options) -> list[str]:
    """The hosts that a list of names has."""
    web.export_copies(tmp_path / "list.txt", *hosts, name="hosts", **options)
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
    (one,) = kept
    assert one in (SHOP, OTHER, ORIGINAL)
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


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """Pairs that were decided to be replicas: two sites of which every page differs; and the shop
    with its clone, the portal and a blog that has a few of its pages in a folder.
    """
    found = clones.pages()
    (shop, *_) = [row for row in found if row["url"] == f"https://{SHOP}/p/1"]
    blog = "https://blog.test"
    found += [{**shop, "url": f"{blog}/{n}", "digest": f"blog-{n}"} for n in range(60)]
    found += [
        {**shop, "url": f"{blog}/wp-content/x/p/{n}", "digest": f"d-product-{n}"} for n in range(5)
    ]
    found += [
        {"url": f"https://{host}/p/{n}", "digest": f"{host}-{n}", "title": f"Page {n}"}
        | {"length": 1000 + n}
        for host in ("mine.example", "theirs.example")
        for n in range(12)
    ]
    with replicadb.open(":memory:", threads=1) as web:
        web.load(clones.write(tmp_path_factory.mktemp("decided"), found))
        web.decide("mine.example", "theirs.example", True)
        for host in (PORTAL, "blog.test", CLONE):
            web.decide(SHOP, host, True)
        web.detect()
        yield web


def test_a_copy_without_an_equal_page_says_what_was_compared(decided, tmp_path):
    """Every page of the two differs; that they are copies was decided."""
    made = decided.export_copies(tmp_path / "l.txt", "mine.example", name="ublacklist")
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


def test_a_site_with_a_copy_in_a_folder_is_in_no_list_however_likely(decided, tmp_path):
    """Two sites of others' pages are told to be replicas: one folder is a kit, one too small."""
    copies = {copy["host"]: copy for copy in decided.copies_of(SHOP)["copies"]}
    assert {copies[host]["standing"] for host in (PORTAL, "blog.test", CLONE)} == {"known"}
    assert copies["blog.test"]["folder"] is None and copies[PORTAL]["folder"] == "/~kit"
    assert names(decided, tmp_path, SHOP) == [CLONE], "its folder has all of its pages"
    made = decided.export_copies(tmp_path / "list.txt", SHOP, name="hosts")
    (left,) = [left for reason, left in made.left_out.items() if "folder" in reason]
    assert left[0] == 2


def test_a_probability_is_asked_for_in_vain_after_a_published_method(tmp_path):
    with replicadb.open(":memory:") as web:
        web.load(clones.write(tmp_path, clones.pages()))
        web.detect(method="paper")
        for name in (None, "hosts"):
            with pytest.raises(UsageError, match="method paper gives no probabilities"):
                web.export_copies(tmp_path / "c.csv", SHOP, name=name, min_probability=0.5)
    assert not (tmp_path / "c.csv").exists()


def test_one_page_at_many_equal_paths_counts_at_each(tmp_path, write):
    """Of a login page at ten paths of both hosts four counted."""
    rows = [
        f"http://{host}.example/{name}{n},{name}{n if name == 'p' else ''}"
        for host in ("one", "two")
        for name in ("p", "login")
        for n in range(10)
    ]
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        web.load(write("crawl.csv", "\n".join(["url,digest", *rows])))
        web.detect()
        web.export_copies(tmp_path / "copies.csv", "one.example", min_probability=0.0)
        (copy,) = web.copies_of("one.example", unlikely=True)["copies"]
    assert (copy["own_pages"], copy["at_same_paths"]) == (20, 20)
    assert copy["why"].startswith("20 of 20 pages of yours, at the same paths")
    table = pl.read_csv(tmp_path / "copies.csv")
    assert table["at_same_paths"].to_list() == [20] * len(table)
