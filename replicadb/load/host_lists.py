"""Lists of hosts that a user gives along with a crawl: their addresses (--hosts), and those to
leave out.

Invariant: a host name is brought to the form that it has in stored URLs before it is
compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import pyarrow as pa

from replicadb.counted import counted, few
from replicadb.errors import DataError
from replicadb.given_file import name_of
from replicadb.load.load_options import LoadResult
from replicadb.load.odd_urls import parse_ips
from replicadb.readers.compression import head
from replicadb.readers.given_hosts import HOST_COLUMNS, given_hosts
from replicadb.readers.table_columns import ROLES
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.quoting import file_name, identifier
from replicadb.web.urls import host_name


@dataclass(frozen=True)
class Excluded:
    """The hosts that a load is to leave out."""

    path: str
    given: list[str]
    """What stands in the file, a line each."""
    hosts: list[str]
    """Those of them that are host names, each once, as URLs have them."""

    def notes(self, result: LoadResult) -> list[str]:
        """What of the list did nothing: lines that are no host names, and hosts that were met in
        none of the files. A file that was loaded before was not looked at, so then nothing is said
        of hosts.
        """
        notes, of = [], f"of {counted(len(self.given), 'line')} of {name_of(self.path)}"
        if odd := [name for name in self.given if host_name(name) is None]:
            what = "is no host name" if len(odd) == 1 else "are no host names"
            notes.append(f"{len(odd):,} {of} {what}: {few([repr(name[:60]) for name in odd])}")
        unmet = [host for host in self.hosts if host not in result.excluded]
        if unmet and result.sources and not result.known:
            name = "names" if len(unmet) == 1 else "name"
            notes.append(f"{len(unmet):,} {of} {name} no host of these files: {few(unmet)}")
        if not self.given:
            notes.append(f"no host name in {name_of(self.path)}")
        return notes


def stage_excluded(db: Database, path: str | None) -> Excluded | None:
    """Make the temporary table ``excluded_hosts`` of a list of hosts, as given_hosts reads it.

    Raises:
        DataError: the file cannot be read, or nothing in it is the name of a host.
    """
    given = given_hosts(path, path, "replace") if path else []
    hosts = list(dict.fromkeys(host for name in given if (host := host_name(name))))
    if path and given and not hosts:
        raise DataError(
            f"{name_of(path)}: of {counted(len(given), 'line')} none is the name of a host, as"
            f" {given[0][:60]!r}; give a host a line, or a table with a column host"
        )
    with db.registered("excluded_batch", pa.table({"host": pa.array(hosts, pa.string())})):
        db.execute("CREATE OR REPLACE TEMP TABLE excluded_hosts AS FROM excluded_batch")
    return Excluded(path, given, hosts) if path else None


def stage_named_ips(db: Database, path: str, source_id: int) -> tuple[int, int, str]:
    """Add the rows of a table (host, ip) to ``named_ips``; a cell may hold several addresses, a
    host several rows.

    Returns:
        How many rows were used, how many went to ``rejects``, and the first of these.

    Raises:
        DataError: the file cannot be read as a table, or has no such columns.
    """
    db.register("host_batch", read_hosts_file(db, path))
    try:
        db.execute(
            "CREATE OR REPLACE TEMP TABLE host_rows AS SELECT row_number() OVER () AS position, *"
            " FROM host_batch"
        )
    finally:
        db.con.unregister("host_batch")
    map_distinct(
        db,
        "SELECT DISTINCT host FROM host_rows WHERE host IS NOT NULL",
        "hosts_parsed",
        ("host", "host_name"),
        lambda host: (host_name(host),),
    )
    parse_ips(db, "host_rows")
    db.execute(
        """INSERT INTO named_ips
        SELECT DISTINCT ?, h.host_name, i.address, i.net
        FROM host_rows JOIN hosts_parsed AS h USING (host) JOIN parsed_ips AS i USING (ip)
        WHERE i.address IS NOT NULL AND h.host_name IS NOT NULL""",
        [source_id],
    )
    if db.value("SELECT count(*) FROM host_rows") and not db.value(
        "SELECT count(*) FROM named_ips WHERE source_id = ?", [source_id]
    ):
        raise DataError(
            f"{path}: no row of it names a host with an IP address; it needs the columns host"
            " and ip"
        )
    db.execute(
        """INSERT INTO rejects
        SELECT ?, h.position, left(coalesce(h.host, '') || ' ' || coalesce(h.ip, ''), 2000),
               CASE WHEN p.host_name IS NULL THEN 'no host name' ELSE 'no IP address' END
        FROM host_rows AS h LEFT JOIN hosts_parsed AS p USING (host)
        WHERE p.host_name IS NULL
           OR NOT EXISTS (FROM parsed_ips AS i WHERE i.ip = h.ip AND i.address IS NOT NULL)""",
        [source_id],
    )
    rejected, example = db.rows(
        "SELECT count(*), left(min_by(url, position), 60) FROM rejects WHERE source_id = ?",
        [source_id],
    )[0]
    used = db.value("SELECT count(*) FROM host_rows") - rejected
    db.execute("INSERT INTO skips VALUES (?, 'address of a host (--hosts)', ?)", [source_id, used])
    return used, rejected, example


def give_named_ips(db: Database) -> None:
    """Give the addresses of --hosts files to the sites that have pages now."""
    if db.value("SELECT count(*) FROM named_ips"):
        db.run("load/70_addresses")


def unused(db: Database) -> list[str]:
    """A note where hosts with given addresses have no page here (yet)."""
    n = db.value(
        "SELECT count(DISTINCT host_name) FROM named_ips WHERE host_name NOT IN (SELECT host_name"
        " FROM origins)"
    )
    return (
        [
            f"--hosts: {n:,} of its hosts {'has' if n == 1 else 'have'} no page here;"
            f" {'its' if n == 1 else 'their'} addresses wait for a crawl that has"
        ]
        if n
        else []
    )


def read_hosts_file(db: Database, path: str) -> pa.Table:
    """The columns host and ip of a CSV, TSV or Parquet file, by name; those of a table of two
    columns need no header.

    Raises:
        DataError: it is no such table.
    """
    kind, _ = head(path, 16)
    name = file_name(path)
    scan = (
        "read_parquet($path)"
        if kind == "parquet"
        else "read_csv($path, all_varchar = true, null_padding = true, header = true)"
    )
    try:
        names = [row[0] for row in db.rows(f"DESCRIBE SELECT * FROM {scan}", {"path": name})]
        lower = {name.lower(): name for name in reversed(names)}
        host = next((lower[n] for n in HOST_COLUMNS if n in lower), None)
        ip = next((lower[n] for n in ROLES["ip"] if n in lower), None)
        if not (host and ip):
            if len(names) != 2:
                raise DataError(f"{path}: no columns host and ip among: {', '.join(names[:12])}")
            # The first line may well be a row.
            scan = scan.replace("header = true", "header = false")
            host, ip = [row[0] for row in db.rows(f"DESCRIBE SELECT * FROM {scan}", {"path": name})]
        return db.arrow(
            f"SELECT {identifier(host)}::VARCHAR AS host, {identifier(ip)}::VARCHAR AS ip"
            f" FROM {scan}",
            {"path": name},
        )
    except duckdb.Error as error:
        raise DataError(
            f"{path}: cannot be read as a table of hosts: {first_line(error)}"
        ) from error
