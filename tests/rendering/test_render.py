"""pages render: an archive replayed in a real browser, and nothing from the network.

Always true here: one run renders nearly all pages of these tests; skipped only where no Chromium is
found (REPLICADB_CHROMIUM may name it).
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import threading

import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.rendering import browser, browser_requests, render, render_store

from .render_samples import PAGES, write_warc

pytestmark = pytest.mark.slow

TIMEOUT = 1.5
HOSTILE = {"http://loop.test/", "http://alerts.test/", "http://fetches.test/", "http://eats.test/"}


def chromium() -> str:
    found = os.environ.get("REPLICADB_CHROMIUM") or next(
        filter(None, map(shutil.which, reversed(browser.NAMES[:3]))), None
    )
    found = found or next(filter(None, map(shutil.which, browser.NAMES)), None)
    if not found:
        pytest.skip(
            "no Chromium here to render pages with; install one, or name it in REPLICADB_CHROMIUM"
        )
    return found


def with_content(path, warc):
    """A database of an archive's pages, as though loaded with --content."""
    web = replicadb.open(path)
    web.load(warc)
    web.database.execute(
        "INSERT INTO page_contents BY NAME SELECT url_id, source_id, title, 'fetched' AS text FROM"
        " urls"
    )
    return web


def rendered(web) -> dict[str, dict]:
    found = web.database.arrow(
        """SELECT o.origin || u.path AS url, r.* FROM rendered_pages AS r
            JOIN urls AS u USING (url_id)
                                  JOIN origins AS o USING (origin_id) ORDER BY r.url_id"""
    ).to_pylist()
    return {row["url"]: row for row in found}


