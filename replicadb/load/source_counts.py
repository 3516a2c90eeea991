"""What one source did, added to the result of its load, with what a careful person would want to
know.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from replicadb.counted import counted
from replicadb.load.load_options import COUNTS, LoadOptions, LoadResult

OF_PAGES = ("canonical", "link", "left_out")
"""Links that stand on pages, kept or not; a redirect has none."""


def add(result: LoadResult, source: str, counts: dict[str, Any], options: LoadOptions) -> None:
    """Add one source's counts (``capture_store.store`` names them, and columns) to the result."""
    result.sources += 1
    if counts["columns"]:
        result.columns.setdefault(counts["columns"], []).append(source)
    result.contents += counts["contents"]
    result.assets += counts["assets"]
    result.identifiers += counts["identifiers"]
    for name in COUNTS:
        setattr(result, name, getattr(result, name) + counts[name])
    for kind, n in counts["links"].items():
        result.links[kind] = result.links.get(kind, 0) + n
    for reason, n, url in counts["reasons"]:
        if reason not in result.reasons and not url:
            result.without_url.add(reason)
        before = result.reasons.get(reason, (0, url or source))
        result.reasons[reason] = (before[0] + n, before[1])
    for kind, n in counts["machine_files"].items():
        result.machine_files[kind] = result.machine_files.get(kind, 0) + n
    result.excluded |= counts["excluded"]
    for text in _doubts(counts, options):
        result.doubts.setdefault(text, []).append(source)


def _doubts(counts: dict[str, Any], options: LoadOptions) -> Iterable[str]:
    """What a careful person would want to know of one source's counts."""
    pages = counts["kept"] + counts["replaced"] - counts["assets"]
    if options.content and pages and not counts["contents"]:
        yield (
            "carries no content of pages; WARC, ARC, WACZ, WET, WAT do, and tables"
            " with a column html, text, content or body"
        )
    if options.links and pages and not any(counts["links"].get(kind) for kind in OF_PAGES):
        yield (
            "carries no links of pages that --links reads; HTML in WARC, ARC and WACZ does, WAT,"
            " and tables with a column links"
        )
    if not counts["read"]:
        about = (
            "" if counts["columns"] else " (requests and descriptions of the crawl alone are none)"
        )
        yield f"no {'row' if counts['columns'] else 'capture'} in it{about}"
    n, url = counts["without_scheme"]
    if n:
        have, read = ("URLs have", "are read") if n > 1 else ("URL has", "is read")
        yield f"{n:,} {have} no scheme (such as {url[:60]!r}) and {read} as http://"
    n, status = counts["odd_statuses"]
    if n:
        yield (
            f"{n:,} row{'s have' if n > 1 else ' has'} a status that is not understood, such as"
            f" {status[:40]!r}, and {'count' if n > 1 else 'counts'} as fetched; name a column of"
            " numbers with --column status=NAME"
        )
    if constant := counts["constant_digest"]:
        digest, n = constant
        yield (
            f"the digest {digest[:40]!r} stands on {counted(n, 'row')} and is not taken for"
            " content; if it is, say --column fingerprint=NAME"
        )
    if n := counts["bad_ips"]:
        are = "addresses are no IP addresses" if n > 1 else "address is no IP address"
        yield f"{n:,} {are} (such as {counts['bad_ip'][:40]!r}); the pages are kept without"
    if n := counts["odd_times"]:
        yield (
            f"{n:,} page{'s have' if n > 1 else ' has'} a time that cannot be read, or is none"
            " between 1900 and 2099; kept without, as the oldest"
        )
