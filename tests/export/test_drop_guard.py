"""The guard before dropping: shares of each part, a limit, and drops for a look."""

from __future__ import annotations

import contextlib
import csv
import os
import shutil

import polars as pl
import pyarrow.compute as pc
import pytest
from conftest import kept_open, sha1

import replicadb
from replicadb.errors import DataError, LimitError, UsageError
from replicadb.export.drop_guard import DropShares, for_a_look


def hosts() -> list[tuple[str, str]]:
    """120 names under one suffix that copy each other in pairs but for 40; 12 of one domain."""
    pairs = [(f"{name}{n}.de", f"site{n}") for n in range(40) for name in ("a", "b")]
    alone = [(f"own{n}.de", f"own{n}") for n in range(40)]
    crowd = [(f"c{n}.crowd.org", "crowd") for n in range(12)]
    return pairs + alone + crowd


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guard")
    rows = [
        {
            "url": f"http://{host}/{site}-{n}/about.html",
            "digest": f"{site}-{n}",
            "title": f"{site} {n}",
            # of "own" sites most pages say nothing, and of the rest most say fr
            "lang": ("pl" if n == 0 else "fr-CA" if n < 3 else None)
            if site.startswith("own")
            else "de",
        }
        for host, site in hosts()
        for n in range(12)
    ]
    pl.DataFrame(rows).write_parquet(folder / "c.parquet")
    with replicadb.open(folder / "w.duckdb", threads=1) as web:
        web.load(folder / "c.parquet", label="march")
        web.detect(min_probability=0.01)
    with kept_open(folder / "w.duckdb") as path:
        yield path


@pytest.mark.slow
def test_shares_are_what_one_counts_by_hand(db):
    with replicadb.open(db, read_only=True) as web:
        found = web.drop_shares()
        dropped = set(web.flagged_hosts()["host"])
        sizes = dict(web.database.rows("SELECT host, count(*) FROM pages GROUP BY host"))
        probabilities = web.flagged_hosts()["probability"]
    rows = {(row["part"], row["name"]): row for row in found.table.to_pylist()}
    names = {host for host, _ in hosts()}
    for key, inside in (
        (("crawl", "all"), names),
        (("load", "march"), names),
        (("suffix", "de"), {host for host in names if host.endswith(".de")}),
        (("domain", "crowd.org"), {host for host in names if host.endswith(".crowd.org")}),
        (("language", "de"), {host for host in names if not host.startswith("own")}),
    ):
        row = rows[key]
        assert (row["hosts"], row["dropped_hosts"]) == (len(inside), len(inside & dropped))
        assert row["urls"] == sum(sizes[host] for host in inside)
        assert row["dropped_urls"] == sum(sizes[host] for host in inside & dropped)
    assert not {"pl", "fr"} & {name for part, name in rows if part == "language"}  # nothing goes
    assert found.expected_wrong == pytest.approx((1 - probabilities).sum())


@pytest.mark.slow
def test_the_list_is_told_before_it_is_written(cli, db, tmp_path):
    answer = cli("export", db, tmp_path / "drop.csv")
    whole, parts, written = answer.err.splitlines()
    assert whole.startswith("drops 51 of 132 hosts (38.6 %), ") and "expected to be wrong" in whole
    assert parts == (
        "most of a domain crowd.org: 11 of 12 hosts (91.7 %); of a suffix org: 11 of 12 hosts"
        " (91.7 %); of a load march: 51 of 132 hosts (38.6 %); of a language de: 51 of 92 hosts"
        " (55.4 %)"
    )
    assert written == f"51 rows to {tmp_path / 'drop.csv'}"
    assert cli("export", db, "-", "--what", "pairs").err == ""