def reasons(web) -> dict[str, str]:
    return dict(
        web.database.rows(
            """SELECT o.origin || u.path, p.reason FROM render_problems AS p
                JOIN urls AS u USING (url_id)
                                     JOIN origins AS o USING (origin_id)"""
        )
    )


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Every page rendered once: the database, its rows by URL, and the result."""
    path, folder = chromium(), tmp_path_factory.mktemp("render")
    web = with_content(folder / "web.duckdb", write_warc(folder / "pages.warc.gz", PAGES))
    (folder / "hostile.csv").write_text("\n".join(["url", *HOSTILE]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser, "READING", 1.0)
        patch.setattr(browser_requests, "READING", 1.0)
        hostile = web.render_pages(
            folder / "pages.warc.gz",
            browser=path,
            timeout=TIMEOUT,
            workers=2,
            only=str(folder / "hostile.csv"),
        )
    result = web.render_pages(folder / "pages.warc.gz", browser=path, timeout=60, workers=2)
    yield web, rendered(web), result, hostile
    web.close()


def words(row) -> list[str]:
    return row["text"].split()


# -- what a browser shows
# --------------------------------------------------------------------------------


def test_redirects_by_script_refresh_and_http_are_followed_in_one_chain(seen):
    for url, redirects in (
        ("http://a.test/", 2),
        ("http://a.test/b", 1),
        ("http://header.test/", 1),
        ("http://other.test/d", 0),
    ):
        row = seen[1][url]
        assert (row["final_url"], row["title"], row["redirects"]) == (
            "http://other.test/d",
            "D",
            redirects,
        ), url
        assert words(row)[0] == "landing"


def test_a_refresh_that_comes_too_late_is_not_followed(seen):
    for url, redirects in (("http://late.test/", 0), ("http://almost.test/", 1)):
        assert (seen[1][url]["final_url"], seen[1][url]["title"], seen[1][url]["redirects"]) == (
            "http://late.test/",
            "Late",
            redirects,
        )


def test_redirects_in_circles_end(seen):
    assert seen[1]["http://self.test/"]["final_url"] == "http://self.test/"
    assert seen[1]["http://self.test/"]["redirects"] == 1
    assert seen[1]["http://ping.test/"]["redirects"] <= browser_requests.MOST_REDIRECTS
    assert words(seen[1]["http://ping.test/"])[0] in ("ping", "pong")


def test_a_page_that_goes_out_of_the_archive_stays_where_it_is(seen):
    assert (seen[1]["http://out.test/"]["title"], seen[1]["http://out.test/"]["missing"]) == (
        "Out",
        1,
    )


def test_a_page_whose_script_leads_out_while_it_is_read_is_read_to_its_end(seen):
    row = seen[1]["http://cut.test/"]
    assert (row["title"], row["text"], row["redirects"], row["missing"]) == (
        "Cut",
        "text of its own\nand more",
        0,
        1,
    )
    row = seen[1][
        "http://cut.test/through"
    ]  # what the archive has is followed, and from there no further
    assert (row["title"], words(row), row["final_url"], row["redirects"]) == (
        "Landed",
        ["there", "and", "whole"],
        "http://cut.test/landed",
        1,
    )
    assert (
        words(seen[1]["http://cut.test/by-http"]),
        seen[1]["http://cut.test/by-http"]["missing"],
    ) == (["by", "http"], 1)


def test_a_page_that_loads_itself_again_while_it_is_read_is_read_to_its_end(seen):
    assert words(seen[1]["http://cut.test/again"]) == ["before", "after"]


def test_a_page_that_cannot_be_read_to_its_end_is_rejected_with_the_reason(seen):
    assert words(seen[1]["http://cut.test/form"]) == ["form", "read", "on"]
    assert seen[1].get("http://cut.test/keeps") is None
    assert (
        reasons(seen[0])["http://cut.test/keeps"]
        == "its script leads out of the archive before the page is read, and cannot be held back"
    )


def test_what_style_sheets_hide_is_left_out_unless_it_is_the_whole_page(seen):
    assert words(seen[1]["http://hidden.test/"]) == ["seen", "shown", "first", "frame", "end"]
    assert words(seen[1]["http://hidden.test/all"]) == ["until", "its", "script", "comes"]


def test_framesets_and_frames_in_frames_are_grafted_where_they_stand(seen):
    row = seen[1]["http://set.test/"]
    assert words(row) == [
        "first",
        "frame",
        "second",
        "frame",
        "deep",
        "deeper",
        "written",
        "after",
        "it",
    ]
    assert (row["title"], row["frames"], row["missing"]) == ("Set", 4, 1)


def test_objects_script_frames_and_frames_filled_by_script_are_grafted(seen):
    row = seen[1]["http://odd.test/"]
    assert words(row) == ["before", "first", "frame", "of", "a", "script", "after", "put", "in"]
    assert row["frames"] == 3


def test_what_scripts_build_is_seen_and_what_is_for_those_without_is_not(seen):
    assert "built at" in seen[1]["http://other.test/d"]["text"]
    assert "no script" not in seen[1]["http://other.test/d"]["text"]
    assert words(seen[1]["http://shadow.test/"]) == ["in", "the", "shadow"]
    assert (seen[1]["http://anew.test/"]["title"], words(seen[1]["http://anew.test/"])) == (
        "New",
        ["anew"],
    )


def test_what_a_page_fetches_comes_from_the_archive_and_pictures_are_not_missed(seen):
    row = seen[1]["http://fetch.test/"]
    assert (words(row), row["missing"]) == (["from", "the", "archive"], 1)


def test_scripts_that_change_the_built_ins_change_nothing_of_what_is_read(seen):
    assert (seen[1]["http://cheat.test/"]["title"], words(seen[1]["http://cheat.test/"])) == (
        "Cheat",
        ["true"],
    )


def test_dialogs_and_windows_stop_no_page(seen):
    assert words(seen[1]["http://boxes.test/"]) == ["boxes", "passed"]


def test_a_plain_page_is_as_it_was(seen):
    row = seen[1]["http://plain.test/"]
    assert (
        row["body"]
        == "<!DOCTYPE html><html><head><title>Plain</title></head><body><h1>Plain</h1><p>a page"
        " like others</p></body></html>"
    )
    assert (row["length"], row["frames"], row["redirects"], row["missing"], row["final_url"]) == (
        len(row["body"]),
        0,
        0,
        0,
        "http://plain.test/",
    )


# -- what is bounded
# -------------------------------------------------------------------------------------


def test_pages_that_never_come_to_rest_are_taken_as_they_stand(seen):
    web, rows, *_ = seen
    for url, text in (
        ("http://loop.test/", "before the loop"),
        ("http://alerts.test/", "before the alerts"),
        ("http://fetches.test/", "endless"),
    ):
        assert rows[url]["text"] == text
        assert reasons(web)[url] == "not settled after 1.5 s, taken as it stood"


def test_every_page_is_rendered_or_has_a_reason_and_the_counts_say_so(seen):
    web, rows, result, hostile = seen
    html = {url for url, page in PAGES.items() if isinstance(page, str)} | {"http://header.test/"}
    assert set(rows) | set(reasons(web)) == html
    assert set(reasons(web)) == HOSTILE | {"http://cut.test/keeps"}
    assert (result.rendered + hostile.rendered, result.rejected + hostile.rejected) == (
        len(rows),
        len(html) - len(rows),
    )
    assert (result.unsettled, hostile.unsettled) == (0, len(HOSTILE & set(rows)))
    assert (result.archived, result.rendered_before) == (len(html), len(HOSTILE))
    assert sum(hostile.reasons.values()) == len(HOSTILE)
    assert result.missing + hostile.missing == sum(row["missing"] for row in rows.values())


def test_a_run_again_renders_nothing_and_by_force_the_same(seen, tmp_path):
    web, rows, *_ = seen
    folder = os.path.dirname(web.database.path)
    again = web.render_pages(f"{folder}/pages.warc.gz", browser=chromium())
    assert (again.rendered, again.rejected, again.rendered_before) == (
        0,
        0,
        len(rows) + len(reasons(web)) - len(set(rows) & set(reasons(web))),
    )
    chosen = ["http://a.test/", "http://set.test/", "http://storage.test/", "http://plain.test/"]
    (tmp_path / "only.csv").write_text(
        "note,URL\n"
        + "".join(f"x,{url}#part\n" for url in chosen)
        + "x,HTTP://Other.TEST:80/d\nx,nonsense\n"
    )
    forced = web.render_pages(
        f"{folder}/pages.warc.gz",
        browser=chromium(),
        only=str(tmp_path / "only.csv"),
        force=True,
        workers=1,
    )
    assert forced.rendered == 5
    assert rendered(web) == rows  # dates, random numbers and storage too


# -- nothing from the network
# ----------------------------------------------------------------------------

REACHING = """<title>Reaching</title><p id=p>reached out</p>
<link rel=stylesheet href=/s.css><link rel=preconnect href=/><link rel=dns-prefetch href=/><link
rel=prefetch href=/p><link rel=preload as=script href=/l>
<link rel=manifest href=/m><script type=speculationrules>{"prefetch": [{"source": "list",
"urls": ["/sp"]}], "prerender": [{"source": "list", "urls": ["/sr"]}]}</script>
<img src=/i><video src=/v></video><audio src=/a></audio><iframe src=/f></iframe><object data=/o>
</object><embed src=/e><a id=a href=/x ping=/ping>x</a>
<form id=f action=/form method=post></form><style>@font-face { font-family: q;
src: url(/font) } p { font-family: q; background: url(/bg) }</style>
<script>
const here = location.host, all = [];
const t = f => { try { all.push(f()) } catch (e) {} };
t(() => fetch('/fetch')); t(() => fetch('/keep', {keepalive: true, method: 'POST', body: 'x'}));
t(() => navigator.sendBeacon('/beacon', 'x'));
t(() => new WebSocket('ws://' + here + '/ws')); t(() => new EventSource('/es'));
t(() => navigator.serviceWorker.register('/sw.js'));
const code = "fetch('http://" + here + "/wf'); new WebSocket('ws://" + here + "/ww'); "
+ "importScripts('http://" + here + "/wi')";
t(() => new Worker(URL.createObjectURL(new Blob([code]))));
t(() => new SharedWorker(URL.createObjectURL(new Blob([code])))); t(() => new Worker('/w.js'));
t(() => { const x = new XMLHttpRequest(); x.open('GET', '/xhr', false); x.send() });
t(() => import('/module.js')); t(() => new WebTransport('https://' + here + '/wt'));
t(() => { const c = new RTCPeerConnection({iceServers: [{urls: 'stun:' + here}]});
c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o)) });
t(() => window.open('/open')); t(() => a.click()); t(() => f.submit());
t(() => { new Image().src = '/late' });
setTimeout(() => { location = '/away' }, 1000);
</script>"""


@pytest.fixture
def listening():
    """A port where every connection (TCP) and datagram (UDP) is heard."""
    heard, stop = [], threading.Event()
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(tcp.getsockname())
    for one in (tcp, udp):
        one.settimeout(0.1)

    def listen(take):
        while not stop.is_set():
            try:
                heard.append(take())
            except TimeoutError:
                continue
            if isinstance(heard[-1][0], socket.socket):
                heard[-1][0].close()

    threads = [
        threading.Thread(target=listen, args=(take,))
        for take in (tcp.accept, lambda: udp.recvfrom(2000))
    ]
    for thread in threads:
        thread.start()
    yield tcp.getsockname()[1], heard
    stop.set()
    for thread in threads:
        thread.join()
    tcp.close(), udp.close()


def test_nothing_reaches_the_network_whatever_a_page_tries(listening, tmp_path):
    port, heard = listening
    url = f"http://127.0.0.1:{port}/"
    warc = write_warc(tmp_path / "reaching.warc.gz", {url: REACHING})
    with with_content(tmp_path / "web.duckdb", warc) as web:
        web.render_pages(warc, browser=chromium(), timeout=60, workers=1)
        row = rendered(web)[url]
    assert (row["title"], row["final_url"]) == ("Reaching", url)
    assert row["missing"] >= 8
    assert not heard


def test_the_second_wall_stands_without_the_first(listening):
    """Without requests answered from the archive, the browser reaches nothing; one without walls
    does, so the ear is not deaf.
    """
    from playwright.async_api import Error, async_playwright

    port, heard = listening

    async def go() -> None:
        async with async_playwright() as driver:
            walled = await browser.Browser.launch(driver, chromium())
            context = await walled.running.new_context()
            page, blank = await context.new_page(), await context.new_page()
            for host in ("127.0.0.1", "localhost", "[::1]", "example.com"):
                with pytest.raises(Error):
                    await page.goto(f"http://{host}:{port}/")
            await blank.evaluate(
                f"new Promise(done => {{ const s = new WebSocket('ws://127.0.0.1:{port}/');"
                " s.onclose = done })"
            )
            await walled.close()
            assert not heard
            plain = await driver.chromium.launch(
                executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            with pytest.raises(Error):
                await (await plain.new_page()).goto(f"http://127.0.0.1:{port}/")
            await plain.close()

    asyncio.run(go())
    assert heard


# -- runs that stop, and pages that were not loaded
# -------------------------------------------------------


def test_a_run_that_stops_keeps_its_batches_and_the_next_goes_on(tmp_path, monkeypatch):
    """How a run without a limit goes on to the end, ``seen`` shows."""
    pages = {f"http://many.test/{i}": f"<title>Page {i}</title>{i}" for i in range(6)}
    warc = write_warc(tmp_path / "many.warc.gz", pages)
    monkeypatch.setattr(render_store, "BATCH", 2)

    def stop(done, due):
        if done == 3:
            raise RuntimeError("stopped")

    with with_content(tmp_path / "web.duckdb", warc) as web:
        with pytest.raises(RuntimeError, match="stopped"):
            web.render_pages(warc, browser=chromium(), workers=1, progress=stop)
        assert len(rendered(web)) == 3
        more = web.render_pages(warc, browser=chromium(), workers=1, limit=2)
        assert (more.rendered, more.rendered_before) == (2, 3)
        assert {url: row["title"] for url, row in rendered(web).items()} == {
            f"http://many.test/{i}": f"Page {i}" for i in range(5)
        }
        web.unload(warc)
        assert not web.database.value("SELECT count(*) FROM rendered_pages")


def test_pages_that_are_not_in_the_database_with_content_are_counted(tmp_path):
    warc = write_warc(
        tmp_path / "two.warc.gz", {"http://x.test/1": "one", "http://x.test/2": "two"}
    )
    with with_content(tmp_path / "web.duckdb", warc) as web:
        web.database.execute(
            "DELETE FROM page_contents WHERE url_id = (SELECT max(url_id) FROM urls)"
        )
        web.database.execute(
            "INSERT INTO render_problems SELECT url_id, false, 'known' FROM page_contents"
        )
        result = web.render_pages(
            warc, browser=shutil.which("true")
        )  # nothing is due, so no browser is started
    assert (result.archived, result.not_loaded, result.rendered_before, result.rendered) == (
        2,
        1,
        1,
        0,
    )


# -- what a person is told
# -------------------------------------------------------------------------------


def test_without_playwright_or_browser_one_line_says_how_to_get_them(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"no browser there that can be run; .*--browser"):
        browser.find_browser(tmp_path / "none")
    monkeypatch.setitem(__import__("sys").modules, "playwright.async_api", None)
    with pytest.raises(UsageError, match=r"pip install 'replicadb\[render\]'"):
        browser.find_browser()


def test_a_browser_that_does_not_start_is_reported_in_one_line(tmp_path):
    chromium()
    warc = write_warc(tmp_path / "one.warc.gz", {"http://x.test/1": "one"})
    with (
        with_content(tmp_path / "web.duckdb", warc) as web,
        pytest.raises(UsageError, match="does not start") as told,
    ):
        web.render_pages(warc, browser=shutil.which("false"))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"delay": -1}, {"workers": 0}, {"limit": 0}], ids=str
)
def test_options_that_cannot_be_meant_are_refused(options):
    with pytest.raises(UsageError, match="cannot be meant"):
        render.RenderOptions(**options)


def test_what_is_no_archive_or_has_no_content_is_refused(tmp_path):
    pytest.importorskip("playwright")
    warc = write_warc(tmp_path / "one.warc.gz", {"http://x.test/1": "one"})
    (tmp_path / "pages.csv").write_text("url,html\nhttp://x.test/1,one\n")
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(warc)
        with pytest.raises(DataError, match="--content"):
            web.render_pages(warc, browser=shutil.which("true"))
    with with_content(tmp_path / "other.duckdb", warc) as web:
        with pytest.raises(DataError, match="and this is csv"):
            web.render_pages(tmp_path / "pages.csv", browser=shutil.which("true"))
        (tmp_path / "only.csv").write_text("page\nhttp://x.test/1\n")
        with pytest.raises(DataError, match="no column url"):
            web.render_pages(warc, browser=shutil.which("true"), only=str(tmp_path / "only.csv"))
