"""Lists of hosts that a user gives along with a crawl: their addresses (--hosts), and those to
leave out.

Invariant: a host name is brought to the form that it has in stored URLs before it is
compared.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa

from replicadb.errors import DataError
from replicadb.given_file import given_text
from replicadb.load.odd_urls import parse_ips
from replicadb.readers.compression import head
from replicadb.readers.table_columns import ROLES
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.quoting import file_name, identifier
from replicadb.web.urls import parse_url

HOST_NAMES = ("host", "hostname", "host_name", "domain", "url_host_name", "site")


def normal_host(text: str) -> str | None:
    """A host name as a URL would hold it; None where no URL could."""
    return parse_url(text if "://" in text else f"http://{text}/")[1]


def stage_excluded(db: Database, path: str | None) -> None:
    """Make the temporary table ``excluded_hosts``: one host a line (or the first column of a CSV),
    comments with #.

    Raises:
        DataError: the file cannot be read.
    """
    hosts: list[str] = []
    if path:
        try:
            text = given_text(path, "replace")
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from error
        entries = (
            line.split(",")[0].split("#")[0].strip().strip('"') for line in text.splitlines()
        )
        hosts = [host for entry in entries if entry and (host := normal_host(entry))]
    db.register("excluded_batch", pa.table({"host": pa.array(hosts, pa.string())}))
    db.execute(
        "CREATE OR REPLACE TEMP TABLE excluded_hosts AS SELECT DISTINCT host FROM excluded_batch"
    )
    db.con.unregister("excluded_batch")


def stage_named_ips(db: Database, path: str, source_id: int) -> tuple[int, int]:
    """Add the rows of a table (host, ip) to ``named_ips``; a cell may hold several addresses, a
    host several rows.

    Returns:
        The rows that were used, and those that went to ``rejects``.

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
        lambda host: (normal_host(host),),
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
    rejected = db.value("SELECT count(*) FROM rejects WHERE source_id = ?", [source_id])
    used = db.value("SELECT count(*) FROM host_rows") - rejected
    db.execute("INSERT INTO skips VALUES (?, 'address of a host (--hosts)', ?)", [source_id, used])
    return used, rejected


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
            f"--hosts: {n:,} of its hosts have no page here; their addresses wait for a crawl"
            " that has"
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
        host = next((lower[n] for n in HOST_NAMES if n in lower), None)
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