@pytest.mark.slow
def test_past_the_limit_nothing_is_written_and_the_way_on_is_said(cli, db, tmp_path):
    answer = cli("export", db, tmp_path / "drop.csv", "--max-drop-share", "0.3")
    assert answer.code == 3 and not (tmp_path / "drop.csv").exists()
    assert len(answer.err.splitlines()) == 1
    assert "would drop 51 of 132 hosts (38.6 %) of the crawl" in answer.err
    assert answer.err.rstrip().endswith("--max-drop-share 0.39")
    answer = cli("export", db, "drop.txt", "--as", "hosts", "--max-drop-share", "0.3")
    assert answer.code == 3 and "of the crawl" in answer.err and not os.listdir()
    with replicadb.open(db, read_only=True) as web:
        shares = web.drop_shares()
    shares.refuse(0.39)  # 11 of 12 hosts of a domain are too few to refuse
    with pytest.raises(LimitError, match="of the crawl"):
        shares.refuse(0.38)


@pytest.mark.slow
def test_drops_for_a_look_are_a_file_of_decisions(cli, db, tmp_path):
    out, db = tmp_path / "check.csv", shutil.copy(db, tmp_path)
    again = cli("export", db, "-", "--check", 5)
    assert again.code == 0 and again.err == ""
    assert "reads no SQLite" in cli("export", db, tmp_path / "check.sqlite", "--check", 5).err
    assert cli("export", db, "-", "--what", "groups", "--check", 3).code == 2
    assert cli("export", db, "-", "--check", 0).code == 2
    assert cli("export", db, "-", "--check", 3, "--max-drop-share", 1).code == 2
    with replicadb.open(db) as web:
        assert web.check(out, 5) == 5 and again.out == out.read_text()
        with out.open() as lines:
            rows = list(csv.DictReader(lines))
        assert len(rows) == 5
        assert list(rows[0])[:5] == ["host_a", "host_b", "label", "note", "source"]
        assert web.label(out).undecided == 5
        out.write_text(out.read_text().replace(",,,check", ",yes,,check"))
        assert web.label(out).taken == 5
        assert set(web.decisions()["source"]) == {"check"}
        web.detect(min_probability=0.01)
        for row in web.decisions().to_dicts():
            web.remove_decision(row["host_a"], row["host_b"])
        with pytest.warns(UserWarning, match="decisions came or went"):
            web.check(out, 100)
    pairs = {frozenset(row.split(",")[:2]) for row in out.read_text().splitlines()}
    assert not pairs & {frozenset((row["host_a"], row["host_b"])) for row in rows}, "decided"


def test_a_look_goes_rather_where_a_mistake_would_lose_much(db):
    """Of 60 drops of which 6 may be wrong and lose much, a look at 6 finds most of them."""
    with replicadb.open(db, read_only=True) as web:
        frame = web.flagged_hosts()
        risky = pl.int_range(len(frame)) < 6
        frame = frame.with_columns(
            probability=pl.when(risky).then(0.6).otherwise(0.9999),
            elsewhere=pl.when(risky).then(0).otherwise(pl.col("urls")),
        )
        found = for_a_look(web.database, frame.to_arrow(), 6).to_pylist()
    assert len({row["host_a"] for row in found} & set(frame["host"][:6])) >= 5


@pytest.mark.slow
def test_a_list_with_a_drop_that_was_decided_against_since_is_refused(cli, db, tmp_path):
    """A host that was pinned, and a pair that is no replica; a detection goes by all of it."""
    db = shutil.copy(db, tmp_path)
    with replicadb.open(db) as web:
        first, second, *_, last = web.flagged_hosts().to_dicts()
        for host, pin in ((first["host"], "keep"), (last["host"], "never")):
            web.pin(host, pin)
            with pytest.raises(DataError, match=f"{host}: pinned since the last detection"):
                web.drop_shares()
            web.remove_decision(host)
        web.decide(second["host"], second["canonical_host"], True)
        web.drop_shares().refuse()
        web.remove_decision(second["host"], second["canonical_host"])
        web.decide(second["host"], second["canonical_host"], False)
    said = f"{second['host']}: decided to be no replica since the last detection"
    for file, options in (("drop.csv", ()), ("drop.txt", ("--as", "hosts"))):
        answer = cli("export", db, file, "-q", *options)
        assert answer.code == 1 and said in answer.err and not (tmp_path / file).exists()
    with replicadb.open(db) as web:
        web.pin(first["host"], "keep")
        web.pin(last["host"], "never")
        web.detect(min_probability=0.01)
        web.drop_shares()
        kept_for = dict(web.flagged_hosts().select("host", "canonical_host").rows())
    assert kept_for and not {first["host"], last["host"]} & set(kept_for)
    assert kept_for.get(second["host"]) != second["canonical_host"]


