"""What counts as one site in a database: settled by its first load."""

from __future__ import annotations

from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.load.load_options import SITES
from replicadb.store.database import Database


def site_of(db: Database) -> str:
    """host, domain or host+1."""
    return str(db.value("SELECT value FROM meta WHERE key = 'site'") or "host")


def settle_site(db: Database, wanted: str | None) -> None:
    """Take what the user says, if anything, unless something else was settled before.

    Raises:
        UsageError: no such unit, or the database was loaded with another.
    """
    if wanted is not None and wanted not in SITES:
        raise UsageError(
            f"--site cannot be {wanted!r}{did_you_mean(wanted, SITES)}; choose one of:"
            f" {', '.join(SITES)}"
        )
    settled = db.value("SELECT value FROM meta WHERE key = 'site'")
    if settled is None or not db.value("SELECT count(*) FROM sources"):
        put = "UPDATE meta SET value = $unit WHERE key = 'site'"
        if settled is None:
            put = "INSERT INTO meta VALUES ('site', $unit)"
        db.execute(put, {"unit": wanted or "host"})
    elif wanted and wanted != settled:
        raise UsageError(
            f"this database was loaded with --site {settled}; use another database for --site"
            f" {wanted}"
        )
