"""What of a page's title is its own: as SQL, for whoever compares titles at equal paths
(docs/drops.md#drops).

A title is cut at what stands between its parts: ``|``, ``»``, ``·``, ``•``, a dash or a colon. A
part is a page's own where the host has it at one path alone. The name of the site, sections, years
and page numbers are at several. Copies under another name agree in parts of their own, and pages of
one template do not.
"""

from __future__ import annotations

BETWEEN = r"\s*[|»·•]\s*|\s+[-–—]+\s+|:\s+"
"""What parts of a title are cut at, a regular expression of RE2."""
SEVERAL = 3
"""Titled paths (or different pages) that a host needs before titles that repeat can be told from a
page's own.
"""


def ctes(pages: str) -> str:
    """Common table expressions that end with own_titles (url_id, own): hashes of the parts that are
    the page's own. A page with none is not there, nor one whose host has few titles.

    Args:
        pages: a relation with url_id, host_id, path_hash and title_text, and all pages of each
            host.
    """
    return f"""title_parts AS (
    SELECT
        url_id,
        host_id,
        path_hash,
        unnest(list_transform(
            string_split_regex(lower(trim(title_text)), '{BETWEEN}'), lambda part: hash(part)
        )) AS part
    FROM {pages}
    WHERE title_text IS NOT NULL
),
parts_at_one_path AS (
    SELECT host_id, part
    FROM title_parts
    WHERE part <> hash('')
    GROUP BY host_id, part
    HAVING min(path_hash) = max(path_hash)
),
titled_hosts AS (
    SELECT host_id
    FROM {pages}
    WHERE title_text IS NOT NULL
    GROUP BY host_id
    HAVING count(DISTINCT path_hash) >= {SEVERAL}
),
own_titles AS (
    SELECT url_id, list(part) AS own
    FROM title_parts
    SEMI JOIN parts_at_one_path USING (host_id, part)
    SEMI JOIN titled_hosts USING (host_id)
    GROUP BY url_id
),"""


def site_wide(pages: str) -> str:
    """Common table expressions that end with site_wide (host_id, title): what a host has as the
    title of more than half of its different pages, where it has at least SEVERAL of them. It says
    nothing of a page. A title of fewer is equal by chance at half of the paths at most.

    Args:
        pages: a relation with host_id, title (a hash) and content_hash, and all pages of each host.
    """
    return f"""title_contents AS (
    SELECT host_id, title, count(DISTINCT content_hash) AS contents
    FROM {pages}
    WHERE title IS NOT NULL
    GROUP BY host_id, title
),
site_wide AS (
    SELECT host_id, title
    FROM title_contents
    QUALIFY
        2 * contents > sum(contents) OVER (PARTITION BY host_id)
        AND sum(contents) OVER (PARTITION BY host_id) >= {SEVERAL}
),"""
