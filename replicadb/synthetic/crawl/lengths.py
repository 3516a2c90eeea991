"""Lengths of the generated pages and files, in bytes.

Invariant: rows of equal content have equal lengths. Fetches of one page differ a little: a
token or a date at each fetch, a small edit; another markup, charset or line end by a few per cent,
much the same on every page; a translation by a tenth to a quarter, another year's version by a
standard deviation of up to two fifths. Different pages have lengths of their own, also where they
stand at a template's paths, but for thin pages and a theme's demo posts, which are hardly more than
the template.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicadb.arrays import Array, Floats, Ints
from replicadb.synthetic.crawl.draws import Hashes, mix, pick, unit
from replicadb.synthetic.crawl.sites import COMMON, DEMO, SOFT404, TEMPLATE, THEME
from replicadb.synthetic.crawl.web import Web

SAME = 0.35
"""Share of the pages that differ at each fetch, or by an edit, and keep their length to
the byte.
"""


def lengths(web: Web, rows: dict[str, np.ndarray]) -> np.ndarray:
    """Bytes of each row of :func:`visits.fetch`, (n,) int32."""
    if not web.profile.honest_lengths:
        return _by_content(web, rows["host"], rows["own"], rows["content"])
    host, part, page, own, content = (rows[x] for x in ("host", "part", "page", "own", "content"))
    parts = web.parts
    kind, at_path = parts.kind[part], mix(parts.paths[part], page)
    alone = rows["added"] | (kind == SOFT404) | (content == mix(parts.contents[part], 9))
    thin = (kind == TEMPLATE) & (unit(mix(at_path, 501)) < 0.35 * unit(mix(parts.paths[part], 502)))
    theirs = np.isin(kind, [DEMO, THEME]) | thin
    original = web.original[part]
    translated = (original != part) & ~web.untranslated(part, own)
    what = np.where(
        alone,
        content,
        np.where(
            theirs, at_path, np.where(original != part, mix(parts.contents[original], page), own)
        ),
    )
    length = _whole(what)
    frame = np.exp(
        np.where(unit(mix(parts.contents, 515)) < 0.25, 0.01, 0.20)
        * normal(mix(parts.contents, 516))
    )[part]  # the site's menu
    length *= np.where(
        theirs & ~alone,
        np.where(kind == THEME, 1.0, frame)
        * (1 + np.where(kind == THEME, 0.04, 0.01) * normal(mix(own, 506))),
        1.0,
    )
    changed = (content != own) & ~alone
    much = 1 + 8 * web.visits["edit"][host]  # a copy with many edits has larger ones
    length *= np.where(
        changed,
        1
        + np.where(kind == COMMON, 0.08 * normal(mix(content, 517)), _small(what, content) * much),
        1.0,
    )
    if web.static:
        length *= np.where(
            changed, np.exp(0.4 * web.visits["age"][host] * normal(mix(content, 518))), 1.0
        )
    spread = 0.10 + 0.15 * unit(mix(parts.contents, 507))[part]
    language = 0.12 * normal(mix(parts.contents, 508))[part]
    length *= np.where(translated & ~alone, np.exp(language + spread * normal(mix(own, 509))), 1.0)
    if web.static:
        length = np.where(
            web.visits["reformatted"][host] & (content != own),
            _reformatted(web, host, length, content),
            length,
        )
    return np.maximum(np.rint(length), 40).astype(np.int32)


def normal(h: Hashes) -> Floats:
    """Hashes as float64 from the standard normal distribution, cut at 3 (Box and Muller 1958)."""
    z = np.sqrt(-2 * np.log1p(-unit(mix(h, 1)))) * np.cos(2 * np.pi * unit(mix(h, 2)))
    cut: Floats = np.clip(z, -3.0, 3.0)
    return cut


def _whole(h: Hashes) -> Floats:
    """Lengths of different pages, 800 to 26,500."""
    length: Floats = 2 * np.floor(400 * np.exp(3.5 * unit(mix(h, 87)) ** 1.5))
    return length


def _small(what: Array, content: Array) -> Floats:
    """How far a version is from the page, as a share: a third nothing, most 0.03 to 1 %, one page
    in twenty a tenth.
    """
    kind = unit(mix(what, 503))
    size = np.where(kind < 0.95, 0.0003 * np.exp(3.5 * unit(mix(what, 504))), 0.10)
    return np.where(kind < SAME, 0.0, size * normal(mix(content, 505)))


def _reformatted(web: Web, host: Ints, length: Floats, content: Hashes) -> Floats:
    """Another markup: a factor and a frame of the host, and a per cent or two of the page."""
    hosts = np.arange(len(web.hosts.site))
    factor = 1 + 0.025 * normal(mix(web.tag, 510, hosts))
    frame = np.where(
        unit(mix(web.tag, 511, hosts)) < 0.5, 150 * unit(mix(web.tag, 512, hosts)), 0.0
    )
    uneven = 0.002 + 0.018 * unit(mix(web.tag, 513, hosts)) ** 2
    body = length * factor[host] * (1 + uneven[host] * normal(mix(content, 514)))
    page: Floats = body + frame[host]
    return page


def _by_content(web: Web, host: Ints, own: Hashes, content: Hashes) -> npt.NDArray[np.int32]:
    """Lengths that say nothing beyond the content, but for reformatted pages, a few per cent from
    the page they were.
    """
    of = np.where(web.visits["reformatted"][host], own, content) if web.static else content
    length = (400 * np.exp(3.5 * unit(mix(of, 87)) ** 1.5)).astype(np.int32) * np.int32(2)
    if web.static:
        longer = 1 + 0.06 * (unit(mix(web.tag, 90, host)) - 0.4)
        other = length * longer + pick(mix(content, 91), 60)
        length = np.where(web.visits["reformatted"][host], other, length).astype(np.int32)
    return length
