"""The page's application: who is answered at all, and what becomes of a step.

Tries page_guard and pair_shown, too.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from importlib import util
from types import SimpleNamespace

import duckdb
import pytest

import replicadb
from replicadb.review_page import page_server
from replicadb.review_page.page_server import Page, page_html
from replicadb.store.database import Database
from tests.conftest import command

TOKEN = "t0ken"
OURS = {
    "host": "127.0.0.1:8000",
    "origin": "http://127.0.0.1:8000",
    "content-type": "application/json",
}


@pytest.fixture
def page(web):
    return Page(web.review(), 2, TOKEN)


def ask(page: Page, path: str, asked: dict | bytes | None = None, **headers) -> SimpleNamespace:
    """One request; GET where nothing is asked. A header that is None is not sent."""
    body = asked if isinstance(asked, bytes) else json.dumps(asked).encode()
    sent = OURS | {"content-length": str(len(body))}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": "http",
        "method": "GET" if asked is None else "POST",
        "path": path,
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in sent.items() if v is not None],
    }
    answered: list[dict] = []

    async def receive():
        return {"type": "http.request", "body": body}

    async def send(message):
        answered.append(message)

    with ThreadPoolExecutor(1) as apart:  # a browser that is open has a loop in this thread
        apart.submit(asyncio.run, page.asgi(scope, receive, send)).result()
    text = b"".join(part.get("body", b"") for part in answered[1:])
    return SimpleNamespace(
        status=answered[0]["status"],
        headers={k.decode(): v.decode() for k, v in answered[0]["headers"]},
        text=text.decode(),
    )


def step(page: Page, key: str, turn: int) -> dict:
    answer = ask(page, f"/{TOKEN}/step", {"key": key, "turn": turn})
    return json.loads(answer.text) | {"status": answer.status}


@pytest.mark.slow
def test_only_the_page_and_its_two_answers_are_served_and_nothing_of_them_is_kept(page):
    answer = ask(page, f"/{TOKEN}/")
    assert answer.status == 200 and "<h1" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2]
    for path in ("/", f"/{TOKEN}", f"/{TOKEN}/x", f"/{TOKEN}/../", "/x/", "/favicon.ico", "//"):
        assert ask(page, path).status == 404, path


ASKED_BY = [
    # a name of its own that leads here: DNS rebinding
    ({"host": "evil.example", "origin": "http://evil.example"}, 400),
    ({"origin": "http://evil.example"}, 403),
    ({"origin": "null"}, 403),
    ({"origin": None}, 403),
    ({"origin": "http://127.0.0.1:9"}, 403),  # another server of this machine
    ({"sec-fetch-site": "cross-site"}, 403),
    ({"content-type": "text/plain"}, 415),  # what a form can send
    ({"content-length": "10001"}, 413),
    ({"content-length": None}, 413),
    ({"host": "localhost:1", "origin": "http://localhost:1"}, 200),
]
"""What a request has other than the page's, and how it is answered; the last may be."""


def test_what_the_page_did_not_ask_changes_nothing(page, web):
    for changed, status in ASKED_BY:
        answer = ask(page, f"/{TOKEN}/step", {"key": "y", "turn": 0}, **changed)
        assert answer.status == status, changed
        assert web.decisions().height == (status == 200), changed
        if status == 400:
            assert ask(page, f"/{TOKEN}/", **changed).status == 400
        if status != 200:
            assert "a.com" not in answer.text and answer.headers["cache-control"] == "no-store"


@pytest.mark.slow
def test_a_step_is_saved_and_shown_and_undo_takes_it_back(page, web):
    first = json.loads(ask(page, f"/{TOKEN}/state").text)
    assert first["pair"] and first["shared"]["n"] == 9 and first["turn"] == 0
    after = step(page, "y", 0)
    assert after["done"] == f"saved: {first['pair'][0]} and {first['pair'][1]} are replicas"
    assert web.decisions().select("host_a", "host_b", "label", "source").rows() == [
        (*first["pair"], "replica", "review")
    ]
    assert after["progress"]["decided"] == 1 and after["pair"] != first["pair"]
    step(page, "s", 1)
    assert step(page, "u", 2)["progress"]["skipped"] == 0
    assert step(page, "u", 3)["pair"] == first["pair"] and web.decisions().is_empty()
    assert step(page, "u", 4)["done"] == "nothing to undo"


@pytest.mark.slow
def test_a_step_from_a_window_that_is_behind_changes_nothing(page, web):
    step(page, "n", 0)
    late = step(page, "n", 0)
    assert late["status"] == 409 and "not done: another window" in late["problem"]
    assert web.decisions().height == 1 and late["turn"] == 1
    for wrong in (b"{", b"[]", b'{"key":"y"}', b'{"key":"x","turn":1}', b'{"key":"y","turn":true}'):
        assert ask(page, f"/{TOKEN}/step", wrong).status == 400
    assert web.decisions().height == 1


