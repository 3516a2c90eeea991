"""Rendered pages: the pages of a database replayed from their archive in a browser, what it shows
stored beside what was fetched.

Always true here: a page is stored with all that belongs to it or not at all, some dozens at a time,
so that a run that is stopped at any moment goes on where it was; a page that harms the browser
costs itself alone; nothing comes from the network. Source: multiple-signal paper, section 3.1.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from replicadb.errors import DataError, UsageError
from replicadb.readers import formats
from replicadb.rendering.browser import Browser, Replay, find_browser
from replicadb.rendering.replay_archive import Archive
from replicadb.settings import URL_MAX_BYTES
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.urls import parse_url

BATCH = 50  # pages stored in one transaction
BROWSER_PAGES = 500  # pages of one browser, which grows with them
ROW = pa.schema(
    [
        ("url_id", pa.int64()),
        ("final_url", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("body", pa.string()),
        ("length", pa.int64()),
        ("frames", pa.int32()),
        ("redirects", pa.int32()),
        ("missing", pa.int32()),
        ("reason", pa.string()),
    ]
)
Progress = Callable[[int, int], None]
"""Told how many pages are done, of how many."""


class Page(NamedTuple):
    """A page to render."""

    url_id: int
    url: str
    seconds: float | None
    """When it was fetched, since 1970."""


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


@dataclass
class RenderResult:
    """What one run did: every page that was due is rendered or rejected, unless the run was
    stopped.
    """

    rendered: int = 0
    unsettled: int = 0
    """Of those, pages that never came to rest, taken as they stood."""
    rejected: int = 0
    """Pages that the browser could not show; render_problems says why."""
    redirected: int = 0
    """Pages that led elsewhere by refresh or script."""
    frames: int = 0
    missing: int = 0
    """Requests that the archive could not answer."""
    archived: int = 0
    """HTML pages in the archive."""
    not_loaded: int = 0
    """Of those, pages that the database does not have with content."""
    rendered_before: int = 0
    problems: int = 0
    """Records of the archive that could not be read."""
    seconds: float = 0.0
    reasons: dict[str, int] = field(default_factory=dict)
    """Rejected and unsettled pages by reason."""

    def line(self) -> str:
        """The summary line."""
        return (
            f"rendered {self.rendered:,} pages ({self.unsettled:,} as they stood, never at rest),"
            f" rejected {self.rejected:,}; {self.redirected:,} led elsewhere, {self.frames:,}"
            f" frames grafted, {self.missing:,} requests not in the archive, in"
            f" {self.seconds:.1f} s"
        )

    def counts(self) -> dict[str, Any]:
        """All of it as a plain dict."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


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
    if not db.value("SELECT count(*) FROM page_contents"):
        raise DataError(
            f"no page has content here; load the crawl with: replicadb load {db.path} SOURCE"
            " --content"
        )
    files = [file for given in sources for file in formats.expand([given])]
    with tempfile.TemporaryDirectory(prefix="replicadb-") as scratch, Archive(scratch) as archive:
        for file in files:
            _index(archive, file)
        result.problems = archive.problems
        pages = _choose(db, archive, options, result)
        _run(_replay_all(pages, archive, options, path, _Store(db, result, len(pages), progress)))
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


def _choose(
    db: Database, archive: Archive, options: RenderOptions, result: RenderResult
) -> list[Page]:
    """The pages that are due, in the order of their ids."""
    stem = "rendering/10_rendered"
    db.run(stem, only="archived")
    for urls in archive.pages():
        _insert(db, "archived", pa.table({"url": urls}))
    if options.only:
        _stage_only(db, options.only)
    else:
        db.execute("CREATE OR REPLACE TEMP TABLE only_urls (url VARCHAR)")
    db.run(stem, {"only": options.only is not None}, only="renderable")
    ((result.archived, result.not_loaded, result.rendered_before),) = db.rows(
        statements(stem)["render_counts"]
    )
    most = 2**62 if options.limit is None else options.limit
    return [
        Page(*row)
        for row in db.rows(statements(stem)["to_render"], {"force": options.force, "most": most})
    ]


def _stage_only(db: Database, path: str) -> None:
    """Make only_urls from a CSV file with a column url."""
    if not Path(path).is_file():
        raise DataError(f"{path}: no such file; give a CSV file with the column url")
    try:
        table = db.con.sql(
            "FROM read_csv($path, header = true, all_varchar = true)", params={"path": str(path)}
        ).to_arrow_table()
    except duckdb.Error as error:
        raise DataError(f"{path}: not a CSV file that can be read: {first_line(error)}") from error
    column = next((name for name in table.column_names if name.strip().lower() == "url"), None)
    if column is None:
        raise DataError(f"{path}: no column url; its first line must name one")
    db.execute("CREATE OR REPLACE TEMP TABLE only_given (url VARCHAR)")
    _insert(db, "only_given", pa.table({"url": table.column(column)}))
    db.run("functions/20_urls")
    map_distinct(
        db,
        statements("rendering/10_rendered")["odd_only"],
        "only_parsed",
        ("url", "origin", "host_name", "path", "reason"),
        parse_url,
        {"max_bytes": URL_MAX_BYTES},
    )
    db.run("rendering/10_rendered", only="only_urls")


def _insert(db: Database, table: str, rows: pa.Table) -> None:
    db.con.register("render_rows", rows)
    db.execute(f"INSERT INTO {table} BY NAME SELECT * FROM render_rows")
    db.con.unregister("render_rows")


class _Store:
    """Takes pages as they are done, and stores them a batch at a time."""

    def __init__(
        self, db: Database, result: RenderResult, due: int, progress: Progress | None
    ) -> None:
        self._db, self._result, self._due, self._progress = db, result, due, progress
        self._rows: list[dict[str, Any]] = []
        self._done = 0

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        self._done += 1
        if len(self._rows) >= BATCH:
            self.flush()
        if self._progress:
            self._progress(self._done, self._due)

    def flush(self) -> None:
        """Store what is waiting: all of it or nothing."""
        if not self._rows:
            return
        self._db.con.register("just_rendered", pa.Table.from_pylist(self._rows, ROW))
        try:
            with self._db.transaction():
                for name in (
                    "forget_rendered",
                    "forget_problems",
                    "store_rendered",
                    "store_problems",
                ):
                    self._db.run("rendering/10_rendered", only=name)
        finally:
            self._db.con.unregister("just_rendered")
        for row in self._rows:
            self._count(row)
        self._rows = []

    def _count(self, row: dict[str, Any]) -> None:
        shown, result = row["length"] is not None, self._result
        result.rendered += shown
        result.rejected += not shown
        result.unsettled += shown and row["reason"] is not None
        if row["reason"]:
            result.reasons[row["reason"]] = result.reasons.get(row["reason"], 0) + 1
        result.redirected += bool(row["redirects"])
        result.frames += row["frames"] or 0
        result.missing += row["missing"] or 0


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
    pages: list[Page], archive: Archive, options: RenderOptions, path: str | None, store: _Store
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

    async def work(self, waiting: Iterator[Page], store: _Store) -> None:
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
