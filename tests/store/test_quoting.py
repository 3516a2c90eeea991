"""A file's name is never taken for a pattern."""

from __future__ import annotations

import json

import duckdb
import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.evaluation.canonical_forms import _read_gold
from replicadb.evaluation.gold_file import read_table
from replicadb.load.host_lists import read_hosts_file
from replicadb.page_pairs.pair_list import _read_table
from replicadb.rewrite import Rewriter, RuleSet
from replicadb.store.quoting import file_name


@pytest.mark.parametrize("name", ["h[1].csv", "a*b.csv", "q?.csv", "c{1,2}.csv", "[h].csv", "**"])
def test_the_very_file_is_read(write, name):
    for other in ("h1.csv", "axb.csv", "qx.csv", "c1.csv", "h.csv", "x"):
        write(other, "a\nother\n")
    write(name, "a\nmine\n")
    scan = "FROM read_csv($path, header = true, all_varchar = true, delim = ';')"
    with duckdb.connect() as con:
        assert con.execute(scan, {"path": file_name(name)}).fetchall() == [("mine",)]


def test_hosts_gold_and_pairs_are_read_from_the_file_that_is_named(write):
    for name, host in (("x[1].csv", "mine"), ("x1.csv", "other")):
        write(f"h{name}", f"host,ip\n{host}.example,9.9.9.9\n")
        write(f"g{name}", f"host_a,host_b,label\n{host}.example,b.example,replica\n")
        write(f"u{name}", f"url_a,url_b\nhttp://{host}.example/,http://x.example/\n")
    with replicadb.open(":memory:") as web:
        db = web.database
        assert read_hosts_file(db, "hx[1].csv")["host"].to_pylist() == ["mine.example"]
        assert list(read_table(db, "gx[1].csv")["host_a"]) == ["mine.example"]
        assert _read_table(db, "ux[1].csv")["url_a"] == ["http://mine.example/"]


def test_rewrite_rules_and_gold_of_urls_are_read_from_the_file_that_is_named(write):
    for name, host in (("x[1]", "mine"), ("x1", "other")):
        rule = {"kind": "www", "host": f"www.{host}.example"}
        write(f"{name}.json", json.dumps({"replicadb_rewrite_rules": 1, "rules": [rule]}))
        write(f"{name}.csv", f"further_url,duplicate_of,kind\nhttp://{host}.example/,,\n")
    rewriter = Rewriter(RuleSet.load("x[1].json"))
    assert rewriter.canonical("http://www.mine.example/") == "http://mine.example/"
    assert rewriter.canonical("http://www.other.example/") == "http://www.other.example/"
    with replicadb.open(":memory:") as web:
        with pytest.raises(DataError, match="none of its URLs is in the database"):
            _read_gold(web.database, "x[1].csv")
        assert web.database.column("SELECT further_url FROM gold_urls") == ["http://mine.example/"]
