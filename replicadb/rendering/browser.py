"""A headless Chromium that replays pages out of an archive: every request is answered from there or
not at all.

Invariant: nothing reaches the network. Each request of a page is paused by the browser
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
import contextlib
import os
import shutil
import signal
from pathlib import Path
from typing import Any

from replicadb.errors import UsageError
from replicadb.rendering.browser_requests import READING, Replay, Tab
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
NO_ISOLATION = (
    "--disable-features=IsolateOrigins,site-per-process,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,Prerender2"
)
MOST_REPLAYS = 4  # of one page, each with what cut the last one short held back
UNDATED = 946_684_800.0  # 1 January 2000: the clock of a page whose date is not known


def find_browser(given: str | Path | None = None) -> str | None:
    """The path of a Chromium: the one given, $REPLICADB_CHROMIUM, or one in PATH; None leaves it to
    playwright's own.

    Raises:
        UsageError: playwright is not installed, or there is no browser at the path given.
    """
    try:
        import playwright.async_api  # noqa: F401
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


class Browser:
    """One running Chromium for one page at a time. Make it with :meth:`launch`; :meth:`close` ends
    it, even one that hangs.
    """

    def __init__(self, running: Any, process: int | None) -> None:
        self.running, self._process = running, process

    @classmethod
    async def launch(cls, driver: Any, path: str | None) -> Browser:
        """Start a browser, in Chromium's sandbox where the system lets it.

        Raises:
            UsageError: it does not start.
        """
        from playwright.async_api import Error

        root = hasattr(os, "geteuid") and os.geteuid() == 0
        # Chromium refuses its sandbox to root, some systems to everybody
        for sandbox in (False,) if root else (True, False):
            try:
                running = await driver.chromium.launch(
                    executable_path=path,
                    args=[*ARGUMENTS, NO_ISOLATION],
                    proxy={"server": NOWHERE},
                    ignore_default_args=["--disable-popup-blocking"],
                    handle_sigint=False,
                    chromium_sandbox=sandbox,
                )
                break
            except Error as error:
                reason = str(error)
        else:
            raise UsageError(_no_browser(path, reason))
        return cls(running, await _process_of(running))

    async def close(self) -> None:
        """End the browser, by force where it does not answer."""
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self.running.close(), 3)
            return
        if self._process:
            with contextlib.suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self.running.close(), READING)

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
        held: frozenset[str] = frozenset()
        lost: set[str] = set()
        for _ in range(MOST_REPLAYS):
            found = await self._replay(url, timeout, archive, delay, date or UNDATED, held, lost)
            if found.led_out <= held:
                break
            held |= found.led_out
        if held and not found.whole:
            found.page = None
            found.problem = (
                "its script leads out of the archive before the page is read, and cannot be held"
                " back"
            )
        return found

    async def _replay(self, url: str, timeout: float, *given: Any) -> Replay:
        """Render a page once, in a context of its own; ``given`` goes to its tab."""
        context = await self.running.new_context(
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
                Tab(session, *given).render(url, timeout), timeout + 2 * READING
            )
        finally:
            await asyncio.wait_for(context.close(), READING)


def _no_browser(path: str | None, reason: str) -> str:
    if path is None:
        return (
            "no Chromium found; install one (apt-get install chromium, or: playwright install"
            " chromium-headless-shell), or name it with --browser PATH"
        )
    lines = [line for line in reason.splitlines() if line.strip()] or ["no reason given"]
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
