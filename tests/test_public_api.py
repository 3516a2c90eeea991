"""The public Python interface: its names, its signatures, and its keywords as the dataclasses.

Tries action_api, api, decision_api, load_api, page_api and result_api, too.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import shutil
import typing
from dataclasses import MISSING, fields
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import replicadb
import replicadb.model
import replicadb.rewrite
from replicadb import action_api, api, decision_api, load_api, page_api, result_api
from replicadb.load.load_options import LoadOptions
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.page_pairs import page_validation
from replicadb.rendering.render import RenderOptions
from replicadb.report import drawing
from replicadb.settings import Settings

NAMES = {
    "replicadb": {
        "DataError", "LimitError", "LockedError", "ReplicaDB", "ReplicaDBError", "UsageError",
        "__version__", "open", "open_model",
    },
    "replicadb.model": {
        "Host", "Match", "Model", "Page", "PairScore", "open_model", "read_hosts",
    },
    "replicadb.rewrite": {"Rewriter", "Rule", "RuleSet"},
}  # fmt: skip
METHODS = {
    name: method
    for name, method in inspect.getmembers(replicadb.ReplicaDB, inspect.isfunction)
    if not name.startswith("_")
}
FILLED = {
    "load": LoadOptions,
    "detect": Settings,
    "fingerprint": PageOptions,
    "render_pages": RenderOptions,
    "train_pages": page_validation.Options,
}
"""What each method's keywords fill."""
NOT_THE_DEFAULT = {
    ("detect", "min_probability"): "None asks for another threshold where most hosts have files",
    ("detect", "files_probability"): "None follows min_probability where that was asked for",
    ("load", "columns"): "a dict would be shared by all calls",
}


@functools.cache
def type_names() -> dict[str, object]:
    """What the modules import for their annotations alone."""
    found: dict[str, object] = {}
    for module in (api, action_api, load_api, page_api, result_api, decision_api):
        found |= vars(module)
        for node in ast.parse(Path(module.__file__).read_text("utf-8")).body:
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
                exec(compile(ast.Module(node.body, []), module.__file__, "exec"), found)
    return found


@pytest.mark.parametrize("module", NAMES)
def test_a_module_lists_its_public_names_and_has_them_all(module):
    imported = importlib.import_module(module)
    assert set(imported.__all__) == NAMES[module] and len(imported.__all__) == len(NAMES[module])
    for name in imported.__all__:
        assert getattr(imported, name) is not None


def test_a_name_that_is_not_public_is_no_attribute():
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = replicadb.magic


@pytest.mark.parametrize("name", METHODS)
def test_every_annotation_resolves_and_is_no_any(name):
    method = METHODS[name]
    hints = typing.get_type_hints(method, type_names())
    assert set(hints) == {*inspect.signature(method).parameters, "return"} - {"self"}
    for parameter, hint in hints.items():
        shown = str(hint).replace("dict[str, typing.Any]", "dict")  # JSON has no narrower type
        assert "Any" not in shown, f"{name}: {parameter} is {hint}"


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_a_docstring_and_takes_no_unnamed_options(name):
    kinds = {p.kind for p in inspect.signature(METHODS[name]).parameters.values()}
    assert METHODS[name].__doc__ and inspect.Parameter.VAR_KEYWORD not in kinds


@pytest.mark.parametrize("name", FILLED)
def test_keywords_have_the_names_and_defaults_of_the_dataclass(name):
    parameters = inspect.signature(METHODS[name]).parameters
    for item in fields(FILLED[name]):
        assert parameters[item.name].kind is inspect.Parameter.KEYWORD_ONLY
        if (name, item.name) in NOT_THE_DEFAULT:
            assert parameters[item.name].default is None
        else:
            assert item.default is not MISSING
            assert parameters[item.name].default == item.default, item.name


def test_evaluate_pages_takes_what_the_evaluation_takes():
    from replicadb.evaluation.page_method_evaluation import evaluate_pages

    inner = inspect.signature(evaluate_pages).parameters
    outer = inspect.signature(METHODS["evaluate_pages"]).parameters
    assert set(outer) - {"self", "page"} == set(inner) - {"db"}
    for name in set(inner) - {"db", "say"}:
        assert outer[name].default == inner[name].default, name


def test_open_takes_what_the_class_takes():
    opened = inspect.signature(replicadb.open).parameters
    made = dict(inspect.signature(replicadb.ReplicaDB.__init__).parameters)
    del made["self"]
    assert dict(opened) == made


def test_a_keyword_that_does_not_exist_is_refused(web):
    for name in FILLED:
        with pytest.raises(TypeError, match="unexpected keyword argument 'magic'"):
            getattr(web, name)(magic=1)


def test_somebody_s_tables_of_our_names_change_no_answer_of_ours(detected, tmp_path):
    path = tmp_path / "theirs.duckdb"
    shutil.copy(detected, path)
    with replicadb.open(path) as web:
        before = [ask(web) for ask in ASKED]
        names = web.sql(
            "SELECT table_name FROM information_schema.tables WHERE table_schema IN"
            " ('internal', 'details', 'history', 'page_level')"
        )["table_name"].to_list()
        for name in names:
            web.sql(f"CREATE TABLE main.{name} AS SELECT 42 AS mine")
        for ask, answer in zip(ASKED, before, strict=True):
            assert web.sql("FROM urls").rows() == [(42,)]
            assert ask(web) == answer


ASKED = (
    lambda web: {**web.info(), "bytes": None},
    lambda web: web.replicas().rows(),
    lambda web: web.groups().rows(),
    lambda web: web.flagged_hosts().rows(),
    lambda web: web.explain("www.example.com", "example.com"),
    lambda web: web.copies_of("example.com"),
    lambda web: web.decisions().rows(),
    lambda web: web.runs().rows(),
    lambda web: web.notes,
    repr,
)


