"""The server of the page: 127.0.0.1 alone, behind :mod:`replicadb.review_page.page_guard`.

Invariant: one step after the other, each on the pair that the person saw: a step that names another
turn changes nothing. What is answered as saved is in the database; what is not says so.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from replicadb.errors import DataError, UsageError
from replicadb.report.page_frame import STATIC
from replicadb.review import Review
from replicadb.review_page.page_guard import HOSTS, Guard, new_token
from replicadb.review_page.pair_shown import state
from replicadb.store.connecting import first_line

OWN = Path(__file__).parent / "static"
KEYS = ("y", "n", "s", "u", "q")


def serve(walk: Review, pages: int, port: int, announce: Callable[[str], None]) -> None:
    """Serve the page until the person ends it there or by Ctrl-C.

    Args:
        port: 0 for any that is free.
        announce: is given the page's address once it answers.

    Raises:
        UsageError: the port is in use, or not ours to take.
    """
    import uvicorn

    token = new_token()
    with _listening(port) as listening:
        application = Page(walk, pages, token)
        server = uvicorn.Server(
            uvicorn.Config(
                application.asgi,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=2,
            )
        )
        application.end = lambda: setattr(server, "should_exit", True)
        announce(f"http://127.0.0.1:{listening.getsockname()[1]}/{token}/")
        server.run(sockets=[listening])


def _listening(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()
    except OSError as error:
        listening.close()
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had ({error})"
        raise UsageError(
            f"port {port} {why}; give another one with --port, or none: then a free one is found"
        ) from error
    return listening


class Page:
    """The application: a page, the state of the review, and steps.

    Args:
        token: the first part of every path.
    """

    def __init__(self, walk: Review, pages: int, token: str) -> None:
        self._walk, self._pages, self._turn = walk, pages, 0
        self._html, policy = page_html()
        self.end: Callable[[], None] = lambda: None
        self.asgi = Starlette(
            routes=[
                Route(f"/{token}/", self._page),
                Route(f"/{token}/state", self._state),
                Route(f"/{token}/step", self._step, methods=["POST"]),
            ],
            middleware=[
                Middleware(Guard, token=token, headers={"content-security-policy": policy}),
                Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
            ],
        )
        self.asgi.router.redirect_slashes = False

    async def _page(self, _: Request) -> Response:
        return HTMLResponse(self._html)

    async def _state(self, _: Request) -> Response:
        return self._answer({})

    async def _step(self, request: Request) -> Response:
        try:
            asked = json.loads(await request.body())
            key, turn = asked["key"], asked["turn"]
        except (ValueError, TypeError, KeyError):
            return JSONResponse({"problem": "no step"}, 400)
        if key not in KEYS or type(turn) is not int:
            return JSONResponse({"problem": "no step"}, 400)
        if turn != self._turn:
            problem = "not done: another window went on meanwhile; this is the pair to look at now"
            return self._answer({"problem": problem}, 409)
        if key == "q":
            self.end()
            return JSONResponse({"ended": True, "progress": {"decided": self._walk.decided}})
        try:
            done = self._taken(key)
        except (duckdb.Error, DataError, OSError) as error:
            problem = f"not saved, the pair is as it was: {first_line(error)}"
            return self._answer({"problem": problem}, 500)
        self._turn += 1
        return self._answer({"done": done})

    def _taken(self, key: str) -> str:
        """Do the step; what was done, in words."""
        pair = self._walk.current() or ("", "")
        if key == "u":
            back = self._walk.undo()
            return f"taken back: {' and '.join(back)}" if back else "nothing to undo"
        if key == "s":
            self._walk.skip()
            return f"skipped: {' and '.join(pair)}"
        self._walk.decide(key == "y")
        return f"saved: {' and '.join(pair)} are {'replicas' if key == 'y' else 'no replicas'}"

    def _answer(self, more: dict[str, Any], status: int = 200) -> Response:
        """The state and ``more``; where it cannot be had, that, and ``more`` all the same."""
        try:
            return JSONResponse({**state(self._walk, self._turn, self._pages), **more}, status)
        except (duckdb.Error, DataError) as error:
            said = [more.get("done"), more.get("problem")]
            why = f"the next pair cannot be shown: {first_line(error)}"
            problem = "; ".join([*filter(None, said), why])
            return JSONResponse({"turn": self._turn, "problem": problem}, 500)


def page_html() -> tuple[str, str]:
    """The page, and the policy that lets it talk to us alone and run its own script alone."""
    script = (OWN / "review_page.js").read_text("utf-8")
    style = (STATIC / "page.css").read_text("utf-8") + (OWN / "review_page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}';"
        " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )
    html = (OWN / "review_page.html").read_text("utf-8")
    return html.replace("/* style */", style).replace("/* script */", script), policy
