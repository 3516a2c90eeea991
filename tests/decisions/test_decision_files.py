"""Files of decisions: every format, and rows and files that are none."""

from __future__ import annotations

import polars as pl
import pytest

from replicadb.decisions.decision_files import decision_rows
from replicadb.errors import DataError

ROWS = [
    {"host_a": "a.com", "host_b": "b.net", "label": "replica", "note": "seen"},
    {"host_a": "c.org", "host_b": None, "label": "keep", "note": None},
]


def read(path) -> list[tuple]:
    columns = ("position", "host_a", "host_b", "label", "note", "problem")
    return decision_rows(path).select(columns).to_pylist()


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_the_same_rows_come_out_of_every_format(tmp_path, ending):
    frame, path = pl.DataFrame(ROWS), tmp_path / f"d.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "json":
        frame.write_json(path)
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="," if ending == "csv" else "\t")
    first, second = read(path)
    assert first == {"position": 1, **ROWS[0], "problem": None}
    assert (second["host_a"], second["host_b"], second["label"]) == ("c.org", "", "keep")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_note_of_several_lines_keeps_them(tmp_path, end):
    """They were joined: ``one`` and ``owner`` became ``oneowner``."""
    lines = ["host_a,host_b,label,note", 'a.com,b.net,no,"one', 'owner, ""two""', 'sites"', ""]
    (tmp_path / "d.csv").write_text(end.join(lines), newline="")
    (row,) = read(tmp_path / "d.csv")
    assert row["note"] == 'one\nowner, "two"\nsites' and row["problem"] is None


def test_a_row_of_another_width_and_a_line_of_no_json_say_so(tmp_path):
    (tmp_path / "d.csv").write_text("Host_A;HOST_B;label\r\na.com;b.net\r\n\r\nc;d;yes;x\r\n")
    assert [row["problem"] for row in read(tmp_path / "d.csv")] == [
        "has 2 cells where the header has 3",
        "has 4 cells where the header has 3",
    ]
    (tmp_path / "d.jsonl").write_text('{"host_a": "a.com", "label": true}\n[1]\n{"x"\n')
    rows = read(tmp_path / "d.jsonl")
    assert [row["problem"] for row in rows] == [None] + ["is no JSON object"] * 2
    (tmp_path / "d.json").write_text('[{"host_a": "a.com"}, 1, [{"x": 2}]]')
    assert [row["problem"] for row in read(tmp_path / "d.json")] == [None] + [
        "is no JSON object"
    ] * 2
    assert rows[0]["label"] == "true" and rows[2]["host_a"] == '{"x"'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gone.csv", None, "no such file"),
        ("d.csv", b"site,label\na,b\n", "no column host_a"),
        ("d.csv", b"", "no column host_a and no column label"),
        ("d.csv", "host_a,host_b,label\nä,b,yes\n".encode("latin-1"), "save it as UTF-8"),
        ("d.json", b'[{"host_a": "a"}', "no JSON that can be read"),
        ("d.parquet", b"PAR1 and no more", "no Parquet file"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=said) as error:
        decision_rows(tmp_path / name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_long_note_is_kept_whole_and_a_long_host_is_not(tmp_path, ending):
    """What ``--export`` wrote came back with 2,000 characters of each note."""
    rows = pl.DataFrame([ROWS[0] | {"note": "n" * 5_000, "host_b": "b" * 5_000}])
    getattr(rows, "write_csv" if ending == "csv" else "write_ndjson")(tmp_path / f"d.{ending}")
    (row,) = read(tmp_path / f"d.{ending}")
    assert (len(row["note"]), len(row["host_b"])) == (5_000, 2_000)


def test_half_a_surrogate_pair_is_a_question_mark(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(r'{"host_a": "a\ud800.com", "host_b": "b.net", "label": "replica"}')
    assert [row["host_a"] for row in read(path)] == ["a?.com"]
