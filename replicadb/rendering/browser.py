"""A headless Chromium that replays pages out of an archive: every request is answered from there or
not at all.

Always true here: nothing reaches the network. Each request of a page is paused by the browser
(Fetch domain of the DevTools protocol, redirects too, which playwright's own routing lets pass) and
answered from the archive; what is not paused (workers, WebSockets, WebRTC, prefetching) meets a
proxy that does not exist and a resolver that knows no host. A page has a context of
its own: no cookie, cache or storage of another page. Where a script leads out of the archive while
its page is still being read, the browser reads no further; the page is then replayed anew, and that
script held back. Time is virtual: a timer of two seconds has run when nothing else is to do, so
that a page is waited for no longer than its work takes, and the same archive gives the same
rendering. Source: multiple-signal paper, section 3.1 (meta refresh and script redirects followed,
long delays not; no pictures).
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replicadb.errors import UsageError
from replicadb.rendering.frame_grafting import Grafted, graft
from replicadb.rendering.replay_archive import Archive

NAMES = (
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
NOWHERE = "http://127.0.0.1:9"
ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--no-pings",
    "--block-new-web-contents",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-site-isolation-trials",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--random-seed=1 --max-old-space-size=512",
)  # the same random numbers each time; 512 MB of script heap a page
NO_ISOLATION = "--disable-features=IsolateOrigins,site-per-process,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,Prerender2"
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
QUIET = """window.alert = window.print = () => undefined; window.confirm = () => false; window.prompt = () => null;
window.open = () => null; delete window.RTCPeerConnection; delete window.webkitRTCPeerConnection; delete window.WebTransport;"""
STAY = """(held => {
  if (self !== top) return;
  const stays = (url) => held.includes(url.split('#')[0]), submit = HTMLFormElement.prototype.submit;
  navigation.addEventListener('navigate', e => { if (stays(e.destination.url)) e.preventDefault() });
  HTMLFormElement.prototype.submit = function () { if (!stays(this.action)) submit.call(this) };  // which ends reading before it says where it goes
})"""
MOST_REPLAYS = 4  # of one page, each with what cut the last one short held back
MOST_REDIRECTS = (
    20  # of one page, by refresh or script; browsers bound those by HTTP at the same number
)
MOST_VISITS = 2  # to one URL by one page: a page may set a cookie and load again, but not for ever
MOST_REQUESTS = 3000  # answered to one page
UNDATED = 946_684_800.0  # 1 January 2000: the clock of a page whose date is not known
NEAR = 100  # milliseconds of virtual time while a page is on its way to the next
MOST_WAITS = 50  # times NEAR for a page to come that was asked for; a download never does
READING = 10.0  # seconds to read a page once it stands, and to close it


def find_browser(given: str | Path | None = None) -> str | None:
    """The path of a Chromium: the one given, $REPLICADB_CHROMIUM, or one in PATH; None leaves it to
    playwright's own.

    Raises:
        UsageError: playwright is not installed, or there is no browser at the path given.
    """
    try:
        import playwright.async_api
    except ImportError as error:
        raise UsageError(
            "rendering pages needs playwright; install it with: pip install 'replicadb[render]'"
        ) from error
    given = given or os.environ.get("REPLICADB_CHROMIUM")
    if given:
        found = shutil.which(str(given))
        if not found:
            raise UsageError(
                f"{given}: no browser there that can be run; give the path of a Chromium or Chrome"
                " with --browser"
            )
        return found
    return next(filter(None, map(shutil.which, NAMES)), None)


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


class Browser:
    """One running Chromium for one page at a time. Make it with :meth:`launch`; :meth:`close` ends
    it, even one that hangs.
    """

    def __init__(self, running: Any, process: int | None) -> None:
        self._running, self._process = running, process

    @classmethod
    async def launch(cls, driver: Any, path: str | None) -> Browser:
        """Start a browser, in Chromium's sandbox where the system lets it.

        Raises:
            UsageError: it does not start.
        """
        from playwright.async_api import Error

        options = {
            "executable_path": path,
            "args": [*ARGUMENTS, NO_ISOLATION],
            "proxy": {"server": NOWHERE},
            "ignore_default_args": ["--disable-popup-blocking"],
            "handle_sigint": False,
        }
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        for sandbox in (
            (False,) if root else (True, False)
        ):  # Chromium refuses its sandbox to root, some systems to everybody
            try:
                running = await driver.chromium.launch(chromium_sandbox=sandbox, **options)
                break
            except Error as error:
                reason = str(error)
        else:
            raise UsageError(_no_browser(path, reason))
        return cls(running, await _process_of(running))

    async def close(self) -> None:
        """End the browser, by force where it does not answer."""
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self._running.close(), 3)
            return
        if self._process:
            with contextlib.suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self._running.close(), READING)

    async def replay(
        self, url: str, archive: Archive, timeout: float, delay: float, date: float | None = None
    ) -> Replay:
        """Render one page.

        Args:
            timeout: seconds of real time until it is taken as it stands; of each replay, where it
                needs more than one.
            delay: seconds of the page's time that scripts and refreshes have after each document
                has loaded.
            date: what the page's clock begins at, in seconds since 1970: when it was fetched.

        Raises:
            playwright's Error, TimeoutError: the page took the browser down with it; close it and
            launch another.
        """
        held, lost = frozenset(), set()
        for _ in range(MOST_REPLAYS):
            found = await self._replay(url, timeout, archive, delay, date or UNDATED, held, lost)
            if found.led_out <= held:
                break
            held |= found.led_out
        if held and not found.whole:
            found.page, found.problem = (
                None,
                (
                    "its script leads out of the archive before the page is read, and cannot be"
                    " held back"
                ),
            )
        return found

    async def _replay(self, url: str, timeout: float, *given: Any) -> Replay:
        """Render a page once, in a context of its own; ``given`` is what its tab is told."""
        context = await self._running.new_context(
            service_workers="block",
            accept_downloads=False,
            locale="en-US",
            timezone_id="UTC",
            viewport={"width": 1280, "height": 1024},
        )
        page = await context.new_page()
        context.on("page", lambda popup: asyncio.ensure_future(popup.close()))
        session = await context.new_cdp_session(page)
        try:
            return await asyncio.wait_for(
                _Tab(session, *given).render(url, timeout), timeout + 2 * READING
            )
        finally:
            await asyncio.wait_for(context.close(), READING)


def _no_browser(path: str | None, reason: str) -> str:
    if path is None:
        return (
            "no Chromium found; install one (apt-get install chromium, or: playwright install"
            " chromium-headless-shell), or name it with --browser PATH"
        )
    lines = [line for line in reason.splitlines() if line.strip()] or ["no reason told"]
    return (
        f"{path} does not start ({lines[0].strip()[:150]}); give another Chromium with --browser"
        " PATH"
    )


async def _process_of(running: Any) -> int | None:
    """The browser's process, so that it can be ended when it hangs."""
    session = await running.new_browser_cdp_session()
    found = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    return next(
        (process["id"] for process in found["processInfo"] if process["type"] == "browser"), None
    )


