"""Pages of the generated crawl as markup, and small edits that make every one of them differ.

Invariant: the markup is a function of the row's content (rows of equal content have equal
markup, others do not); pages of one part of a site share its menu; different pages have texts of
their own, and a version of a page keeps its text but for a token or about an eighth. With edits,
what is added is a function of the row and of nothing else, and no two rows have the same markup;
all else of the crawl stays.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa

from replicadb.synthetic.crawl.draws import mix, pick, unit, within
from replicadb.synthetic.crawl.titles import Titles
from replicadb.synthetic.crawl.web import Web

EDITS = ("none", "small")
WORDS = (180, 480)
"""Fewest and most words of a text."""
ROWS_AT_A_TIME = 4_000
"""Pages written at a time: some hundred MB of words' hashes."""
HELPERS = ["_content", "_base", "_space", "_row", "_title"]


class Bodies:
    """The markup of a web's pages, in two steps: what it depends on beside the rows, then the text
    itself, some rows at a time.
    """

    def __init__(self, web: Web, titles: Titles, edits: str) -> None:
        self.web, self.titles, self.edits = web, titles, edits
        words = web.vocabulary
        self.words = pl.concat([words, words + ".", words + ".</p>\n<p>"])
        self.paths = "/" + words

    def columns(self, rows: dict[str, np.ndarray]) -> dict[str, pl.Series]:
        """What the markup of each row depends on: null for what is no page."""
        web, parts = self.web, self.web.parts
        host, part, page = rows["host"], rows["part"], rows["page"]
        own, content = rows["own"], rows["content"]
        shows = web.is_page(part, page)
        version = (content == mix(web.tag, 75, own, host)) | (
            content == mix(web.tag, 78, own, host)
        )
        row = mix(web.tag, 701, host, part, page, np.arange(len(host)))
        made = {
            "_content": content,
            "_base": np.where(version, own, content),
            "_space": parts.contents[part].astype(np.uint64),
            "_row": row,
        }
        return {
            name: pl.select(
                pl.when(pl.Series(shows)).then(pl.Series(column.astype(np.uint64)))
            ).to_series()
            for name, column in made.items()
        } | {"_title": self.titles.of(rows)}

    def fill(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows with their html, its digest as fingerprint and its bytes as length; the columns of
        :meth:`columns` are dropped.
        """
        pages = frame.with_row_index("_at").filter(pl.col("_content").is_not_null())
        first = pages.unique("_content", keep="first", maintain_order=True)
        before, after = self._markup(first)
        whole = first.select("_content", before=before, after=after)
        edit = self._edit(pages["_row"].to_numpy()) if self.edits == "small" else pl.lit("")
        html = (
            pages.select("_at", "_content", edit=edit)
            .join(whole, on="_content", how="left", maintain_order="left")
            .select("_at", html=pl.concat_str("before", "edit", "after"))
        )
        made = html.with_columns(
            _digest=_sha1(html["html"]), _bytes=pl.col("html").str.len_bytes().cast(pl.Int32)
        )
        return (
            frame.with_row_index("_at")
            .join(made, on="_at", how="left", maintain_order="left")
            .with_columns(
                fingerprint=pl.coalesce("_digest", "fingerprint"),
                length=pl.coalesce("_bytes", "length"),
            )
            .drop("_at", "_digest", "_bytes", *HELPERS)
        )

    def _markup(self, pages: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
        """The markup before and behind the place where an edit stands, String (n,) each."""
        content, base, space = (pages[name].to_numpy() for name in ("_content", "_base", "_space"))
        title = pages.select(pl.col("_title").fill_null("")).to_series()
        menu, footer = self._menu(space), self._text(mix(space, 702), mix(space, 702), 18)
        text = self._text(base, content, None)
        token = np.where(base != content, mix(content, 703) >> np.uint64(40), 0)
        frame = pl.DataFrame(
            {"title": title, "menu": menu, "text": text, "footer": footer, "token": token}
        )
        both = frame.select(
            before=pl.concat_str(
                pl.lit('<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>'),
                "title",
                pl.lit("</title></head>\n<body><ul>"),
                "menu",
                pl.lit('</ul>\n<div class="content"><h1>'),
                "title",
                pl.lit("</h1>\n<p>"),
                "text",
                pl.lit("</p>\n"),
                pl.when(pl.col("token") > 0)
                .then(
                    pl.concat_str(pl.lit("<p>"), pl.col("token").cast(pl.String), pl.lit("</p>\n"))
                )
                .otherwise(pl.lit("")),
            ),
            after=pl.concat_str(
                pl.lit('</div>\n<div class="footer"><p>'),
                "footer",
                pl.lit("</p></div></body></html>\n"),
            ),
        )
        return both["before"], both["after"]

    def _menu(self, space: np.ndarray) -> pl.Series:
        """Six to fifteen links of the part's site."""
        n = 6 + pick(mix(space, 704), 10)
        k, row = within(n), np.repeat(np.arange(len(n)), n)
        word = pick(mix(space[row], 705, k), len(self.paths))
        items = pl.select(
            pl.concat_str(
                pl.lit('<li><a href="'),
                self.paths.gather(word),
                pl.lit('">'),
                self.web.vocabulary.gather(word),
                pl.lit("</a></li>"),
            )
        ).to_series()
        return _joined(items, n, "")

    def _text(self, base: np.ndarray, content: np.ndarray, n_words: int | None) -> pl.Series:
        """Texts in sentences and paragraphs, String (n,): the words of ``base``; half of the
        versions have some of their own.
        """
        low, high = WORDS
        n = np.full(len(base), n_words) if n_words else low + pick(mix(base, 706), high - low)
        k, row = within(n), np.repeat(np.arange(len(n)), n)
        start = pick(mix(content, 707), n)[row]
        new = (
            (base != content)[row]
            & (unit(mix(content, 708))[row] < 0.5)
            & (k >= start)
            & (k < start + n[row] // 8)
        )
        total = len(self.web.vocabulary)
        word = (total * unit(mix(np.where(new, content[row], base[row]), 709, k)) ** 3).astype(
            np.int64
        )
        ends = np.where(k % 61 == 60, 2, np.where(k % 11 == 10, 1, 0)) * (k < n[row] - 1)
        return _joined(self.words.gather(word + total * ends), n, " ")

    def _edit(self, row: np.ndarray) -> pl.Series:
        """A date, a counter, a banner or an advertisement, and a request's number that is not seen.
        String (n,).
        """
        vocabulary = self.web.vocabulary
        kind = pick(mix(row, 711), 4)

        def number(salt: int, low: int, high: int) -> pl.Series:
            return pl.Series(low + pick(mix(row, salt), high - low)).cast(pl.String)

        def word(salt: int) -> pl.Series:
            return vocabulary.gather(pick(mix(row, salt), len(vocabulary)))

        date = pl.select(
            pl.concat_str(
                number(712, 2008, 2015),
                pl.lit("-"),
                number(713, 10, 13),
                pl.lit("-"),
                number(714, 10, 29),
                pl.lit(" "),
                number(715, 10, 24),
                pl.lit(":"),
                number(716, 10, 60),
            )
        ).to_series()
        many = pl.select(pl.concat_str(number(717, 1, 10**6), pl.lit(" "), word(718))).to_series()
        banner = pl.select(
            pl.concat_str(*(word(720 + i) for i in range(4)), separator=" ")
        ).to_series()
        ad = pl.select(pl.concat_str(*(word(730 + i) for i in range(9)), separator=" ")).to_series()
        frame = pl.DataFrame(
            {"kind": kind, "date": date, "many": many, "banner": banner, "ad": ad, "row": row}
        )
        chosen = (
            pl.when(pl.col("kind") == 0)
            .then("date")
            .when(pl.col("kind") == 1)
            .then("many")
            .when(pl.col("kind") == 2)
            .then("banner")
            .otherwise("ad")
        )
        return frame.select(
            pl.concat_str(
                pl.lit("<p>"),
                chosen,
                pl.lit("</p><!-- "),
                pl.col("row").cast(pl.String),
                pl.lit(" -->\n"),
            )
        ).to_series()


def _joined(items: pl.Series, count: np.ndarray, between: str) -> pl.Series:
    """The first count[0] items as one text, then the next count[1], ... String (n,)."""
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), items.to_arrow())
    return pl.Series(lists).list.join(between)


def _sha1(texts: pl.Series) -> pl.Series:
    """The SHA-1 of each text, as 40 hex digits."""
    import duckdb

    with duckdb.connect(":memory:") as con:
        con.register("texts", pl.DataFrame({"text": texts}).to_arrow())
        found = con.sql("SELECT sha1(text) AS digest FROM texts").to_arrow_table()
    return pl.Series("digest", found.column("digest"))
