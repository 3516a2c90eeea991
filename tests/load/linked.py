"""What a database says of links."""

from __future__ import annotations

from .loaded import outlinks, rows


def targets(web) -> list[str]:
    return [url for _, _, url, _ in outlinks(web)]


def left_out(web, kind: str = "link") -> dict[str, int]:
    return dict(
        rows(
            web, f"SELECT reason, sum(n)::INTEGER FROM link_skips WHERE kind = '{kind}' GROUP BY 1"
        )
    )
