"""Pages as vectors of terms, for every method that sees terms: stop words out, stems together,
fields weighted.

Invariant: a page's vector depends on its own terms and on the options alone, never on the
other pages; weights are whole numbers; a page of which nothing is known but the words of its URL
has none.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from replicadb.errors import UsageError
from replicadb.given_file import given_text
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.store.database import Database
from replicadb.web.terms import words


def build_vectors(
    db: Database,
    options: PageOptions,
    weighted: bool = True,
    query: dict[str, dict[str, int]] | None = None,
    anchors: bool = True,
    once: bool = False,
) -> None:
    """Make the temporary tables ``term_weights`` (url_id, term_id, weight) and ``term_frequencies``
    (term_id, df); sql/near_duplicates/10_term_vectors.

    Args:
        options: stop_words and stem.
        weighted: fields weighted as Das et al. (2012), Table 1; else plain counts of all fields but
            the URL.
        anchors: without field weights only: texts of links count as other words do; else an eighth,
            so that they decide where a page has hardly any others, a list of links.
        once: with field weights: the words of headings and links count there and not in the main
            text, too.
        query: a page from outside, field name to term to count; it gets url_id -1, its new terms
            ids of their own.

    Raises:
        UsageError: an unknown language, or a file of stop words that cannot be read.
    """
    # as compared_pages in near_duplicates/10_term_vectors
    has_words = query is not None and any(name != "url" for name in query)
    db.register("query_words", _query_rows(query if query and has_words else {}))
    db.execute("CREATE OR REPLACE TEMP TABLE query_counts AS FROM query_words")
    db.con.unregister("query_words")
    db.execute("""CREATE OR REPLACE TEMP TABLE vocabulary AS
        FROM terms UNION ALL
        SELECT
            (SELECT coalesce(max(term_id), 0) FROM terms) + row_number() OVER (ORDER BY term),
            term
        FROM (SELECT DISTINCT term FROM query_counts ANTI JOIN terms USING (term))""")
    db.execute(
        """CREATE OR REPLACE TEMP TABLE query_terms AS
        SELECT f.field, v.term_id, a.n
        FROM query_counts AS a
        JOIN page_fields AS f ON f.name = a.field
        JOIN vocabulary AS v USING (term)"""
    )
    db.execute(
        "CREATE OR REPLACE TEMP TABLE field_weights AS SELECT field, "
        + (
            f"(2 * weight)::INTEGER AS doubled, {once} AND name = 'text' AS body,"
            " (name = 'heading' OR name LIKE 'anchor%') AS inside FROM page_fields"
            if weighted
            else (
                f"CASE WHEN name LIKE 'anchor%' THEN {16 if anchors else 2} ELSE 16 END AS doubled,"
                " false AS body, false AS inside FROM page_fields WHERE name <> 'url'"
            )
        )
    )
    _choose_terms(db, options)
    stage_texts(db)
    db.run("near_duplicates/10_term_vectors")


def _query_rows(query: dict[str, dict[str, int]]) -> pa.Table:
    rows = [(field, term, n) for field, counts in query.items() for term, n in counts.items()]
    schema = pa.schema([("field", pa.string()), ("term", pa.string()), ("n", pa.int32())])
    return pa.table(
        [pa.array([row[i] for row in rows], schema.field(i).type) for i in range(3)], schema=schema
    )


def _choose_terms(db: Database, options: PageOptions) -> None:
    """Make ``chosen_terms`` (term_id, stem_id, stem): the vocabulary without stop words, each term
    with the lowest id of its stem.
    """
    left_out = stop_words(options.stop_words)
    if not options.stem:
        db.execute(
            """CREATE OR REPLACE TEMP TABLE chosen_terms AS
            SELECT term_id, term_id AS stem_id, term AS stem
            FROM vocabulary
            WHERE NOT list_contains($stop::VARCHAR[], term)""",
            {"stop": left_out},
        )
        return
    chosen = db.arrow(
        "SELECT term_id, term FROM vocabulary WHERE NOT list_contains($stop::VARCHAR[], term) ORDER"
        " BY term_id",
        {"stop": left_out},
    )
    stems = stemmed(chosen.column("term").to_pylist(), options.stem)
    db.register("stems", chosen.append_column("stem", pa.array(stems, pa.string())))
    db.execute(
        "CREATE OR REPLACE TEMP TABLE chosen_terms AS SELECT term_id, min(term_id) OVER (PARTITION"
        " BY stem) AS stem_id, stem FROM stems"
    )
    db.con.unregister("stems")


def stemmed(terms: list[str], language: str) -> list[str]:
    """The stem of each term, by Snowball.

    Raises:
        UsageError: no stemmer for the language, or snowballstemmer is not installed.
    """
    try:
        import snowballstemmer
    except ImportError as error:
        raise UsageError(
            "stems need snowballstemmer, which is not installed; install it with: pip install"
            " 'replicadb[pages]'"
        ) from error
    if language not in snowballstemmer.algorithms():
        raise UsageError(
            f"no stemmer for {language!r}; there are:"
            f" {', '.join(sorted(snowballstemmer.algorithms()))}"
        )
    stems: list[str] = snowballstemmer.stemmer(language).stemWords(terms)
    return stems


def _english() -> list[str]:
    """318 English stop words, of the Glasgow information retrieval group."""
    try:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
    except ImportError as error:
        raise UsageError(
            "english stop words are those of scikit-learn, which is not installed; install it with:"
            " pip install 'replicadb[pages]'"
        ) from error
    return sorted(set(words(" ".join(ENGLISH_STOP_WORDS))))


def stop_words(named: str | None) -> list[str]:
    """The words of a file, one or more a line; scikit-learn's list for ``english``; [] for none.

    Raises:
        UsageError: the file cannot be read, or scikit-learn is not installed.
    """
    if named is None:
        return []
    if named == "english":
        return _english()
    try:
        return sorted(set(words(given_text(named))))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise UsageError(f"stop words {named}: cannot be read: {reason}") from error


def sparse_matrices(who_needs: str) -> Any:
    """SciPy's sparse matrices, ``scipy.sparse``.

    Args:
        who_needs: how the message begins where there is no SciPy, as ``mwo needs``.

    Raises:
        UsageError: SciPy is not installed.
    """
    try:
        from scipy import sparse
    except ImportError as error:
        raise UsageError(
            f"{who_needs} SciPy, which is not installed; install it with: pip install"
            " 'replicadb[pages]'"
        ) from error
    return sparse
