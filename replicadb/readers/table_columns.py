"""Which column of a table plays which role: by its name, or as the user says.

Case, blanks and punctuation of a name do not matter. A field inside of an object is called as in
``metadata.url``; it is known by its last name where the object is one of WRAPPERS. Columns without
a role are ignored.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from replicadb.errors import DataError, UsageError
from replicadb.likely_meant import did_you_mean

ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "url": (
            "url url_url uri target_uri warc_target_uri original_url original page_url address link"
            " details_page request_endpoint source_url warc_url u"
        ),
        "ip": "ip ip_address host_ip warc_ip_address ip_addr",
        "fingerprint": (
            "fingerprint digest content_digest payload_digest checksum sha1 md5 sha256"
            " content_sha1 content_md5 hash content_hash signature body_sha256 body_sha1 body_md5"
            " norm"
        ),
        "timestamp": (
            "timestamp fetch_time fetched_at fetched fetch_date crawl_time crawled_at crawl_date"
            " crawl_timestamp capture_time captured_at capture_date date_download warc_date date"
            " datetime time ts last_processed_date"
        ),
        "interval": "retry_interval_seconds",
        "status": (
            "status_name fetch_status status_code http_status http_status_code http_code status"
        ),
        "mime": (
            "content_mime_detected mime_detected mime mime_type content_mime_type content_type"
            " parse_content_type"
        ),
        "length": "length content_length payload_length size size_bytes size_in_bytes bytes",
        "redirect": "redirect fetch_redirect redirect_url redirect_uri location redir_to",
        "content": "content html text body raw_content markdown",
        "links": "links out_links hrefs",
        "canonical": (
            "canonical canonical_url rel_canonical canonical_link canonical_link_element_1"
            " canonical_1"
        ),
        "language": (
            "language content_languages languages lang html_lang page_language detected_language"
        ),
        "title": "title page_title html_title content_title parse_title title_1",
    }.items()
}
"""Role of a column: the names it is known by, the best first."""

DUE = "fetchtime"
"""Plain name of the time that Nutch's own list of pages has: when one is due again, its last fetch
and the interval. Beside another one the role ``interval`` means nothing.
"""

DIGEST_PREFIXES = {
    "sha1": "sha1:",
    "contentsha1": "sha1:",
    "md5": "md5:",
    "contentmd5": "md5:",
    "sha256": "sha256:",
    "bodysha256": "sha256:",
    "bodysha1": "sha1:",
    "bodymd5": "md5:",
}
"""Plain name of a digest column: the algorithm that it names."""

WRAPPERS = (
    "_source",
    "source",
    "metadata",
    "meta",
    "warc_headers",
    "record",
    "page",
    "document",
    "doc",
    "fields",
    "details",
    "hash",
    "hashes",
    "response",
    "headers",
)
"""Objects whose fields are a row's own columns."""
OPENED = (*WRAPPERS, "request")
"""Objects whose fields are columns of a row, of the last one by their whole names alone."""

NUTCHS = "retryintervalseconds"
"""Plain name of a column that Nutch's own list of pages has."""
NUTCHS_STATUS = ("pst", "metadata")
"""Plain names of its columns that say where a redirect leads, beside much else: in JSON a field, in
CSV all metadata in one cell (``moved_to`` of sql/functions/30_digests.sql).
"""

HTTPXS_DIGESTS = "hash"
"""Plain name of the column that has all digests of a page in httpx' CSV, those of its headers too
(``of_the_body`` of sql/functions/30_digests.sql). In its JSON they are fields.
"""

KEY_OF_AN_INDEX = "urlkey"
"""Plain name of a column that answers of CDX servers have, and with them Common Crawl's: their
length is that of the compressed record, not of the page, as in the files of an index.
"""
OF_OUR_LISTS = "canonical_host"
"""A column that the lists which we write have, and no crawl: they lie where the crawl does."""
PAGES = "pages"
"""Beside the roles: the column of role content, where the pages themselves are to be read."""


@dataclass(frozen=True)
class Columns:
    """Which column of a table plays which role."""

    roles: dict[str, str]
    """Role to column name; ``url`` is always there."""
    given: frozenset[str]
    """Roles whose column the user named."""
    unused: tuple[str, ...]
    """Columns without a role."""
    foreign: bool = False
    """Whether the text has bytes that are no UTF-8."""

    @property
    def digest_prefix(self) -> str:
        """What is put before digests: the algorithm that their column's name says, or nothing."""
        return DIGEST_PREFIXES.get(inner_name(self.roles.get("fingerprint", "")), "")

    def read_out(self, expressions: dict[str, str]) -> dict[str, str]:
        """SQL by role: a redirect is taken out of what Nutch says beside it, the digest of a body
        out of what httpx says of the headers.
        """
        if inner_name(self.roles.get("fingerprint", "")) == HTTPXS_DIGESTS:
            expressions |= {"fingerprint": f"of_the_body({expressions['fingerprint']})"}
        column = inner_name(self.roles.get("redirect", ""))
        if column not in NUTCHS_STATUS or "redirect" in self.given:
            return expressions
        return expressions | {"redirect": f"moved_to({expressions['redirect']})"}

    def line(self) -> str:
        """Which column became what, and what was guessed, for a person."""
        if not self.given and self.roles == {"url": "0"} and not self.foreign:
            return "a list: every line is a URL"
        guessed = [role for role in self.roles if role not in self.given and role != PAGES]
        parts = [f"{self._as(guessed)} by name"] if guessed else []
        if "interval" in self.roles:
            due, interval = (short(self.roles[role]) for role in ("timestamp", "interval"))
            parts.append(f"{due} less {interval} is when it was fetched")
        if given := [role for role in self.roles if role in self.given]:
            parts.append(f"{self._as(given)} as named")
        if "content" in self.roles and "fingerprint" not in self.roles:
            parts.append(f"the SHA-1 of {short(self.roles['content'])} is the fingerprint")
        if self.unused:
            parts.append(f"not used: {listing(self.unused)}")
        if self.foreign:
            parts.append(
                "not all is UTF-8: other bytes stand as %E9; convert it first, as with: iconv"
                " -f WINDOWS-1252 -t UTF-8"
            )
        return "columns: " + "; ".join(parts)

    def _as(self, roles: list[str]) -> str:
        return ", ".join(
            role if plain_name(self.roles[role]) == role else f"{short(self.roles[role])} as {role}"
            for role in roles
        )


