"""The classifier's file, what it says of pairs, and its parts."""

from __future__ import annotations

import importlib.util
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_database import with_pages

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.learning import decision_tree, ripper
from replicadb.page_pairs import (
    page_classifier,
    page_edits,
    page_training,
    page_validation,
    published_signals,
)
from replicadb.page_pairs.compression_distance import Engine
from replicadb.page_pairs.page_validation import Options
from replicadb.page_pairs.pair_files import classify_file, engine_of, train_file
from replicadb.page_pairs.pair_list import pair_numbers
from replicadb.page_pairs.self_labelling import self_labelled
from replicadb.page_pairs.signals import SIGNALS

from .edited_crawl import crawl

if importlib.util.find_spec("sklearn") is None:  # not imported here: that takes a second
    pytest.skip("no scikit-learn here", allow_module_level=True)


# -- the classifier's file
# ------------------------------------------------------------------------------------------


def small(engine="zlib-6"):
    random = np.random.default_rng(1)
    values = random.random((200, 3))
    values[::7, 1] = np.nan
    return (
        page_classifier.fit(
            values,
            (values[:, 0] < 0.4) & ~(values[:, 1] > 0.7),
            ("tfidf", "mcd", "rendered_mcd"),
            engine,
        ),
        values,
    )


def test_what_is_read_is_what_was_written(tmp_path):
    made, values = small()
    made.save(tmp_path / "m.json")
    read = page_classifier.load(tmp_path / "m.json")
    found = dict(zip(made.signals, values.T, strict=True))
    for name, answer in made.classify(found).items():
        np.testing.assert_array_equal(answer, read.classify(found)[name])
    assert read.text() == made.text() and read.engine == "zlib-6"


def chain(length: int, shared: bool) -> dict:
    """A tree as deep as it is long; with ``shared`` both sides of a node lead to the next one."""
    inner = range(length)
    here = {
        "column": [0] * length + [-1] * (length + 1),
        "left": [n + 1 for n in inner] + [-1] * (length + 1),
        "right": [n + 1 if shared else length + 1 + n for n in inner] + [-1] * (length + 1),
    }
    size = 2 * length + 1
    for name in ("threshold", "missing_left", "positive", "negative"):
        here[name] = [0] * size
    return here


@pytest.mark.parametrize("length, shared", [(2000, False), (40, True)])
def test_a_tree_that_is_too_deep_or_none_is_refused_at_once(tmp_path, length, shared):
    made, _ = small()
    path = tmp_path / "m.json"
    made.save(path)
    content = json.loads(path.read_text()) | {"tree": chain(length, shared)}
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match="no tree"):
        page_classifier.load(path)
    path.write_text(json.dumps(content | {"tree": chain(90, False)}))
    assert page_classifier.load(path).text()


def test_json_nested_too_deep_is_no_classifier(tmp_path):
    (tmp_path / "m.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match="nested too deep"):
        page_classifier.load(tmp_path / "m.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(format="other"),
        lambda c: c.update(version=99),
        lambda c: c["definitions"].update(cut_bytes=1),
        lambda c: c.pop("tree"),
        lambda c: c["signals"].append("nonsense"),
        lambda c: c["tree"]["left"].__setitem__(0, 0),
        lambda c: c["rules"][0]["if"].append(["tfidf", "<", 1]),
        lambda c: c["tree"]["column"].append(0),
        lambda c: c.update(tree=[1]),
        lambda c: c["tree"]["left"].__setitem__(0, 10**19),
    ],
)
def test_a_file_that_is_no_classifier_is_refused(tmp_path, change):
    made, _ = small()
    path = tmp_path / "m.json"
    made.save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(DataError):
        page_classifier.load(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "\x00"])
def test_what_is_no_json_of_ours_is_refused(tmp_path, text):
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(DataError):
        page_classifier.load(tmp_path / "m.json")


