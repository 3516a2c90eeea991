"""The page of what ``load`` takes: names of columns, and what is no page, from the code's own
tables.
"""

from __future__ import annotations

from replicadb.cli.help_text import EXIT_CODES
from replicadb.cli.markdown import MADE_BY, paragraph, table
from replicadb.readers.json_documents import ANSWERS
from replicadb.readers.table_columns import ROLES, WRAPPERS
from replicadb.settings import PAGE_TYPES
from replicadb.web.file_types import TYPE_OF
from replicadb.web.machine_files import MACHINE_FILES


def loading_page() -> str:
    """Which columns a table may have, and which captures are pages, as Markdown."""
    return (
        "\n\n".join(
            [
                "# What is loaded",
                MADE_BY,
                *_columns(),
                *_lists_of_crawlers(),
                *_pages(),
                *_damaged(),
            ]
        )
        + "\n"
    )


def _columns() -> list[str]:
    rows = [
        (f"`{role}`", ", ".join(f"`{name}`" for name in names)) for role, names in ROLES.items()
    ]
    return [
        "## Columns of tables",
        paragraph(
            "A table (CSV, TSV, JSON Lines, Parquet) needs a column `url`; all others may be"
            " missing. Columns are known by these names, the best first; case, blanks and"
            " punctuation do not matter. `load` says in one line which column became what. Where"
            " there is no fingerprint, the SHA-1 of `content` is taken. A text of URLs or hosts,"
            " one a line, is read as it is; `--format urls` says so where its first URLs hold"
            " commas or semicolons. A file that was rejected as a whole, as with the wrong column,"
            " is loaded like a new one the next time."
        ),
        paragraph(
            "`--column ROLE=NAME` names another column, and `--column ROLE=` says that no column"
            " has that role. `--id-column NAME` keeps your own ids. `--dry-run` shows what would be"
            " loaded, and changes nothing."
        ),
        paragraph(
            "A field inside of an object or a struct is named as in `metadata.url`. Fields inside"
            " of these are found without being named: "
            + ", ".join(f"`{name}`" for name in WRAPPERS)
            + ". An object itself is no column. The columns of a CSV without a header have"
            " numbers, from 0 on: `--column url=0`. Remarks (`#`) may stand above a header, which"
            " may be the last of them, as in URLhaus' lists."
        ),
        table(("role", "names"), rows),
    ]