def test_a_small_crawl_is_refused_where_a_share_is_given():
    row = {"part": "crawl", "name": "all", "hosts": 9, "dropped_hosts": 7, "share": 7 / 9}
    row |= {"urls": 81, "dropped_urls": 63, "outside_hosts": 7, "outside_urls": 63}
    shares = DropShares(pl.DataFrame([row | {"wiped_hosts": 0}]).to_arrow(), None)
    shares.refuse()
    with pytest.raises(LimitError, match=r"would drop 7 of 9 hosts \(77.8 %\) of the crawl"):
        shares.refuse(0.5)
    for percent in (5, -0.1, float("nan"), "x"):
        with pytest.raises(UsageError, match=r"between 0 and 1 \(5 % is 0\.05\)"):
            shares.refuse(percent)


LANGUAGES = {"jp": (10, 0), "kr": (9, 0), "cn": (10, 1)}
"""By suffix and language: sites that are each a copy of one in French, and sites of which nobody
has a copy.
"""


@pytest.mark.slow
def test_few_hosts_with_most_pages_are_held_back_and_of_a_load_its_own_urls_count(web, write):
    """Three copies of 300 pages in the first of two loads, one page of each in the second, beside
    150 sites of four.
    """
    first = [f"http://m{k}.example/{n},l{n}" for k in range(3) for n in range(300)]
    second = [f"http://s{k}.example/{n},s{k}-{n}" for k in range(150) for n in range(4)]
    own = [f"http://m{k}.example/own,own{k}" for k in range(3)]
    web.load(write("1.csv", "url,digest\n" + "\n".join(first)))
    web.load(write("2.csv", "url,digest\n" + "\n".join([*second, *own])))
    web.detect()
    shares = web.drop_shares()
    assert shares.table["dropped_hosts"][0].as_py() == 2
    rows = {(row["part"], row["name"]): row for row in shares.table.to_pylist()}
    second_load = next(row for (part, name), row in rows.items() if name and "2.csv" in name)
    assert (second_load["urls"], second_load["dropped_urls"]) == (603, 2)
    # of the first load, all but a third; its three hosts are too few to refuse
    with pytest.raises(LimitError, match=r"drop 602 of 1,503 URLs \(40.1 %\) of the crawl"):
        shares.refuse(0.4)
    shares.refuse(0.41)


@pytest.fixture(scope="module")
def lost(tmp_path_factory) -> DropShares:
    """What goes of the sites of LANGUAGES; and of a hundred names of a site of which one stays, and
    a hundred for which a site outside stays.
    """
    copied = [
        (f"{of}{n}.{ending}", f"{of}{n}")
        for of, (copies, _) in LANGUAGES.items()
        for n in range(copies)
        for ending in (of, "fr")
    ]
    own = [f"own{n}.fr" for n in range(60)]
    own += [f"own{n}.{of}" for of, (_, alone) in LANGUAGES.items() for n in range(alone)]
    wild = ("wild.org", *(f"m{n}.wild.org" for n in range(100)))
    gone = ("gone.org", *(f"m{n}.gone.org" for n in range(100)))
    sites = [*copied, *((host, host) for host in own)]
    sites += [*((host, "w") for host in wild), *((host, "g") for host in (*gone, "aa.net"))]
    rows = [
        (f"http://{host}/{n}", f"{site}{n}", host[-2:], f"{site} {n}")
        for host, site in sites
        for n in range(9)
    ]
    rows += [(f"http://own{k}.com/{n}", f"{k}-{n}", "", "") for k in range(240) for n in range(3)]
    file = tmp_path_factory.mktemp("lost") / "c.csv"
    pl.DataFrame(rows, schema=["url", "digest", "lang", "title"], orient="row").write_csv(file)
    keep = [host for host, _ in copied if host.endswith(".fr")]
    with replicadb.open(":memory:", threads=1) as web:
        web.load(file)
        web.detect(keep=",".join([*keep, "aa.net", "wild.org", "short"]))
        return web.drop_shares()