def test_a_classifier_of_another_engine_is_refused():
    made, _ = small("zlib-9")
    with pytest.raises(DataError, match="trained with zlib-9"):
        engine_of(made, "m.json", Engine(level=1))
    assert engine_of(made, "m.json", None).level == 9
    with pytest.raises(DataError, match="no compression engine"):
        engine_of(small("odd")[0], "m.json", None)


def test_rules_and_tree_read_as_the_papers_figure_4_does():
    rules = ripper.Rules(
        (ripper.Rule((ripper.Condition(0, True, 0.25), ripper.Condition(1, False, 1.0)), 20, 1),),
        0.01,
    )
    assert (
        page_classifier.rules_text(rules, ("tfidf", "same_title"))
        == "(tfidf <= 0.25) and (same_title >= 1) => duplicate (20/1)\notherwise => not (0.010"
        " duplicates)"
    )
    nodes = decision_tree.Tree(
        *(
            np.array(x)
            for x in (
                [0, -1, -1],
                [0.5, 0, 0],
                [1, -1, -1],
                [2, -1, -1],
                [False, False, False],
                [9, 8, 1],
                [9, 1, 8],
            )
        )
    )
    assert (
        page_classifier.tree_text(nodes, ("tfidf",))
        == "tfidf <= 0.5: duplicate (8/1)\ntfidf > 0.5 ?: not (1/8)"
    )


def test_a_tree_may_tell_known_values_from_missing_ones(tmp_path):
    values = np.column_stack([np.full(40, np.nan), np.tile([0.25, 0.5, 0.75, 1.0], 10)])
    values[:20, 0] = np.tile([0.0, 1.0], 10)
    labels = np.arange(40) < 20
    made = page_classifier.fit(values, labels, ("rendered_mcd", "tfidf"), "zlib-6")
    assert (made.tree.predict(values) == labels).all()
    assert made.text().endswith(
        "rendered_mcd known: duplicate (20/0)\nrendered_mcd not known: not (0/20)"
    )
    made.save(tmp_path / "m.json")
    read = page_classifier.load(tmp_path / "m.json")
    assert read.text() == made.text() and (read.tree.predict(values) == labels).all()


# -- parts
# --------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=1, max_size=25))
def test_components_against_a_slow_walk(pairs):
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    found = page_training.components(a, b)
    for i, (x, _) in enumerate(pairs):
        reached = {x}
        for _ in pairs:
            reached |= {end for pair in pairs if reached & set(pair) for end in pair}
        assert {j for j, pair in enumerate(pairs) if reached & set(pair)} == set(
            np.flatnonzero(found == found[i])
        )


def test_components_do_not_hang_on_the_numbers_of_pages():
    random = np.random.default_rng(5)
    a, b, other = random.integers(0, 40, 30), random.integers(0, 40, 30), random.permutation(40)
    found = page_training.components(a, b)
    assert (
        np.array_equal(found, page_training.components(other[a], other[b]))
        and found[0] == 0
        and len(set(found)) == found.max() + 1
    )


@pytest.mark.slow
def test_pages_loaded_in_another_order_teach_the_same(write):
    made, rows = crawl(np.random.default_rng(1), 10)
    random = np.random.default_rng(3)  # some labels are wrong, so that every fold matters
    lines = "".join(
        f"{a},{b},{label if random.random() < 0.7 else 'not'},{query}\n"
        for a, b, label, query in rows
    )
    path = write("pairs.csv", "url_a,url_b,label,query\n" + lines)
    results = []
    for name, order in (
        ("as made", range(len(made))),
        ("mixed", np.random.default_rng(2).permutation(len(made))),
    ):
        with replicadb.open(f"{name}.duckdb") as web:
            with_pages(web, [made[i] for i in order])
            results.append(
                (
                    train_file(web.database, path, Engine(), Options(folds=2, seeds=2))[1],
                    self_labelled(web.database, Engine(), 0, print)[0],
                )
            )
    (result, first), (again, second) = results
    assert result == again and result["f"] < 1
    assert np.array_equal(first.labels, second.labels) and np.array_equal(
        first.component, second.component
    )
    for name in first.found:
        np.testing.assert_array_equal(first.found[name], second.found[name])


