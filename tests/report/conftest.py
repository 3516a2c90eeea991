"""A real browser for the tests of pages: opened once, and what a page says while it is looked at;
and charts that are drawn once.

Skipped only where no Chromium is found; .ci/run installs one where it can. REPLICADB_CHROMIUM may
name it.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from replicadb.evaluation import crawl_figures
from replicadb.rendering.browser import NAMES
from replicadb.report import drawing
from replicadb.store.database import Database
from report.sample import GOLD

CHARTS: dict[str, str] = {}
"""SVG by chart, of all files of this folder."""


@pytest.fixture(scope="module", autouse=True)
def charts():
    """A chart that comes again is not drawn anew, which takes most of the time of a page. Clear
    it to have all charts drawn.
    """

    def once(spec: dict, **options) -> str:
        key = json.dumps([spec, options])
        if key not in CHARTS:
            CHARTS[key] = library().vegalite_to_svg(spec, **options)
        return CHARTS[key]

    library = drawing.library
    drawing.library = lambda: library() and SimpleNamespace(vegalite_to_svg=once)
    yield CHARTS
    drawing.library = library


@pytest.fixture(scope="module")
def numbers(detected) -> dict:
    """The figures of the crawl, with GOLD."""
    with Database(detected, read_only=True) as db:
        return crawl_figures.collect(db, GOLD)


@pytest.fixture(scope="package")
def browser():
    found = os.environ.get("REPLICADB_CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )
    if not found:
        pytest.skip(
            "no Chromium here to look at the report with; install one, or name it in"
            " REPLICADB_CHROMIUM"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield running
        running.close()


@pytest.fixture(scope="module")
def open_page(browser):
    """Open a file as a page, in the one window of the module, or in another without scripts. What
    it says on the console, asks for or pops up since is collected in ``page.heard``. With
    ``again=False`` a page that is open stays as the test before left it.
    """
    windows = {}

    def window(scripts: bool):
        page = browser.new_context(java_script_enabled=scripts).new_page()
        page.on(
            "console", lambda message: page.heard.append(f"console {message.type}: {message.text}")
        )
        page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (page.heard.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda request: asked(page, request.url))
        return page

    def asked(page, url: str) -> None:
        if not url.endswith(f"/{page.file.name}") and not url.startswith("data:image/svg"):
            page.heard.append(f"request: {url}")

    def opened(
        file: Path, width: int = 1280, scheme: str = "light", scripts: bool = True, again=True
    ):
        page = windows[scripts] = windows.get(scripts) or window(scripts)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="screen", color_scheme=scheme)
        if again or page.url != file.as_uri():
            page.heard, page.file = [], file
            page.goto(file.as_uri(), wait_until="load")
        return page

    return opened
