"""``replicadb model``: what a detection learned, taken out of the database."""

from __future__ import annotations

import json
import shutil

import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.model.model_file import FORMAT


@pytest.mark.slow
def test_an_exported_model_answers_without_the_database(cli, scored, tmp_path):
    path, _ = scored
    done = cli("model", "export", path, "web.model")
    assert done.code == 0 and done.out == "" and "5 hosts, 12 URLs" in done.err
    assert (
        cli("score", "web.model", "example.com", "example.org").out
        == cli("score", path, "example.com", "example.org").out
    )
    info = json.loads(cli("model", "info", "web.model").out)
    assert info["counts"]["hosts"] == 5 and info["format"] == FORMAT
    data = bytearray((tmp_path / "web.model").read_bytes())
    data[-100] ^= 1
    (tmp_path / "web.model").write_bytes(data)
    assert cli("model", "info", "web.model") == (
        1,
        "",
        (
            "replicadb: web.model: the model is damaged (its checksum is another); export it again:"
            " replicadb model export DB web.model\n"
        ),
    )


def test_no_database_is_overwritten_by_a_model(cli, tmp_path, scored):
    path, _ = scored
    for name in ("web.duckdb", "other.duckdb"):
        shutil.copy(path, tmp_path / name)
    before = (tmp_path / "other.duckdb").read_bytes()
    found = cli("model", "export", "web.duckdb", "other.duckdb")
    assert (
        found.code == 2
        and "is a DuckDB database" in found.err
        and (tmp_path / "other.duckdb").read_bytes() == before
    )
    with replicadb.open("web.duckdb", read_only=True) as db:
        with pytest.raises(UsageError, match="is a DuckDB database"):
            db.model("web.duckdb")
        assert db.sql("SELECT count(*) FROM replicas").item() > 0


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("model", "import", "web.duckdb"), 2, "choose: model export"),
        (("model", "export", "web.duckdb"), 2, "takes a database and the file"),
        (("model", "info", "web.duckdb"), 1, "no model of replicadb"),
        (("model", "export", "web.duckdb", "web.duckdb"), 2, "the database itself"),
    ],
)
def test_errors_are_one_line(cli, scored, tmp_path, arguments, code, reason):
    shutil.copy(scored[0], tmp_path)
    found = cli(*arguments)
    assert (found.code, found.out) == (code, "")
    assert found.err.startswith("replicadb: ") and reason in found.err
    assert found.err.count("\n") == 1
