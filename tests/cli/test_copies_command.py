"""``replicadb copies-of`` and ``watch`` in words and as JSON.

Tries copies_text and host_files, too.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.cli.copies_text import copies_text, copy_lines, watch_text
from replicadb.cli.host_files import hosts_here
from replicadb.store.database import Database
from tests.cli.conftest import kept_open
from tests.explanation import clones
from tests.explanation.clones import SHOP

GOLDEN = Path(__file__).parents[1] / "golden" / "copies.txt"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """A shop and its copies, detected, kept open; copy it before you change it."""
    folder = tmp_path_factory.mktemp("clones")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(clones.write(folder, clones.pages()))
        web.detect()
    with kept_open(folder / "web.duckdb") as path:
        yield path


@pytest.mark.slow
def test_the_text_has_its_golden_bytes(cli, database):
    answer = cli("copies-of", database, SHOP, "--all", "--top", "2")
    assert answer.code == 0 and answer.err == ""
    if os.environ.get("REPLICADB_WRITE_GOLDEN"):
        GOLDEN.write_text(answer.out)
    assert answer.out == GOLDEN.read_text()


@pytest.mark.parametrize("command", ["copies-of", "watch"])
def test_a_hunter_is_told_of_no_drop(cli, command):
    """Nor by what is printed of copies, in the golden file and the next test."""
    assert "drop" not in cli(command, "--help").out.lower() + GOLDEN.read_text()


@pytest.mark.slow
def test_watch_tells_what_is_new(cli, database):
    path = shutil.copy(database, "web.duckdb")
    looked = cli("watch", path, SHOP, "--look").out
    assert "drop" not in looked
    assert looked.startswith("shop.example: not watched (--look only looks); 2 copies so far\n")
    assert "no host is watched yet" in cli("watch", path).err
    assert "(known copy)" in looked and "(copy in a folder of another site)" in looked
    assert cli("watch", path, SHOP).out == looked.replace(
        "not watched (--look only looks)", "watched from now on"
    )
    assert "watched" not in cli("watch", path, SHOP, "--look").out
    assert cli("watch", path).out == "shop.example: nothing new; copies reported before: 2\n"
    assert json.loads(cli("watch", path, "--json").out)[0]["new"] == []


@pytest.mark.slow
def test_errors_are_one_line(cli, database):
    copied = shutil.copy(database, "web.duckdb")
    for command, path in (("copies-of", database), ("watch", copied)):
        answer = cli(command, path, "shopp.example")
        assert answer.code == 1 and "nearest names: shop.example" in answer.err
        assert cli(command, "nowhere.duckdb", SHOP).code == 1
        assert "HOST - is no host; @/dev/stdin reads hosts from" in cli(command, path, "-").err
    assert cli("watch", database, "--look").code == 2
    empty = cli("copies-of", database, "")
    assert empty.code == 2 and "HOST is an empty name" in empty.err
    assert not os.path.exists("nowhere.duckdb")


@pytest.mark.slow
def test_many_hosts_are_given_by_name_or_in_a_file(cli, write, database):
    with replicadb.open(database, read_only=True) as web:
        hosts = web.sql("SELECT host FROM hosts ORDER BY host").to_series().to_list()
        other = next(host for host in hosts if host != SHOP)
        both = [web.copies_of(SHOP), web.copies_of(other)]
    write("mine.csv", f"# ours\nhttps://{SHOP.upper()}/,the shop\n\nnever-met.example\n{other}\n")
    answer = cli("copies-of", database, "@mine.csv", "--json")
    assert json.loads(answer.out) == both  # as Python gives it
    assert json.loads(cli("copies-of", database, SHOP, "--json").out) == both[0]
    assert answer.err == "note: @mine.csv: not in this crawl: never-met.example\n"
    assert json.loads(cli("copies-of", database, SHOP, other, "--json").out) == both
    text = cli("copies-of", database, SHOP, other).out
    assert text.startswith(f"{SHOP}: ") and f"\n\n{other}: " in text
    seen = json.loads(cli("watch", database, "--look", "@mine.csv", "--json").out)
    assert [host["host"] for host in seen] == [SHOP, other]
    write("none.txt", "never-met.example\n")
    write("empty.txt", "# nothing\n")
    for name, why in (("none.txt", "none of its hosts is in"), ("empty.txt", "no host name in it")):
        refused = cli("copies-of", database, f"@{name}")
        assert refused.code == 1 and why in refused.err
    missing = cli("watch", database, "--look", "@mime.csv")
    assert missing.code == 1 and missing.err.endswith(
        "HOST @mime.csv: no such file (did you mean 'mine.csv'?); check the path\n"
    )
    write("latin.txt", b"caf\xe9.example\n")
    assert "cannot be read: it is no UTF-8" in cli("copies-of", database, "@latin.txt").err


def test_hosts_of_a_table_are_found_whatever_stands_between_its_cells(crawled, write):
    lists = {
        "semi.csv": "host;note\nexample.com;mine\n",
        "tabs.tsv": "Domain\tnote\nexample.com\tmine\n",
        "dnstwist.csv": "fuzzer,domain,dns_a\n*original,example.com,192.0.2.1\n",
    }
    with replicadb.open(crawled, read_only=True) as web:
        for name, text in lists.items():
            write(name, text)
            assert hosts_here(web.database, [f"@{name}"], quiet=True) == ["example.com"]


def test_the_names_of_a_file_are_looked_up_together(crawled, write, monkeypatch):
    write("mine.txt", "HTTP://Example.com/\n" + "".join(f"never-met{n}.org\n" for n in range(500)))
    asked = []
    with replicadb.open(crawled, read_only=True) as web:
        execute = Database.execute
        monkeypatch.setattr(
            Database, "execute", lambda *given: asked.append(given) or execute(*given)
        )
        found = hosts_here(web.database, ["@mine.txt", "typed.org"], quiet=True)
    assert found == ["example.com", "typed.org"] and 0 < len(asked) < 5


def test_what_a_crawl_wrote_is_made_visible():
    odd = "a\x1b[31m\u202e"
    copy = {
        "host": odd, "standing": "known", "kind": None, "probability": None, "pages": 1,
        "why": odd, "direction": None, "grounds": [odd], "was": odd,
    }  # fmt: skip
    found = {"host": odd, "pages": 1, "candidates": 1, "copies": [copy]}
    found["mass_copies"] = 0
    found["earlier_unknown"] = {"files": 1, "example": odd}
    found["reference"] = {"load": odd, "of_it": True}
    found["related"] = [{"host": odd, "identifiers": [{"kind": "mail", "value": odd, "hosts": 2}]}]
    watched = {
        "host": odd,
        "before": 1,
        "new": [copy],
        "changed": [copy],
        "gone": [odd],
        "unloaded": [odd],
        "not_compared": [odd],
        "reference": found["reference"],
        "here": True,
    }
    for text in (copies_text(found, 5), watch_text([watched])):
        assert "\x1b" not in text and "\u202e" not in text and "\\x1b" in text


def test_hosts_that_were_not_compared_are_named_in_place_of_no_copy():
    found = {"host": "a", "pages": 4, "candidates": 0, "copies": [], "related": []}
    for others, said in ((0, "no copy of it is known"), (1, "likely copies: 1 host;")):
        text = copies_text(
            found | {"earlier_unknown": None, "mass_copies": others, "reference": None}, 5
        )
        assert said in text and ("no copy" in text) == (not others)


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        ("known", "it copies yours: g"),
        ("likely", "it copies yours: g"),
        ("kit", "it copies yours: g"),
        ("possible", "if one is a copy, it is this one: g"),
        ("home page", "if one is a copy, it is this one: g"),
        ("unlikely", "if one is a copy, it is this one: g"),
    ],
)
def test_what_is_not_known_to_be_a_copy_is_not_said_to_copy(standing, said):
    copy = {
        "host": "b.example", "standing": standing, "kind": None, "probability": 0.1, "pages": 1,
        "why": "", "direction": "copy", "grounds": ["g"],
    }  # fmt: skip
    assert list(copy_lines(copy))[1].strip() == said
    (*_, other) = copy_lines({**copy, "direction": "original"})
    assert other.strip() == said.replace("it copies yours", "yours copies it").replace(
        "this one", "yours"
    )


@pytest.mark.parametrize("head", ["domain", "Host", "url"])
def test_the_header_of_a_list_of_hosts_is_none(cli, write, head):
    from replicadb.cli.host_files import names_in

    path = write("brands.csv", f"{head},since\na.example,2020\nhost,1\n")
    assert names_in(f"@{path}", "HOST") == ["a.example", "host"]
