"""A share of the campaigns (docs/reliability.md): fixed seeds, some seconds."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys

import pytest

import replicadb
from benchmarks.reliability import bulk, campaign, disk_faults
from benchmarks.reliability.bulk import Bulk
from benchmarks.reliability.fuzz import MUTATIONS, Fuzz, mutated

pytestmark = pytest.mark.slow


def test_damaged_files_are_kept_rejected_or_refused(tmp_path):
    fuzz = Fuzz(tmp_path)
    seen = {fuzz.trial(random.Random(f"0 {number}")) for number in range(10)}
    assert {"kept", "refused", "read"} <= seen


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return Bulk(tmp_path_factory.mktemp("bulk"), many=1_000)


@pytest.mark.parametrize("format", ["cdxj", "warc"])
def test_every_record_of_many_mutated_ones_is_told(many, format, monkeypatch):
    monkeypatch.setattr(bulk, "DISTINCT", 500)
    many.formats, many.records = [format], 0
    assert many.trial(random.Random(4)) == format and many.records >= 600


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """Run a program over a folder with the library loaded first; words are what it is given."""
    if not disk_faults.available():
        pytest.skip("needs Linux and a C compiler")
    library = tmp_path_factory.mktemp("compiled") / "disk_faults.so"
    disk_faults.compile_to(library)

    def run(program, folder, *words):
        folder.mkdir()
        return subprocess.run(
            [sys.executable, "-c", program, folder, *map(str, words)],
            env={**os.environ, "LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
        )

    return run


WRITTEN = """
import os, sys
from pathlib import Path
from benchmarks.reliability import disk_faults
for mode in sys.argv[2:]:
    folder = Path(sys.argv[1], mode)
    folder.mkdir()
    (folder / "f").touch()
    if one := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]), flush=True)
        continue
    os.dup2(os.open(folder.parent / f"{mode}.err", os.O_WRONLY | os.O_CREAT), 2)
    disk_faults.arm(folder, mode, 4, 7)
    try:
        f = os.open(folder / "f", os.O_RDWR)
        os.write(f, b"a" * 9)
        os.fsync(f)
        os.write(f, b"b" * 9)
        os.write(f, b"c" * 9)
    except OSError as error:
        os.write(2, str(error).encode())
        os._exit(1)
    os._exit(0)
"""
"""Each in a process of its own, which may be killed; prints how it ended."""


def test_a_disk_does_what_it_is_told(tmp_path, faulty):
    modes = ("count", "kill", "torn", "full", "broken", "cut", "read-only")
    ended = faulty(WRITTEN, tmp_path / "written", *modes)
    assert ended.returncode == 0, ended.stderr
    found = {}
    for mode, code in zip(modes, map(int, ended.stdout.split()), strict=True):
        folder = tmp_path / "written" / mode
        found[mode] = code, (folder / "f").read_bytes(), (folder.parent / f"{mode}.err").read_text()
    three = b"a" * 9 + b"b" * 9
    assert found["count"][:2] == (0, three + b"c" * 9)
    assert found["kill"][:2] == (-9, three)
    assert found["torn"][0] == -9 and found["torn"][1].startswith(three)
    assert "No space left" in found["full"][2] and found["full"][1] == three
    assert "Input/output error" in found["broken"][2]
    assert found["cut"][0] == -9 and found["cut"][1] in (b"a" * 9, three)
    code, data, said = found["read-only"]  # where to open a file to write is an operation, too
    assert code == 1 and data == b"a" * 9 and "Read-only file system" in said


POWER_CUTS = """
import os, signal, sys
from pathlib import Path
from benchmarks.reliability import disk_faults
synced = sys.argv[2] == "True"
for seed in range(12):
    if os.fork():
        assert os.wait()[1] == signal.SIGKILL
        continue
    folder = Path(sys.argv[1], str(seed))
    folder.mkdir()
    os.chdir(folder)
    Path("name").write_text("old")
    Path("gone").write_text("old")
    f = os.open(".", os.O_RDONLY)
    disk_faults.arm(Path("."), "cut", 7 if synced else 6, seed)
    part = os.open("part", os.O_RDWR | os.O_CREAT)
    os.write(part, b"new")
    os.fsync(part)
    os.rename("part", "name")
    os.remove("gone")
    if synced:
        os.fsync(f)
    os.close(os.open("end", os.O_RDWR | os.O_CREAT))
    os._exit(0)
"""
"""Each in a process that is killed."""


@pytest.mark.parametrize("synced", [True, False])
def test_a_power_cut_takes_names_that_were_not_synced(tmp_path, faulty, synced):
    """Of a file made anew under its name, and of one removed; the last names go first."""
    done = faulty(POWER_CUTS, tmp_path / "cuts", synced)
    assert done.returncode == 0, done.stderr
    found = set()
    for seed in range(12):
        folder = tmp_path / "cuts" / str(seed)
        there = [name for name in ("part", "gone", "end") if (folder / name).exists()]
        found.add(((folder / "name").read_text(), *there))
    whole = ("new",)
    assert whole in found
    if synced:
        assert found == {whole}
    else:
        assert found == {whole, ("new", "gone"), ("old", "part", "gone"), ("old", "gone")}


AFTER_THE_CUT = """
import os, sys
from pathlib import Path
from benchmarks.reliability import disk_faults
import replicadb
from replicadb.export import writers
from replicadb.store import atomic_file, database
for careful, names in (("True", "ab"), ("False", "a")):
    if careful == "False":
        atomic_file.sync_folder = database.sync_folder = lambda folder: None
    folder = Path(sys.argv[1]) / careful
    folder.mkdir()
    os.chdir(folder)
    for name in names:
        open(f"{name}.csv", "w").write(f"url,digest,title\\nhttp://{name}.example/,x,text\\n")
    disk_faults.arm(folder, "off", 0, 1)
    for name in names:
        with replicadb.open("web.duckdb", threads=1) as web:
            web.load(f"{name}.csv")
            writers.write(web.reader("FROM pages"), "out.csv", "csv")
    disk_faults.lose()
"""


def test_what_is_told_as_done_is_there_when_the_power_fails_after_it(tmp_path, faulty):
    """And the campaign sees where no folder is synced."""
    done = faulty(AFTER_THE_CUT, tmp_path / "folder")
    assert done.returncode == 0, done.stderr
    for careful in (True, False):
        there = {path.name for path in (tmp_path / "folder" / str(careful)).iterdir()}
        assert ("web.duckdb" in there, "out.csv" in there) == (careful, careful)
    with replicadb.open(tmp_path / "folder/True/web.duckdb", read_only=True) as web:
        assert web.database.value("SELECT count(*) FROM pages") == 2


def test_a_mutation_follows_from_its_seed():
    for mutate in MUTATIONS:
        results = [mutate(b"a,1\nb,2\n", random.Random(3)) for _ in range(2)]
        assert results[0] == results[1]
    assert len({mutated(b"a,1\nb,2\n" * 9, random.Random(n)) for n in range(50)}) > 40


def test_a_broken_promise_is_counted_and_told(capsys):
    def trial(draw):
        if draw.random() < 0.5:
            raise campaign.Failed("it broke")
        return "held"

    chosen = argparse.Namespace(trials=20, minutes=None, seed=1, only=None)
    assert campaign.run("sample", trial, chosen) == 1
    out, err = capsys.readouterr()
    failed = err.count("it broke")
    assert 0 < failed < 20 and f"failed {failed}; held {20 - failed}" in out
