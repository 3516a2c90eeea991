"""``replicadb.toml``: option before file before default, and every mistake in one line.

Tries stage_constants, too.
"""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import replicadb
from replicadb.constant_tables import FIXED, TABLES
from replicadb.stage_constants import DROPS
from tests.cli.conftest import kept_open


@pytest.fixture
def db(crawled, tmp_path):
    return Path(shutil.copy(crawled, tmp_path / "web.duckdb"))


def ran_with(db):
    with replicadb.open(db, read_only=True) as web:
        return web.info()["detection"]["settings"]


@pytest.mark.slow
def test_an_option_goes_before_the_file_and_the_file_before_the_default(cli, db, detected, write):
    write("replicadb.toml", "[detect]\nmax-wrong = 0.01\npath_max_hosts = 50\ndiscretise = 'mdl'\n")
    said = cli("detect", db)
    assert said.code == 0
    values = "max_wrong = 0.01, discretise = mdl, path_max_hosts = 50"
    assert f"note: replicadb.toml says {values}\n" in said.err
    found = ran_with(db)
    assert (found["max_wrong"], found["path_max_hosts"], found["min_shared"]) == (0.01, 50, 1)
    assert cli("detect", db, "--max-wrong", "0.2", "-q").code == 0
    assert ran_with(db)["max_wrong"] == 0.2
    other = write("other.toml", "[detect]\nmax_wrong = 0.3\n")
    for arguments in (("--config", other, "info", db), ("info", db, f"--config={other}")):
        shown = cli(*arguments, "--settings").out
        assert f"detect.max_wrong = 0.3 ({other})\n" in shown
        assert "detect.path_max_hosts = 100 (default)\n" in shown
    # What is given by hand and does nothing is refused; of the file it is passed over.
    write("replicadb.toml", "[detect]\nmax_wrong = 0.01\n")
    shutil.copy(detected, db)
    assert cli("detect", db, "--method", "paper", "--max-wrong", "0.01").code == 2
    assert cli("detect", db, "--method", "paper", "-q") == (0, "", "")


@pytest.mark.slow
def test_info_says_what_is_in_force_and_from_where(cli, detected, write):
    assert "settings of" not in cli("info", detected).out
    write("replicadb.toml", "threads = 1\n[detect]\nmax_wrong = 0.01\n[drops]\nmost_unlike = 0.1\n")
    shown = cli("info", detected).out
    assert shown.endswith(
        "settings of replicadb.toml; all else is as by default (--settings lists all):\n"
        "  threads = 1\n"
        "  detect.max_wrong = 0.01 (the last detection had 0.03)\n"
        "  drops.most_unlike = 0.1 (the last detection had 0.05)\n"
    )
    every = cli("info", detected, "--settings").out.splitlines()
    assert "detect.max_wrong = 0.01 (replicadb.toml)" in every
    assert "detect.min_shared = 1 (default)" in every
    assert "fingerprint.shingle = 5 (default)" in every
    assert "drops.most_unlike = 0.1 (replicadb.toml)" in every
    assert "threads = 1 (replicadb.toml)" in every
    facts = json.loads(cli("info", detected, "--settings", "--json").out)
    assert facts["settings_file"]["says"]["detect.max_wrong"] == 0.01
    assert {"table": "detect", "name": "bins", "value": 5, "from": "default"} in facts["settings"]


@pytest.mark.slow
def test_constants_of_the_file_hold_for_one_command_and_make_its_stage_run_again(
    cli, detected_robust, write
):
    db = shutil.copy(detected_robust, "web.duckdb")
    assert "nothing to do" in cli("detect", db).err
    write("replicadb.toml", "[drops]\nleast_elsewhere = 1\nleast_probability = 0.5\n")
    assert "replica groups: " in (said := cli("detect", db).err) and "nothing to do" not in said
    assert "nothing to do" in cli("detect", db).err
    Path("replicadb.toml").unlink()
    assert "replica groups: " in cli("detect", db).err
    assert DROPS.least_elsewhere == 0.5


