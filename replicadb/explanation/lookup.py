"""What the explanations share: a detection to explain, a host by any spelling, rows as dicts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from replicadb.store.database import Database
from replicadb.store.site_spellings import known_host, spellings_in
from replicadb.store.statements import statements
from replicadb.web.urls import given_host

Row = dict[str, Any]


def known_hosts(db: Database, given: Iterable[str]) -> dict[str, str]:
    """The hosts of those names that are here, as they are named here, by the given name."""
    meant = spellings_in(db)
    forms = [
        (name, place, form)
        for name in dict.fromkeys(given)
        for place, form in enumerate(meant(name))
    ]
    names, places, spelled = zip(*forms, strict=True) if forms else ((), (), ())
    asked = pa.table(
        {
            "given": pa.array(names, pa.string()),
            "place": pa.array(places, pa.int32()),
            "form": pa.array(spelled, pa.string()),
        }
    )
    with db.registered("asked_forms", asked):
        return dict(db.rows(statements("explain/50_asked_hosts")["found"]))


def known_names(db: Database, given: Iterable[str]) -> list[str]:
    """The hosts as they are named here, in the given order, each once.

    Raises:
        DataError: there is none of a name; with the nearest ones. UsageError: no name.
    """
    names = [given_host(name) for name in given]
    halves = re.compile("[\ud800-\udfff]")  # of an argument that is no UTF-8; in no name here
    found = known_hosts(db, (name for name in names if not halves.search(name)))
    return list(dict.fromkeys(found.get(name) or known_host(db, name) for name in names))


def of_reference(db: Database, reference: str, hosts: Iterable[str]) -> set[str]:
    """Those of hosts that have a page of the load that ``detect --reference`` names: two of them
    were not compared, nor were two others.
    """
    sql = statements("explain/50_asked_hosts")["of_reference"]
    given = {"reference": reference, "hosts": list(hosts)}
    return {host for (host,) in db.rows(sql, given)}


def rows_of(db: Database, sql: str, given: Row) -> list[Row]:
    """A query's rows as dicts; of the parameters those that it names. They are few, and what is to
    be Arrow is planned twice.
    """
    wanted = set(re.findall(r"\$([a-z_]+)", sql))
    named = {name: value for name, value in given.items() if name in wanted}
    with db.one_thread:
        found = db.execute(sql, named)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
