"""Progress: one line on a terminal, none in a pipe unless asked for, never wider, no colour."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import struct
import termios
import time
from types import SimpleNamespace

import pytest

from replicadb.cli import progress, run, streams
from replicadb.cli.progress import LoadProgress, Progress, progress_line
from replicadb.detection import pipeline
from replicadb.errors import DataError
from replicadb.under_way import NOW, Work, under_way

from .conftest import drawn_on


def line(works, percent=-1.0, statement=None):
    return progress_line("detect", works, percent, statement)


def test_a_line_says_amount_rate_and_time_left(monkeypatch):
    ago = 990.0
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: 1000.0))
    stage = Work("pair features (2 of 6)", began=ago)
    assert line([stage]) == "detect: pair features (2 of 6), 10 s"
    slices = Work("", 40, "slices", done=10, began=ago)
    assert line([stage, slices]) == (
        "detect: pair features (2 of 6), 10 of 40 slices, 1 a second, about 30 s left"
    )
    rows = Work("a.warc.gz", unit="rows", done=1_000_000, share=0.02, began=ago)
    assert line([rows]).endswith("1,000,000 rows, 100,000 a second, about 8 min left")
    assert line([stage], 25.0, ago).endswith(", 10 s, this statement 25%, about 30 s left")
    assert line([stage], 0.5, ago) == "detect: pair features (2 of 6), 10 s"  # too early to tell
    assert line([]) == "" and line([], -1.0, ago) == "detect"
    assert "\x1b" not in line([Work("\x1b[31mred", began=ago)])


def test_load_tells_each_source_from_its_beginning():
    with LoadProgress() as tell:
        tell("/x/a.csv", 10, 0.5)
        (work,) = NOW.works
        began = work.began
        assert (work.what, work.done, work.part) == ("a.csv", 10, 0.5)
        tell("/x/b.csv", 3, None)
        assert (work.what, work.done, work.part) == ("b.csv", 3, None) and work.began > began
    assert NOW.works == []


@pytest.mark.parametrize(
    ("when", "quiet", "shown"),
    [("auto", False, False), ("always", False, True), ("always", True, False)],
)
def test_in_a_pipe_a_line_is_written_only_when_asked_for(capsys, monkeypatch, when, quiet, shown):
    monkeypatch.setattr(progress, "FIRST_AFTER", 0.01)
    with under_way("scores"), Progress("detect", quiet, when) as drawn:
        assert NOW.shown == drawn.shown == shown
        until = time.monotonic() + 5
        while shown and not (said := capsys.readouterr().err) and time.monotonic() < until:
            time.sleep(0.01)
    assert (said if shown else capsys.readouterr().err) == ("detect: scores, 0 s\n" * shown)
    assert not NOW.shown


def test_on_a_narrow_terminal_the_line_is_cut_and_goes(crawled, monkeypatch):
    """Of a detection that does something for half a second, and fails."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    monkeypatch.setattr(streams._Speech, "number", theirs)
    monkeypatch.setattr("sys.stderr", streams._text(streams._Speech()))
    monkeypatch.setattr(progress, "FIRST_AFTER", 0.05)
    monkeypatch.setattr(progress, "EVERY", 0.05)

    def detect(*given):
        with under_way("a long name of something " * 5, 10, "pairs") as work:
            work.reached(5)
            time.sleep(0.5)
        raise DataError("nothing was found")

    monkeypatch.setattr(pipeline, "detect", detect)
    assert run(["detect", shutil.copy(crawled, "web.duckdb")]) == 1
    os.close(theirs)
    written = drawn_on(ours)
    drawn = [part.partition("\r")[0].partition("\n")[0] for part in written.split("\r\x1b[K")[1:]]
    lines = [text for text in drawn if text.startswith("detect: a long name of something")]
    assert lines and all(len(text) == 49 for text in lines)
    # It is gone at the end, and what is said stands alone.
    assert written.rpartition("\r\x1b[K")[2] == "replicadb: nothing was found\r\n"
    assert "\x1b[3" not in written and "\x1b[1" not in written  # no colour, nothing bold


def test_a_result_that_is_too_wide_for_the_terminal_is_shown_row_by_row(detected, on_terminal):
    select = "SELECT 'a.example' AS host, repeat('x', 40) AS path, 3 AS urls"
    wide = on_terminal(80, "sql", detected, select)
    assert wide[0].split() == ["host", "path", "urls"] and len(wide) == 3
    assert on_terminal(45, "sql", detected, select) == [
        "host  a.example",
        f"path  {'x' * 40}",
        "urls  3",
    ]