def _lists_of_crawlers() -> list[str]:
    return [
        "## Lists of crawlers",
        paragraph(
            "These are read as they are: Nutch's `readdb -dump -format csv`; hits of Elasticsearch"
            " or OpenSearch (`_source`), one a line or in the whole answer (`hits.hits`), so also"
            " StormCrawler's status index; browsertrix' `pages.jsonl` and log; Heritrix'"
            " `crawl.log`. Their words for a status are understood (`db_fetched`, `FETCHED`). What"
            " was not fetched is skipped. A URL without a scheme is read as `http://`. `N/A` and"
            " its like are no fingerprint. Nor is a value that stands on most rows and has not the"
            " form of a digest. Exports of crawlers for search engine optimisers are read as they"
            " are, too (`Address`, `Status Code`, `Title 1`, `Canonical Link Element 1`, `Size"
            " (bytes)`, `Hash`). Of two columns the number goes before the word (`Status Code`"
            " before `Status`). Words behind a number do no harm (`404 Not Found`). Of a status"
            " that is not understood (`OK` alone) a note says on how many rows it stands: these are"
            " kept. Results of scanners are read as they are, as httpx and katana write them; of"
            " httpx' hashes, in JSON and in CSV, only those of the body count. So are answers in"
            " one document whose items stand in "
            + ", ".join(f"`{'.'.join(place)}`" for place in ANSWERS)
            + ": Elasticsearch's, Solr's, and of services that crawl. A row with status 0 and"
            " neither fingerprint nor title was not fetched. The"
            " `length` in answers of CDX servers and of Common Crawl's (beside `urlkey`) is that of"
            " a compressed record, and is no page's. browsertrix' lists and log have no digests. So"
            " of a folder in which `archive/` with WARC files stands beside `pages/` and `logs/`,"
            " these are left out, as of a WACZ; a file that is named is loaded."
        ),
        paragraph(
            "**Times of fetches.** Nutch's `Fetch Time` is when a page is due again, whatever its"
            " status: its last fetch and the interval. So a page counts as fetched `Retry interval"
            " seconds` earlier, where that column (role `interval`) is there. An adaptive schedule"
            " that moves fetches together makes this inexact by part of an interval."
            " StormCrawler's `nextFetchDate` is not the time of a fetch. Where its metadata were"
            " kept, `lastProcessedDate` is, and `_redirTo` is a redirect."
            " Where a redirect leads, Nutch says in `_pst_`, among its metadata."
        ),
        paragraph(
            "**Zones and letters.** Nutch writes times in the zone of its machine. `UTC`,"
            " `GMT-03:00` and the usual names (`EST`, `CEST`, `JST` ...) are understood. `CST`,"
            " `IST` and `BST` mean several zones, so these and unknown names are read as UTC."
            " Nutch's CSV does not double quotation marks, and writes one byte a character. So a"
            " bare quotation mark in a URL is lost, and so is everything beyond Latin-1. URLs that"
            " Nutch's normalizers made have neither."
        ),
        paragraph(
            "**Tried on** real logs of Heritrix; on Nutch's CSV and StormCrawler's index as their"
            " own code writes our records, the index through elasticdump (`fixtures/README.md` in"
            " the source says how); and, for Nutch's `-format json`, browsertrix' lists,"
            " httpx and katana, on lines in the form that their sources give. elasticdump's CSV"
            " leaves out metadata, and"
            " with them the fingerprint: take its JSON."
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
            " out. `--all-types` keeps every status and takes every file for a page. Redirects"
            " become links all the same."
        ),
        paragraph(
            "Where no type is recorded, the name of a file says it: what ends in "
            + ", ".join(f"`.{ending}`" for ending in sorted(TYPE_OF))
            + " is no page. A name with a colon is none of a file: `/wiki/File:Tower.jpg` is a"
            " page about one. `--all-types` reads no names."
        ),
        "## Machine files",
        paragraph(
            "Files that a site has for programs are no pages, and unrelated sites have much the"
            " same ones. So these are left out and counted. They are known by the path of their"
            " URL, nearly always whatever their type. `/sitemap` and `/sitemap.html` are pages."
            " `--machine-files` keeps them, and so does `--all-types`. In a path `**/` is any"
            " folder, `*` any part of a name, `#` a hexadecimal digit."
        ),
        table(("kind", "for", "paths"), kinds),
    ]


def _damaged() -> list[str]:
    return [
        "## Damaged files, and exit codes",
        paragraph(
            "What is left of a damaged file is loaded. A record that cannot be read is rejected,"
            " counted and named in the table `rejects`. A file that is cut off, as a gzip of which"
            " the download stopped, is loaded up to there and has one reject, whose reason begins"
            " with `file ends inside a record`. That is said even with `--quiet`. But the exit code"
            " is 0, where something was kept."
        ),
        paragraph(
            "`load` leaves with 1 where a file could not be loaded at all, or where nothing was"
            " kept. Of a folder, files that are no crawl are left out, and do not count; those do"
            " that are damaged, or that you may not read. Files that were loaded before do not"
            " count: a load that was stopped and is given again leaves with 1 where the files that"
            " were left to it keep nothing. What it could load is loaded all the same. So a"
            " pipeline that must not go on with half of a file"
            " asks for rejects, too: `replicadb info web.duckdb --json` has their number"
            " (`rejects`) and their reasons (`reject_reasons`); in Python `load` returns"
            " `rejected`."
        ),
        paragraph(EXIT_CODES),
    ]
