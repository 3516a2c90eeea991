"""Who may ask the page for something: those who know its address, from this machine, by the page
itself.

Invariant: a request passes only if its Host is this machine's own name (another page cannot reach
us under a name of its own: DNS rebinding), its path begins with the token, and, where it would
change something, its Origin is the page (no form or script of another page: CSRF). All else gets
no word of what is here.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = ("127.0.0.1", "localhost")
MOST_BYTES = 10_000
"""Of a request's body; a step has some hundred."""
HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Of every answer: kept nowhere, framed by nobody, and the address goes to no other site."""


def new_token() -> str:
    """A name that nobody guesses, 128 bits."""
    return secrets.token_urlsafe(16)


def refusal(token: str, scope: Scope) -> tuple[int, str] | None:
    """Status and words for a request that may not pass; None for one that may."""
    headers = Headers(scope=scope)
    first = scope["path"].lstrip("/").partition("/")[0]
    if not secrets.compare_digest(first.encode(), token.encode()):
        return 404, "nothing here"
    if scope["method"] in ("GET", "HEAD"):
        return None
    if headers.get("origin") != f"http://{headers.get('host')}":
        return 403, "not from this page"
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return 403, "not from this page"
    if headers.get("content-type") != "application/json":
        return 415, "JSON only"
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > MOST_BYTES:
        return 413, "too much"
    return None


class Guard:
    """An ASGI application before another one."""

    def __init__(self, app: ASGIApp, token: str, headers: Mapping[str, str]) -> None:
        self._app, self._token, self._headers = app, token, {**HEADERS, **headers}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        refused = refusal(self._token, scope)
        app = PlainTextResponse(refused[1], refused[0]) if refused else self._app
        await app(scope, receive, guarded)
