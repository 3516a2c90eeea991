"""One page on its way in the browser: each of its requests answered from the archive or refused,
its virtual time handed out, its redirects counted.

Invariant: nothing reaches the network. Each request is paused by the browser (Fetch domain
of the DevTools protocol; redirects too, which playwright's own routing lets pass) and answered from
the archive. Source: multiple-signal paper, section 3.1 (meta refresh and script redirects followed,
long delays not; no pictures).
"""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass
from typing import Any

from replicadb.rendering.frame_grafting import Grafted, graft
from replicadb.rendering.replay_archive import Archive

NOT_FETCHED = {
    "Image",
    "Media",
    "Font",
    "TextTrack",
    "Prefetch",
    "Ping",
    "CSPViolationReport",
    "Manifest",
    "SignedExchange",
    "EventSource",
    "WebSocket",
    "FedCM",
}
Event = dict[str, Any]
"""What the DevTools protocol says of an event, or answers."""
PASSED_ON = (
    "content-type",
    "location",
    "refresh",
    "set-cookie",
    "content-security-policy",
    "x-frame-options",
    "content-language",
    "last-modified",
    "x-content-type-options",
    "access-control-",
)
QUIET = """window.alert = window.print = () => undefined;
window.confirm = () => false; window.prompt = () => null; window.open = () => null;
delete window.RTCPeerConnection; delete window.webkitRTCPeerConnection;
delete window.WebTransport;"""
STAY = """(held => {
  if (self !== top) return;
  const stays = (url) => held.includes(url.split('#')[0]);
  const submit = HTMLFormElement.prototype.submit;
  navigation.addEventListener('navigate', e => {
    if (stays(e.destination.url)) e.preventDefault();
  });
  // a submit ends reading before it says where it goes
  HTMLFormElement.prototype.submit = function () { if (!stays(this.action)) submit.call(this) };
})"""
MOST_REDIRECTS = 20  # of one page, by refresh or script, as browsers bound those by HTTP
MOST_VISITS = 2  # to one URL by one page: a page may set a cookie and load again, but not for ever
MOST_REQUESTS = 3000  # answered to one page
NEAR = 100  # milliseconds of virtual time while a page is on its way to the next
MOST_WAITS = 50  # times NEAR for a page to come that was requested; a download never does
READING = 10.0  # seconds to read a page once it stands, and to close it


@dataclass
class Replay:
    """A page as the browser showed it, or why it could not."""

    page: Grafted | None = None
    """Its markup and title; None where it could not be rendered."""
    problem: str | None = None
    """Why it could not be rendered, or that it never settled and was taken as it stood."""
    url: str = ""
    """Where it ended."""
    redirects: int = 0
    """By meta refresh, HTTP's Refresh or script."""
    missing: int = 0
    """Requests that the archive could not answer, those that are never made (pictures, fonts) not
    counted.
    """
    led_out: frozenset[str] = frozenset()
    """Where its scripts were about to go, and could not, when the browser stopped reading it."""
    whole: bool = True
    """It was read to its end."""


