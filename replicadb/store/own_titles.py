"""What of a page's title is its own, and not the name of its site: as SQL, for whoever compares
titles at equal paths (docs/method.md#drops).

A title is cut at what stands between its parts: ``|``, ``»``, ``·``, ``•``, a dash or a colon. A
part that more than half of the titles of a host have, and three at least, is the host's name.
Copies under another name differ in that part alone, and unrelated sites of one owner agree in it.
"""

from __future__ import annotations

BETWEEN = r"\s*[|»·•]\s*|\s+[-–—]+\s+|:\s+"
"""What parts of a title are cut at, a regular expression of RE2."""
HALF, SEVERAL = 2, 3
"""A name stands in more than one of HALF titles, and in SEVERAL at least."""


def ctes(pages: str) -> str:
    """Common table expressions that end with own_titles (url_id, own): hashes of the parts that are
    the page's own. A page without a title, or with nothing but the name, is not there.

    Args:
        pages: a relation with url_id, host_id and title_text.
    """
    return f"""title_parts AS (
    SELECT
        url_id,
        host_id,
        count(*) OVER (PARTITION BY host_id) AS titles,
        unnest(list_distinct(list_transform(
            string_split_regex(lower(title_text), '{BETWEEN}'),
            lambda part: hash(trim(part))
        ))) AS part
    FROM (SELECT DISTINCT url_id, host_id, title_text FROM {pages} WHERE title_text IS NOT NULL)
),
site_names AS (
    SELECT host_id, part
    FROM title_parts
    GROUP BY host_id, part, titles
    HAVING count(*) >= {SEVERAL} AND count(*) * {HALF} > titles
),
own_titles AS (
    SELECT url_id, list(part) AS own
    FROM title_parts
    ANTI JOIN site_names USING (host_id, part)
    GROUP BY url_id
),"""
