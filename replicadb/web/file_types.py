"""File types by name: what a file is whose type no one recorded.

Many tables of a crawl have no column of types. A picture counted as a page makes unrelated
sites alike: themes and libraries stand on them, byte for byte.

Invariant: only the ending of a path's last name decides, and only where no type is recorded. A name
with a colon is none of a file: ``/wiki/File:Tower.jpg`` is a page about one. Endings of pages
(``html``, ``php``, ``txt``, ``pdf`` ...) are not here: what is of no known type is a page.
"""

from __future__ import annotations

import re

FILE_TYPES = {
    "image/": "avif bmp gif heic jpg:jpeg jpeg png svg:svg+xml tif:tiff tiff webp ico:x-icon",
    "text/": "css csv js:javascript mjs:javascript",
    "font/": "woff woff2 ttf otf",
    "audio/": "flac m4a:mp4 mid:midi mp3:mpeg ogg wav",
    "video/": "avi:x-msvideo flv:x-flv m4v:mp4 mov:quicktime mp4 mpeg mpg:mpeg webm wmv:x-ms-wmv",
    "application/": (
        "7z:x-7z-compressed apk:vnd.android.package-archive atom:atom+xml"
        " bz2:x-bzip2 deb:vnd.debian.binary-package djvu:vnd.djvu dmg:x-apple-diskimage"
        " doc:msword docx:vnd.openxmlformats-officedocument.wordprocessingml.document"
        " eot:vnd.ms-fontobject epub:epub+zip exe:x-msdownload gz:gzip iso:x-iso9660-image"
        " jar:java-archive json msi:x-msi odp:vnd.oasis.opendocument.presentation"
        " ods:vnd.oasis.opendocument.spreadsheet odt:vnd.oasis.opendocument.text"
        " ppt:vnd.ms-powerpoint pptx:vnd.openxmlformats-officedocument.presentationml.presentation"
        " ps:postscript rar:vnd.rar rpm:x-rpm rss:rss+xml rtf swf:x-shockwave-flash"
        " tar:x-tar tgz:gzip wasm xls:vnd.ms-excel"
        " xlsx:vnd.openxmlformats-officedocument.spreadsheetml.sheet xml xz:x-xz zip"
    ),
}
"""Endings by the first part of their media types (IANA's); ``jpg:jpeg`` where the second part is
another word.
"""
TYPE_OF = {
    ending: first + (second or ending)
    for first, names in FILE_TYPES.items()
    for ending, _, second in (name.partition(":") for name in names.split())
}
"""Media type by ending, in small letters."""
_ENDING = "|".join(TYPE_OF)
FILE_NAME = (
    r"(?i)^(?:https?://[^/?#]*)?/(?:[^?#]*/)?(?:[^/?#:%]|%[^3]|%3[^a])*"
    rf"\.({_ENDING})(?:$|[?#])"
)
"""RE2 and ``re`` of a URL or path whose last name has such an ending; %3a is a colon."""
_FILE = re.compile(FILE_NAME)


def type_by_name(url: str) -> str | None:
    """The media type that the name of a URL or path says; None where it says none. SQL:
    sql/load/15_judged.
    """
    found = _FILE.match(url)
    return TYPE_OF[found[1].lower()] if found else None