WRONG = (
    ("[detect]\nmax_wron = 1", "[detect] max_wron is not known (did you mean 'max_wrong'?)"),
    ("[dtect]", "no table [dtect] is known (did you mean 'detect'?); a table is a command, or"),
    ("max_wrong = 1", "max_wrong is not known above the tables; it belongs under [detect]"),
    ("thread = 1", "thread is not known above the tables (did you mean 'threads'?)"),
    ("threads = 0", "threads cannot be 0; it is 1 to 256"),
    ("[detect]\nmax_wrong = 2", "max_wrong lies above 0 and at most at 1, and is not"),
    ("[detect]\nmax_wrong = nan", "max_wrong lies above 0 and at most at 1, and is not"),
    ("[detect]\nmax_wrong = 'a'", "[detect] max_wrong cannot be 'a'; it is a number"),
    ("[detect]\nmax_wrong = [1]", "[detect] max_wrong takes one value, not a list"),
    ("[detect]\nmin_shared = 0.5", "[detect] min_shared cannot be 0.5; it is a whole number"),
    ("[detect]\nbins = true", "[detect] bins cannot be True; it is a whole number"),
    ("[detect]\nbins = 0", "min_shared, bins and min_support must be at least 1"),
    (
        "[detect]\nmethod = 'rubust'",
        "[detect] method cannot be 'rubust' (did you mean 'robust'?); choose one of: robust,",
    ),
    ("[load]\ncontent = 1", "[load] content cannot be 1; it is true or false"),
    ("[fingerprint]\nbits = 9", "bits must lie between 0 and 8, not 9"),
    ("[sql]\nfiles = true", "[sql] files is only ever given by hand, as --files"),
    ("[rewrite]\nepsilon = 1", "[rewrite] epsilon belongs to one of its commands, as in [rewrite."),
    ("[drops]\nmost_unlik = 1", "[drops] most_unlik is not known (did you mean 'most_unlike' or "),
    ("[drops]\nmost_unlike = 1.5", "[drops] most_unlike cannot be 1.5; it is 0 to 1"),
    ("[copies]\nkit_pages = 'x'", "[copies] kit_pages cannot be 'x'; it is a whole number"),
    ("[calibration]\nspread = 0", "[calibration] spread cannot be 0; it is above 0"),
    ("[robust]\nseveral_shared = 0", "[robust] several_shared cannot be 0; it is 1 or more"),
    ("[robust]\nmay_be = 2", "[robust] may_be cannot be 2; it is 0 to 1"),
    ("[robust]\nneighbour = 0.1", "[robust] neighbour is fixed: what replicadb has "),
    ("[calibration]\ntypical = 99", "[calibration] typical cannot be 99; it is -50 to 50"),
    ("[drops", "is no TOML: Expected ']' at the end of a table declaration"),
    ("a = " + "[" * 9000, "is no TOML: "),
    ("detect = 1", "detect is not known above the tables (did you mean 'detect'?)"),
)


@pytest.mark.parametrize(("text", "shown"), WRONG)
def test_a_mistake_is_one_line_with_the_file_and_the_key(cli, write, text, shown):
    write("replicadb.toml", text)
    answer = cli("info", "web.duckdb")
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", 1), answer.err
    assert answer.err.startswith(f"replicadb: replicadb.toml: {shown}"), answer.err
    assert cli("info", "--help").code == 0  # help is there all the same


def test_a_file_that_is_not_there_or_no_text_is_told(cli, write):
    write("other.toml", "")
    assert cli("info", "x", "--config", "othr.toml").err == (
        "replicadb: othr.toml: no such file (did you mean 'other.toml'?)\n"
    )
    Path("other.toml").write_bytes(b"\xff\xfe")
    answer = cli("info", "x", "--config", "other.toml")
    assert answer.err == "replicadb: other.toml: cannot be read: it is no UTF-8 text\n"
    assert cli("info", "x", "--config").err == (
        "replicadb: --config needs a value; see replicadb --help\n"
    )
    assert "did you mean 'always'?" in cli("info", "x", "--progress", "alway").err


