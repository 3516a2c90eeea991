"""How each tool reads its list: the tool's own parser where Python has it, else one written from
the grammar that its makers document (``ListFormat.documented``).

Each reader takes the file's text and gives a function of a URL: what the tool would make of it, a
URL or host elsewhere, or BLOCKED; None where the list says nothing of it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

BLOCKED = "blocked"
Said = Callable[[str], str | None]


def host_of(url: str) -> str:
    return urlsplit(url).hostname or ""


def by_host(hosts: dict[str, str]) -> Said:
    return lambda url: hosts.get(host_of(url))


def pairs(text: str) -> dict[str, str]:
    """Two words a line; # begins a comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert all(len(line.split(" ")) == 2 for line in lines)
    return dict(line.split(" ") for line in lines)


def nutch_host(text: str) -> Said:
    """HostURLNormalizer: split at the first blank; a key ``*.domain`` takes all below it."""
    hosts = pairs(text)
    assert not any("*" in host for host in hosts)
    return by_host(hosts)


def nutch_regex(text: str) -> Said:
    """RegexURLNormalizer: every pattern on the whole URL, by Java's Matcher.replaceAll."""
    root = ElementTree.fromstring(text)
    assert root.tag == "regex-normalize"
    rules = [(rule.findtext("pattern"), rule.findtext("substitution")) for rule in root]

    def replaced(match: re.Match[str], substitution: str) -> str:
        return re.sub(
            r"\\(.)|\$(\d)",
            lambda part: match[int(part[2])] if part[2] else part[1],
            substitution,
        )

    def said(url: str) -> str | None:
        new = url
        for pattern, substitution in rules:
            new = re.sub(pattern, lambda m, s=substitution: replaced(m, s), new)
        return None if new == url else host_of(new)

    return said


def httrack(text: str) -> Said:
    """Arguments of a shell; a rule is ``alias[,alias...]=canonical``, aliases are globs."""
    words = shlex.split(text)
    assert set(words[::2]) <= {"--host-alias"}
    hosts: dict[str, str] = {}
    for rule in words[1::2]:
        aliases, canonical = rule.split("=")
        assert not set(rule) & set("*[]/ ")
        hosts |= dict.fromkeys(aliases.split(","), canonical)
    return by_host(hosts)


def httrack_filter(text: str) -> Said:
    """Filters of host and path without the scheme, in which only a star is a pattern."""
    filters = []
    for line in text.splitlines():
        assert line[0] == "-" and not set(line) & set("[] +")
        filters.append(re.compile(re.escape(line[1:]).replace(r"\*", ".*")))

    def said(url: str) -> str | None:
        rest = url.partition("://")[2]
        return BLOCKED if any(one.fullmatch(rest) for one in filters) else None

    return said


def redirect_map_nginx(text: str) -> Said:
    """The parser of nginx's own configurations, then the words of ``map``."""
    crossplane = pytest.importorskip("crossplane")
    with TemporaryDirectory() as folder:
        Path(folder, "list").write_text(text)
        config = Path(folder, "nginx.conf")
        config.write_text("events {}\nhttp { map $host $kept { include list; } }\n")
        parsed = crossplane.parse(str(config))
    assert parsed["status"] == "ok" and not parsed["errors"]
    hosts = {}
    for entry in parsed["config"][1]["parsed"]:
        source, (value,) = entry["directive"], entry["args"]
        assert source not in ("default", "hostnames", "include", "volatile")
        assert not source.startswith("~") and "$" not in value
        hosts[source.removeprefix("\\")] = value
    return by_host(hosts)


def surt(text: str) -> Said:
    """SurtPrefixSet.importFromMixed: ``+`` and a prefix; https is taken for http."""
    library = pytest.importorskip("surt")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(line.startswith("+http://(") and " " not in line for line in lines)

    def form(url: str) -> str:
        parts = urlsplit(url)
        if re.fullmatch("[0-9.]+", parts.hostname or ""):  # Heritrix leaves an address as it is
            return f"http://({parts.netloc}){parts.path}"
        port = f":{parts.port}" if parts.port else ""
        plain = f"http://{parts.hostname}{parts.path}"
        made = library.surt(plain, with_scheme=True, host_massage=False, trailing_comma=True)
        return made.replace(")", f"{port})", 1)

    return lambda url: BLOCKED if any(form(url).startswith(line[1:]) for line in lines) else None


def pywb(text: str) -> Said:
    """Access lists: SURT key, ``-``, JSON; in reverse order; a key is a prefix."""
    library = pytest.importorskip("surt")
    lines = text.splitlines()
    assert lines == sorted(lines, reverse=True)
    rules = {key: json.loads(rest) for key, _, rest in (line.split(" ", 2) for line in lines)}
    assert all(library.surt(rule["url"]) == key for key, rule in rules.items())
    assert {rule["access"] for rule in rules.values()} <= {"exclude"}
    return lambda url: BLOCKED if any(library.surt(url).startswith(key) for key in rules) else None


def outbackcdx(text: str) -> Said:
    aliases = {}
    for line in text.splitlines():
        word, source, target = line.split(" ")
        assert word == "@alias"
        aliases[source] = target
    return aliases.get


def ublock(text: str) -> Said:
    parser = pytest.importorskip("adblockparser")
    lines = text.splitlines()
    assert lines[0].startswith("! Title: ")
    rules = parser.AdblockRules(lines, supported_options=["document"])
    options = {"document": True}
    return lambda url: BLOCKED if rules.should_block(url, options) else None


def ublacklist(text: str) -> Said:
    """YAML between two lines ``---``, then match patterns or expressions, ``#`` begins a comment.
    Of a pattern the labels are letters, digits and hyphens inside; other lines are no rules.
    """
    yaml = pytest.importorskip("yaml")
    _, front, rules = text.split("---\n")
    assert set(yaml.safe_load(front)) == {"name"}
    hosts, expressions = set(), []
    label = "[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?"
    for line in rules.splitlines():
        rule, _, evidence = line.partition(" # ")
        if pattern := re.fullmatch(rf"\*://({label}(?:\.{label})*)/\*", rule):
            assert evidence.startswith(f"{pattern[1]} copies ")
            hosts.add(pattern[1])
        else:
            expression = re.fullmatch(r"/((?:[^/\\]|\\.)+)/", rule)
            assert expression
            expressions.append(re.compile(expression[1]))

    def said(url: str) -> str | None:
        taken = host_of(url) in hosts or any(one.search(url) for one in expressions)
        return BLOCKED if taken else None

    return said


def hosts(text: str) -> Said:
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    assert {address for address, _ in lines} <= {"0.0.0.0"}
    names = {name for _, name in lines}
    assert not any(re.fullmatch("[0-9.]+", name) for name in names)
    return lambda url: BLOCKED if host_of(url) in names else None


READERS: dict[str, Callable[[str], Said]] = {
    "nutch-host": nutch_host,
    "nutch-regex": nutch_regex,
    "httrack": httrack,
    "httrack-filter": httrack_filter,
    "redirect-map-nginx": redirect_map_nginx,
    "redirect-map-apache": lambda text: by_host(pairs(text)),
    "surt": surt,
    "pywb": pywb,
    "outbackcdx": outbackcdx,
    "ublock": ublock,
    "ublacklist": ublacklist,
    "hosts": hosts,
}
