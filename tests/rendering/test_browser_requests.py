"""Nothing reaches the network, whatever a page tries."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from replicadb.rendering import browser

from .render_samples import write_warc
from .with_browser import chromium, rendered, with_content

pytestmark = pytest.mark.slow


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
