"""A setting that does nothing beside the others is refused, not passed over.

Tries settings, too.
"""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.idle_settings import BELONGS, refuse_idle
from replicadb.settings import CHOICES, Settings

IDLE = [
    (
        ("--method", "paper", "--min-probability", "0.8"),
        "--min-probability belongs to method robust",
    ),
    (("--method", "paper", "--evidence", "all"), "--evidence belongs to method robust"),
    (
        ("--cut", "own"),
        "--cut belongs to method paper or thesis and does nothing with method robust",
    ),
    (("--method", "robust", "--discretise", "mdl"), "or choose --method paper"),
    (("--aggregate", "pu"), "--aggregate belongs to method paper"),
    (("--first", "3"), "--first belongs to method paper"),
    (("--schedule", "batch"), "--schedule belongs to method paper"),
    (("--alpha", "0.4"), "--alpha belongs to method paper"),
    (
        ("--method", "paper", "--alpha", "0.4"),
        "--alpha belongs to cut global and does nothing with cut own",
    ),
]


@pytest.mark.parametrize(("options", "said"), IDLE)
def test_the_command_refuses_an_option_of_the_other_method_in_one_line(cli, crawled, options, said):
    before = crawled.read_bytes()
    answer = cli("detect", crawled, *options)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1), answer.err
    assert said in answer.err and crawled.read_bytes() == before


def test_settings_that_do_something_are_taken():
    refuse_idle({"method": "paper", "cut": "global", "alpha": 0.4})
    refuse_idle({"min_probability": 0.8})


@pytest.mark.slow
def test_python_refuses_them_too_but_takes_a_run_s_own_settings(detected, tmp_path):
    with replicadb.open(shutil.copy(detected, tmp_path / "copy.duckdb")) as web:
        with pytest.raises(UsageError, match="cut belongs to method paper"):
            web.detect(cut="global")
        web.detect(method="paper", discretise="width")
        assert web.detect(**web.info()["detection"]["settings"]).stages_run == []


def test_every_setting_belongs_to_a_choice_there_is():
    names = Settings().as_dict()
    for name, needs in BELONGS.items():
        assert name in names and all(set(wanted) <= set(CHOICES[key]) for key, wanted in needs)
    refuse_idle({"method": "magic", "cut": "own"})  # its own error comes later
