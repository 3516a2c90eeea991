"""Pages that a browser is shown in the tests of rendering: URL to markup, or to (status, headers,
body); and how they come into an archive.
"""

from __future__ import annotations

import io

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PAGES = {
    "http://a.test/": (
        "<title>A</title>start<script>setTimeout(() => { location.href = '/b' }, 2000)</script>"
    ),
    "http://a.test/b": "<title>B</title><meta http-equiv=refresh content='3;url=/c#part'>bee",
    "http://a.test/c": (302, {"Location": "http://other.test/d"}, ""),
    "http://other.test/d": (
        "<title>D</title><p>landing</p><script>setTimeout(() => document.body.append('built at ' +"
        " new Date().toISOString().slice(0, 18) + ' ' + Math.random()), 1000)</script><noscript>no"
        " script here</noscript>"
    ),
    "http://header.test/": (200, {"Refresh": "1; url=http://other.test/d"}, "refreshing"),
    "http://late.test/": (
        "<title>Late</title>stays<meta http-equiv=refresh content='6;url=http://other.test/d'>"
    ),
    "http://almost.test/": (
        "<title>Almost</title>almost<meta http-equiv=refresh content='2;url=http://late.test/'>"
    ),
    "http://self.test/": "<title>Self</title>again<meta http-equiv=refresh content='1'>",
    "http://ping.test/": "ping<script>location = 'http://pong.test/'</script>",
    "http://pong.test/": "pong<script>location = 'http://ping.test/'</script>",
    "http://round.test/": (302, {"Location": "http://round.test/"}, ""),
    "http://out.test/": "<title>Out</title>stays<script>location = 'http://nowhere.test/'</script>",
    "http://cut.test/": (
        "<html><head><title>Cut</title><script>location.href ="
        " 'http://other.example/'</script></head><body><p>text of its own</p><script>setTimeout(()"
        " => document.body.append('and more'), 1000)</script></body></html>"
    ),
    "http://cut.test/landed": (
        "<title>Landed</title>there<script>location = '/gone'</script><p>and whole</p>"
    ),
    "http://cut.test/through": "through<script>location = '/landed'</script><p>not seen</p>",
    "http://cut.test/moved": (302, {"Location": "http://nowhere.test/"}, ""),
    "http://cut.test/by-http": (
        "<title>By HTTP</title>by<script>location = '/moved'</script><p>http</p>"
    ),
    "http://cut.test/again": (
        "<title>Again</title>before<script>location.reload()</script><p>after</p>"
    ),
    "http://cut.test/form": (
        "form<form id=f method=post action=/x></form><script>f.submit()</script><p>read on</p>"
    ),
    "http://cut.test/keeps": (
        "<script>Array.prototype.includes = () => false; location = '/gone'</script><p>never"
        " read</p>"
    ),
    "http://hidden.test/": (
        "<style>.x { display: none } .x + b { display: none }</style><p>seen</p><p"
        " class=x>not</p><b>nor</b><div style='visibility: hidden'>unseen<i style='visibility:"
        " visible'>shown</i></div><iframe src='http://set.test/one'></iframe><iframe"
        " style='display: none' src='http://set.test/one'></iframe><p>end</p>"
    ),
    "http://hidden.test/all": (
        "<body style='visibility: hidden'><p>until its script comes</p><script"
        " src=/gone.js></script>"
    ),
    "http://set.test/": (
        "<title>Set</title><frameset cols='1,2'><frame src=/one><frameset rows='1,2'><frame"
        " src='/two'><frame src=/gone></frameset><noframes>no frames here</noframes></frameset>"
    ),
    "http://set.test/one": "<title>One</title><p>first frame</p>",
    "http://set.test/two": (
        "<p>second frame</p><iframe src='http://far.test/deep'>no iframes here</iframe><p>after"
        " it</p>"
    ),
    "http://far.test/deep": (
        "deep<iframe srcdoc='<b>deeper</b>'></iframe><script>document.write(' written')</script>"
    ),
    "http://odd.test/": (
        "<p>before</p><object data='http://set.test/one' type='text/html'></object><iframe"
        " src='javascript:\"<i>of a script</i>\"'></iframe><p>after</p><iframe"
        " id=late></iframe><script>late.contentDocument.body.innerHTML = '<p>put in</p>'</script>"
    ),
    "http://shadow.test/": (
        "<x-y></x-y><script>document.querySelector('x-y').attachShadow({mode: 'open'}).innerHTML ="
        " '<b>in the shadow</b>'</script>"
    ),
    "http://anew.test/": (
        "old<script>onload = () => setTimeout(() => { document.open();"
        " document.write('<title>New</title>anew') }, 100)</script>"
    ),
    "http://fetch.test/": (
        "<p id=p></p><script>fetch('/data').then(r => r.text()).then(t => p.textContent ="
        " t)</script><script src=/gone.js></script><img src=/i.png>"
    ),
    "http://fetch.test/data": (200, {"Content-Type": "application/json"}, "from the archive"),
    "http://cheat.test/": (
        "<title>Cheat</title>true<script>String.prototype.slice = Array.prototype.map = () => {"
        " throw 1 };Object.defineProperty(Element.prototype, 'innerHTML', {get: () => 'false'});"
        " Document.prototype.createComment = null</script>"
    ),
    "http://boxes.test/": (
        "<title>Boxes</title>boxes<script>for (let i = 0; i < 9; i++) { alert(i); confirm(i);"
        " prompt(i); window.open('/' + i); print() }onbeforeunload = () => 'stay';"
        " document.body.append(' passed')</script>"
    ),
    "http://storage.test/": (
        "<p id=p></p><script>localStorage.n = +(localStorage.n || 0) + 1; document.cookie = 'n=' +"
        " (document.cookie.length + 1);p.textContent = 'visit ' + localStorage.n + ' ' +"
        " document.cookie</script>"
    ),
    "http://loop.test/": "<title>Loop</title>before the loop<script>for (;;) {}</script>",
    "http://alerts.test/": (
        "<title>Alerts</title>before the alerts<script>for (;;) alert(1)</script>"
    ),
    "http://fetches.test/": (
        "endless<script>function go() { fetch('/').then(go) }"
        " for (let i = 0; i < 40; i++) go()</script>"
    ),
    "http://eats.test/": (
        "eats<script>const a = []; for (;;) a.push(new Array(1e6).fill(Math.random()))</script>"
    ),
    "http://plain.test/": "<title>Plain</title><h1>Plain</h1><p>a page like others</p>",
}


def write_warc(path, pages, date="2007-05-08T10:00:00Z") -> str:
    with open(path, "wb") as out:
        writer = WARCWriter(out, gzip=True)
        for url, page in pages.items():
            status, headers, body = page if isinstance(page, tuple) else (200, {}, page)
            http = StatusAndHeaders(
                f"{status} Said",
                list(({"Content-Type": "text/html; charset=utf-8"} | headers).items()),
                protocol="HTTP/1.1",
            )
            body = body.encode() if isinstance(body, str) else body
            writer.write_record(
                writer.create_warc_record(
                    url,
                    "response",
                    payload=io.BytesIO(body),
                    http_headers=http,
                    warc_headers_dict={"WARC-Date": date},
                )
            )
    return str(path)
