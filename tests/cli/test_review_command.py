"""``replicadb review`` by keys from a pipe, and what it shows; two at once are tried in
test_cli.py.

Tries review_text, too.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import time
import tty

import pytest
from conftest import command

import replicadb
from replicadb.cli import review_command
from replicadb.cli.review_text import KEYS, MOST_LINES, both, text_of

CRAWL = "url,digest\n" + "".join(
    f"http://{host}/{n},p{n}\n" for host in ("a.com", "b.net", "c.org") for n in range(9)
)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loaded")
    (folder / "c.csv").write_text(CRAWL)
    with replicadb.open(folder / "w.duckdb") as web:
        web.load(folder / "c.csv")
    return folder / "w.duckdb"


@pytest.fixture(scope="module")
def detected(loaded, tmp_path_factory):
    path = shutil.copy(loaded, tmp_path_factory.mktemp("detected"))
    with replicadb.open(path) as web:
        web.detect()
    return path


@pytest.fixture
def db(detected, tmp_path):
    return shutil.copy(detected, tmp_path / "w.duckdb")


@pytest.fixture
def keys(monkeypatch):
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


@pytest.mark.slow
def test_keys_decide_skip_take_back_and_quit(cli, db, keys):
    keys("y\nx\nu\nn\ns\nq\n")
    answer = cli("review", db, "--terminal")
    assert answer.code == 0 and "same content: 9 pairs of pages" in answer.out
    assert "taken back: " in answer.err and "decided 1 pair\n" in answer.err
    assert "decisions came or went since the last detection" in answer.err
    with replicadb.open(db) as web:
        assert web.decisions()["label"].to_list() == ["no replica"]


def test_without_a_detection_or_a_database_it_is_said_what_to_do(cli, loaded, tmp_path):
    assert "find them first: replicadb detect" in cli("review", loaded, "--terminal").err
    assert cli("review", tmp_path / "new.duckdb").code == 1


def test_what_a_crawl_wrote_is_harmless_and_fits_the_terminal():
    page = {"url_a": "http://a/\x1b[31m" + "x" * 300, "url_b": "http://b/\u202e", "same_path": True}
    found = {
        "verdict": "a and b are not flagged",
        "evidence": [{"words": "w\x07", "value": 1, "contribution": 1.5}],
        "identifiers": [
            {"kind": "image", "value": "sha1:1", "hosts": 2},
            {"kind": "wallet", "value": "0x1\x1b", "hosts": 3},
            {"kind": "server", "value": "server: x", "hosts": 4},
        ],
        "pages": {
            "shared": {"n": 1, "first": [page]},
            "differing": {"n": 1, "first": [page | {"title_a": "\x1b]0;t\x07", "title_b": None}]},
        },
    }
    text = text_of(found, 60)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert max(map(len, text.splitlines())) <= 60
    assert "\nboth say: wallet 0x1" in text and "(3 hosts), server: x (4 hosts)\n" in text
    assert "same content: 1 pair of pages\n" in text
    found["pages"]["shared"]["files"] = 2
    assert "same content: 1 pair of pages, 2 of files\n" in text_of(found, 60)
    assert both("a", "b", "=", 40) == ["  a                = b"]
    assert text.count("x" * 50) == 2 * (MOST_LINES - 1) and text.count("…") == 2


def test_on_a_narrow_terminal_values_go_on_in_the_next_line():
    urls = [f"http://www.example.org/a/rather/long/path/{n}.html" for n in (1, 2)]
    words = "the share of the smaller host's contents that stand on the other host: 0.97"
    page = {"url_a": urls[0], "url_b": urls[1], "title_a": "One", "title_b": None}
    found = {
        "verdict": "www.example.org and mirror.example.net are probably replicas",
        "evidence": [{"words": words, "value": 1, "contribution": 1.5}],
        "identifiers": [],
        "pages": {"shared": {"n": 1, "first": [page]}, "differing": {"n": 1, "first": [page]}},
    }
    lines = text_of(found, 40).splitlines()
    assert max(map(len, lines)) <= 40 and "…" not in "".join(lines)
    whole = "".join(line.strip() for line in lines)
    assert whole.count(f"{urls[0]}= {urls[1]}") == whole.count(f"{urls[0]}≠ {urls[1]}") == 1
    assert " ".join(" ".join(lines).split()).count(words) == 1
    assert "  One              (no title)".split() == lines[-1].split()


@pytest.mark.parametrize(("typed", "key"), [(b"\x04", ""), (b"Y", "y"), (b"\x1b", "\x1b")])
def test_ctrl_d_ends_it_in_a_terminal(monkeypatch, typed, key):
    keyboard, terminal = os.openpty()
    set_up = tty.setcbreak

    def ready(*arguments):
        set_up(*arguments)
        os.write(keyboard, typed)

    monkeypatch.setattr(tty, "setcbreak", ready)
    try:
        with open(terminal, encoding="utf-8") as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            assert review_command._key() == key
    finally:
        os.close(keyboard)


@pytest.mark.slow
def test_ctrl_c_says_how_many_were_decided(db):
    running = subprocess.Popen(
        command("review", db, "--terminal"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        running.stdin.write("y\n")
        running.stdin.flush()
        asked = (line for line in running.stderr if line == f"{KEYS}\n")
        assert next(asked) and next(asked)
        time.sleep(0.2)  # while the line is written it would be written again
        running.send_signal(signal.SIGINT)
        err = running.communicate(timeout=20)[1]
    finally:
        running.kill()
    assert running.returncode == 130
    assert err.startswith("decided 1 pair\n") and "replicadb: interrupted" in err


@pytest.mark.slow
def test_at_its_end_it_says_so_and_the_last_step_can_be_taken_back(cli, db, keys):
    keys("s\ny\nn\nu\ny\n")
    answer = cli("review", db, "--terminal")
    assert "taken back: " in answer.err and answer.code == 0
    left = "no undecided pair is left to look at; u takes the last step back, q ends\n"
    assert answer.err.count(left) == 2 and f"{left}decided 2 pairs" in answer.err
    with replicadb.open(db) as web:
        assert web.decisions()["label"].to_list() == ["replica"] * 2
