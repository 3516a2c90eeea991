"""Rules beside other canonicalisations: counted as a slow reference counts, without a trace in the database, the same again."""

from __future__ import annotations

import json
from collections import defaultdict

import polars as pl
import pytest

from replicadb.errors import DataError, UsageError
from replicadb.evaluation import canonical, synth
from replicadb.evaluation.canonical import compare, known_methods, without_tracking
from replicadb.rewrite import Rewriter, learn


@pytest.fixture
def crawl(web, tmp_path):
    """A small generated crawl in the database ``web``."""
    made = synth.generate(tmp_path / "made", 60, urls=4_000, seed=908, profile="ordinary")
    web.load(made.crawl)
    return made


def reference(crawl: pl.DataFrame, form) -> dict[str, int]:
    """As sql/65_canonical_standing.sql has it, a URL at a time, in the order of url_id (that of the file)."""
    of_form, of_host = defaultdict(list), defaultdict(list)
    for number, (url, content) in enumerate(crawl.select("url", "fingerprint").iter_rows()):
        new = form(url)
        row = (new != url, number, content, host := url.split("/")[2])
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


def test_every_method_is_counted_as_the_reference_counts(web, crawl):
    pages = pl.read_parquet(crawl.crawl)
    order = dict(web.database.rows("SELECT o.origin || u.path, url_id FROM urls AS u JOIN origins AS o USING (origin_id)"))
    pages = pages.filter(pl.col("url").is_in(list(order))).with_columns(at=pl.col("url").replace_strict(order)).sort("at")
    found = {row["method"]: row for row in compare(web.database, crawl.url_gold, folds=1)["methods"]}
    with web.database.transaction():
        rules = learn.learn(web.database)
    methods = {"rules, epsilon 0.0": Rewriter(rules).canonical} | {name: form for name, (_, form) in known_methods()[0].items()}
    assert set(methods) == set(found) - {"rules, epsilon 0.1"}
    for name, form in methods.items():
        told = {key: found[name][key] for key in ("removed", "wrong", "joined", "wrongly_joined")}
        assert told == reference(pages, lambda url, form=form: form(url) or url), name


def test_rules_remove_the_planted_urls_and_nothing_wrong(web, crawl):
    result = compare(web.database, crawl.url_gold, folds=2)
    rows = {row["method"]: row for row in result["methods"]}
    seen, unseen = rows["rules, epsilon 0.0"], rows["rules, epsilon 0.0, on unseen contents"]
    assert result["planted"] > 40 and seen["planted_share"] > 0.9 and seen["wrong"] == 0
    assert 0.5 < unseen["planted_share"] <= seen["planted_share"] and sum(n for n, _ in unseen["planted"].values()) == result["planted"]
    assert result["duplicates"] >= seen["removed"] >= unseen["removed"]
    assert rows["known tracking and session parameters"]["removed"] == 0


def test_the_database_is_left_as_it_was_and_the_answer_is_the_same_again(cli, web, crawl):
    path = web.database.path
    web.close()
    answers = [json.loads(cli("rewrite", "compare", path, "--folds", 2, "--json", "--threads", threads).out) for threads in (1, 4)]
    for answer in answers:
        for row in answer["methods"]:
            row["seconds"] = row["urls_per_second"] = None
    assert answers[0] == answers[1] and answers[0]["planted"] is None
    assert "no rewrite rules" in cli("rewrite", "show", path).err


def test_the_table_names_libraries_and_what_is_missing(cli, web, crawl, monkeypatch):
    def absent():
        raise ImportError

    monkeypatch.setattr(canonical, "_surt", absent)
    path = web.database.path
    web.close()
    done = cli("rewrite", "compare", path, "--gold", crawl.url_gold, "--folds", 1)
    assert done.code == 0 and "surt: not installed, left out; pip install 'replicadb[compare]'" in done.out and "SURT (" not in done.out
    assert done.out.splitlines()[0].endswith("planted") and "rules, epsilon 0.0" in done.err


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "url,duplicate_of,kind\nhttp://nowhere.example/,http://nowhere.example/a,print\n"])
def test_gold_that_is_none_is_refused_in_one_line(web, crawl, write, text):
    with pytest.raises(DataError) as error:
        compare(web.database, write("gold.csv", text), folds=1)
    assert "\n" not in str(error.value)


def test_folds_below_one_and_a_crawl_without_content_are_refused(web, write):
    with pytest.raises(UsageError):
        compare(web.database, folds=0)
    web.load(write("crawl.csv", "url\nhttp://a.example/\n"))
    with pytest.raises(DataError):
        compare(web.database)


def test_one_content_alone_is_compared_though_no_fold_can_learn(web, write):
    web.load(write("crawl.csv", "url,fingerprint\nhttp://a.example/x?utm_source=1,a\nhttp://a.example/x,a\n"))
    rows = {row["method"]: row for row in compare(web.database)["methods"]}
    assert rows["known tracking and session parameters"]["removed"] == 1 and rows["rules, epsilon 0.0, on unseen contents"]["removed"] == 0


@pytest.mark.parametrize(("url", "form"), [("http://a/x?utm_source=1&b=2&fbclid=z", "http://a/x?b=2"), ("http://a/x?GCLID=1", "http://a/x"), ("http://a/x", "http://a/x"),
                                           ("http://a/x?sidebar=1&utm=2", "http://a/x?sidebar=1&utm=2"), ("http://a/x?", "http://a/x?")])
def test_known_tracking_parameters_go(url, form):
    assert without_tracking(url) == form


@pytest.mark.parametrize("library", ["w3lib", "courlan", "surt"])
def test_libraries_give_every_odd_url_a_form_or_an_error_that_is_counted(library):
    pytest.importorskip(library)
    forms = {name: form for name, (told, form) in known_methods()[0].items() if told.startswith(library)}
    assert forms
    for form in forms.values():
        standing = canonical.Standing("", "")
        careful = canonical._careful(form, standing)
        for url in ("http://a.example/%zz", "http://[bad/", "http://a.example:99999/", "http://a.example/\ud800", "http://a.example/" + "x" * 100_000, "http://a.example/é?ü=%E9"):
            assert isinstance(careful(url), str) and careful(url).encode("utf-8", "replace")