def role_of(given: str) -> str:
    """The role that goes by that name, or by that of a column that has it: ``text`` is content."""
    if given in ROLES:
        return given
    return next((role for role, names in ROLES.items() if given in names), given)


def assign_roles(names: list[str], chosen: dict[str, str | None]) -> Columns:
    """Which column of a table plays which role.

    Args:
        names: the table's columns.
        chosen: role to column name, as the user said; roles are those of ROLES and ``id``; None: no
            column. With the key PAGES, the column of role content is given that key, too.

    Raises:
        UsageError: an unknown role, a named column that the table lacks, or none for the URL.
        DataError: no column looks like the URL, or it is a list that we wrote.
    """
    roles: dict[str, str] = {}
    by_name = {plain_name(name): name for name in reversed(names)}
    for role, name in chosen.items():
        if role == PAGES:
            continue
        if role not in ROLES and role != "id":
            roles_known = [*ROLES, "id"]
            raise UsageError(
                f"no such column role {role!r}{did_you_mean(role, roles_known)}; roles are:"
                f" {', '.join(roles_known)}"
            )
        if name is None:
            if role == "url":
                raise UsageError("a table needs a column url; only other roles can be left out")
            continue
        found = name if name in names else by_name.get(plain_name(name) or name)
        if found is None:
            meant = did_you_mean(name, names)
            raise UsageError(f"no column {name!r} in the table{meant}; it has: {listing(names)}")
        roles[role] = found
    given = frozenset(roles)
    by_inner = {inner_name(name): name for name in reversed(names)}
    free = {*names} - _objects(names)
    for known_as in (by_name, by_inner):
        _by_name(roles, known_as, free, {*chosen})
    if NUTCHS in by_name and "redirect" not in roles and "redirect" not in chosen:
        where = next((by_inner[name] for name in NUTCHS_STATUS if name in by_inner), None)
        roles |= {"redirect": where} if where and where not in roles.values() else {}
    if KEY_OF_AN_INDEX in by_name and "length" not in given:
        roles.pop("length", None)
    if plain_name(roles.get("timestamp", "")) != DUE:
        roles.pop("interval", None)
    if "url" not in roles:
        raise DataError(f"no URL column among: {listing(names)}; name it with --column url=NAME")
    if OF_OUR_LISTS in names and "url" not in given:
        raise DataError(
            f"a list that replicadb wrote, by its column {OF_OUR_LISTS}; --column url=NAME reads it"
        )
    used = tuple(f"{name}." for name in roles.values())
    unused = tuple(name for name in names if not any(u.startswith(f"{name}.") for u in used))
    if PAGES in chosen and "content" in roles:
        roles[PAGES] = roles["content"]
    in_order = {role: roles[role] for role in [*ROLES, "id", PAGES] if role in roles}
    return Columns(in_order, given, unused)


def _objects(names: list[str]) -> set[str]:
    """Names of objects that hold a column which is known by its name. (Beside a column ``url``
    there may be one that is called ``url.keyword``.)
    """
    known = {plain_name(name) for names in ROLES.values() for name in names}
    inside = (name.rpartition(".") for name in names)
    return {name for name, _, last in inside if is_wrapper(name) and plain_name(last) in known}


def _by_name(
    roles: dict[str, str], known_as: dict[str, str], free: set[str], chosen: set[str]
) -> None:
    """Give each role that nobody chose the best of its names that is free."""
    for role, known_names in ROLES.items():
        for known in map(plain_name, known_names):
            wanted = role not in roles and role not in chosen
            if wanted and known_as.get(known) in free - {*roles.values()}:
                roles[role] = known_as[known]


@functools.lru_cache(maxsize=1 << 14)
def plain_name(name: str) -> str:
    """A name without what does not matter: case, blanks and punctuation, and that as ``%2E``, which
    is how StormCrawler writes a full stop.
    """
    return re.sub(r"%2e|[\W_]+", "", name.casefold())


def inner_name(name: str) -> str:
    """The plain name of a field inside of WRAPPERS."""
    first, dot, rest = name.partition(".")
    if dot and is_wrapper(first):
        return inner_name(rest)
    return plain_name(name)


def is_wrapper(name: str) -> bool:
    """Whether a name is that of an object whose fields are a row's own columns."""
    return plain_name(name) in map(plain_name, WRAPPERS)


def is_opened(name: str) -> bool:
    """Whether the fields of an object of that name are columns."""
    return plain_name(name) in map(plain_name, OPENED)


def listing(names: Iterable[str]) -> str:
    """Names for a message, a dozen of them at most."""
    names = list(names)
    shown = ", ".join(map(short, names[:12]))
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def short(name: str) -> str:
    """A name for a message: of one line, cut."""
    return " ".join(name.split())[:40] or repr(name)
