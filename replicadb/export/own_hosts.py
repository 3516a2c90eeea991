"""What a list of hosts to drop has of the hosts that somebody watches or keeps, by name.

Invariant: nothing is left out of a list for it; a note says so, and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from replicadb.counted import counted, few
from replicadb.store.database import Database
from replicadb.store.statements import statements

MOST_NAMED = 10
"""Hosts that are named; of more, how many."""
Dropped = tuple[str, str]
"""A host and the one that it is dropped for."""


@dataclass(frozen=True)
class OwnHosts:
    """Hosts of a list, each with the one that it is dropped for, in order of their names."""

    watched: tuple[Dropped, ...] = ()
    """Hosts that are watched."""
    of_domain: tuple[Dropped, ...] = ()
    """Others of the registered domain of a host that is watched or pinned by --keep, dropped for a
    host of another domain; of a list that blocks its hosts, dropped for whatever host.
    """

    def lines(self) -> list[str]:
        """What is said of them; nothing where there are none."""
        said = []
        for hosts, one, more in (
            (self.watched, "host that you watch is", "hosts that you watch are"),
            (
                self.of_domain,
                "host of a domain that you watch or keep is",
                "hosts of domains that you watch or keep are",
            ),
        ):
            if hosts:
                named = few([f"{host} for {kept}" for host, kept in hosts], MOST_NAMED)
                said.append(
                    f"{counted(len(hosts), one, more)} in this list: {named}; to keep one:"
                    " replicadb label DB --keep HOST, then detect"
                )
        return said


def own_hosts(db: Database, dropped: pa.Table, blocks: bool = False) -> OwnHosts:
    """What a list has of them.

    Args:
        dropped: host and canonical_host, as ``flagged_hosts`` has them. blocks: whether the list
            blocks its hosts for visitors.
    """
    with db.registered("dropped", dropped):
        rows = db.rows(statements("export/60_own_hosts")["own_hosts"], {"blocks": blocks})
    return OwnHosts(
        tuple((host, kept) for host, kept, itself in rows if itself),
        tuple((host, kept) for host, kept, itself in rows if not itself),
    )
