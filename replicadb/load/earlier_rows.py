"""The same name loaded again with other rows: what was there before stays, or goes (--replace).

Invariant: nothing is taken out before all that was given is in the tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from replicadb.counted import counted
from replicadb.load.identifiers import last_id
from replicadb.load.load_options import LoadOptions, LoadResult
from replicadb.load.unload import take_out
from replicadb.store.database import Database


@dataclass
class Given:
    """What a load was given, by the name under which it stands in ``loads``."""

    last: int
    """The highest source id before the load."""
    digests: dict[str, set[str]] = field(default_factory=dict)
    """Name to the SHA-256 of its files."""
    new: set[str] = field(default_factory=set)
    """Names under which something was loaded that was not known."""
    elsewhere: dict[str, str] = field(default_factory=dict)
    """Known files, by their names, that stand under another name: which."""

    @classmethod
    def to(cls, db: Database) -> Given:
        """Nothing so far, to be loaded into a database."""
        return cls(last_id(db, "source"))

    def add(self, name: str, digest: str, known: bool) -> None:
        """One more file, loaded now or known already."""
        self.digests.setdefault(name, set()).add(digest)
        if not known:
            self.new.add(name)


BEFORE = """
    SELECT DISTINCT l.name FROM loads AS l JOIN sources USING (load_id) WHERE source_id <= ?"""
EARLIER = """
    SELECT s.source_id, (SELECT count(*) FROM urls AS u WHERE u.source_id = s.source_id)
    FROM sources AS s
    JOIN loads AS l USING (load_id)
    WHERE l.name = $name
      AND s.format <> 'hosts'
      AND s.source_id <= $last
      AND NOT list_contains($digests::VARCHAR[], s.sha256)"""

ALL_URLS = "SELECT count(*) FROM urls"


def settle_earlier(db: Database, given: Given, options: LoadOptions, result: LoadResult) -> None:
    """Say what of the same names is still there, or take it out; a dry run takes nothing out."""
    before = set(db.column(BEFORE, [given.last]))
    for name in sorted(before & (given.digests.keys() if options.replace else given.new)):
        digests = sorted(given.digests[name])
        earlier = db.rows(EARLIER, {"name": name, "last": given.last, "digests": digests})
        if not earlier:
            continue
        ids, urls = [row[0] for row in earlier], sum(row[1] for row in earlier)
        files = counted(len(ids), "file")
        stay = f"{files} {'stays' if len(ids) == 1 else 'stay'}"
        if not options.replace:
            if not urls:
                continue
            text = (
                f"was loaded before with other rows, and {counted(urls, 'URL')} of {files}"
                f" {'stays' if urls == 1 else 'stay'}; --replace takes out what is gone"
            )
        elif result.failed:
            text = f"nothing was replaced, as not every file could be loaded; {stay}"
        elif given.elsewhere:
            text = (
                f"nothing was replaced, as {counted(len(given.elsewhere), 'file')} of those given"
                f" {'stands' if len(given.elsewhere) == 1 else 'stand'} in another load; {stay}"
            )
        elif options.dry_run:
            text = f"would replace {files}"
        else:
            there = db.value(ALL_URLS)
            with db.transaction():
                take_out(db, ids)
            gone = there - db.value(ALL_URLS)
            are = "is" if gone == 1 else "are"
            text = f"replaced {files}: {counted(gone, 'URL')} {are} no longer there"
        result.warnings.append(f"{name}: {text}")
