"""Lists in the hands of the tools themselves, where they are installed: nginx and Apache httpd obey
the redirect maps with the very configuration that docs/how-to/lists.md gives, and HTTrack fetches
from no host that its filters name, and from the kept host what its host aliases send there. uBlock
Origin's own engine blocks what its lists say (`npm install -g @gorhill/ubo-core`), and pywb's
access checker excludes it (`pip install pywb`).
"""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import re
import shlex
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import pytest

from replicadb.host_names import family_lists
from tests.export.hosts_to_drop import DROPPED, HOSTS, ODD, STAYING
from tests.export.test_tool_lists import UNSAID, web
from tests.host_names.test_name_families import family

__all__ = ["web"]  # a fixture, asked for where the tool is there
pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "lists.md"
APACHE_MODULES = Path("/usr/lib/apache2/modules")


def documented(language: str) -> str:
    """The configuration that the page has in that language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", DOCS.read_text(), re.S | re.M)
    assert found
    return found[1]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], check: list[str], port: int) -> Iterator[None]:
    """A server in the foreground, once its own check of the configuration has passed."""
    checked = subprocess.run(check, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait(20)


def redirected(port: int, host: str) -> str | None:
    """Where a request for a path of that host is sent; None where it is answered there."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", "/a/b?c=1", skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.getheader("Location") if answer.status == 301 else None
    connection.close()
    return found


def obeys(port: int) -> None:
    """Every host of the list is sent to the one that stays, and no other is."""
    for host in HOSTS:
        kept = DROPPED.get(host)
        if host == ODD:  # the list does not say it, and no server takes such a name
            continue
        wanted = kept and f"https://{kept}/a/b?c=1"
        assert redirected(port, host) == wanted, host
        assert redirected(port, f"{host}:8080") == wanted, host
        assert redirected(port, host.upper()) == wanted, host
    for host in ("xclone.org", "clone.org.evil.com", "sub.clone.org", "hostnames", "include"):
        assert redirected(port, host) is None, host
    assert set(STAYING) < set(HOSTS)


