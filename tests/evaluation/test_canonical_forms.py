"""Rules beside other canonicalisations: counted as a slow reference counts, without a trace in the
database, the same again. Tries canonical_forms_text, too.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.evaluation import canonical_forms
from replicadb.evaluation.canonical_forms import compare, known_methods, without_tracking
from replicadb.rewrite import Rewriter, rule_learning
from replicadb.synthetic.crawl import generate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small generated crawl, loaded into web.duckdb beside it."""
    made = generate.generate(
        tmp_path_factory.mktemp("made"), 30, urls=1_500, seed=908, profile="ordinary"
    )
    with replicadb.open(Path(made.crawl).with_name("web.duckdb")) as opened:
        opened.load(made.crawl)
    return made


@pytest.fixture
def crawl(made, tmp_path) -> str:
    """The path of a database of the crawl, which a test may change."""
    return shutil.copy(Path(made.crawl).with_name("web.duckdb"), tmp_path)


@pytest.fixture(scope="module")
def compared(made) -> dict:
    """All methods beside each other, in one thread; of one share of errors, as rules are learned
    anew for each, and for each fold.
    """
    with (
        pytest.MonkeyPatch.context() as patch,
        replicadb.open(Path(made.crawl).with_name("web.duckdb"), threads=1) as opened,
    ):
        patch.setattr(canonical_forms, "EPSILONS", (0.0,))
        return compare(opened.database, made.url_gold, folds=2)


def reference(crawl: pl.DataFrame, form) -> dict[str, int]:
    """As sql/evaluate/20_canonical.sql has it, a URL at a time."""
    of_form, of_host = defaultdict(list), defaultdict(list)
    for url, content in crawl.select("url", "fingerprint").iter_rows():
        new = form(url)
        row = (new != url, url, content, host := url.split("/")[2])
        of_form[new].append(row)
        of_host[host, new].append(row)
    counts = dict.fromkeys(("removed", "wrong", "joined", "wrongly_joined"), 0)
    for rows in of_host.values():
        kept, *gone = sorted(rows)
        counts["removed"] += sum(row[2] == kept[2] for row in gone)
        counts["wrong"] += sum(row[2] != kept[2] for row in gone)
    for rows in of_form.values():
        kept, *gone = sorted(rows)
        first = {min(row for row in rows if row[3] == host) for host in {row[3] for row in rows}}
        counts["joined"] += sum(row in first and row[2] == kept[2] for row in gone)
        counts["wrongly_joined"] += sum(row in first and row[2] != kept[2] for row in gone)
    return counts


def test_every_method_is_counted_as_the_reference_counts(made, crawl, compared):
    pages = pl.read_parquet(made.crawl)
    with replicadb.open(crawl) as web, web.database.transaction():
        loaded = web.database.column(
            "SELECT o.origin || u.path FROM urls AS u JOIN origins AS o USING (origin_id)"
        )
        rules = rule_learning.learn(web.database)
    pages = pages.filter(pl.col("url").is_in(loaded))
    found = {row["method"]: row for row in compared["methods"]}
    methods = {"rules, epsilon 0.0": Rewriter(rules).canonical} | {
        name: form for name, (_, form) in known_methods()[0].items()
    }
    assert set(methods) == {name for name in found if "unseen" not in name}
    for name, form in methods.items():
        said = {key: found[name][key] for key in ("removed", "wrong", "joined", "wrongly_joined")}
        assert said == reference(pages, lambda url, form=form: form(url) or url), name


def test_rules_remove_the_planted_urls_and_nothing_wrong(compared):
    rows = {row["method"]: row for row in compared["methods"]}
    seen, unseen = rows["rules, epsilon 0.0"], rows["rules, epsilon 0.0, on unseen contents"]
    assert compared["planted"] > 40 and seen["planted_share"] > 0.9 and seen["wrong"] == 0
    assert (
        0.5 < unseen["planted_share"] <= seen["planted_share"]
        and sum(n for n, _ in unseen["planted"].values()) == compared["planted"]
    )
    assert compared["duplicates"] >= seen["removed"] > unseen["removed"] > 0
    assert rows["known tracking and session parameters"]["removed"] == 0


