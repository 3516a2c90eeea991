"""docs/internals.md draws the floors as they are. The changes that it walks through fit the code as
it is, and as it is once somebody has made them.
"""

from __future__ import annotations

import json
import re
import tomllib
from itertools import takewhile
from pathlib import Path

import pytest

from replicadb.detection.evidence import EVIDENCE
from replicadb.detection.piece import Piece
from replicadb.errors import DataError
from replicadb.export import list_formats
from replicadb.readers.archives import read_archive
from replicadb.readers.capture_rows import RowBuffer
from replicadb.readers.compression import opened

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "internals.md").read_text("utf-8")
SNIPPETS = re.findall(
    r"^```(python|sql)\n(.*?)^```", PAGE.split("## Worked change", 1)[1], re.S | re.M
)


def snippet(begins: str) -> str:
    """The one that begins so."""
    (found,) = (text for _, text in SNIPPETS if text.startswith(begins))
    return found


def test_the_floors_are_drawn_as_the_contract_has_them():
    """The parts of the Python interface (``*_api``) stand on the floor of api."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    floors = [re.findall(r"replicadb\.(\w+)", layer) for layer in layers]
    floors = [floor for floor in floors if not floor[0].endswith("_api")]
    rooms = {room for floor in floors for room in floor}
    drawing = PAGE.split("```")[1].splitlines()[1:]
    assert [list(takewhile(rooms.__contains__, line.split())) for line in drawing] == floors


def test_the_row_of_evidence_is_a_row_as_they_are():
    piece = eval(snippet("Piece("), {"Piece": Piece})
    assert isinstance(piece, Piece) and piece.group in {row.group for row in EVIDENCE}
    assert piece in EVIDENCE or piece.name not in {row.name for row in EVIDENCE}
    assert piece.in_words(0.5).endswith("0.50") and "unknown" in piece.in_words(None)


def test_the_bit_of_its_sum_is_no_other_s():
    bits = r"code & (\d+) > 0"
    sql = (ROOT / "sql" / "detect" / "35_shared_evidence.sql").read_text("utf-8")
    (new,) = {int(bit) for bit in re.findall(bits, snippet("+ CASE"))}
    assert f"THEN {new} ELSE 0" in snippet("+ CASE")
    taken = max(int(bit) for bit in re.findall(bits, sql))
    assert new.bit_count() == 1 and new >= taken  # equal: somebody has made this change


def test_its_sum_is_beside_one_that_is_there():
    from replicadb.model.pair_sums import SUMS

    names = set(re.findall(r'self\.sums\["(\w+)"\]', snippet("def _byte_agreement")))
    assert names - {"n_same_size"} and names - {"n_same_size"} <= set(SUMS)


@pytest.fixture
def read_har(monkeypatch):
    def row(entry):
        return {"url": entry["request"]["url"], "status": str(entry["response"]["status"])}

    found = {
        "json": json,
        "opened": opened,
        "RowBuffer": RowBuffer,
        "DataError": DataError,
        "_row": row,
    }
    exec(snippet("def looks_like_har"), found)
    assert found["looks_like_har"](b'{"log": {}}')
    monkeypatch.setattr("replicadb.readers.archives.read_wacz", found["read_har"])

    def read(path):
        with open(path, "rb") as raw:  # as a load does
            return list(read_archive(raw, "wacz"))

    return read


def test_the_reader_is_called_as_the_others_are(read_har, write):
    good = {"request": {"url": "http://a.com/"}, "response": {"status": 200}}
    entries = [good, {"request": {"url": "http://a.com/x"}}]
    (batch,) = read_har(write("a.har", json.dumps({"log": {"entries": entries}})))
    rows = batch.to_pylist()
    assert [row["url"] for row in rows] == ["http://a.com/", None]
    assert [row["problem"] for row in rows] == [None, "entry without 'response'"]
    for text in ("no JSON", '{"log": {"entries": 5}}'):
        with pytest.raises(DataError, match="no HAR file"):
            read_har(write("b.har", text))


def test_the_row_of_a_list_is_a_row_as_they_are_and_leads_to_its_statement():
    row = eval(snippet("ListFormat("), vars(list_formats))
    assert row in list_formats.FORMATS or row.name not in list_formats.BY_NAME
    assert row.needs in {format.needs for format in list_formats.FORMATS}
    assert snippet("-- name").startswith(f"-- name: {row.statement}\n")