@pytest.mark.slow
def test_what_contradicts_itself_through_others_stays_on_the_page_until_it_is_undone(page):
    step(page, "y", 0)
    assert step(page, "y", 1)["contradictions"] == []
    last = step(page, "n", 2)
    assert last["pair"] is None and "replicas through others" in last["contradictions"][0]
    assert json.loads(ask(page, f"/{TOKEN}/state").text)["contradictions"]
    assert step(page, "u", 3)["contradictions"] == []


@pytest.mark.slow
def test_a_full_disk_is_told_and_the_pair_stays(page, web, monkeypatch):
    first, execute = json.loads(ask(page, f"/{TOKEN}/state").text), Database.execute

    def full(self, sql, *rest, **more):
        if sql == "COMMIT":
            self.con.execute("ROLLBACK")
            raise duckdb.IOException("could not write: No space left on device")
        return execute(self, sql, *rest, **more)

    monkeypatch.setattr(Database, "execute", full)
    answer = step(page, "y", 0)
    monkeypatch.undo()
    assert answer["status"] == 500 and answer["problem"].startswith("not saved, the pair is as it")
    assert answer["pair"] == first["pair"] and web.decisions().is_empty()
    assert step(page, "y", answer["turn"])["status"] == 200


def test_what_was_saved_is_said_even_where_the_next_pair_cannot_be_shown(page, web, monkeypatch):
    def gone(*_):
        raise duckdb.IOException("gone")

    monkeypatch.setattr(page_server, "state", gone)
    answer = json.loads(ask(page, f"/{TOKEN}/step", {"key": "y", "turn": 0}).text)
    assert answer["problem"].startswith("saved: ") and "cannot be shown: gone" in answer["problem"]
    assert answer["turn"] == 1 and web.decisions().height == 1


def test_no_text_of_the_crawl_is_in_the_page_itself_and_the_policy_knows_its_script():
    html, policy = page_html()
    assert html.count("<script>") == 1 and "/* script */" not in html and "sha256-" in policy
    assert "http" not in re.sub(r'http(s)?://www\.w3\.org\S*|"http:', "", html.split("</style>")[1])


@pytest.mark.slow
def test_quit_ends_it(page):
    ended = []
    page.end = lambda: ended.append(True)
    assert step(page, "q", 0)["ended"] and ended == [True]


def test_a_port_in_use_and_a_missing_server_are_one_line(cli, detected, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = cli("review", detected, "--port", port)
        assert answer.code == 2 and f"port {port} is in use; give another one" in answer.err
    find_spec = util.find_spec
    monkeypatch.setattr(
        "replicadb.cli.review_command.find_spec",
        lambda name: None if name == "uvicorn" else find_spec(name),
    )
    answer = cli("review", detected)
    assert answer.code == 2 and len(answer.err.splitlines()) == 1
    assert "pip install 'replicadb[review]'" in answer.err and "--terminal" in answer.err


@pytest.mark.slow
def test_the_command_serves_this_machine_until_ctrl_c(cli, detected, tmp_path):
    path = tmp_path / "web.duckdb"
    path.write_bytes(detected.read_bytes())
    running = subprocess.Popen(command("review", path), stderr=subprocess.PIPE, text=True)
    try:
        address = next(m[0] for m in map(re.compile(r"http://\S+").search, running.stderr) if m)
        assert "<h1" in urllib.request.urlopen(address, timeout=20).read().decode()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(address.rsplit("/", 2)[0] + "/", timeout=20)
        asked = urllib.request.Request(
            address + "step",
            b'{"key": "y", "turn": 0}',
            {"content-type": "application/json", "origin": address.rsplit("/", 2)[0]},
        )
        assert b"saved: " in urllib.request.urlopen(asked, timeout=20).read()
        assert cli("review", path).code == 4
        running.send_signal(2)
        assert "decided 1 pair\n" in running.communicate(timeout=20)[1]
        assert running.returncode == 0
    finally:
        running.kill()
    with replicadb.open(path, read_only=True) as web:
        assert web.decisions().height == 1


@pytest.mark.slow
def test_a_kill_ends_the_command_as_it_ends_others(detected, tmp_path):
    path = shutil.copy(detected, tmp_path / "web.duckdb")
    running = subprocess.Popen(command("review", path), stderr=subprocess.PIPE, text=True)
    try:
        address = next(m[0] for m in map(re.compile(r"http://\S+").search, running.stderr) if m)
        assert "<h1" in urllib.request.urlopen(address, timeout=20).read().decode()
        running.terminate()
        err = running.communicate(timeout=20)[1]
        assert running.returncode == 128 + signal.SIGTERM
        assert "decided 0 pairs\nreplicadb: interrupted" in err
    finally:
        running.kill()