@pytest.mark.slow
def test_commands_in_a_group_lists_and_switches(cli, write, tmp_path):
    write("crawl.csv", "Address,digest\nhttp://a.example/,1\n")
    write(
        "replicadb.toml",
        "[load]\ncolumn = ['url=Address']\nlinks = false\nlabel = 'march'\n"
        "[rewrite.learn]\nepsilon = 0.25\n[export]\nmax-drop-share = 0.75\n",
    )
    answer = cli("load", "web.duckdb", "crawl.csv")
    assert answer.code == 0
    assert "says column = ['url=Address'], links = False, label = march" in answer.err
    assert "load march: read 1 = kept 1" in cli("info", "web.duckdb").out
    assert "rewrite.learn.epsilon = 0.25 (replicadb.toml)" in (
        cli("info", "web.duckdb", "--settings").out
    )


NAMED = {
    **{"CONSTANTS": "robust", "KIND_NUMBERS": "kinds"},
    **{"EVEN": "calibration", "DROPS": "drops", "LABELS": "labels", "COPIES": "copies"},
    **{"ALIASES": "names", "PAGE_PAIRS": "page_pairs", "REWRITE": "rewriting"},
}
"""By the names that modules have for them, their tables in a file."""


def read_early(path: Path) -> list[str]:
    """Constants that a file may change and that a module reads when it is loaded."""
    early, text = [], path.read_text("utf-8")
    if not any(name in text for name in NAMED):  # most modules: to take one apart has its price
        return early
    for node in ast.parse(text).body:
        values = [node.value] if isinstance(node, ast.Assign | ast.AnnAssign) else []
        if isinstance(node, ast.FunctionDef):
            values = [*node.args.defaults, *node.args.kw_defaults]
        early += [
            f"{path.name}: {inner.value.id}.{inner.attr}"
            for value in filter(None, values)
            for inner in ast.walk(value)
            if isinstance(inner, ast.Attribute)
            and isinstance(inner.value, ast.Name)
            and inner.value.id in NAMED
            and inner.attr not in FIXED.get(NAMED[inner.value.id], ())
        ]
    return early


@pytest.mark.slow
def test_constants_that_a_file_may_change_are_read_when_they_are_needed():
    """Read when a module is loaded, a value would stay what it was before the file was read."""
    assert set(NAMED.values()) == set(TABLES)
    modules = Path(replicadb.__file__).parent.rglob("*.py")
    early = [found for path in modules for found in read_early(path)]
    # What help says of a default is the default.
    assert set(early) <= {
        "aliases_command.py: ALIASES.max_pages",
        "families_command.py: ALIASES.max_error",
        "families_command.py: ALIASES.min_hosts",
        "query_command.py: DROPS.large_part",
        "query_command.py: DROPS.most_dropped",
        "query_command.py: DROPS.worth_telling",
        "recheck_command.py: COPIES.recheck_days",
        "recheck_command.py: COPIES.recheck_pages",
        "wildcards_command.py: ALIASES.max_error",
        "wildcards_command.py: ALIASES.min_hosts",
    }


@pytest.mark.slow
def test_every_constant_that_is_not_fixed_can_be_said_and_is_listed(cli, write):
    """Each with its own default, so that all are of a kind and within reach."""
    lines = []
    for table, constants in TABLES.items():
        lines.append(f"[{table}]")
        lines += [
            f"{item.name} = {item.default}"
            for item in fields(constants)
            if item.name not in FIXED.get(table, ())
        ]
    write("replicadb.toml", "\n".join(lines))
    assert cli("load", "web.duckdb", write("c.csv", "url\nhttp://a.example/\n")).code == 0
    listed = cli("info", "web.duckdb", "--settings").out.splitlines()
    said = {line for line in listed if line.endswith(" (replicadb.toml)")}
    assert len(said) == sum(" = " in line for line in lines) > 60


