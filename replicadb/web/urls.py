"""URLs in their WHATWG form: an ordinary URL is taken apart in SQL, an odd one by a browser's
parser.

Always true here: the SQL way and the parser agree on every URL that the SQL way accepts (tested),
so which of the two took a URL is only a matter of speed. Lower-case IDNA host, no userinfo, no
default port, no trailing dot, no fragment, dot segments resolved, empty path ``/``. Source: WHATWG
URL Standard, section 4.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

import can_ada
import pyarrow as pa

from replicadb.settings import URL_MAX_BYTES
from replicadb.store.database import Database
from replicadb.store.statements import statements

SCHEME = re.compile(r"^\s*([a-zA-Z][a-zA-Z0-9+.-]*):")
BLANKS = " \t\n\r\f"  # that HTML allows around a URL
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
ODD_BATCH = 50_000  # distinct odd URLs parsed at a time, to bound memory


def parse_url(url: str) -> tuple[str | None, str | None, str | None, str | None]:
    """Take one URL apart by WHATWG rules.

    Returns:
        ``(origin, host, path, reason)``: origin is ``scheme://host[:port]``, path has its query
        string. Where it cannot be a page's URL the first three are None and reason says why, in a
        few words.
    """
    if len(url.encode("utf-8", "replace")) > URL_MAX_BYTES:
        return None, None, None, f"URL longer than {URL_MAX_BYTES} bytes"
    stripped = url.strip(" ")
    if not stripped:
        return None, None, None, "no URL"
    if CONTROL.search(stripped):
        return None, None, None, "control character in URL"
    scheme = SCHEME.match(stripped)
    if not scheme:
        return None, None, None, "URL without a scheme"
    if scheme.group(1).lower() not in ("http", "https"):
        return None, None, None, f"scheme {scheme.group(1).lower()[:20]} is not http or https"
    try:
        parsed = can_ada.parse(stripped)
    except ValueError:
        return None, None, None, "impossible host or port in URL"
    host = parsed.hostname.removesuffix(".")
    if not host:
        return None, None, None, "URL without a host"
    if host.endswith(".") or ".." in host or host.startswith("."):
        return None, None, None, "empty label in host"
    if parsed.port == "0":
        return None, None, None, "impossible host or port in URL"
    port = f":{parsed.port}" if parsed.port else ""
    search = parsed.search or (
        "?" if parsed.href.partition("#")[0].endswith("?") else ""
    )  # an empty query stays
    return f"{parsed.protocol}//{host}{port}", host, (parsed.pathname or "/") + search, None


def parse_ip(text: str) -> tuple[str | None, str | None]:
    """One address in its normal form with its network: three octets (IPv4) or the /64 (IPv6).

    Returns:
        ``(ip, net)``, or ``(None, None)`` where the text is no address. An IPv4 address mapped into
        IPv6 is IPv4.
    """
    try:
        ip = ipaddress.ip_address(text.strip().strip("[]"))
    except ValueError:
        return None, None
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if ip.version == 4:
        return str(ip), str(ip).rsplit(".", 1)[0]
    return str(ip), str(ipaddress.ip_network((ip, 64), strict=False))


def parse_staged(db: Database) -> None:
    """Make ``odd_parsed``: the distinct odd URLs of ``staged`` taken apart, in batches, through
    :func:`parse_url`.

    ``judged()`` has all of them then: ordinary URLs it takes apart itself. Needs the macros of
    02_parse_urls.
    """
    map_distinct(
        db,
        statements("load/10_odd_urls")["odd_urls"],
        "odd_parsed",
        ("url", "origin", "host_name", "path", "reason"),
        parse_url,
        {"max_bytes": URL_MAX_BYTES},
    )


def parse_ips(db: Database, table: str) -> None:
    """Make ``parsed_ips`` (ip, part, address, net) from a table's column ip, whose cells may hold
    several addresses.
    """
    db.execute(f"""CREATE OR REPLACE TEMP TABLE ip_parts AS
        SELECT ip, unnest(list_filter(regexp_split_to_array(ip, '[\\[\\]"\'\',;|\\s]+'), lambda p: p NOT IN ('', '-'))) AS part
        FROM (SELECT DISTINCT ip FROM {table} WHERE ip IS NOT NULL)""")
    map_distinct(
        db,
        "SELECT DISTINCT part FROM ip_parts",
        "parsed_parts",
        ("part", "address", "net"),
        parse_ip,
    )
    db.execute(
        "CREATE OR REPLACE TEMP TABLE parsed_ips AS FROM ip_parts JOIN parsed_parts USING (part)"
    )


def parse_redirects(db: Database) -> None:
    """Make ``redirects`` (position, origin, host_name, path): where the redirects among ``linking``
    lead.
    """
    db.execute("""CREATE OR REPLACE TEMP TABLE redirect_queue AS
        SELECT position, origin || path || chr(10) || redirect AS pair FROM linking
        WHERE outcome = 'skip: redirect' AND redirect IS NOT NULL AND origin IS NOT NULL""")
    map_distinct(
        db,
        "SELECT DISTINCT pair FROM redirect_queue",
        "redirect_parsed",
        ("pair", "origin", "host_name", "path", "reason"),
        resolve,
    )
    db.execute("""CREATE OR REPLACE TEMP TABLE redirects AS
        SELECT position, origin, host_name, path FROM redirect_queue JOIN redirect_parsed USING (pair)
        WHERE origin IS NOT NULL""")


def resolve(pair: str) -> tuple[str | None, str | None, str | None, str | None]:
    """A redirect's (or base's) target against its URL, as :func:`parse_url` gives it; the two stand
    in one string, a line each.
    """
    base, _, target = pair.partition("\n")
    return parse_url(join(base, target.strip(BLANKS)))


def join(base: str, reference: str) -> str:
    """A URL reference made absolute; dot segments stay, for :func:`parse_url` to resolve. Source:
    RFC 3986, section 5.2.

    ``base`` is a URL in normal form. (urllib's ``urljoin`` loses empty segments and an empty query,
    which WHATWG keeps.)
    """
    scheme, _, host, path = base.split("/", 3)
    if named := SCHEME.match(reference):
        if named[1].lower() + ":" != scheme:
            return reference
        reference = reference[
            named.end() :
        ]  # WHATWG, "special relative or authority state": http:x is relative, too
    if not reference or reference.startswith("#"):
        return base
    own = "/" + path.partition("?")[0]
    if reference[:1] in ("/", "\\") and reference[1:2] in ("/", "\\"):
        return f"{scheme}//{reference[2:]}"
    if reference.startswith(("/", "\\")):
        own = ""
    elif not reference.startswith("?"):
        own = own.rpartition("/")[0] + "/"
    return f"{scheme}//{host}{own}{reference}"


def map_distinct(
    db: Database,
    query: str,
    table: str,
    columns: tuple[str, ...],
    function: Callable,
    parameters: dict[str, object] | None = None,
) -> None:
    """Make the temporary table ``table``: the query's distinct strings, and what the function says
    of each.
    """
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} ({', '.join(f'{c} VARCHAR' for c in columns)})"
    )
    db.execute("CREATE OR REPLACE TEMP TABLE map_queue (n BIGINT, key VARCHAR)")
    db.execute(
        f"INSERT INTO map_queue SELECT row_number() OVER () - 1, * FROM ({query})", parameters
    )
    for start in range(0, db.value("SELECT count(*) FROM map_queue"), ODD_BATCH):
        keys = db.arrow(
            "SELECT key FROM map_queue WHERE n >= $start AND n < $stop",
            {"start": start, "stop": start + ODD_BATCH},
        )
        rows = [(key, *function(key)) for key in keys.column(0).to_pylist()]
        batch = pa.table(
            [pa.array(values, pa.string()) for values in zip(*rows, strict=True)],
            names=list(columns),
        )
        with db.handed("mapped_batch", batch):
            db.execute(f"INSERT INTO {table} FROM mapped_batch")
    db.execute("DROP TABLE map_queue")
