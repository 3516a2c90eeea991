"""Titles without the name of the site: as SQL, and in Python for hosts that no database knows
(docs/robust.md#bare-titles).

A copy under another name has the same titles but for that name. A title is cut into parts as
``own_titles`` cuts it. The site's name is the part that the most titles of the host have, at two
paths at least.

Invariant: both say the same of a host whose paths have one page each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from replicadb.web.digests import lower
from replicadb.web.own_titles import BETWEEN

_BETWEEN = re.compile(BETWEEN.replace(r"\s", r"[ \t\n\f\r]"))
JOINED = "|"
"""What stands between the parts that are left."""
NONE = """bare_titles AS (
    SELECT NULL::BIGINT AS url_id, NULL::UBIGINT AS bare_title WHERE false
),"""
"""In place of :func:`ctes` where no page has a title."""


def ctes(pages: str) -> str:
    """Common table expressions that end with bare_titles (url_id, bare_title): the hash of each
    title without the site's name. A title that has none is not there. (A title has 300 letters at
    most, so the number of titles and the place of a part fit into one.)

    Args:
        pages: a relation with url_id, host_id, path_hash and title, and all pages of each host.
    """
    return f"""cut_titles AS MATERIALIZED (
    SELECT
        url_id,
        host_id,
        path_hash,
        string_split_regex(lower(trim(title)), '{BETWEEN}') AS parts
    FROM {pages}
    WHERE title IS NOT NULL
),
title_parts AS MATERIALIZED (
    SELECT url_id, host_id, path_hash, unnest(parts) AS part, generate_subscripts(parts, 1) AS place
    FROM cut_titles
    WHERE len(parts) > 1
),
names AS (
    SELECT host_id, part, count(*) AS titles
    FROM title_parts
    WHERE part <> ''
    GROUP BY host_id, part
    HAVING min(path_hash) < max(path_hash)
),
named AS (
    SELECT url_id, max(titles * 1000 + place) % 1000 AS name
    FROM title_parts
    JOIN names USING (host_id, part)
    GROUP BY url_id
),
bare_titles AS (
    SELECT
        url_id,
        hash64(array_to_string(
            list_filter(parts, lambda part, place: place <> name), '{JOINED}'
        )) AS bare_title
    FROM cut_titles
    JOIN named USING (url_id)
),"""


def bare(titles: Sequence[str | None]) -> list[str | None]:
    """The titles of all pages of a host, each at a path of its own, without the site's name; None
    where a title has none.
    """
    parts = [_BETWEEN.split(lower(title).strip(" ")) if title else [] for title in titles]
    cut = [of_title for of_title in parts if len(of_title) > 1]
    at = Counter(part for of_title in cut for part in set(of_title))
    n = Counter(part for of_title in cut for part in of_title if part and at[part] > 1)
    return [_without_name(of_title, n) for of_title in parts]


def _without_name(parts: list[str], titles: Counter[str]) -> str | None:
    """Parts of a title without that which the most titles have; of equals the last."""
    names = [(titles[part], place) for place, part in enumerate(parts) if titles[part]]
    if len(parts) < 2 or not names:
        return None
    _, name = max(names)
    return JOINED.join(part for place, part in enumerate(parts) if place != name)
