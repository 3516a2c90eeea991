"""Which column of a table plays which role: by its name, or as the user says.

The case of a name does not matter. Columns without a role are ignored.
"""

from __future__ import annotations

from replicadb.errors import DataError, UsageError

ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "url": "url url_url uri target_uri original_url original page_url address link",
        "ip": "ip ip_address host_ip ipaddress warc_ip_address ip_addr",
        "fingerprint": (
            "fingerprint digest content_digest payload_digest checksum sha1 sha-1 md5 sha256"
            " content_sha1 content_md5 hash content_hash norm"
        ),
        "timestamp": (
            "timestamp fetch_time fetched_at fetched crawl_time crawled_at date datetime time"
        ),
        "status": "status fetch_status statuscode status_code http_status",
        "mime": (
            "content_mime_detected mime-detected mime_detected mime mimetype mime_type"
            " content_mime_type content_type"
        ),
        "length": "length content_length payload_length size bytes",
        "redirect": "redirect fetch_redirect redirect_url location",
        "content": "content html text body",
        "links": "links outlinks out_links hrefs",
        "canonical": "canonical canonical_url rel_canonical canonical_link",
        "title": "title page_title html_title content_title",
    }.items()
}
"""Role of a column: the names it is known by, the best first."""

DIGEST_PREFIXES = {
    "sha1": "sha1:",
    "sha-1": "sha1:",
    "content_sha1": "sha1:",
    "md5": "md5:",
    "content_md5": "md5:",
    "sha256": "sha256:",
}
"""Name of a digest column: the algorithm that it names."""

PAGES = "pages"
"""Beside the roles: the column of role content, where the pages themselves are to be read."""


def assign_roles(names: list[str], chosen: dict[str, str | None]) -> dict[str, str]:
    """Which column of a table plays which role.

    Args:
        names: the table's columns.
        chosen: role to column name, as the user said; roles are those of ROLES and ``id``; None: no
            column. With the key PAGES, the column of role content is given that key, too.

    Returns:
        role to column name; ``url`` is always there.

    Raises:
        UsageError: an unknown role, or a named column that the table lacks.
        DataError: no column looks like the URL.
    """
    by_lower = {name.lower().strip(): name for name in reversed(names)}
    roles: dict[str, str] = {}
    for role, name in chosen.items():
        if name is None or role == PAGES:
            continue
        if role not in ROLES and role != "id":
            choices = ", ".join([*ROLES, "id"])
            raise UsageError(f"no such column role {role!r}; roles are: {choices}")
        if name not in names and name.lower() not in by_lower:
            raise UsageError(f"no column {name!r} in the table; it has: {_listing(names)}")
        roles[role] = name if name in names else by_lower[name.lower()]
    for role, known_names in ROLES.items():
        for known in known_names:
            free = role not in roles and role not in chosen
            if free and known in by_lower and by_lower[known] not in roles.values():
                roles[role] = by_lower[known]
    if "url" not in roles:
        raise DataError(f"no URL column among: {_listing(names)}; name it with --column url=NAME")
    if PAGES in chosen and "content" in roles:
        roles[PAGES] = roles["content"]
    return roles


def digest_prefix(roles: dict[str, str]) -> str:
    """The algorithm that the digest column's name says, as a prefix of its values; or nothing."""
    return DIGEST_PREFIXES.get(roles.get("fingerprint", "").lower().strip(), "")


def _listing(names: list[str]) -> str:
    shown = ", ".join(name[:40] for name in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")
