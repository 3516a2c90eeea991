"""A generated page and what its maker knows about it.

Invariant: what is known is what the gold is made of; nothing of it stands in the page.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Page:
    """One generated page and what is known about it."""

    url: str
    ip: str
    html: str
    family: int
    look: int = -1
    content: int = -1
    cause: str = ""
    apart: str = ""
    """The look-alike's cause; empty for the page itself and its duplicates."""
    rendered: str = ""
    """What a browser ends up with, where that is not ``html``."""
    final_url: str = ""
    listed: bool = True
    """Found by the query; not so frame documents, landing pages and linked pages."""
