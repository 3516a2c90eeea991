"""Country sites of a brand in crawls of URLs, addresses and fingerprints alone, and mirrors beside
them (sql/detect/38_country_sites.sql).
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest

import replicadb
from replicadb.constant_tables import changed_constants
from replicadb.model import Host
from replicadb.stage_constants import KIND_NUMBERS

from .country_reference import countries_agree, split
from .crawls import only_pairs
from .reference import Reference

COUNTRIES = ("de", "fr", "it", "nl", "co.uk")
PAGES = 24


def site(host: str, of: str, own: int, edition: str) -> list[dict]:
    """A host with so many pages of its edition, and the others of the whole brand."""
    return [
        {
            "url": f"http://{host}/{of}/{n}",
            "ip": "192.0.2.7" if of == "twin" else "",
            "fingerprint": f"{of}-{edition if n < own else 'all'}-{n}",
        }
        for n in range(PAGES)
    ]


def rows(own: int = 8) -> list[dict]:
    """brand: so many of each country's pages are its own. twin: mirrors. few: three countries. And
    other sites with their www, so that there are obvious replicas to learn from.
    """
    found = [row for c in COUNTRIES for row in site(f"brand.{c}", "brand", own, c)]
    found += site("www.brand.de", "brand", own, "de")
    found += site("brand.com", "brand", own, "com") + site("brand.net", "brand", own, "com")
    for country in COUNTRIES:
        found += site(f"twin.{country}", "twin", 0, "")
    for country in COUNTRIES[:3]:
        found += site(f"few.{country}", "few", 8, country)
    for n in range(12):
        for www in ("", "www."):
            found += site(f"{www}other{n}.org", f"other{n}", 0, "")
    return found


def with_lengths() -> list[dict]:
    """Sites of a brand in each country, with lengths, which tell better."""
    return [row | {"length": 900} for c in COUNTRIES for row in site(f"long.{c}", "long", 8, c)]


def csv_of(found: list[dict]) -> str:
    return "url,ip,fingerprint,length\n" + "".join(
        f"{row['url']},{row['ip']},{row['fingerprint']},{row.get('length', '')}\n" for row in found
    )


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    """A database of these, loaded; copy it."""
    folder = tmp_path_factory.mktemp("loaded")
    (folder / "crawl.csv").write_text(csv_of(rows() + with_lengths()))
    with replicadb.open(folder / "web.duckdb") as db:
        db.load(folder / "crawl.csv")
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def detected(loaded, tmp_path_factory) -> Path:
    """The same, detected; copy it before you change it."""
    path = Path(shutil.copy(loaded, tmp_path_factory.mktemp("countries")))
    with replicadb.open(path) as db:
        db.detect()
    return path


@pytest.fixture(scope="module")
def web(detected):
    with replicadb.open(detected, read_only=True) as db:
        yield db


def values(db) -> dict[tuple[str, str], float | None]:
    found = db.sql("SELECT host_a, host_b, countries_agree FROM candidate_pairs")
    return {(a, b): value for a, b, value in found.iter_rows()}


def test_the_value_is_what_each_two_hosts_of_the_name_have_path_by_path(web):
    given = [
        row
        | {
            "host": row["url"].split("/")[2],
            "path": "/" + row["url"].split("/", 3)[3],
            "status": "200",
            "mime": None,
            "length": row.get("length"),
            "title": None,
            "timestamp": None,
            "redirect": None,
        }
        for row in rows() + with_lengths()
    ]
    of, found = Reference(given), values(web)
    for (a, b), value in found.items():
        both = sorted(
            {(r["path"], r["fingerprint"]) for r in given if r["host"] == a}
            & {(r["path"], r["fingerprint"]) for r in given if r["host"] == b}
        )
        same, paths = len(both), PAGES if both else 0
        expected = countries_agree(of, a, b, same, same, paths - same)
        assert value == (None if expected is None else pytest.approx(expected)), (a, b)
    assert 0.6 < found["brand.de", "brand.fr"] < 0.7


def test_only_pairs_that_differ_by_a_countrys_suffix_and_disagree_have_one(web):
    """And none where lengths are known."""
    known = {pair for pair, value in values(web).items() if value is not None}
    assert {split(host)[0] for pair in known for host in pair} == {"brand"}
    brand = {f"brand.{c}" for c in (*COUNTRIES, "com", "net")} | {"www.brand.de"}
    without = {("brand.com", "brand.net"), ("brand.de", "www.brand.de")}
    assert known == set(itertools.combinations(sorted(brand), 2)) - without


def test_mirrors_are_flagged_and_sites_of_countries_are_not(web):
    flagged = {
        tuple(pair) for pair in web.sql("SELECT host_a, host_b FROM replicas WHERE flagged").rows()
    }
    twins = {f"twin.{country}" for country in COUNTRIES}
    assert set(itertools.combinations(sorted(twins), 2)) <= flagged
    assert ("brand.com", "brand.net") in flagged and ("brand.de", "www.brand.de") in flagged
    assert not flagged & {pair for pair, value in values(web).items() if value is not None}


def test_a_model_says_the_same_and_a_host_newly_met_is_of_no_such_name(web):
    model, found = web.model(), values(web)
    for a, b in (("brand.de", "brand.fr"), ("brand.com", "brand.net"), ("twin.de", "twin.fr")):
        value = model.score_pair(a, b).features["countries_agree"]
        assert np.isnan(value) if found[a, b] is None else value == np.float32(found[a, b])
    new = Host("brand.es", [(f"/brand/{n}", f"brand-all-{n}") for n in range(8, PAGES)])
    assert "brand.de" in {match.host for match in model.lookup(new)}


def test_sites_that_are_nearly_the_same_are_flagged_and_counted_in_a_note(detected, tmp_path):
    """So are mirrors whose pages change: nothing tells the two apart, and the note says both."""
    labels = [row for c in ("de", "fr", "it") for row in site(f"{c}.shop.com", "shop", 2, c)]
    (tmp_path / "crawl.csv").write_text(csv_of(rows(own=2) + labels))
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(tmp_path / "crawl.csv")
        found = db.detect()
        doubtful = db.database.value(
            "SELECT count(*) FROM replicas WHERE flagged AND countries_agree IS NOT NULL"
        )
    said = [note for note in found.notes if "in several countries" in note]
    assert doubtful > 10 and said[0].startswith(f"{doubtful + 3} flagged pairs of one name")
    assert "may be mirrors of which some pages change, or a brand's sites" in said[0]
    with replicadb.open(shutil.copy(detected, tmp_path / "others.duckdb")) as db:
        assert not any("in several countries" in note for note in db.detect().notes)


def test_the_number_of_countries_that_a_file_of_settings_says_holds_at_once(detected, tmp_path):
    """Also in a database that was detected by another; other numbers of kinds make no pair anew."""
    with replicadb.open(shutil.copy(detected, tmp_path / "web.duckdb")) as db:
        before = values(db)
        with changed_constants(KIND_NUMBERS, {"country_sites": 3}):
            only_pairs(db)
        more = {
            pair for pair, value in values(db).items() if value is not None and not before[pair]
        }
        assert more == set(itertools.combinations([f"few.{c}" for c in ("de", "fr", "it")], 2))
        with changed_constants(KIND_NUMBERS, {"country_sites": len(COUNTRIES) + 1}):
            only_pairs(db)
        assert set(values(db).values()) == {None}
    with replicadb.open(shutil.copy(detected, tmp_path / "kinds.duckdb")) as db:
        with changed_constants(KIND_NUMBERS, {"thin_pages": 2}):
            assert "20_pair_features" not in db.detect().stages_run
        assert values(db) == before


@pytest.mark.slow
def test_a_page_of_one_country_changes_what_the_others_have(loaded, detected, tmp_path):
    more = [
        {"url": f"http://brand.it/brand/{n}", "ip": "", "fingerprint": f"new{n}"} for n in (20, 21)
    ]
    with (
        replicadb.open(shutil.copy(detected, tmp_path / "web.duckdb")) as db,
        replicadb.open(shutil.copy(loaded, tmp_path / "fresh.duckdb")) as fresh,
    ):
        before = values(db)["brand.de", "brand.fr"]
        (tmp_path / "more.csv").write_text(csv_of(more))
        for each in (db, fresh):
            each.load(tmp_path / "more.csv")
            counts = only_pairs(each)
            assert ("changed_hosts" in counts) == (each is db)
        assert values(db) == values(fresh)
        assert values(db)["brand.de", "brand.fr"] < before
