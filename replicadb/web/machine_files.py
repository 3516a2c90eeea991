"""Machine files: what a site has for programs to fetch and no page of it; robots.txt, site maps,
icons.

Invariant: the place and name of a URL decide. Only a site map that is HTML is a page all the same,
and an icon that is a picture is one of the site's pictures. An answer in HTML at ``/robots.txt`` is
what a site says to every path, and no page either. Unrelated sites have many of them alike, word
for word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class MachineFile:
    """One kind of machine files."""

    kind: str
    """How it is counted in ``skips``."""
    paths: str
    """Its paths: ``**/`` is any folder, ``*`` any part of a name, ``#`` a hexadecimal digit."""
    meaning: str
    """For whom it is."""
    unless: str | None = None
    """RE2 of the media types with which it is none."""

    @property
    def pattern(self) -> str:
        """RE2 of the whole path, without its query."""
        signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "#": "[0-9a-f]", " ": "|"}
        return re.sub(r"\*\*/|\*\*|\*|#| |\.", lambda sign: signs.get(sign[0], r"\."), self.paths)


MACHINE_FILES = (
    MachineFile("robots.txt", "/robots.txt", "crawlers: what they may fetch"),
    MachineFile(
        "site map",
        "/**/*sitemap*.xml /**/*sitemap*.xml.gz /**/*sitemap*.txt /**/*sitemap*.txt.gz",
        "crawlers: the URLs of a site; a page where its type is HTML",
        unless=r"text/html|application/xhtml\+xml",
    ),
    MachineFile(
        "ads.txt", "/ads.txt /app-ads.txt /sellers.json", "advertisers: who may sell its space"
    ),
    MachineFile(
        "icon",
        "/**/favicon*.ico /**/favicon*.png /**/favicon*.gif /**/favicon*.svg"
        " /**/apple-touch-icon*.png /**/apple-touch-startup-image*.png /**/android-chrome*.png"
        " /**/mstile*.png",
        "browsers and telephones; a picture where its type is one",
        unless="image/.*",
    ),
    MachineFile(
        "manifest",
        "/**/*.webmanifest /**/manifest.json /**/browserconfig.xml /**/opensearch.xml"
        " /**/wlwmanifest.xml",
        "browsers and editors: how to install, search or edit the site",
    ),
    MachineFile(
        "cross-domain policy",
        "/crossdomain.xml /clientaccesspolicy.xml",
        "Flash, PDF readers and Silverlight: who may read its data",
    ),
    MachineFile(
        "notice",
        "/humans.txt /security.txt /trust.txt /llms.txt /llms-full.txt",
        "people and models that look for it: who made the site, whom to write to",
    ),
    MachineFile("well-known", "/.well-known/**", "programs (RFC 8615)"),
    MachineFile(
        "site verification",
        f"/google{'#' * 16}.html /BingSiteAuth.xml /yandex_{'#' * 16}.html /baidu_verify_*.html"
        f" /pinterest-{'#' * 5}.html",
        "search engines: whose the site is",
    ),
)
"""In the order in which they are tried."""

LIKELY = (
    r"\.(?:txt|xml|ico|png|gif|svg|json|webmanifest|well-known)"
    r"|/(?:google|yandex_|baidu_verify_|pinterest-)[^/]*\.html"
)
"""RE2 that finds something in each of them, and is quick to say no."""
