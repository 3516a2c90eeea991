"""What all pages share: the frame with style, menu and script, and a chart with its caption.

Invariant: a page asks for nothing from outside: its policy forbids every request, and every script
but the one it carries (by digest). What a chart is saved from are pictures made in the page itself
(``data:``).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replicadb.report.safe_text import esc

STATIC = Path(__file__).parent / "static"
Section = tuple[str, str, str]
"""Its key in the address, its title (plain text) and its finished HTML."""


def frame(
    title: str,
    header: str,
    sections: Sequence[Section],
    result: dict[str, Any],
    more: Sequence[str] = (),
    data: dict[str, Any] | None = None,
) -> str:
    """A whole page.

    Args:
        title: plain text. header: finished HTML.
        result: says who made it, and when: ``replicadb``, ``made_at``.
        more: names of further styles and scripts in ``static``, beside those of all pages.
        data: JSON values for the script, in ``<script id="data">``.
    """
    names = ("page", *more)
    styles, scripts = (
        "".join(
            (STATIC / f"{name}.{kind}").read_text("utf-8")
            for name in names
            if (STATIC / f"{name}.{kind}").is_file()
        )
        for kind in ("css", "js")
    )
    contents = "".join(f'<li><a href="#{key}">{esc(name)}</a></li>' for key, name, _ in sections)
    body = "".join(
        f'<section id="{key}"><h2>{esc(name)}</h2>\n{text}</section>\n'
        for key, name, text in sections
    )
    made = (
        f"Made by replicadb {esc(result.get('replicadb') or '')} on"
        f" {esc(result.get('made_at') or 'an unknown day')}."
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{esc(title)}</title>
<style>
{styles}</style>
</head>
<body>
<header>
{header}</header>
<nav aria-label="Contents"><ul>{contents}</ul></nav>
<main>
{body}</main>
<footer><p>{made} It needs no connection; all numbers are in the page itself.</p></footer>
{_data_block(data)}<script>{scripts}</script>
</body>
</html>
"""


def _policy(scripts: str) -> str:
    digest = base64.b64encode(hashlib.sha256(scripts.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


_MARKUP = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def _data_block(data: dict[str, Any] | None) -> str:
    """Values for the script. No character of it can end the element or begin another."""
    if data is None:
        return ""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f'<script type="application/json" id="data">{text.translate(_MARKUP)}</script>\n'


def panel(svg: str | None, heading: str, words: str, missing: str = "Nothing to draw.") -> str:
    """One chart with its caption (``words`` is finished HTML)."""
    drawing = svg or f'<p class="empty">{esc(missing)}</p>'
    return f"<figure><h3>{esc(heading)}</h3>{drawing}<figcaption>{words}</figcaption></figure>\n"
