"""The registrable domain of one name, as a command is given it: what ``load --site domain`` groups
by.

Invariant: says what sql/load/30_host_names says of a host's domain. Source: publicsuffix.org.
"""

from __future__ import annotations

import re
from functools import cache

from replicadb.web.urls import spellings

NO_NAME = re.compile(r"\[|[0-9.]+$")
"""An address; a name that begins so is none."""


def registrable_domain(host: str) -> str | None:
    """The domain that a host in its ASCII form belongs to; None of an address, and of a host that
    is itself a public suffix.
    """
    if NO_NAME.match(host) or "." not in host:
        return None
    found: str | None = _suffixes().privatesuffix(host)
    return found


def sites_meant(text: str, site: str | None) -> tuple[str, ...]:
    """The sites that a text may mean, the likeliest first: as ``spellings`` has them, and where
    ``site`` is domain the host's domain behind them.
    """
    forms = spellings(text)
    domain = registrable_domain(forms[-1]) if site == "domain" else None
    return tuple(dict.fromkeys((*forms, domain or forms[-1])))


@cache
def _suffixes():  # type: ignore[no-untyped-def]
    from publicsuffixlist import PublicSuffixList  # its list takes 0.08 s, and few ask

    return PublicSuffixList()