def test_the_database_is_left_as_it_was_and_the_answer_is_the_same_again(
    cli, made, crawl, compared, monkeypatch
):
    monkeypatch.setattr(canonical_forms, "EPSILONS", (0.0,))
    again = json.loads(
        cli(
            "rewrite",
            "compare",
            crawl,
            "--gold",
            made.url_gold,
            "--folds",
            1,
            "--json",
            "--threads",
            2,
        ).out
    )
    answers = [json.loads(json.dumps(compared)), again]
    kept = [row for row in answers[0]["methods"] if "unseen" not in row["method"]]
    assert len(kept) == len(compared["methods"]) - 1
    answers[0]["methods"] = kept
    for answer in answers:
        for row in answer["methods"]:
            row["seconds"] = row["urls_per_second"] = None
    assert answers[0] == answers[1]
    assert "no rewrite rules" in cli("rewrite", "show", crawl).err


def test_the_table_names_libraries_and_what_is_missing(cli, made, crawl, monkeypatch):
    def absent():
        raise ImportError

    monkeypatch.setattr(canonical_forms, "_surt", absent)
    monkeypatch.setattr(canonical_forms, "EPSILONS", (0.1,))
    done = cli("rewrite", "compare", crawl, "--gold", made.url_gold, "--folds", 1)
    assert (
        done.code == 0
        and "surt: not installed, left out; pip install 'replicadb[compare]'" in done.out
        and "SURT (" not in done.out
    )
    assert done.out.splitlines()[0].endswith("planted") and "rules, epsilon 0.1" in done.err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        "further_url,duplicate_of,kind\nhttp://nowhere.example/,http://nowhere.example/a,print\n",
    ],
)
def test_gold_that_is_none_is_refused_in_one_line(crawl, write, text):
    with replicadb.open(crawl) as web, pytest.raises(DataError) as error:
        compare(web.database, write("gold.csv", text), folds=1)
    assert "\n" not in str(error.value)


def test_folds_below_one_and_a_crawl_without_content_are_refused(web, write):
    with pytest.raises(UsageError):
        compare(web.database, folds=0)
    web.load(write("crawl.csv", "url\nhttp://a.example/\n"))
    with pytest.raises(DataError):
        compare(web.database)


def test_one_content_alone_is_compared_though_no_fold_can_learn(web, write, monkeypatch):
    monkeypatch.setattr(canonical_forms, "EPSILONS", (0.0,))
    web.load(
        write(
            "crawl.csv",
            "url,fingerprint\nhttp://a.example/x?utm_source=1,a\nhttp://a.example/x,a\n",
        )
    )
    result = compare(web.database, folds=2)
    rows = {row["method"]: row for row in result["methods"]}
    assert (
        result["planted"] is None
        and rows["known tracking and session parameters"]["removed"] == 1
        and rows["rules, epsilon 0.0, on unseen contents"]["removed"] == 0
    )


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("http://a/x?utm_source=1&b=2&fbclid=z", "http://a/x?b=2"),
        ("http://a/x?GCLID=1", "http://a/x"),
        ("http://a/x", "http://a/x"),
        ("http://a/x?sidebar=1&utm=2", "http://a/x?sidebar=1&utm=2"),
        ("http://a/x?", "http://a/x?"),
    ],
)
def test_known_tracking_parameters_go(url, form):
    assert without_tracking(url) == form


@pytest.mark.parametrize("library", ["w3lib", "courlan", "surt"])
def test_libraries_give_every_odd_url_a_form_or_an_error_that_is_counted(library):
    pytest.importorskip(library)
    forms = {
        name: form for name, (said, form) in known_methods()[0].items() if said.startswith(library)
    }
    assert forms
    for form in forms.values():
        standing = canonical_forms.FormOutcome("", "")
        careful = canonical_forms.careful_form(form, standing)
        for url in (
            "http://a.example/%zz",
            "http://[bad/",
            "http://a.example:99999/",
            "http://a.example/\ud800",
            "http://a.example/" + "x" * 100_000,
            "http://a.example/é?ü=%E9",
        ):
            assert isinstance(careful(url), str) and careful(url).encode("utf-8", "replace")
