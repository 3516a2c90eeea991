"""Which kinds of copy are flagged: translations and versions when they are asked for."""

from __future__ import annotations

import contextlib
import csv

import numpy as np
import pyarrow as pa
import pytest

import replicadb
from replicadb.cli.detect_command import _kinds
from replicadb.detection.kinds import KIND_NUMBERS, PAIR_KINDS, PIECES, kinds_of, pieces
from replicadb.errors import UsageError
from replicadb.findings.ranked_pairs import ranked_pairs
from replicadb.settings import CONSTANTS, Settings

from .crawls import only_pairs

PLACES = range(24)
LIKELY = 0.0001
"""Every candidate is likely enough to be flagged."""
EXPECTED = {
    "same": "replica",
    "older": "version",
    "german": "translation",
    "anew": "replica",
    "dated": "replica",
    "part": "partial",
}
SHARED = {"older": 5, "german": 7, "anew": 3, "dated": 5}
"""How many pages of docs.net stand at a copy unchanged."""


def copy(name: str) -> list[tuple]:
    """The pages of a copy of docs.net by its name: anew has its titles; older other titles and
    lengths here and there; dated the same other titles, each page as long as before.
    """
    rows = []
    for n in PLACES[:8] if name == "part" else PLACES:
        changed = n >= SHARED.get(name, len(PLACES))
        title = f"Teil {n} davon" if name == "german" else f"Part {n} of it"
        if name in ("older", "dated") and not n % 3:
            title = f"Part {n} as it was"
        length = 1000 + 7 * n + (300 if changed and name in ("older", "german") else 0)
        digest = f"{name}{n}" if changed else f"c{n}"
        rows.append((f"http://{name}.net/{n}", digest, title, length))
    return rows


@contextlib.contextmanager
def loaded(folder, columns: tuple[str, ...], rows: list[tuple]):
    """A database with these captures."""
    with open(folder / "crawl.csv", "w") as out:
        csv.writer(out).writerows([columns, *rows])
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        yield web


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """docs.net, its copies, SHOPS and another site, detected by default but for LIKELY; each test
    detects what it needs otherwise.
    """
    folder = tmp_path_factory.mktemp("kinds")
    rows = [row for name in ("docs", *EXPECTED) for row in copy(name)]
    rows += [row for name in SHOPS for row in shops(name)]
    rows += [(f"http://other.net/{n}", f"o{n}", f"Other {n}", 90) for n in PLACES]
    with loaded(folder, ("url", "digest", "title", "length"), rows) as web:
        web.detect(min_probability=LIKELY)
        yield web


SHOPS = {"Other": ("Buy", "replica"), "Firm": ("Kaufen", "translation")}
SHOPS["Firma"] = ("Kaufen", "translation")
"""Names of the second of two shops, the verb in its titles, and the kind of the two."""


def shops(name: str) -> list[tuple]:
    """Two shops with their name and a verb in every title; four data sheets are the same at both,
    and lengths are alike.
    """
    rows = []
    for host, of, verb in (("one", "Firm", "Buy"), ("two", name, SHOPS[name][0])):
        url = f"http://{host}-{name}.net"
        rows += [
            (f"{url}/p/{k}", f"{name}{host}{k}", f"{verb}: MAGNA{k} | {of}", 900) for k in range(14)
        ]
        rows += [(f"{url}/sheet{k}", f"{name}s{k}", f"MAGNA{k}", 400) for k in range(4)]
    return rows


def of_docs(web, column: str) -> dict[str, object]:
    """A column of replicas for docs.net and each of its copies."""
    rows = web.database.rows(f"SELECT copy, {column} FROM copies WHERE host = 'docs.net'")
    return {name.removesuffix(".net"): value for name, value in rows}


@pytest.mark.slow
def test_the_kind_goes_by_what_stands_at_the_same_places(web):
    assert of_docs(web, "kind") == EXPECTED


def test_a_copy_under_another_name_is_no_translation(web):
    """A translation has the same products in its titles, and mostly the same name."""
    web.detect(min_probability=LIKELY)
    found = web.database.rows(
        "SELECT host_a, host_b, kind, title_agreement > 0.8 FROM replicas"
        " WHERE starts_with(host_a, 'one-') ORDER BY ALL"
    )
    assert found == [
        (f"one-{name}.net".lower(), f"two-{name}.net".lower(), kind, kind == "replica")
        for name, (_, kind) in sorted(SHOPS.items())
    ]