def named(shares: DropShares, name: str) -> DropShares:
    """What the parts of a name lose, as if there were no others."""
    return DropShares(shares.table.filter(pc.equal(shares.table["name"], name)), None)


def test_a_suffix_or_language_that_would_lose_all_of_ten_hosts_is_refused(lost):
    """Nine are too few to refuse; and where one stays, not all are lost."""
    for name, (hosts, left) in LANGUAGES.items():
        of_it = named(lost, name)
        assert of_it.table["part"].to_pylist() == ["suffix", "language"]
        assert of_it.table["wiped_hosts"].to_pylist() == [0 if left else hosts] * 2
        all_lost = r"10 of 10 hosts \(100.0 %\) of (suffix|language) jp"
        said = pytest.raises(LimitError, match=all_lost)
        with said if name == "jp" else contextlib.nullcontext():
            of_it.refuse()


def test_a_wildcard_that_leaves_its_site_is_no_domain_wiped_out(lost):
    (stays,), (gone,) = (named(lost, name).table.to_pylist() for name in ("wild.org", "gone.org"))
    assert (stays["dropped_hosts"], gone["dropped_hosts"]) == (100, 101)
    assert gone["outside_hosts"] == 101 and stays["outside_hosts"] == stays["outside_urls"] == 0
    with pytest.raises(LimitError, match=r"of domain gone\.org"):
        named(lost, "gone.org").refuse(0.5)
    named(lost, "wild.org").refuse(0.5)


def load(web, lists: dict[str, tuple[list[str], range]]) -> None:
    """Loads by name: hosts, each with some pages of the site that stands before its dot. All files,
    named as their loads, are given at once: small files with common digests are stored together.
    """
    for name, (hosts, pages) in lists.items():
        rows = [
            (f"http://{host}/p{n}", sha1(f"{host.removeprefix('www.')[:4]}{n}"))
            for host in hosts
            for n in pages
        ]
        pl.DataFrame(rows, schema=["url", "digest"], orient="row").write_csv(name)
    web.load(*lists, format="csv")


def sites(n: int, ending: str, first: int = 0) -> list[str]:
    return [f"s{k:03}.{ending}" for k in range(first, first + n)]


ALL = range(8)


def of_load(shares: DropShares, *names: str) -> DropShares:
    """What these loads lose, as if there were no other parts."""
    known = shares.table.select(["part", "name"]).to_pylist()
    return DropShares(
        shares.table.filter([row["part"] == "load" and row["name"] in names for row in known]), None
    )


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """Small lists of copies of another list; and, of hosts apart from these, loads that come again
    or whose originals do.
    """
    path = tmp_path_factory.mktemp("listed") / "w.duckdb"
    bare, info = sites(12, "com", 400), sites(12, "info", 200)
    own = [*sites(90, "io"), *sites(12, "io", 300), *bare]
    lists = {"own": (own, ALL), "some": (sites(12, "info", 84), ALL)}
    lists |= {"small": (sites(12, "info"), ALL)}
    lists |= {"few": (sites(9, "info", 40), ALL)}
    lists |= {"first": (sites(12, "io", 200) + info, range(9)), "copies": (info, ALL)}
    lists |= {"rest": (sites(12, "io", 200), range(9))}
    lists |= {"once": (sites(12, "info", 300), ALL), "again": (sites(12, "info", 300), range(9))}
    lists |= {"www": ([f"www.{name}" for name in bare], ALL)}
    with contextlib.chdir(path.parent), replicadb.open(path, threads=1) as web:
        load(web, lists)
        web.detect(keep="short")
    with kept_open(path):
        yield path