@pytest.mark.slow
def test_a_detection_goes_by_the_constants_of_the_file_and_runs_again_for_them(
    cli, detected_robust, write
):
    db = shutil.copy(detected_robust, "web.duckdb")

    def looked_up(query: str):
        with replicadb.open(db, read_only=True) as web:
            return web.database.rows(query)

    scores = "SELECT host_a, host_b, strength, probability FROM replicas ORDER BY ALL"
    before = looked_up(scores)
    write("replicadb.toml", "[calibration]\nsteepest = 0.4\n[robust]\nleast_flag = 0.99\n")
    after = cli("detect", db)
    assert (
        "note: replicadb.toml says calibration.steepest = 0.4, robust.least_flag = 0.99"
        in after.err
    )
    assert "flagged" in after.err and looked_up(scores) != before
    info = cli("info", db).out
    assert "  calibration.steepest = 0.4\n" in info and "had" not in info
    write(
        "replicadb.toml",
        "[calibration]\nsteepest = 0.5\n[robust]\nmay_be = 0.7\n[kinds]\nsame_places = 0.9\n",
    )
    info = cli("info", db).out
    assert "  calibration.steepest = 0.5 (the last detection had 0.4)\n" in info
    assert "  kinds.same_places = 0.9 (the last detection had 0.4)\n" in info
    said = cli("score", db, "a.example", "b.example")
    assert said.code == 1 and "detected with another kinds.same_places than is in force" in said.err
    assert looked_up("SELECT internal.may_be()") == [(0.2,)]
    assert cli("detect", db, "-q").code == 0
    assert looked_up("SELECT internal.may_be()") == [(0.7,)]
    Path("replicadb.toml").unlink()
    assert "another kinds.same_places" in cli("score", db, "a.example", "b.example").err
    assert cli("detect", db, "-q").code == 0
    assert "another" not in cli("score", db, "a.example", "b.example").err
    assert looked_up(scores) == before


IDLE = (
    ("[label]\nnote = 'by the file'", ("label", "--list"), ("--note", "x")),
    ("[export]\nas = 'surt'", ("export", "-", "--what", "pairs"), ("--as", "surt")),
    ("[export]\nwhat = 'pairs'", ("export", "-", "--as", "surt"), ("--what", "pairs")),
    ("[export]\nmax_drop_share = 0.9", ("export", "-", "--what", "pairs"), ("--max-drop-share", 1)),
    ("[copies-of]\ntop = 3", ("copies-of", "HOST", "--json"), ("--top", 3)),
    ("[copies-of]\nall = true", ("copies-of", "HOST", "--as", "surt"), ("--all",)),
    ("[export]\nformat = 'jsonl'", ("export", "-", "--check", "3"), ("--format", "jsonl")),
    ("[export]\nmax_drop_share = 0.9", ("export", "-", "--check", "3"), ("--max-drop-share", 1)),
    ("[export]\nformat = 'jsonl'", ("export", "-", "--as", "ublock"), ("--format", "jsonl")),
    (
        "[export]\nformat = 'jsonl'",
        ("export", "-", "--as", "cc-annotation"),
        ("--format", "jsonl"),
    ),
    (
        "[copies-of]\nformat = 'tsv'",
        ("copies-of", "HOST", "--as", "surt"),
        ("--format", "tsv"),
    ),
    ("[copies-of]\nformat = 'csv'", ("copies-of", "HOST", "--json"), ("--format", "csv")),
    ("[copies-of]\njson = true", ("copies-of", "HOST", "-o", "-"), ("--json",)),
    ("[aliases]\ntop = 3", ("aliases", "-"), ("--top", 3)),
    ("[watch]\nlook = true", ("watch", "HOST", "--stop"), ("--look",)),
)


@pytest.fixture(scope="module")
def watched(tmp_path_factory, detected_robust) -> Iterator[Path]:
    """The database of CRAWL, detected, that watches example.com, kept open; copy it before you
    change it.
    """
    path = Path(shutil.copy(detected_robust, tmp_path_factory.mktemp("watched")))
    with replicadb.open(path) as web:
        web.watch("example.com")
    with kept_open(path):
        yield path


@pytest.mark.parametrize(("text", "command", "by_hand"), IDLE)
def test_what_does_nothing_beside_the_others_is_passed_over_of_the_file_alone(
    cli, watched, write, text, command, by_hand
):
    db = shutil.copy(watched, "web.duckdb") if command[0] == "watch" else watched
    name, *rest = ("example.com" if word == "HOST" else word for word in command)
    assert cli(name, db, *rest, *by_hand).code == 2
    write("replicadb.toml", text + "\n")
    answer = cli(name, db, *rest)
    assert answer.code == 0
    key, _, value = text.split("\n")[1].partition(" = ")
    shown = value.strip("'").capitalize() if value == "true" else value.strip("'")
    assert f"replicadb.toml says {key} = {shown}\n" in answer.err
    if key == "as":
        assert f"  {name}.{key} = {shown}\n" in cli("info", db).out