def test_nginx_takes_its_map(request, tmp_path):
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx:
        pytest.skip("nginx is not installed")
    web = request.getfixturevalue("web")
    web.export_list(tmp_path / "kept.map", "redirect-map-nginx")
    port = free_port()
    server = documented("nginx").replace("listen 80", f"listen 127.0.0.1:{port}")
    assert "kept.map" in server and str(port) in server
    places = "".join(
        f"{kind}_temp_path {tmp_path};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    logs = f"access_log off; error_log {tmp_path}/error.log;\n{places}"
    whole = server.replace("http {", f"http {{\n{logs}").replace(
        "return 301 https://$kept$request_uri; }",
        "return 301 https://$kept$request_uri; }\n return 200;",
    )
    config = tmp_path / "nginx.conf"
    config.write_text(
        f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; events {{}}\n{whole}"
    )
    command = [nginx, "-e", f"{tmp_path}/error.log", "-p", str(tmp_path), "-c", str(config)]
    with running(command, [*command, "-t"], port):
        obeys(port)


def test_apache_takes_its_map(request, tmp_path):
    apache = shutil.which("apache2") or shutil.which("apache2", path="/usr/sbin")
    if not apache or not (APACHE_MODULES / "mod_rewrite.so").exists():
        pytest.skip("Apache httpd is not installed, or not where Debian puts its modules")
    web = request.getfixturevalue("web")
    web.export_list(tmp_path / "kept.txt", "redirect-map-apache")
    port = free_port()
    modules = "".join(
        f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so\n"
        for name in ("mpm_event", "authz_core", "rewrite")
    )
    given = documented("apache").replace("/etc/apache2/kept.txt", str(tmp_path / "kept.txt"))
    assert str(tmp_path) in given
    (tmp_path / "index").mkdir()
    config = tmp_path / "httpd.conf"
    config.write_text(
        f"{modules}ServerRoot {tmp_path}\nServerName localhost\nListen 127.0.0.1:{port}\n"
        f"PidFile {tmp_path}/pid\nErrorLog {tmp_path}/error.log\nDefaultRuntimeDir {tmp_path}\n"
        f"Mutex file:{tmp_path} default\nDocumentRoot {tmp_path}/index\n{given}"
    )
    command = [apache, "-d", str(tmp_path), "-f", str(config)]
    with running([*command, "-DFOREGROUND"], [*command, "-t"], port):
        obeys(port)


class Web(http.server.BaseHTTPRequestHandler):
    """A proxy that is the whole web: one page that leads to every host, and a page on each."""

    asked: ClassVar[set[str]] = set()
    links = ""

    def do_GET(self):
        self.asked.add(self.path)
        page = self.links if self.path == "http://start.example/" else "a page"
        body = f"<html><body>{page}</body></html>".encode()
        self.send_response(404 if self.path.endswith("/robots.txt") else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def fetched(tmp_path):
    """Runs HTTrack over that web, and says which pages it asked for."""
    if not (httrack := shutil.which("httrack")):
        pytest.skip("HTTrack is not installed")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def run(urls: list[str], *options: str) -> set[str]:
        """The pages of all that were asked for, in small letters."""
        Web.links = "".join(f'<a href="{url}">x</a>' for url in urls)
        Web.asked = set()
        proxy = f"127.0.0.1:{server.server_port}"
        folder = str(tmp_path / f"mirror{len(options)}")
        command = [httrack, "http://start.example/", "-P", proxy, "-O", folder, "-q", "-r2", "-s0"]
        subprocess.run([*command, "+*", *options], capture_output=True, timeout=100, check=True)
        return {url.lower() for url in Web.asked if not url.endswith(("robots.txt", "example/"))}

    yield run
    server.shutdown()
    server.server_close()


def test_httrack_fetches_from_no_host_that_its_filters_name(request, tmp_path, fetched):
    web = request.getfixturevalue("web")
    web.export_list(tmp_path / "list.txt", "httrack-filter")
    hosts = [host for host in HOSTS if host != ODD]
    other = ["xclone.org", "clone.org.evil.com", "evil.com"]
    urls = [f"http://{host}/a" for host in (*hosts, *other)]
    urls += [f"http://{host}:8080/b" for host in hosts]
    both = fetched(urls) & set(urls)  # without the list; it folds www and the bare name
    assert len(both) > len(urls) / 2
    found = fetched(urls, "--urllist", str(tmp_path / "list.txt"))
    names = {url.split("/")[2].partition(":")[0] for url in found}
    assert names == {*STAYING, *other}


@pytest.fixture
def aliased(fetched):
    """Which host HTTrack asked for the page that is linked at each host, by a list of aliases."""
    answer = subprocess.run(["httrack", "--help"], capture_output=True, text=True, timeout=100)
    if "--host-alias" not in answer.stdout + answer.stderr:
        pytest.skip("this HTTrack is older than 3.49.21 and has no --host-alias")

    def run(hosts: list[str], text: str) -> dict[str, str]:
        urls = [f"http://{host}/page-{n}" for n, host in enumerate(hosts)]
        asked = [url.split("/") for url in fetched(urls, *shlex.split(text))]
        by_page = {page: host for _, _, host, page in asked}
        assert len(by_page) == len(asked) == len(hosts)
        return {host: by_page[f"page-{n}"] for n, host in enumerate(hosts)}

    return run


def test_httrack_fetches_what_its_aliases_name_from_the_kept_host(request, tmp_path, aliased):
    web = request.getfixturevalue("web")
    web.export_list(tmp_path / "list.txt", "httrack")
    hosts = [host for host in HOSTS if host != ODD]
    hosts += ["xclone.org", "clone.org.evil.com", "evil.com"]
    fates = {host: DROPPED.get(host, host) for host in hosts}
    fates["www2.shop.net"] = "www2.shop.net"  # not in the list: it folds with shop.net, which stays
    assert aliased(hosts, "") == {host: host for host in hosts}
    assert aliased(hosts, (tmp_path / "list.txt").read_text()) == fates


def test_httrack_takes_a_family_for_its_host_and_leaves_its_exceptions(aliased):
    rule = family(exceptions=["blog.x.org"], bare_is_copy=True)
    own = family(pattern="*.z.org", keep="www.z.org", exceptions=["www.z.org", "de.z.org"])
    text = "\n".join(family_lists.lines([rule, own], "httrack")["line"].to_pylist())
    fates = {"a.x.org": "y.org", "b.a.x.org": "y.org", "x.org": "y.org", "blog.x.org": "blog.x.org"}
    fates |= {"a.z.org": "www.z.org", "www.z.org": "www.z.org", "de.z.org": "de.z.org"}
    fates |= {"xx.org": "xx.org", "y.org": "y.org"}
    assert aliased(list(fates), text) == fates


def test_httrack_takes_www_for_the_bare_name_in_a_rule(aliased):
    """Why a family of which such names go to several hosts is in no list for it."""
    apart = family(pattern="*.z.org", keep="www.z.org", exceptions=["www.z.org", "z.org"])
    text = "\n".join(family_lists._httrack(apart))
    assert aliased(["a.z.org", "www.z.org"], text) == {"a.z.org": "z.org", "www.z.org": "z.org"}
    assert family_lists.why_not(replace(apart, www_apart=True), "httrack")


UBLOCK = """
const { StaticNetFilteringEngine } = await import(process.argv[1]);
const { raw, urls } = JSON.parse((await import("node:fs")).readFileSync(0, "utf8"));
const engine = await StaticNetFilteringEngine.create();
await engine.useLists([{ name: "list", raw }]);
const seen = (url, type, originURL) => engine.matchRequest({ url, type, originURL }) === 1;
const blocked = urls.filter(url => seen(url, "main_frame", url));
const parts = urls.filter(url => seen(url, "image", "https://news.example/"));
console.log(JSON.stringify({ blocked, parts }));
process.exit(0);
"""
"""1: blocked, 2: let through by an exception, 0: no filter is for it."""


@pytest.fixture
def blocked():
    """Which URLs uBlock Origin's engine blocks as a page, by a list; it blocks no part of one."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        pytest.skip("Node.js is not installed")
    asked = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, timeout=100)
    engine = Path(asked.stdout.strip(), "@gorhill", "ubo-core", "index.js")
    if asked.returncode or not engine.exists():
        pytest.skip("@gorhill/ubo-core is not installed")

    def run(text: str, urls: list[str]) -> set[str]:
        answer = subprocess.run(
            [node, "--input-type=module", "--eval", UBLOCK, engine.as_uri()],
            input=json.dumps({"raw": text, "urls": urls}),
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
        said = json.loads(answer.stdout.splitlines()[-1])
        assert said["parts"] == []
        return set(said["blocked"])

    return run


def test_ublock_origin_blocks_the_hosts_of_its_list_and_no_other(request, tmp_path, blocked):
    web = request.getfixturevalue("web")
    web.export_list(tmp_path / "list.txt", "ublock")
    other = ("xclone.org", "clone.org.evil.com", "sub.kept.com", "evil.com")
    hosts = [host for host in (*HOSTS, *other) if host != ODD]
    urls = [
        f"{scheme}://{host}{rest}"
        for host in hosts
        for scheme in ("http", "https")
        for rest in ("/", "/a/b?c=http://clone.org/", ":8080/")
    ]
    found = blocked((tmp_path / "list.txt").read_text(), urls)
    assert found == {url for url in urls if urlsplit(url).hostname in DROPPED}


def test_ublock_origin_blocks_a_family_and_no_exception(blocked):
    rule = family(exceptions=["blog.x.org"])
    text = "\n".join(family_lists.lines([rule], "ublock")["line"].to_pylist())
    hosts = ("a.x.org", "b.a.x.org", "x.org", "blog.x.org", "y.org", "xx.org")
    urls = [f"{scheme}://{host}/p" for host in hosts for scheme in ("http", "https")]
    taken = {"a.x.org", "b.a.x.org"}
    assert blocked(text, urls) == {url for url in urls if urlsplit(url).hostname in taken}


def test_pywb_excludes_the_hosts_of_its_list_and_no_other(request, tmp_path):
    checker = pytest.importorskip("pywb.warcserver.access_checker")
    web = request.getfixturevalue("web")
    web.export_list(tmp_path / "list.aclj", "pywb")
    access = checker.AccessChecker(str(tmp_path / "list.aclj"))
    ports = {"clone.org": ("", ":8080")}  # a port that was crawled; another has a key of its own
    hosts = [host for host in HOSTS if host != ODD]
    hosts += ["xclone.org", "clone.org.evil.com", "sub.kept.com", "evil.com"]
    found = {
        host
        for host in hosts
        for scheme in ("http", "https")
        for port in ports.get(host, ("",))
        if access.find_access_rule(f"{scheme}://{host}{port}/a/b?c=1")["access"] == "exclude"
    }
    assert found == set(DROPPED) - UNSAID["pywb"]