@pytest.fixture(scope="module")
def shares(listed):
    with replicadb.open(listed, read_only=True) as web:
        return web.drop_shares()


def load_rows(shares: DropShares) -> dict[str, dict]:
    return {row["name"]: row for row in shares.table.to_pylist() if row["part"] == "load"}


def test_a_load_that_would_lose_all_of_its_hosts_is_refused_and_others_are_told(
    cli, tmp_path, listed, shares
):
    """A small list of copies of another; of a third half are copies."""
    rows = load_rows(shares)
    assert rows["small"]["wiped_hosts"] == 12
    assert rows["few"]["wiped_hosts"] == 9 and rows["some"]["wiped_hosts"] == 0
    answer = cli("export", listed, "drop.csv")
    assert answer.code == 3 and not (tmp_path / "drop.csv").exists()
    assert (
        "would drop 12 of 12 hosts (100.0 %) of load again (and too much of 2 other parts),"
        " more than --max-drop-share 0.5"
    ) in answer.err
    for out, options in (("drop.csv", ()), ("drop.txt", ("--as", "hosts"))):
        said = cli("export", listed, out, "--max-drop-share", "1", *options)
        assert said.code == 0 and "load small: 12 of 12" in said.err
        assert "load few" not in said.err, "nine are too few to say anything of"


def test_a_reload_is_not_refused_for_what_it_has_or_leaves(shares):
    """Copies and originals are loaded, then the copies again, but for a page of each, then the
    originals. The newest captures of the first load are of copies alone; it had all hosts.
    """
    rows = load_rows(shares)
    assert (rows["first"]["hosts"], rows["first"]["dropped_hosts"]) == (24, 12)
    assert (rows["first"]["urls"], rows["first"]["dropped_urls"]) == (24 * 9, 12 * 9)
    assert rows["copies"]["share"] == 1 and rows["copies"]["wiped_hosts"] == 0
    of_load(shares, "first", "copies", "rest").refuse(0.6)


def test_copies_that_no_other_load_has_are_lost_though_the_load_came_twice(shares):
    twice = of_load(shares, "once", "again")
    with pytest.raises(LimitError, match=r"12 of 12 hosts \(100.0 %\) of load (again|once)"):
        twice.refuse(0.9)
    twice.refuse(1)


def test_a_load_of_names_whose_domain_stays_is_not_lost(shares):
    row = load_rows(shares)["www"]
    assert row["dropped_hosts"] == 12 and row["outside_hosts"] == row["wiped_hosts"] == 0
    www = of_load(shares, "www")
    www.refuse(0.5)
    assert www.more_than_half() == []


def test_at_most_ten_parts_that_lose_more_than_half_are_named():
    rows = [
        {"part": "load", "name": f"l{n}", "hosts": 20, "dropped_hosts": 20 - n}
        | {"share": 1 - n / 20, "outside_hosts": 20 - n}
        for n in (*range(0, 13, 2), *range(1, 13, 2))
    ]
    (line,) = DropShares(pl.DataFrame(rows).to_arrow(), None).more_than_half()
    assert line == "more than half of " + "; of ".join(
        f"load l{n}: {20 - n} of 20 hosts ({100 - 5 * n}.0 %)" for n in range(10)
    )
    (line,) = DropShares(pl.DataFrame(rows).to_arrow(), None).more_than_half([("load", "l3")])
    assert "also of load l0: " in line and "load l3" not in line
    rows += [{**rows[0], "name": f"m{n}"} for n in range(3)]
    (line,) = DropShares(pl.DataFrame(rows).to_arrow(), None).more_than_half()
    assert line.endswith("load l6: 14 of 20 hosts (70.0 %); and 3 more")