@pytest.mark.slow
def test_a_page_without_content_is_not_judged(labelled, write):
    with replicadb.open("web.duckdb") as web:
        train_file(web.database, labelled, Engine(), Options(folds=3, seeds=1))[0].save("m.json")
        row = web.database.rows(
            "SELECT origin || path, url_id FROM urls JOIN origins USING (origin_id) ORDER BY url_id"
            " LIMIT 3"
        )
        web.database.execute("DELETE FROM page_contents WHERE url_id = ?", [row[0][1]])
        web.database.execute("DELETE FROM rendered_pages WHERE url_id = ?", [row[0][1]])
        path = write(
            "asked.csv",
            "url_a,url_b\n"
            + "".join(
                f"{a},{b}\n"
                for a, b in (
                    (row[0][0], row[2][0]),
                    (row[1][0], row[2][0]),
                    (row[1][0], "http://x.y/"),
                )
            ),
        )
        table = classify_file(web.database, path, "m.json")[0].to_pydict()
    assert (
        [value is None for value in table["judgement"]]
        == [value is None for value in table["probability"]]
        == [True, False, True]
    )


def test_published_figures_are_of_signals_that_there_are():
    assert set(published_signals.TABLE_2) <= set(SIGNALS)
    assert all(
        row[6] == pytest.approx((row[2] + row[5]) / 2, abs=0.11)
        for row in published_signals.TABLE_2.values()
    )


def test_one_component_of_nearly_all_pairs_is_split_at_random_and_said_so():
    random = np.random.default_rng(0)
    found = {"tfidf": random.random(60)}
    labels, one = found["tfidf"] < 0.5, np.zeros(60, np.int64)
    data = page_validation.Labelled(found, labels, one, np.arange(60), 0)
    _, result = page_training.train(
        data, "zlib-6", page_validation.Options(groups="F", folds=3, seeds=1)
    )
    assert result["split"] == "random" and result["largest_component"] == 1 and result["f"] > 0.8
    with pytest.raises(UsageError):
        page_validation.Options(split="odd")


def test_rows_of_one_pair_stay_together_where_pairs_are_split_at_random():
    """Else a pair teaches what is asked of it: labels by chance would be foretold."""
    random = np.random.default_rng(0)
    found = {"tfidf": np.repeat(random.random(40), 6)}
    labels = np.repeat(random.permutation(40) < 20, 6)
    pair = pair_numbers(*np.repeat([np.arange(40), np.full(40, 99)], 6, axis=1))
    assert pair.tolist() == np.repeat(np.arange(40), 6).tolist()
    data = page_validation.Labelled(found, labels, np.zeros(240, np.int64), pair, 0)
    options = page_validation.Options(groups="F", folds=4, seeds=1, split="random")
    assert page_training.train(data, "zlib-6", options)[1]["f"] < 0.75


@pytest.mark.parametrize("kind", [*page_edits.DUPLICATES, *page_edits.OTHERS])
def test_an_edit_changes_the_page_and_keeps_what_it_should(kind):
    random = np.random.default_rng(3)
    made, _ = crawl(random, 2)
    page, other = (
        page_edits.Source(
            p["title"],
            p["text"] + "\n2024-01-05",
            p["main_text"],
            p["body"] + "2024-01-05",
            p["length"],
            p["headings"],
        )
        for p in (made[0], made[3])
    )
    other = other._replace(text=other.text.replace("Home News Contact", "Start Products"))
    copy = page_edits.edited(page, other, [kind], np.random.default_rng(1))
    assert copy is not None and copy != page
    main = set(page.main_text.split("\n"))
    assert len(main & set(copy.text.split("\n"))) == len(main)
    assert (sorted(copy.text.split("\n")) == sorted(page.text.split("\n"))) == (
        kind in ("order", "title")
    )
    assert copy == page_edits.edited(page, other, [kind], np.random.default_rng(1))
