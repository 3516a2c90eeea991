"""Progress on a terminal; and commands in processes of their own: what Ctrl-C and a kill leave
behind.
"""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from conftest import command

import replicadb
from replicadb.cli import progress, run, streams
from tests.cli.conftest import drawn_on

pytestmark = pytest.mark.slow

# -- progress
# ----------------------------------------------------------------------------------------------


def on_a_terminal(monkeypatch, *arguments: str) -> tuple[int, str]:
    """Run, in this process, with a terminal for standard error and a progress line that does not
    wait until two seconds have passed; what was drawn on it.
    """
    ours, theirs = pty.openpty()
    for name in ("FIRST_AFTER", "EVERY", "SURE_AFTER"):
        monkeypatch.setattr(progress, name, 0.02)
    monkeypatch.setattr(streams._Speech, "number", theirs)
    monkeypatch.setattr("sys.stderr", streams._text(streams._Speech()))
    with ThreadPoolExecutor() as reader:
        drawn = reader.submit(drawn_on, ours)
        code = run(list(arguments))
        os.close(theirs)
        return code, drawn.result()


def warc(records: int) -> bytes:
    def record(i: int) -> bytes:
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page %d" % (i // 3)
        return (
            b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h%d.com/p%d\r\nWARC-Date:"
            b" 2024-01-01T00:00:00Z\r\nWARC-IP-Address: 10.0.0.%d\r\nContent-Type:"
            b" application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
            % (i % 50, i, i % 250, len(body), body)
        )

    return b"".join(record(i) for i in range(records))


def test_progress_of_archives_and_tables_is_drawn_on_a_terminal(write, monkeypatch):
    """With rows, rate and time left."""
    write("big.warc", warc(2_000))
    rows = "".join(f"http://h{i % 50}.com/p{i},d{i}\n" for i in range(5_000))
    write("big.csv", f"url,digest\n{rows}")
    code, drawn = on_a_terminal(monkeypatch, "load", "web.duckdb", "big.warc", "big.csv")
    assert code == 0
    assert re.search(r"big\.warc, [\d,]+ rows, [\d,]+ a second", drawn)
    assert re.search(r"about \d+ s left", drawn)
    assert re.search(r"big\.csv, [\d,]+ rows, [\d,]+ a second", drawn)
    assert "read 7,000 = kept " in drawn


def test_nothing_is_drawn_where_stderr_is_no_terminal(cli, write, monkeypatch):
    for name in ("FIRST_AFTER", "EVERY", "SURE_AFTER"):
        monkeypatch.setattr(progress, name, 0.001)
    write("small.warc", warc(500))
    answer = cli("load", "web.duckdb", "small.warc")
    assert answer.code == 0 and "\x1b" not in answer.err


# -- stopped
# -----------------------------------------------------------------------------------------------


def stop(
    signal_number: int, when: Callable[[subprocess.Popen], bool], *arguments
) -> tuple[int, str]:
    """Start a command, send it a signal once ``when`` is true of it, and wait for its end."""
    running = subprocess.Popen(
        command(*arguments),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # ignored where the tests run in the background
    end = time.monotonic() + 30
    while not when(running) and running.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.15)
    running.send_signal(signal_number)
    try:
        err = running.communicate(timeout=60)[1].decode()
    finally:
        running.kill()
    assert "Traceback" not in err and "nanobind" not in err and "ignored" not in err, err
    return running.returncode, err


def holds(process: subprocess.Popen, path: str) -> bool:
    """Whether a process has the file open, so that its imports are done and its work has begun
    (Linux).
    """
    links = Path(f"/proc/{process.pid}/fd")
    if not links.is_dir():
        return time.monotonic() % 3 > 2  # elsewhere: some time within three seconds
    with contextlib.suppress(OSError):
        return any(os.readlink(link).endswith(path) for link in links.iterdir())
    return False


@pytest.fixture
def made(_empty) -> None:
    """web.duckdb, empty: that it is made is no part of the claim."""
    shutil.copy(_empty, "web.duckdb")


def state(path: str = "web.duckdb") -> tuple:
    with replicadb.open(path, read_only=True) as web:
        return (
            web.database.rows("SELECT source, read FROM sources ORDER BY 1"),
            web.database.value("SELECT count(*) FROM urls"),
            web.database.column("SELECT stage FROM stages ORDER BY 1"),
        )