ODD_CALLS = {
    "a load is named by text": lambda web: web.unload(5),
    "label 5: give it as text": lambda web: web.load("c.csv", label=5),
    "max_file_size 5: give it as text": lambda web: web.load("c.csv", max_file_size=5),
    "no list is called 5": lambda web: web.export_list("x", 5),
    "a run's name has 1 to 100": lambda web: web.detect(name=5),
    "first must be a whole number": lambda web: web.detect(method="paper", first=True),
    "bits must lie between 0 and 8, not True": lambda web: web.fingerprint("simhash", bits=True),
    "max_pages is True": lambda web: web.aliases(max_pages=True),
    "a file is given by its path": lambda web: web.report(5),
    "and not as a int": lambda web: web.page_signals(5),
    "and not as a float": lambda web: web.fingerprint("minhash", stop_words=5.0),
    "threshold must lie between 0 and 1": lambda web: web.fingerprint("minhash", threshold="x"),
    "max_pairs must be 0": lambda web: web.fingerprint("minhash", max_pairs="x"),
    "epsilon lies between 0 and 1": lambda web: web.learn_rewrites(epsilon="x"),
    "columns 'text': give them by role": lambda web: web.load("c.csv", columns="text"),
    "folds is 2.5; give a whole number": lambda web: web.train_pages("c.csv", folds=2.5),
    "7: no host name": lambda web: web.model().lookup(7),
    "a pin is keep or never, not 5": lambda web: web.pin("a.com", 5),
    "a pin is keep or never, not True": lambda web: web.pin("a.com", True),
}
"""By what is said: calls that cannot be meant."""


BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" viewBox="0 0 9 9"/>'


def undrawn(report, *arguments, **options) -> None:
    """A report whose charts are empty: to draw them takes most of its time."""
    empty = SimpleNamespace(vegalite_to_svg=lambda *_, **__: BLANK)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "library", lambda: empty)
        report(*arguments, **options)


NUMBERS = {
    "top": lambda web: web.replicas(np.int64(1)),
    "export": lambda web: web.export("o.csv", top=np.int64(1), min_score=np.int64(0)),
    "share": lambda web: web.export("o.csv", min_probability=np.float32(0.5)),
    "check": lambda web: web.check("o.csv", np.int64(1)),
    "pages": lambda web: web.explain("a.com", "b.com", pages=np.int64(1)),
    "families": lambda web: web.families(min_hosts=np.int64(3), max_error=np.float32(0.5)),
    "aliases": lambda web: web.aliases(max_pages=np.int64(10**6)),
    "recheck": lambda web: web.recheck(days=np.int64(1), pages=np.int64(1)),
    "report": lambda web: undrawn(web.report, "r.html", pairs=np.int64(1), explained=np.int64(1)),
    "rules": lambda web: web.learn_rewrites(epsilon=np.float32(0), min_support=np.int64(2)),
    "pages of a method": lambda web: web.fingerprint("simhash", bits=np.int64(8)),
    "threads": lambda web: replicadb.open(":memory:", threads=np.int64(1)).close(),
    "model": lambda web: web.model().lookup("a.com", top=np.int64(1)),
    "similar": lambda web: web.similar("http://a.com/1", method="exact", limit=np.int64(1)),
    "settings": lambda web: web.detect(min_shared=np.int64(1), min_probability=np.float32(0.5)),
    "column": lambda web: web.load("c.csv", columns={"url": 0}, label="again"),
}
"""By what they say: calls with numbers of NumPy's."""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A detected crawl of two hosts with texts, and a file of URLs beside it; each call of ours may
    change it.
    """
    folder = tmp_path_factory.mktemp("small")
    rows = [
        {
            "url": f"http://{host}.com/{n}",
            "text": f"page {n} of a site with words",
            "digest": f"d{n}",
        }
        for host in ("a", "b")
        for n in range(9)
    ]
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "t.jsonl", content=True)
        web.detect(min_probability=0.01)
        yield web


@pytest.mark.parametrize("said", ODD_CALLS)
def test_an_argument_of_another_kind_is_refused_plainly(small, said):
    with pytest.raises(
        replicadb.UsageError, match=said.replace("a load is named by text", "5: no")
    ):
        ODD_CALLS[said](small)


@pytest.mark.slow
@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_of_numpy_are_taken_as_pythons_own(small, write, what):
    write("c.csv", "url,digest\nhttp://c.com/1,1\n")
    NUMBERS[what](small)


@pytest.mark.parametrize("column", [pl.Series, np.array, tuple, list])
def test_a_column_of_a_frame_is_a_list(small, column):
    chosen = {"keep": column(["b.com", "short"]), "kinds": column(["replica", "version"])}
    small.detect(min_probability=0.01, **chosen)
    settings = small.info()["detection"]["settings"]
    assert (settings["keep"], settings["kinds"]) == ("b.com,short", "replica,version")


def test_an_evaluation_takes_names_in_one_text_and_numbers_of_numpys(small, write):
    gold = write("gold.csv", "host_a,host_b,label\na.com,b.com,copy\n")
    numbers = {"folds": np.int64(2), "seed": np.int64(1)}
    result = small.evaluate(gold, methods="jaccard, ndist", positive="copy", **numbers)
    assert [method["name"] for method in result["methods"]] == ["jaccard", "ndist"]
    with pytest.raises(replicadb.DataError, match=r"glod.csv: no such file \(did you mean "):
        small.evaluate(gold.with_name("glod.csv"))
    with pytest.raises(replicadb.UsageError, match="no method 1"):
        small.evaluate(gold, methods=[1])
