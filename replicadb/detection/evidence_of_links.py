"""The end of the catalogue of evidence (``evidence.py``): links, titles, who runs a site,
languages, and what pages keep whose contents differ.
"""

from __future__ import annotations

from replicadb.detection.piece import ROBUST, Piece

LINKS_AND_TITLES: tuple[Piece, ...] = (
    Piece(
        name="link_overlap",
        group="links",
        phrase="share of outside links in common: {:.2f}",
        definition=(
            "Share of the outside URLs that a host links to (the host with fewer; by inverse pair "
            "frequency) that the other links to too."
        ),
        sql="coalesce(target_weight, 0) / (lesser_targets + $scale)",
        null="a host has no such links",
        used_by=ROBUST,
    ),
    Piece(
        name="linked",
        group="links",
        phrase="share of pages that link to the other: {:.2f}",
        definition=(
            "Share of a host's URLs that link to one URL of the other host (that which most link "
            "to), the higher of both; drawn to 0 by one URL."
        ),
        sql="CASE WHEN have_links THEN coalesce(linked, 0) END",
        null="no links of either are loaded",
        used_by=ROBUST,
        beside=True,
    ),
    Piece(
        name="canonical",
        group="links",
        phrase="share of canonical links and redirects to the other: {:.2f}",
        definition=(
            "Share of a host's canonical links and redirects that lead to the other host, the "
            "higher of both."
        ),
        sql="CASE WHEN have_names THEN coalesce(canonical, 0) END",
        null="neither has any",
        used_by=ROBUST,
        beside=True,
    ),
    Piece(
        name="size_agreement",
        group="changed pages",
        phrase="changed pages of the same length: {:.2f}",
        definition=(
            "Of the pages that stand at equal tails (last path segments) and differ, the share of "
            "one length but for 3 %, drawn to 1/10 by two pages: pages fetched at another time or "
            "written down anew keep their length."
        ),
        sql="CASE WHEN n_sized > 0 THEN (n_close + 0.2) / (n_sized + 2) END",
        null="no such pages of known length",
        used_by=ROBUST,
    ),
    Piece(
        name="title_agreement",
        group="changed pages",
        phrase="changed pages of the same title: {:.2f}",
        definition=(
            "Of the pages that stand at equal tails and differ, the share with one title but for "
            "the site's name, drawn to 1/10 by two pages."
        ),
        sql="CASE WHEN n_titles > 0 THEN (n_titled + 0.2) / (n_titles + 2) END",
        null="no such pages with titles",
        used_by=ROBUST,
    ),
    Piece(
        name="title_overlap",
        group="titles",
        phrase="share of page titles in common: {:.2f}",
        definition=(
            "Share of the page titles of the host with fewer, by inverse pair frequency, that the "
            "other has too."
        ),
        sql="coalesce(title_weight, 0) / (lesser_titles + $scale)",
        null="a host has none that few enough hosts have",
        used_by=ROBUST,
        beside=True,
    ),
    Piece(
        name="identifier_overlap",
        group="owners",
        phrase="share of what one says of who runs it that the other says too: {:.2f}",
        definition=(
            "Share of the identifiers (accounts of analytics and advertising, mail addresses, "
            "wallets, names of servers, what was met of TLS) of the host that has less of them, by "
            "idf, that the other has too; 0 to 1, drawn to 0 by one. Weighed as decided pairs "
            "teach."
        ),
        sql="coalesce(identifier_weight, 0) / (lesser_identifiers + $own)",
        null="a host names none that few enough hosts have",
        used_by=ROBUST,
    ),
    Piece(
        name="same_language",
        group="languages",
        phrase="changed pages in the same language: {:.2f} (0.5 = nobody can say)",
        definition=(
            "Of the pages that stand at equal tails (last path segments) and differ, the share in "
            "one language, drawn by two pages to what the main languages of the two hosts say: 0 "
            "to 1. Where these are the same that is the share of a host's pages in its language "
            "(drawn to 0 by one page, 1/2 at least, the lower of both hosts), where they differ 1 "
            "less that share, where nothing is known 1/2. It tells translations, and is weighed "
            "by nobody."
        ),
        sql=(
            "CASE WHEN spoken > 0 OR one_language IS NOT NULL "
            "THEN (coalesce(n_one_language, 0) + 2 * coalesce(one_language, 0.5)) / (spoken + 2) "
            "END"
        ),
        null="no language is known of either, or codes of two letters meet codes of three",
    ),
)
