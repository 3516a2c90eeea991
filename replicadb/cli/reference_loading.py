"""The page of what ``load`` takes: names of columns, and what is no page, from the code's own
tables.
"""

from __future__ import annotations

from replicadb.cli.markdown import MADE_BY, paragraph, table
from replicadb.readers.table_columns import ROLES, WRAPPERS
from replicadb.settings import PAGE_TYPES
from replicadb.web.machine_files import MACHINE_FILES


def loading_page() -> str:
    """Which columns a table may have, and which captures are pages, as Markdown."""
    return "\n\n".join(["# What is loaded", MADE_BY, *_columns(), *_pages()]) + "\n"


def _columns() -> list[str]:
    rows = [
        (f"`{role}`", ", ".join(f"`{name}`" for name in names)) for role, names in ROLES.items()
    ]
    return [
        "## Columns of tables",
        paragraph(
            "A table (CSV, TSV, JSON Lines, Parquet) needs a column `url`; all others may be"
            " missing. A column is known by these names, the best first; case, blanks and"
            " punctuation do not matter. `load` says in one line which column became what. Where"
            " there is no fingerprint, the SHA-1 of `content` is one. A text of URLs or hosts, one"
            " a line, is read as it is."
        ),
        paragraph(
            "`--column ROLE=NAME` says otherwise, `--column ROLE=` that no column has that role."
            " `--id-column NAME` keeps your own ids. `--dry-run` shows what would be, and changes"
            " nothing."
        ),
        paragraph(
            "A field inside of an object or a struct is called as in `metadata.url`, and can be"
            " named so. By itself it is found in these: "
            + ", ".join(f"`{name}`" for name in WRAPPERS)
            + ". The columns of a CSV without a header have numbers, from 0 on: `--column url=0`."
        ),
        table(("role", "names"), rows),
        paragraph(
            "Crawlers' own lists are read as they are: Nutch's `readdb -dump -format csv`, hits of"
            " Elasticsearch or OpenSearch (`_source`), one a line or in the whole answer"
            " (`hits.hits`), StormCrawler's status index among them, browsertrix' `pages.jsonl` and"
            " log, Heritrix' `crawl.log`. Their words for a status count (`db_fetched`, `FETCHED`);"
            " what was not fetched is skipped. A URL without a scheme is read as `http://`. `N/A`"
            " and its like are no fingerprint, nor is one value on most rows that has no digest's"
            " form."
        ),
        paragraph(
            "Nutch's `Fetch Time` is when a page is due again, whatever its status: its last fetch"
            " and the interval. So a page counts as fetched `Retry interval seconds` before, where"
            " that column (role `interval`) stands beside it; an adaptive schedule that moves"
            " fetches together makes that inexact by part of an interval. StormCrawler's"
            " `nextFetchDate` is no time of a fetch; `lastProcessedDate` is one, where it was kept"
            " among the metadata, and `_redirTo` a redirect."
        ),
        paragraph(
            "Nutch writes times in the zone of its machine. `UTC`, `GMT-03:00` and the usual names"
            " (`EST`, `CEST`, `JST` ...) are understood. `CST`, `IST` and `BST` mean several zones,"
            " so these, and unknown names, are read as UTC. Nutch's CSV does not double quotation"
            " marks and writes one byte a character: a bare quotation mark in a URL is lost, and so"
            " is what lies beyond Latin-1. URLs that its normalizers made have neither."
        ),
        paragraph(
            "Tried on: real logs of Heritrix; Nutch's CSV and StormCrawler's index as their own"
            " writing code makes them of our records, the index through elasticdump"
            " (`fixtures/README.md` in the source says how); Nutch's `-format json` and"
            " browsertrix' lists on lines in the form of their sources. elasticdump's CSV leaves"
            " out metadata and with them the fingerprint: take its JSON."
        ),
    ]


def _pages() -> list[str]:
    kinds = [
        (file.kind, file.meaning, ", ".join(f"`{path}`" for path in file.paths.split()))
        for file in MACHINE_FILES
    ]
    return [
        "## Pages",
        paragraph(
            "A capture is kept where its status is 200 or unknown. It is a page where its type is"
            " one of "
            + ", ".join(f"`{kind}`" for kind in PAGE_TYPES)
            + " or unknown. Other files are evidence of their own, and `--pages-only` leaves them"
            " out. `--all-types` keeps every status, but redirects, which become links, and takes"
            " every file for a page."
        ),
        "## Machine files",
        paragraph(
            "What a site has for programs is no page of it, and unrelated sites have much of it"
            " alike. So these are left out and counted, by the path of their URL and nearly always"
            " whatever their type. `/sitemap` and `/sitemap.html` are pages. `--machine-files`"
            " keeps them, and so does `--all-types`. In a path `**/` is any folder, `*` any part of"
            " a name, `#` a hexadecimal digit."
        ),
        table(("kind", "for", "paths"), kinds),
    ]