def test_by_default_replicas_and_partial_copies_are_flagged(web):
    asked = ("replica", "partial")
    assert of_docs(web, "flagged") == {name: kind in asked for name, kind in EXPECTED.items()}
    left = web.database.rows("SELECT kind, count(*) FROM left_out GROUP BY kind ORDER BY kind")
    result = web.detect(min_probability=LIKELY)
    assert result.counts["left_out"] == dict(left) and {kind for kind, _ in left} == {
        "translation",
        "version",
    }
    (note,) = [note for note in result.notes if "--kinds" in note]
    assert f"{left[0][1]} like a translation, {left[1][1]} like a version" in note


@pytest.mark.slow
def test_why_a_pair_is_not_flagged_is_told(web):
    found = web.explain("german.net", "docs.net")
    assert "they look like a translation" in found["verdict"] and "--kinds" in found["verdict"]
    assert found["place"]["left_out"] == "translation" and not found["place"]["flagged"]
    said = {copy["host"]: copy["left_out"] for copy in web.copies_of("docs.net")["copies"]}
    assert said["older.net"] == "version" and said["same.net"] is None
    held = dict(web.database.rows("SELECT host, why FROM held_hosts"))
    assert held["german.net"] == (
        "it looks like a translation, and such pairs are not flagged (--kinds)"
    )
    totals = {"candidates": 99, "ranked": 99, "flagged": 9}
    explained = ranked_pairs(web.database, totals, 100, 100)["explained"]
    assert found["verdict"].split(" (")[0] in {
        verdict.split(" (")[0] for verdict in explained["verdict"]
    }


@pytest.mark.slow
def test_models_flag_the_same(web):
    model = web.model()
    wanted = web.sql("SELECT host_a, host_b, probability, flagged, kind FROM replicas")
    found = model.score(wanted.select("host_a", "host_b"))
    assert found.select(wanted.columns).equals(wanted)
    for kind in ("translation", "replica"):
        row = wanted.filter(kind=kind).row(0, named=True)
        one = model.score_pair(row["host_b"], row["host_a"])
        assert (one.kind, one.flagged) == (kind, kind == "replica")
    looked_up = {match.host: (match.kind, match.flagged) for match in model.lookup("docs.net")}
    kind, flagged = (of_docs(web, column) for column in ("kind", "flagged"))
    assert looked_up == {f"{name}.net": (kind[name], flagged[name]) for name in kind}
    assert model.info["kinds"] == ["replica", "partial"]


@pytest.mark.slow
def test_flags_are_judged_as_they_were_made(web, tmp_path):
    (tmp_path / "gold.csv").write_text("host_a,host_b\ndocs.net,german.net\ndocs.net,same.net\n")
    result = web.evaluate(tmp_path / "gold.csv", methods=["robust"], folds=1, tables=False)
    judged = result["methods"][0]
    assert judged["flagged"]["recall"] == 0.5
    assert judged["flagged"]["pairs_in_all"] == sum(web.sql("FROM replicas")["flagged"])


@pytest.mark.slow
def test_what_people_decided_overrules_the_kind(web):
    web.decide("docs.net", "german.net", replica=True)
    try:
        result = web.detect(min_probability=LIKELY)
        assert of_docs(web, "flagged")["german"] and not of_docs(web, "flagged")["older"]
        assert "german.net" in set(web.sql("FROM flagged_hosts")["host"]) | set(
            web.sql("FROM flagged_hosts")["canonical_host"]
        )
        assert result.counts["left_out"]["translation"] == web.database.value(
            "SELECT count(*) FROM left_out WHERE kind = 'translation'"
        )
    finally:
        web.remove_decision("docs.net", "german.net")  # who is next detects anew


@pytest.mark.slow
def test_who_asks_has_every_kind_flagged(web):
    result = web.detect(min_probability=LIKELY, kinds="all")
    assert result.stages_run == ["60_scores", "70_replica_groups"]
    assert all(of_docs(web, "flagged").values()) and "left_out" not in result.counts
    assert not any("--kinds" in note for note in result.notes)
    assert of_docs(web, "kind") == EXPECTED
    only_pairs(web, 5, min_probability=LIKELY, kinds=["version"])
    assert [name for name, yes in of_docs(web, "flagged").items() if yes] == ["older"]


@pytest.mark.slow
def test_method_paper_knows_no_kinds(web):
    with pytest.raises(UsageError, match="kinds belongs to method robust"):
        web.detect(method="paper", kinds="all")
    only_pairs(web, 5, method="paper")
    assert not web.database.value("SELECT count(*) FROM left_out")


