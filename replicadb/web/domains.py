"""The sites that a name may mean, as a command is given it, by what ``load --site`` counts as one.

Invariant: says what sql/load/30_host_names says of a host's domain. Source: publicsuffix.org.
"""

from __future__ import annotations

import re
from functools import cache

import can_ada

from replicadb.web.urls import spellings

NO_NAME = re.compile(r"\[|[0-9.]+$")
"""An address; a name that begins so is none."""
PAGE_OF_HOST = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*/[^/?#]*([?#].*)?", re.S)
"""The URL of a page that stands in no folder: under ``--site host+1`` it is the host's own."""


def registrable_domain(host: str) -> str | None:
    """The domain that a host in its ASCII form belongs to; None of an address, and of a host that
    is itself a public suffix. By the list's rules alone: ``*.x.org`` says nothing of x.org.
    """
    if NO_NAME.match(host):
        return None
    labels, kinds = host.split("."), _kinds_of_rules()
    n, found, exceptions = len(labels), [1], []
    for k in range(1, n + 1):
        for kind in kinds.get(".".join(labels[n - k :]), ()):
            if kind == "exception":
                exceptions.append(k - 1)
            elif kind == "normal":
                found.append(k)
            elif k < n:
                found.append(k + 1)
    suffix = max(exceptions or found)
    return ".".join(labels[n - suffix - 1 :]) if n > suffix else None


def sites_meant(text: str, site: str | None) -> tuple[str, ...]:
    """The sites that a text may mean, the likeliest first: as ``spellings`` has them. Where
    ``site`` is domain, the host's domain stands behind them; where it is host+1, what names a
    folder never means the host without it.
    """
    forms = spellings(text)
    host = forms[-1]
    if site == "domain" and (domain := registrable_domain(host)):
        return tuple(dict.fromkeys((*forms, domain)))
    if site == "host+1" and not PAGE_OF_HOST.fullmatch(text):
        return tuple(form for form in forms if form != host) if _in_folder(forms) else forms
    return forms


def _in_folder(forms: tuple[str, ...]) -> bool:
    host = forms[-1] + "/"  # a.net/ alone is the host
    return any(form[: len(host)] == host and form[len(host) :][:1] not in "/?#" for form in forms)


@cache
def public_suffixes() -> list[tuple[str, str, bool]]:
    """The public suffix list: rule, kind (normal, wildcard with its ``*.`` cut off, or exception
    with its ``!`` cut off) and whether its part is that of private suffixes. Rules are in their
    ASCII form, as stored hosts are.
    """
    from publicsuffixlist import PSLFILE  # few ask for it

    private, rows = False, []
    with open(PSLFILE, encoding="utf-8") as lines:
        for line in lines:
            if "===BEGIN PRIVATE" in line:
                private = True
            rule = line.split()[0] if line.strip() and not line.startswith("//") else None
            if rule is None:
                continue
            kind = {"*": "wildcard", "!": "exception"}.get(rule[0], "normal")
            bare = rule.removeprefix("*.").removeprefix("!")
            rows.append(
                (bare if bare.isascii() else can_ada.idna_encode(bare).decode(), kind, private)
            )
    return rows


@cache
def _kinds_of_rules() -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for rule, kind, _ in public_suffixes():
        kinds.setdefault(rule, []).append(kind)
    return kinds