class Tab:
    """One page on its way: its requests answered, its time handed out, its redirects counted."""

    def __init__(
        self,
        session: Any,
        archive: Archive,
        delay: float,
        date: float,
        held: frozenset[str],
        lost: set[str],
    ) -> None:
        self._session, self._archive, self._delay, self._date = session, archive, delay * 1000, date
        self._held = held  # where its scripts shall not go
        self._lost = lost  # what the archive does not have, of all replays of the page
        self._frame = ""
        self._visits: dict[str, int] = {}
        self._requests = 0
        self._slow: set[str] = set()  # targets of refreshes that come too late
        # the page's own requests: where it first wanted to go, before HTTP sent it elsewhere
        self._goals: dict[str, str] = {}
        self._led_out: set[str] = set()  # where its newest document was about to go, and could not
        self._read_through = False  # its newest document was read to its end
        # page's time, in ms, at which its newest document had loaded
        self._loaded: float | None = None
        self._under_way = False  # the page's own document was requested, and has not come
        self._arrived = asyncio.Event()
        self._expired = asyncio.Event()
        self._tasks: set[asyncio.Future[Any]] = set()
        self._result = Replay()

    async def render(self, url: str, timeout: float) -> Replay:
        self._frame = (await self._session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        for name, listener in (
            ("Fetch.requestPaused", self._paused),
            ("Page.frameScheduledNavigation", self._scheduled),
            ("Page.loadEventFired", self._has_loaded),
            ("Page.frameNavigated", self._navigated),
            ("Page.domContentEventFired", self._has_been_read),
            ("Emulation.virtualTimeBudgetExpired", lambda _: self._expired.set()),
        ):
            self._session.on(name, listener)
        await self._session.send("Page.enable")
        await self._session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        stay = f"{STAY}({json.dumps(sorted(self._held))})" if self._held else ""
        await self._session.send("Page.addScriptToEvaluateOnNewDocument", {"source": QUIET + stay})
        try:
            await asyncio.wait_for(self._settle(url), timeout)
            if not self._read_through:
                self._result.whole, self._result.led_out = False, frozenset(self._led_out)
        except TimeoutError:
            await self._halt()
            self._result.problem = f"not settled after {timeout:g} s, taken as it stood"
        finally:
            for task in list(self._tasks):
                task.cancel()
        if not self._arrived.is_set():
            self._result.problem = (
                self._result.problem
                or "nothing to show: its answer leads out of the archive or is a download"
            )
            return self._result
        await self._read()
        return self._result

    async def _read(self) -> None:
        self._result.page = await asyncio.wait_for(graft(self._session, READING / 2), READING)
        tree = await self._session.send("Page.getFrameTree")
        self._result.url = tree["frameTree"]["frame"]["url"]
        self._result.missing = len(self._lost)

    async def _settle(self, url: str) -> None:
        """Go to the page and grant time until each of its documents had its share."""
        start = {"initialVirtualTime": self._date}
        going = asyncio.ensure_future(self._session.send("Page.navigate", {"url": url}))
        self._tasks.add(going)
        going.add_done_callback(self._done)
        share, used, waits = NEAR, 0.0, 0
        while share >= 1:
            self._expired.clear()
            base = (await self._grant("pauseIfNetworkFetchesPending", share, **start))[
                "virtualTimeTicksBase"
            ]
            start = {}
            await self._expired.wait()
            used += share
            coming = not self._arrived.is_set()
            if (
                coming
                and going.done()
                and (going.result().get("errorText") or going.result().get("isDownload"))
            ):
                return
            waits += coming or self._under_way
            if coming or (self._under_way and waits <= MOST_WAITS):
                share = NEAR
                continue
            # it goes elsewhere in vain, or never ends loading: its share runs from here
            if self._loaded is None:
                self._loaded = base + used
            share = self._loaded + self._delay - (base + used)

    async def _grant(self, policy: str, budget: float | None = None, **more: float) -> Event:
        given = (
            {"policy": policy}
            | more
            | ({"budget": budget, "maxVirtualTimeTaskStarvationCount": 10_000} if budget else {})
        )
        answer: Event = await self._session.send("Emulation.setVirtualTimePolicy", given)
        return answer

    async def _halt(self) -> None:
        """Stop scripts that run away, so that the page can be read as it stands."""

        async def stop() -> None:
            await self._session.send("Runtime.terminateExecution")
            await self._grant("pause")
            await self._session.send("Page.stopLoading")

        await asyncio.wait_for(stop(), READING)

    def _has_loaded(self, said: Event) -> None:
        self._loaded = said["timestamp"] * 1000

    def _has_been_read(self, said: Event) -> None:
        self._read_through = True

    def _navigated(self, said: Event) -> None:
        if said["frame"]["id"] == self._frame:
            self._under_way, self._loaded, self._read_through = False, None, False
            self._led_out.clear()
            self._arrived.set()

    def _scheduled(self, said: Event) -> None:
        """A refresh that the page announces: one that comes too late is not followed."""
        if said.get("frameId") == self._frame and said["reason"] in (
            "metaTagRefresh",
            "httpHeaderRefresh",
        ):
            late = said["delay"] * 1000 > self._delay
            (self._slow.add if late else self._slow.discard)(said["url"].partition("#")[0])

    def _paused(self, said: Event) -> None:
        task = asyncio.ensure_future(self._answer(said))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # a page that has gone meanwhile wants no answer

    async def _answer(self, said: Event) -> None:
        request, kind = said["request"], said["resourceType"]
        url, answer = request["url"].partition("#")[0], {"requestId": said["requestId"]}
        own = kind == "Document" and said["frameId"] == self._frame
        if not url.startswith(("http:", "https:")):
            if url.startswith(("data:", "blob:", "about:")):
                await self._session.send("Fetch.continueRequest", answer)
            else:
                await self._session.send("Fetch.failRequest", answer | {"errorReason": "Aborted"})
            return
        self._requests += 1
        if own:
            self._goals[said["requestId"]] = self._goals.get(
                said.get("redirectedRequestId", ""), url
            )
        found = None
        if (
            kind not in NOT_FETCHED
            and not url.endswith("/favicon.ico")
            and self._requests <= MOST_REQUESTS
            and not (own and self._refused(url))
        ):
            found = self._archive.get(url) if request["method"] == "GET" else None
            if found is None:
                self._lost.add(url)
        if found is None:  # "aborted" leaves a page standing where it was about to go elsewhere
            if own and self._arrived.is_set():
                self._led_out.add(self._goals[said["requestId"]])
            await self._session.send("Fetch.failRequest", answer | {"errorReason": "Aborted"})
            return
        if own:
            self._under_way = True
            self._visits[url] = self._visits.get(url, 0) + 1
            self._result.redirects += self._arrived.is_set() and "redirectedRequestId" not in said
        await self._session.send(
            "Fetch.fulfillRequest",
            answer
            | {
                "responseCode": found.status,
                "body": base64.b64encode(found.body).decode(),
                "responseHeaders": [
                    {"name": name, "value": value}
                    for name, value in found.headers
                    if name.lower().startswith(PASSED_ON)
                ],
            },
        )

    def _refused(self, url: str) -> bool:
        """Whether the page shall stay where it is, rather than go there."""
        if not self._arrived.is_set():
            return False
        return (
            self._visits.get(url, 0) >= MOST_VISITS
            or self._result.redirects >= MOST_REDIRECTS
            or url in self._slow
        )