def kind_of(known: dict[str, float]) -> str:
    """The kind of a pair of which no more is known."""
    found = kinds_of(lambda name: np.array([known.get(name, np.nan)], np.float32), 1)
    return PAIR_KINDS[found[0]]


@pytest.mark.parametrize(("pages", "kind"), [(6, "version"), (7, "replica"), (30, "replica")])
def test_pages_of_one_title_each_are_no_version_from_seven_on(pages, kind):
    """A site written down anew: all titles are the same, no content and no length is."""
    known = {
        "path_overlap": 0.9,
        "containment": 0.0,
        "title_agreement": (pages + 0.2) / (pages + 2),
        "title_overlap": 0.9,
        "size_agreement": 0.2 / (pages + 2),
        "resemblance": 0.0,
    }
    assert kind_of(known) == kind


@pytest.mark.parametrize(
    ("piece", "value"),
    [
        ("path_overlap", 0.39),
        ("containment", 0.5),
        ("title_agreement", 0.25),
        ("title_overlap", 0.35),
        ("title_agreement", np.nan),
        ("title_overlap", np.nan),
    ],
)
def test_each_bound_of_a_translation_counts(piece, value):
    known = {
        "known_pages": 20,
        "path_overlap": 0.4,
        "tail_overlap": 0.1,
        "containment": 0.49,
        "resemblance": 0.4,
        "title_agreement": 0.24,
        "title_overlap": 0.34,
    }
    assert kind_of(known) == "translation"
    assert kind_of(known | {piece: value}) == "replica"


def test_sql_and_arrays_say_the_same_to_the_last_bit(web):
    """Values on, above and below every bound, and unknown ones, 200,000 of their combinations; of
    what is asked whether it is known at all, nothing or one.
    """
    bounds = {
        "path_overlap": (KIND_NUMBERS.same_places,),
        "tail_overlap": (KIND_NUMBERS.same_places,),
        "containment": (
            KIND_NUMBERS.translated_contents,
            KIND_NUMBERS.version_contents,
            KIND_NUMBERS.partial_contents,
            KIND_NUMBERS.other_contents,
            KIND_NUMBERS.common_contents,
        ),
        "exclusive_evidence": (KIND_NUMBERS.common_evidence,),
        "title_agreement": (KIND_NUMBERS.translated_titles, KIND_NUMBERS.version_titles),
        "title_overlap": (
            KIND_NUMBERS.translated_title_overlap,
            KIND_NUMBERS.version_title_overlap,
        ),
        "size_agreement": (KIND_NUMBERS.version_sizes,),
        "resemblance": (KIND_NUMBERS.partial_share * KIND_NUMBERS.partial_contents,),
        "plain_resemblance": (KIND_NUMBERS.common_share,),
        "known_pages": (KIND_NUMBERS.thin_pages, KIND_NUMBERS.common_pages),
        "nmatch": (KIND_NUMBERS.thin_names,),
        "same_language": (KIND_NUMBERS.translated_language,),
    }
    asked = ("asset_evidence", "link_overlap", "linked", "canonical")
    near = {}
    for name, numbers in bounds.items():
        at = np.array(sorted(set(numbers)), np.float32)
        below = np.nextafter(at[:1], np.float32(0))
        near[name] = np.concatenate([at, below, [np.float32("nan")]])
    assert {*near, *asked} == set(PIECES)
    draw, n = np.random.default_rng(97), 200_000
    given = {name: draw.choice(values, n) for name, values in near.items()}
    known = draw.integers(len(asked) + 1, size=n)
    for place, name in enumerate(asked):
        given[name] = np.where(known == place, np.float32(0.5), np.float32("nan"))
    columns = {name: given[name] for name in PIECES}
    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
    with web.database.registered("given", table):
        found = web.database.column(f"SELECT internal.kind_of({pieces('given')}) FROM given")
    kinds = np.array(PAIR_KINDS, object)[kinds_of(columns.get, n)]
    assert kinds.tolist() == found and set(found) == set(PAIR_KINDS)
    unknown = np.isnan(columns["title_agreement"]) & np.isnan(columns["title_overlap"])
    unknown &= ~(columns["same_language"] < np.float32(KIND_NUMBERS.translated_language))
    assert set(kinds[unknown]) == {"replica", "partial", "thin", "version"}
    some = unknown & (columns["containment"] >= np.float32(KIND_NUMBERS.other_contents))
    assert set(kinds[some]) == {"replica", "partial", "thin"}
    assert "version" not in kinds[unknown & np.isnan(columns["size_agreement"])]
    assert web.database.value("SELECT internal.may_be()") == CONSTANTS.may_be