class _Tab:
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
        self._goals: dict[
            str, str
        ] = {}  # the page's own requests: where it first wanted to go, before HTTP sent it elsewhere
        self._led_out: set[str] = set()  # where its newest document was about to go, and could not
        self._read_through = False  # its newest document was read to its end
        self._loaded: float | None = (
            None  # page's time, in ms, at which its newest document had loaded
        )
        self._under_way = False  # the page's own document was asked for, and has not come
        self._arrived = asyncio.Event()
        self._expired = asyncio.Event()
        self._tasks: set[asyncio.Future] = set()
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
        """Go to the page and hand out time until each of its documents had its share."""
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
            if (
                self._loaded is None
            ):  # it goes elsewhere in vain, or never ends loading: its share runs from here
                self._loaded = base + used
            share = self._loaded + self._delay - (base + used)

    async def _grant(self, policy: str, budget: float | None = None, **more: float) -> dict:
        given = (
            {"policy": policy}
            | more
            | ({"budget": budget, "maxVirtualTimeTaskStarvationCount": 10_000} if budget else {})
        )
        return await self._session.send("Emulation.setVirtualTimePolicy", given)

    async def _halt(self) -> None:
        """Stop scripts that run away, so that the page can be read as it stands."""

        async def stop() -> None:
            await self._session.send("Runtime.terminateExecution")
            await self._grant("pause")
            await self._session.send("Page.stopLoading")

        await asyncio.wait_for(stop(), READING)

    # -- what the browser says
    # -----------------------------------------------------------------------

    def _has_loaded(self, said: dict) -> None:
        self._loaded = said["timestamp"] * 1000

    def _has_been_read(self, said: dict) -> None:
        self._read_through = True

    def _navigated(self, said: dict) -> None:
        if said["frame"]["id"] == self._frame:
            self._under_way, self._loaded, self._read_through = False, None, False
            self._led_out.clear()
            self._arrived.set()

    def _scheduled(self, said: dict) -> None:
        """A refresh that the page announces: one that comes too late is not followed."""
        if said.get("frameId") == self._frame and said["reason"] in (
            "metaTagRefresh",
            "httpHeaderRefresh",
        ):
            (self._slow.add if said["delay"] * 1000 > self._delay else self._slow.discard)(
                said["url"].partition("#")[0]
            )

    def _paused(self, said: dict) -> None:
        task = asyncio.ensure_future(self._answer(said))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # a page that has gone meanwhile wants no answer

    async def _answer(self, said: dict) -> None:
        request, kind = said["request"], said["resourceType"]
        url, answer = request["url"].partition("#")[0], {"requestId": said["requestId"]}
        own = kind == "Document" and said["frameId"] == self._frame
        if not url.startswith(("http:", "https:")):
            await self._session.send(
                (
                    "Fetch.continueRequest"
                    if url.startswith(("data:", "blob:", "about:"))
                    else "Fetch.failRequest"
                ),
                answer
                | (
                    {}
                    if url.startswith(("data:", "blob:", "about:"))
                    else {"errorReason": "Aborted"}
                ),
            )
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
            and not (own and self._refused(url, said))
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

    def _refused(self, url: str, said: dict) -> bool:
        """Whether the page shall stay where it is, rather than go there."""
        if not self._arrived.is_set():
            return False
        return (
            self._visits.get(url, 0) >= MOST_VISITS
            or self._result.redirects >= MOST_REDIRECTS
            or url in self._slow
        )
