"""The sites that a name may mean, as a command is given it, by what ``load --site`` counts as one.

Invariant: says what sql/load/30_host_names says of a host's domain. Source: publicsuffix.org.
"""

from __future__ import annotations

import re
from functools import cache

from replicadb.web.urls import spellings

NO_NAME = re.compile(r"\[|[0-9.]+$")
"""An address; a name that begins so is none."""
PAGE_OF_HOST = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*/[^/?#]*([?#].*)?", re.S)
"""The URL of a page that stands in no folder: under ``--site host+1`` it is the host's own."""


def registrable_domain(host: str) -> str | None:
    """The domain that a host in its ASCII form belongs to; None of an address, and of a host that
    is itself a public suffix.
    """
    if NO_NAME.match(host) or "." not in host:
        return None
    found: str | None = _suffixes().privatesuffix(host)
    return found


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
    return any(form.startswith(forms[-1] + "/") for form in forms)


@cache
def _suffixes():  # type: ignore[no-untyped-def]
    from publicsuffixlist import PublicSuffixList  # its list takes 0.08 s, and few ask

    return PublicSuffixList()
