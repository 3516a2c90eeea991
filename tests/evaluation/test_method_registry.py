"""Which methods an evaluation takes: all, by name, by family; the list; those that cannot run."""

from __future__ import annotations

import pytest

from replicadb.errors import UsageError
from replicadb.evaluation.methods import baseline_rankings
from replicadb.evaluation.methods.method import GROUPS, Method, NotHere
from replicadb.evaluation.methods.method_registry import chosen, registry

pytestmark = pytest.mark.slow


def test_names_and_families_choose_methods_and_unknown_ones_are_reported():
    assert [method.name for method in chosen(None)] == list(registry())
    assert [method.name for method in chosen(["fullpath", "ours"])] == [
        "robust",
        "robust-paths",
        "fullpath",
    ]
    assert [method.name for method in chosen(["paper"])] == ["paper"] and len(
        chosen(["published"])
    ) > 15
    with pytest.raises(UsageError, match="no method magic; choose from: robust, "):
        chosen(["robust", "magic"])
    with pytest.raises(UsageError, match="names no method; leave it out for all"):
        chosen([])


@pytest.fixture
def moon(monkeypatch):
    """Two methods that cannot run here."""

    def never(_):
        raise NotHere("needs a moon base")

    methods = tuple(
        Method(name, f"from the {name}", "baseline", never) for name in ("moon", "far-moon")
    )
    monkeypatch.setattr(baseline_rankings, "METHODS", methods)


def test_methods_that_cannot_run_are_left_out_with_a_note(cli, detected, write, moon):
    gold = write("gold.csv", "host_a,host_b\nexample.com,example.org\n")
    answer = cli("evaluate", detected, gold, "--methods", "moon,paper,far-moon", "--folds", 1)
    assert answer.code == 0 and "moon: needs a moon base" in answer.out
    assert "note: left out: moon, far-moon (needs a moon base)\n" in answer.err


def test_where_no_method_asked_for_can_run_that_is_an_error_with_its_reason(
    cli, detected, write, moon
):
    gold = write("gold.csv", "host_a,host_b\nexample.com,example.org\n")
    answer = cli("evaluate", detected, gold, "--methods", "baselines", "--json", "--quiet")
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert (
        "no method that was asked for can run here: moon, far-moon (needs a moon base)"
        in answer.err
    )


def test_methods_are_listed_on_request_without_a_database(cli):
    answer = cli("evaluate", "--methods", "list")
    assert answer.code == 0 and answer.err == ""
    head, *rows = [line.split() for line in answer.out.splitlines()]
    assert head[:2] == ["name", "group"] and [row[0] for row in rows] == list(registry())
    assert {row[1] for row in rows} == set(GROUPS)
    assert len({method.title for method in registry().values()}) == len(rows), (
        "titles tell methods apart"
    )
    assert "list" not in registry() and "--methods list" in " ".join(
        cli("evaluate", "--help").out.split()
    )
