"""Rendered pages: the pages of a database replayed from their archive in a browser, what it shows
stored beside what was fetched.

Invariant: a page is stored with all that belongs to it or not at all, some dozens at a time,
so that a run that is stopped at any moment goes on where it was; a page that harms the browser
costs itself alone; nothing comes from the network. Source: multiple-signal paper, section 3.1.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from replicadb.errors import DataError, UsageError
from replicadb.near_duplicates.loaded_contents import need_contents
from replicadb.readers import formats
from replicadb.rendering.browser import Browser, find_browser
from replicadb.rendering.browser_requests import Replay
from replicadb.rendering.render_store import (
    ROW,
    Page,
    Progress,
    RenderResult,
    RenderStore,
    due_pages,
)
from replicadb.rendering.replay_archive import Archive
from replicadb.store.database import Database
from replicadb.store.scratch_folder import scratch_folder

BROWSER_PAGES = 500  # pages of one browser, which grows with them


@dataclass(frozen=True)
class RenderOptions:
    """How to render; see ``replicadb pages render --help``."""

    browser: str | None = None
    """Path of a Chromium; None finds one."""
    only: str | None = None
    """A CSV file with a column url: render those alone."""
    limit: int | None = None
    timeout: float = 20.0
    """Seconds until a page that does not come to rest is taken as it stands."""
    delay: float = 5.0
    """Seconds of the page's own time that scripts and refreshes have after each document; a refresh
    that comes later is not followed.
    """
    workers: int | None = None
    """Browsers at the same time; None is one a core, at most 8."""
    force: bool = False
    """Render pages again that were rendered before."""

    def __post_init__(self) -> None:
        if self.timeout <= 0 or self.timeout > 3600:
            raise UsageError(
                f"--timeout {self.timeout:g} cannot be meant; give seconds, above 0 to 3600"
            )
        if not 0 <= self.delay <= 300:
            raise UsageError(f"--delay {self.delay:g} cannot be meant; give seconds, 0 to 300")
        if self.workers is not None and not 1 <= self.workers <= 64:
            raise UsageError(f"--workers {self.workers} cannot be meant; give 1 to 64")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit {self.limit} cannot be meant; give 1 or more")


def render(
    db: Database,
    sources: list[str],
    options: RenderOptions | None = None,
    progress: Progress | None = None,
) -> RenderResult:
    """Render the pages of a database that an archive has.

    Args:
        sources: WARC, ARC or WACZ files, patterns or folders.

    Raises:
        UsageError: no playwright, no browser, or an option that cannot be meant.
        DataError: nothing was loaded with content, a file is no archive, or a browser that worked
            starts no more.
    """
    options, started, result = options or RenderOptions(), time.monotonic(), RenderResult()
    path = find_browser(options.browser)
    need_contents(db)
    files = [file for given in sources for file in formats.expand([given])]
    with scratch_folder() as scratch, Archive(scratch) as archive:
        for file in files:
            _index(archive, file)
        result.problems = archive.problems
        pages = due_pages(
            db,
            archive,
            result,
            only=options.only,
            limit=options.limit,
            force=options.force,
        )
        if pages:  # else no driver of browsers need start
            store = RenderStore(db, result, len(pages), progress)
            _run(_replay_all(pages, archive, options, path, store))
    result.seconds = time.monotonic() - started
    return result


def _index(archive: Archive, file: formats.Source) -> None:
    try:
        archive.add(file)
    except DataError as error:
        if file.explicit:
            text = str(error)
            raise DataError(
                text if text.startswith(file.name) else f"{file.name}: {text}"
            ) from error


def _run(work: Any) -> None:
    """Run a coroutine to its end, also inside of a program that has an event loop (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


async def _replay_all(
    pages: list[Page],
    archive: Archive,
    options: RenderOptions,
    path: str | None,
    store: RenderStore,
) -> None:
    """Render pages on some browsers at the same time, each with one page at a time."""
    from playwright.async_api import async_playwright

    workers = min(options.workers or min(os.cpu_count() or 1, 8), len(pages))
    waiting = iter(pages)
    async with async_playwright() as driver:
        tasks = [
            asyncio.ensure_future(_Worker(driver, path, archive, options).work(waiting, store))
            for _ in range(workers)
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            store.flush()


class _Worker:
    """One browser after the other, for page after page."""

    def __init__(
        self, driver: Any, path: str | None, archive: Archive, options: RenderOptions
    ) -> None:
        self._driver, self._path, self._archive, self._options = driver, path, archive, options
        self._browser: Browser | None = None
        self._pages = 0

    async def work(self, waiting: Iterator[Page], store: RenderStore) -> None:
        try:
            for page in waiting:
                store.add(await self._row(page, await self._replay(page)))
        finally:
            await self._close()

    async def _replay(self, page: Page) -> Replay:
        """Render a page; one that takes the browser down is tried once more, one that hangs it is
        not.
        """
        from playwright.async_api import Error

        for attempt in (1, 2):
            try:
                browser = await self._running()
                return await browser.replay(
                    page.url,
                    self._archive,
                    self._options.timeout,
                    self._options.delay,
                    page.seconds,
                )
            except TimeoutError:
                await self._close()
                return Replay(problem="the browser hung on it and was started anew")
            except (Error, ValueError) as error:
                await self._close()
                if attempt == 2:
                    lines = str(error).splitlines() or [""]
                    return Replay(problem=f"the browser could not show it ({lines[0][:120]})")
        raise AssertionError

    async def _running(self) -> Browser:
        if self._browser and self._pages >= BROWSER_PAGES:
            await self._close()
        if not self._browser:
            self._browser, self._pages = await Browser.launch(self._driver, self._path), 0
        self._pages += 1
        return self._browser

    async def _close(self) -> None:
        browser, self._browser = self._browser, None
        if browser:
            await browser.close()

    async def _row(self, page: Page, replay: Replay) -> dict[str, Any]:
        """A replay as a row of ROW; the text is extracted as from fetched pages."""
        from replicadb.web.page_text import extract

        row = dict.fromkeys(ROW.names) | {"url_id": page.url_id, "reason": replay.problem}
        if replay.page is None:
            return row
        try:
            content = await asyncio.to_thread(
                extract, replay.page.markup, "text/html", replay.url or page.url
            )
        except DataError as error:
            return row | {"reason": str(error)}
        markup = replay.page.markup.encode("utf-8", "replace")
        row["final_url"] = replay.url.partition("#")[0]
        return row | {
            "title": _clean(replay.page.title),
            "text": content.text,
            "length": len(markup),
            "body": content.body,
            "frames": replay.page.frames,
            "redirects": replay.redirects,
            "missing": replay.missing,
        }


def _clean(text: str | None) -> str | None:
    """A text without lone surrogates, which no database takes."""
    return text.encode("utf-8", "replace").decode() if text else None
