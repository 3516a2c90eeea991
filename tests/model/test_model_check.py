"""Forged models are refused, or score wrongly at worst."""

from __future__ import annotations

import json

import numpy as np
import pytest

from replicadb.errors import DataError
from replicadb.model import model_file
from replicadb.model.model import open_model
from replicadb.model.new_hosts import Host

EDITS = {
    "beyond": lambda x: np.append(x[:-1], np.array([-1]).astype(x.dtype)),
    "short": lambda x: x[:-1],
    "turned": lambda x: x[::-1].copy(),
    "another type": lambda x: x.astype(np.float16),
    "nothing": lambda x: np.zeros_like(x),
}
NEW = Host("new.com", [{"path": "/p1", "fingerprint": f"{1:040x}"}])


@pytest.fixture(scope="module")
def parts(tiny, tmp_path_factory):
    """Header and arrays of a model, and where a forged one may be written."""
    header = {k: v for k, v in tiny.header.items() if k not in ("arrays", "bytes", "sha256")}
    arrays = {name: np.array(array) for name, array in tiny.file.arrays.items()}
    return header, arrays, tmp_path_factory.mktemp("forged") / "f.model"


def opened(parts, header=None, **changed):
    """A model with other arrays or another header, its checksums made anew."""
    old, arrays, path = parts
    model_file.write(path, header or old, arrays | changed)
    return open_model(path)


def test_a_sound_model_passes(parts):
    assert opened(parts).n == 3


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_a_forged_array_leads_nowhere(parts, edit):
    """Of every second array, the others by the next edit; the campaign ``fuzz`` forges them all."""
    refused, first = 0, [*EDITS].index(edit) % 2
    for name, array in [*parts[1].items()][first::2]:
        forged = EDITS[edit](array)
        same = forged.dtype == array.dtype and np.array_equal(forged, array)
        if not len(array) or same:  # as of one number turned
            continue
        try:
            model = opened(parts, **{name: forged})
            names = [model.names[place] for place in range(model.n)]
            model.score([(names[0], names[1])])
            model.lookup(NEW)
            model.lookup(names[0])
        except DataError:
            refused += 1
    assert refused > 5


def test_places_beyond_an_array_are_refused(parts):
    for name in ("candidate_other", "item", "posting"):
        array = parts[1][name].copy()
        array[0] = np.iinfo(array.dtype).max
        with pytest.raises(DataError, match=f"{name} leads beyond"):
            opened(parts, **{name: array})


@pytest.mark.parametrize(
    "change",
    [
        {"decision": None},
        {"decision": {}},
        {"settings": 3},
        {"decision": {"features": ["no such evidence"]}},
        {"decision": {"slope": 10**400}},
        {"settings": {"beyond": 2**64}},
    ],
)
def test_a_forged_header_is_refused(parts, change):
    header = json.loads(json.dumps(parts[0]))
    for name, value in change.items():
        whole = isinstance(value, dict) and value
        header[name] = header[name] | value if whole else value
    with pytest.raises(DataError, match="the model is damaged"):
        opened(parts, header)


def test_a_whole_number_is_a_number(parts):
    header = json.loads(json.dumps(parts[0]))
    header["decision"]["intercept"] = 0
    model = opened(parts, header)
    assert len(model.score([(model.names[0], model.names[1])])) == 1
    header["decision"]["intercept"] = "zero"
    with pytest.raises(DataError, match="the model is damaged"):
        opened(parts, header)


def test_a_decision_that_is_no_number_is_refused(parts):
    header = json.loads(json.dumps(parts[0]))
    header["decision"]["slope"] = float("nan")
    with pytest.raises(DataError, match="a number that is none"):
        opened(parts, header)
