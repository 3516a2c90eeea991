"""replicadb synth: four files and nothing else, the same bytes again, and no file of somebody
else's overwritten.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from replicadb.cli.synth_command import FILES, PROFILE_HELP
from replicadb.synthetic.crawl.generate import PROFILES


def test_the_files_are_reported_on_stdout_and_the_counts_on_stderr(cli):
    done = cli("synth", "made", "--hosts", 60, "--seed", 4)
    assert (done.code, done.out) == (
        0,
        "made/crawl.parquet\nmade/hosts.csv\nmade/gold.csv\nmade/url_gold.csv\n",
    )
    crawl, gold = pl.read_parquet("made/crawl.parquet"), pl.read_csv("made/gold.csv")
    assert (
        f"{len(crawl):,} URLs on 60 hosts; {len(gold):,} replica pairs" in done.err
        and "replicadb load" in done.err
    )


def test_quiet_says_nothing_but_the_files(cli):
    assert cli("synth", "made", "--hosts", 60, "--quiet").err == ""


@pytest.mark.slow
def test_the_same_call_gives_the_same_bytes_and_another_format_takes_the_place(cli):
    cli("synth", "a", "--hosts", 60, "--urls", 900)
    before = {path.name: path.read_bytes() for path in Path("a").iterdir()}
    cli("synth", "a", "--hosts", 60, "--urls", 900)
    assert before == {path.name: path.read_bytes() for path in Path("a").iterdir()}
    done = cli("synth", "a", "--hosts", 60, "--urls", 900, "--format", "csv")
    assert done.out.startswith("a/crawl.csv\n") and not Path("a/crawl.parquet").exists()


def test_only_what_the_command_made_is_made_anew(cli, write):
    cli("synth", "a", "--hosts", 60, "--urls", 900)
    mine = Path("a/crawl.csv")
    mine.write_text("mine")
    for options in ((), ("--format", "csv")):
        done = cli("synth", "a", "--hosts", 60, "--urls", 900, *options)
        assert (
            (done.code, done.out) == (1, "")
            and "crawl.csv is there already" in done.err
            and mine.read_text() == "mine"
        )


@pytest.mark.slow
def test_another_crawl_is_not_told_to_be_loaded_into_the_first_ones_database(cli):
    assert "load made/web.duckdb made/crawl.parquet" in cli("synth", "made", "--hosts", 60).err
    Path("made/web.duckdb").touch()
    said = cli("synth", "made", "--hosts", 60, "--seed", 2).err
    assert "note: made/web.duckdb is there already" in said
    assert "load made/web2.duckdb made/crawl.parquet" in said and "detect made/web2.duckdb" in said


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_somebody_elses_is_never_overwritten(cli, write, name):
    write(name, "mine")
    done = cli("synth", ".", "--hosts", 60)
    assert (done.code, done.out) == (1, "") and f"{name} is there already" in done.err
    assert Path(name).read_text() == "mine" and len(list(Path().iterdir())) == 1


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--hosts", 3], "3 hosts are too few"),
        (["--hosts", 60, "--profile", "odd"], "profiles are: ordinary"),
        (["--hosts", 60, "--format", "xml"], "'xml' is not one of 'parquet', 'csv'"),
        (
            ["--hosts", 60, "--seed", 2**64],
            "--seed 18446744073709551616: is beyond 64 bits; give 18446744073709551615 or less",
        ),
        ([], "Missing option '--hosts'"),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused_in_one_line(cli, arguments, said):
    done = cli("synth", "made", *arguments)
    assert (done.code, done.out) == (2, "") and said in done.err and done.err.count("\n") == 1
    assert not Path("made").exists()


def test_a_folder_that_cannot_be_made_is_reported(cli, write):
    write("file", "")
    for folder in ("file", "file/below"):
        done = cli("synth", folder, "--hosts", 60)
        assert done.code == 1 and "Traceback" not in done.err and done.err.count("\n") == 1


def test_help_names_every_profile():
    assert all(name in PROFILE_HELP for name in PROFILES)
