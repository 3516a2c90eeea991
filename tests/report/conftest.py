"""A real browser for the tests of pages: opened once, and what a page says while it is looked at.

Skipped only where no Chromium is found; .ci/run installs one where it can. REPLICADB_CHROMIUM may
name it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

NAMES = (
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)


@pytest.fixture(scope="module")
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


@pytest.fixture
def open_page(browser):
    """Open a file as a page; what it says on the console, asks for or pops up is collected in
    ``page.heard``.
    """
    contexts = []

    def opened(file: Path, width: int = 1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.heard = []
        page.on(
            "console", lambda message: page.heard.append(f"console {message.type}: {message.text}")
        )
        page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (page.heard.append("a dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.endswith(f"/{file.name}") or request.url.startswith("data:image/svg")
                else page.heard.append(f"request: {request.url}")
            ),
        )
        page.goto(file.as_uri(), wait_until="load")
        return page

    yield opened
    for context in contexts:
        context.close()
