"""A digest that is the same on most rows of a source and has no digest's form: a constant that some
program wrote, and no content.

Invariant: digests of the usual forms are never taken for one. A parking page may well be most of a
crawl.
"""

from __future__ import annotations

from replicadb.store.database import Database
from replicadb.web.digests import NO_DIGESTS

FEWEST = 20  # rows with a digest; of fewer, most may be alike by chance
ODD = r"""
    SELECT count(*) FROM (SELECT digest FROM staged WHERE digest IS NOT NULL LIMIT 1000)
    WHERE NOT regexp_full_match(digest, $form)"""
COMMONEST = r"""
    SELECT digest, count(*) AS n, sum(n) OVER () AS total
    FROM staged WHERE digest IS NOT NULL AND problem IS NULL
    GROUP BY digest ORDER BY n DESC, digest LIMIT 1"""
IS_ODD = "SELECT NOT regexp_full_match($digest, $form)"
FORM = (
    r"(?:urn:)?(?:[A-Za-z0-9-]{2,20}:)?"
    r"(?:[0-9A-Fa-f]{32}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64}|[A-Za-z2-7]{32})"
)


def constant_digest(db: Database) -> tuple[str, int] | None:
    """The digest of most rows of ``staged``, where it is no content, and on how many it stands.

    Only where the first digests are of no usual form all rows are counted.
    """
    if not db.value(ODD, {"form": FORM}):
        return None
    for digest, n, total in db.rows(COMMONEST):
        nothing = digest.strip().lower().rpartition(":")[2] in NO_DIGESTS - {"", "-"}
        constant = n * 2 > total >= FEWEST and db.value(IS_ODD, {"digest": digest, "form": FORM})
        if nothing or constant:
            return digest, n
    return None