def test_a_load_that_is_stopped_leaves_what_was_finished_and_the_same_command_goes_on(cli, write):
    """By a kill, and then by Ctrl-C. A detection: tests/detection/test_last_result.py."""
    write("a.csv", "url\nhttp://a.com/\n")
    write("b.warc", warc(30_000))
    cli("load", "web.duckdb", "a.csv")
    before = state()
    for signal_number, left in ((signal.SIGKILL, -9), (signal.SIGINT, 130)):
        working = lambda running: holds(running, "web.duckdb")
        code, err = stop(signal_number, working, "load", "web.duckdb", "a.csv", "b.warc")
        assert code == left
        assert state() == before
    assert err.splitlines()[-1].startswith("replicadb: interrupted")
    write("b.warc", warc(300))  # the rest of it tells no more
    assert cli("load", "web.duckdb", "a.csv", "b.warc").code == 0
    assert state()[1] == 301


SWALLOWS = """
import contextlib, os, signal
with contextlib.suppress(KeyboardInterrupt):
    os.kill(os.getpid(), signal.SIGINT)
"""
"""A module that takes no notice of Ctrl-C while it is imported, as some in C do."""
IMPORTS = """
import sys, time
from replicadb import cli

def run():
    try:
        import swallows
        for _ in range(500):
            time.sleep(0.02)
    except KeyboardInterrupt:
        return 130
    return 0

cli.run = run
sys.path.insert(0, "")
cli.main()
"""


def test_ctrl_c_counts_although_the_module_that_is_imported_swallows_it(write):
    write("swallows.py", SWALLOWS)
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, b"")


def test_what_came_from_standard_input_does_not_stay_in_the_temporary_folder(
    tmp_path, monkeypatch, made
):
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setenv("TMPDIR", str(spool))
    running = subprocess.Popen(
        command("load", "web.duckdb", "-"), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdin.write(b"url\n" * 100_000)
    running.stdin.flush()
    while running.poll() is None and not any(spool.rglob("stdin")):
        time.sleep(0.02)
    running.send_signal(signal.SIGTERM)
    err = running.communicate(timeout=60)[1].decode()
    assert running.returncode == 128 + signal.SIGTERM and err.startswith("replicadb: interrupted")
    assert list(spool.iterdir()) == []


def test_a_first_load_that_is_interrupted_leaves_no_file(write):
    write("b.warc", warc(60_000))
    code, _ = stop(
        signal.SIGINT, lambda running: holds(running, "new.duckdb"), "load", "new.duckdb", "b.warc"
    )
    assert code == 130 and not Path("new.duckdb").exists()


def test_a_statement_of_minutes_is_stopped_at_once(made):
    hours = "SELECT count(*) FROM range(100000000) a(x), range(100000) b(y) WHERE x % 7 = y % 5"
    began = time.monotonic()
    code, err = stop(
        signal.SIGINT, lambda running: holds(running, "web.duckdb"), "sql", "web.duckdb", hours
    )
    assert code == 130 and err.count("\n") == 1
    assert err.endswith("; no file is half written; to go on, give the same command again\n")
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "error",
    [
        duckdb.InterruptException("INTERRUPT Error: Interrupted!"),
        pa.lib.ArrowCancelled("Operation cancelled"),
        duckdb.InvalidInputException("Python exception: KeyboardInterrupt: "),
    ],
)
def test_a_ctrl_c_that_a_library_made_an_error_of_ends_the_load_and_is_no_failed_file(
    web, write, monkeypatch, error
):
    def pressed(*_):
        raise error

    monkeypatch.setattr("replicadb.load.load.stage", pressed)
    with pytest.raises(type(error)):
        web.load(write("a.csv", "url\nhttp://a.com/\n"))


def ended(script: str) -> subprocess.CompletedProcess[str]:
    """A process in which the command line does what a script says in ``work``."""
    lines = f"import atexit, replicadb.cli as cli\nfrom signal import *\n{script}\ncli.main()"
    return subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_second_signal_cuts_no_cleaning_up_short_but_a_later_one_counts():
    work = """
cli.CLEANING = {seconds}
def work():
    try: raise_signal(SIGTERM)
    finally:
        raise_signal(SIGINT)
        print('cleaned up', flush=True)
cli._command = lambda arguments: work()"""
    done = ended(work.format(seconds=60))
    assert (done.returncode, done.stdout) == (143, "cleaned up\n")
    assert done.stderr.count("\n") == 1 and "interrupted" in done.stderr
    done = ended(work.format(seconds=0))
    assert (done.returncode, done.stdout) == (130, "")


def test_a_signal_after_the_work_is_told_changes_no_exit_code():
    done = ended("cli._command = lambda arguments: 0\natexit.register(raise_signal, SIGINT)")
    assert (done.returncode, done.stderr) == (0, "")