def test_kinds_are_named_in_any_order_and_completed():
    assert Settings(kinds="partial, replica") == Settings()
    assert Settings(kinds=["all"]).kinds == ",".join(PAIR_KINDS)
    with pytest.raises(UsageError, match=r"'versions' \(did you mean 'version'\?\)"):
        Settings(kinds="replica,versions")
    assert _kinds("ver") == [*PAIR_KINDS, "all"]
    assert _kinds("replica,") == [f"replica,{kind}" for kind in PAIR_KINDS if kind != "replica"]


@pytest.mark.parametrize("more", ["canonical", "linked", "title_overlap", "asset_evidence"])
def test_a_pair_of_which_nothing_but_places_is_known_is_thin_and_more_is_not(more):
    columns = {name: np.full(2, np.nan, np.float32) for name in PIECES}
    columns["nmatch"][:], columns["path_overlap"][:], columns["containment"][:] = 0, 1, 0
    columns[more][1] = 1
    first, other = (PAIR_KINDS[kind] for kind in kinds_of(columns.get, 2))
    assert first == "thin" != other


INSTALLED = {
    "some of one's own": (4, 4, 240, "thin"),
    "few hosts": (4, 4, 40, "replica"),
    "many of one's own": (4, 30, 130, "replica"),
    "six in common": (6, 0, 130, "replica"),
}
"""Pages that so many hosts have in common, and pages of their own; and the kind of each pair."""


KNOWN = {(1, 0): 3, (1, 3): 3, (2, 0): 11, (3, 0): 11}
"""Pages and files that a small host has in common with a larger one, and pages known of the two."""


def of_a_larger_one(pages: int, files: int) -> list[tuple]:
    """A host of three pages and one of twenty, with so much in common."""
    rows = []
    for host, size, shared in (("large", 20, 20), ("small", 3, pages)):
        url = f"http://{host}{pages}-{files}.net"
        case = f"{pages}-{files}"
        rows += [
            (f"{url}/{n}", f"{case}{host * (n >= shared)}{n}", "text/html") for n in range(size)
        ]
        rows += [(f"{url}/{n}.css", f"{case}f{n}", "text/css") for n in range(files)]
    return rows


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """New installations of four programs, and the hosts of KNOWN, among 2,000 other hosts."""
    rows = [(f"http://s{n}.org/{k}", f"s{n}-{k}") for n in range(2000) for k in range(2)]
    for case, (common, own, hosts, _) in enumerate(INSTALLED.values()):
        for n in range(hosts):
            name = f"{'bcdfghjklmnp'[n % 12] * 3}{n}.{'abcd'[case]}.example"
            rows += [(f"http://{name}/{case}-{k}", f"d{case}-{k}") for k in range(common)]
            rows += [(f"http://{name}/own{case}-{k}", f"{name}{k}") for k in range(own)]
    rows = [(*row, "text/html") for row in rows]
    rows += [row for case in KNOWN for row in of_a_larger_one(*case)]
    with loaded(tmp_path_factory.mktemp("installed"), ("url", "digest", "mime"), rows) as web:
        only_pairs(web, 5, min_probability=LIKELY)
        yield web


@pytest.mark.parametrize("case", INSTALLED)
def test_a_few_pages_that_a_hundred_hosts_have_say_little(installed, case):
    """New installations of one software: some pages of it, and some of one's own or none."""
    kind, end = INSTALLED[case][3], f"'.{'abcd'[[*INSTALLED].index(case)]}.example'"
    pairs = f"FROM replicas WHERE nmatch < 0.5 AND ends_with(host_a, {end})"
    assert set(installed.sql(f"SELECT kind {pairs} AND probability > 0.2")["kind"]) <= {kind}
    assert set(installed.sql(f"SELECT flagged {pairs}")["flagged"]) == {kind != "thin"}


def test_a_small_host_of_a_larger_one_is_known_by_both_from_two_pages_on(installed):
    """A page in common may be chance, whatever files beside it are the same."""
    query = (
        "SELECT host_a, host_b, known_pages FROM candidate_pairs WHERE starts_with(host_a, 'large')"
        " ORDER BY ALL"
    )
    assert installed.database.rows(query) == [
        (f"large{pages}-{files}.net", f"small{pages}-{files}.net", n)
        for (pages, files), n in KNOWN.items()
    ]
