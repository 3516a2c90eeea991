"""Canonical links and redirects of URLs that several files have: copies, explanations and aliases
go by them as detection does, whatever file each capture is in.
"""

from __future__ import annotations

import pytest

import replicadb
from replicadb.errors import DataError

HEAD = "url,timestamp,status,digest,redirect,canonical"


def captured(year: int, names: str) -> str:
    """Two names of one site, all of whose pages name one of the two, and an old name of both."""
    stamp = f"{year}0101000000"
    rows = [
        f"http://{host}/p{page},{stamp},200,{page},,http://{names}/p{page}"
        for host in ("new.com", "old.org")
        for page in range(12)
    ]
    rows.append(f"http://older.net/,{stamp},301,,http://new.com/,")
    return "\n".join(rows) + "\n"


def answers(tmp_path, *files: str) -> list:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        for number, text in enumerate(files):
            path = folder / f"{number}.csv"
            path.write_text(f"{HEAD}\n{text}")
            web.load(path)
        web.detect()
        (copy,) = web.copies_of("new.com", unlikely=True)["copies"]
        with pytest.raises(DataError) as refused:
            web.copies_of("older.net")
        return [
            copy["direction"],
            copy["grounds"],
            web.explain("new.com", "old.org")["leads"],
            web.sql("SELECT canonical FROM candidate_pairs").rows(),
            web.aliases().rows.to_pylist(),
            str(refused.value).partition(": ")[2],
        ]


def test_a_site_that_names_itself_now_is_the_copy_of_none_whatever_it_said_before(tmp_path):
    """The newest capture of a URL says where it leads; a redirect in two files is one."""
    before, now = captured(2018, "old.org"), captured(2021, "new.com")
    whole = answers(tmp_path, before + now)
    assert whole[0] == "copy"
    assert "12 of its canonical links and redirects lead to yours" in whole[1]
    assert [(lead["host"], lead["urls"]) for lead in whole[2]] == [("old.org", 12)]
    assert [row["name_b"] for row in whole[4] if row["rule"] == "canonical"] == ["old.org"]
    assert whole[5].startswith("no page of older.net is here; a URL of it redirects to new.com")
    assert answers(tmp_path, before, now) == whole
    assert answers(tmp_path, now, before) == whole
