"""Three hosts of the same twenty pages, and one apart: of these runs are kept and compared."""

from __future__ import annotations


def pages(host: str, numbers) -> list[tuple[str, str, str]]:
    """Captures of pages that are the same at each host."""
    return [(f"http://{host}/{n}", "", f"{n:04}") for n in numbers]


HOSTS = ("a.com", "b.org", "gone.net")
FIRST = [row for host in HOSTS for row in pages(host, range(20))]
APART = ("http://apart.net/", "", "own")
