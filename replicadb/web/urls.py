"""URLs in their WHATWG form: an ordinary URL is taken apart in SQL, an odd one by a browser's
parser.

Invariant: the SQL way and the parser agree on every URL that the SQL way accepts (tested),
so which of the two took a URL is only a matter of speed. Lower-case IDNA host, no userinfo, no
default port, no trailing dot, no fragment, dot segments resolved, empty path ``/``. Source: WHATWG
URL Standard, section 4.
"""

from __future__ import annotations

import ipaddress
import re

import can_ada

from replicadb.errors import UsageError
from replicadb.settings import HOST_MAX_BYTES, URL_MAX_BYTES

SCHEME = re.compile(r"^\s*([a-zA-Z][a-zA-Z0-9+.-]*):")
HOST_FIRST = re.compile(
    r" *(?://)?(?:(\d{1,3}(?:\.\d{1,3}){3})|(?:[\w-]+\.)+(xn--[\w-]+|[^\W\d_]{2,}))\.?(?::\d+)?"
    r"(?:[/?#]|\s*$)"
)
"""An address, or a name and its last label, at the beginning of a URL without a scheme."""
FILE_ENDINGS = frozenset(
    "asp aspx cfm cgi css csv doc gif htm html ico jpeg jpg js json jsp pdf php png svg txt xhtml"
    " xml".split()
)
"""Ends of names that are files rather than hosts; none is a top-level domain."""
TOO_LONG = f"URL longer than {URL_MAX_BYTES} bytes"
FANGS = re.compile(r"\[\.\]|\(\.\)|\[dot\]", re.I)
BLANKS = " \t\n\r\f"  # that HTML allows around a URL
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
HOST_NAME = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
"""A host that can be looked up, or an address; URLs may have other characters, too."""


def parse_url(url: str) -> tuple[str | None, str | None, str | None, str | None]:
    """Take one URL apart by WHATWG rules.

    Returns:
        ``(origin, host, path, reason)``: origin is ``scheme://host[:port]``, path has its query
        string. Where it cannot be a page's URL the first three are None and reason says why, in a
        few words.
    """
    if len(url.encode("utf-8", "replace")) > URL_MAX_BYTES:
        return None, None, None, TOO_LONG
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
    except TypeError:  # halves of surrogate pairs, as arguments have them that are no UTF-8
        return None, None, None, "URL is no UTF-8"
    host = parsed.hostname.removesuffix(".")
    if not host:
        return None, None, None, "URL without a host"
    if host.endswith(".") or ".." in host or host.startswith("."):
        return None, None, None, "empty label in host"
    if len(host) > HOST_MAX_BYTES:
        return None, None, None, f"host longer than {HOST_MAX_BYTES} bytes"
    if parsed.port == "0":
        return None, None, None, "impossible host or port in URL"
    port = f":{parsed.port}" if parsed.port else ""
    search = parsed.search or (
        "?" if parsed.href.partition("#")[0].endswith("?") else ""
    )  # an empty query stays
    origin, path = f"{parsed.protocol}//{host}{port}", (parsed.pathname or "/") + search
    if len(origin) + len(path) > URL_MAX_BYTES:  # it grew by percent-encoding
        return None, None, None, TOO_LONG
    return origin, host, path, None


def refanged(text: str) -> str:
    """A name or URL as reports write it lest anybody follow it (``hxxps://a[.]example``), as it is
    meant; others stay.
    """
    return FANGS.sub(".", re.sub(r"^\s*hxxp(?=s?:)", "http", text, flags=re.I))


def given_host(text: object) -> str:
    """A host's name as somebody gave it, in any spelling.

    Raises:
        UsageError: it is no text, or an empty one.
    """
    if not isinstance(text, str):
        raise UsageError(f"{text!r}: no host name; give the name of a host as text")
    if not text.strip():
        raise UsageError("an empty host name; give the name of a host")
    return text


def spellings(text: str) -> tuple[str, ...]:
    """The sites that a text may mean, the likeliest first: itself, its host with the first path
    segment, its host; scheme, capitals, port and Unicode in the form that URLs have here.
    """
    text = refanged(text.encode("utf-8", "replace").decode())  # an argument may be no UTF-8
    rest = text.strip()
    scheme = re.match("([a-zA-Z][a-zA-Z0-9+.-]*:)?//", rest)
    rest = rest[scheme.end() :] if scheme else rest
    host = parse_url("http://" + re.split("[/?#]", rest)[0] + "/")[1]
    if host is None:
        return (text,)
    segment = re.split("[?#]", rest)[0].split("/")[1:2]
    return tuple(dict.fromkeys([text, *(f"{host}/{part}" for part in segment if part), host]))


def host_name(text: str) -> str | None:
    """The host that a text names, as URLs have it; None where no name server could know it, as of
    ``*.example`` and ``a;b``, or where there is none, as in ``http://``.
    """
    meant = spellings(text)[-1]
    host = None if "//" in meant else parse_url(f"http://{meant.partition('/')[0]}/")[1]
    return host if host and HOST_NAME.fullmatch(host) else None


def parse_given_url(url: str) -> tuple[str | None, str | None, str | None, str | None]:
    """:func:`parse_url` of a URL as people write it: without a scheme (``example.com/a``), or a
    bare host name. It is read as ``http://``.
    """
    return parse_url("http://" + url.strip(" ").removeprefix("//") if lacks_scheme(url) else url)


def lacks_scheme(url: str) -> bool:
    """Whether a URL begins with its host. A host has a dot, and its end is no file's."""
    found = HOST_FIRST.match(url)
    return found is not None and (found[2] or "").lower() not in FILE_ENDINGS


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
