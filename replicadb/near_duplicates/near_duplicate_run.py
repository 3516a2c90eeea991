"""Runs of the page methods: ``fingerprint`` stores a method's matches and clusters, ``similar``
finds those of one page.

Invariant: one run is one transaction and replaces what that method found before, nothing of
the other methods; its key is a digest of what is loaded and of the options that the method reads,
so a method whose key stands in ``fingerprints`` need not run again. Source: docs/method.md#pages.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from replicadb.errors import DataError, LimitError, UsageError, need_count
from replicadb.likely_meant import did_you_mean
from replicadb.near_duplicates.chain_guard import clusters_of
from replicadb.near_duplicates.loaded_contents import has_contents, need_contents
from replicadb.near_duplicates.page_options import METHODS, PageOptions
from replicadb.near_duplicates.registry import finder
from replicadb.near_duplicates.term_vectors import stop_words
from replicadb.settings import Clusters
from replicadb.store import run_log
from replicadb.store.arrow import insert_arrow
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from replicadb.near_duplicates.query_page import QueryPage

Report = Callable[[str], None]
"""Called with one line on what was found, as soon as it is known."""

_TERMS, _SIGNATURE = ("stop_words", "stem"), ("dimensions", "seed", "eps_rp")
READS: dict[str, tuple[str, ...]] = {
    "exact": ("level",),
    "simhash": ("bits", *_TERMS),
    "minhash": ("shingle", "permutations", "threshold", "seed", *_TERMS),
    "rp": (*_SIGNATURE, *_TERMS),
    "rp+hm": (*_SIGNATURE, "eps_hm", "damping", "rounds", *_TERMS),
    "mwo": ("threshold", "min_weight", "order", "exact", *_TERMS),
}
"""The options that each method reads; all of them read CLUSTERS and LIMITS besides."""
DEFAULT: Clusters = "minhash"
"""The method that ``detect`` runs by itself: docs/pages.md has how each does."""
STEP = "05_near_duplicates"
CLUSTERS = ("chains",)
LIMITS = ("max_pairs",)
"""They refuse a result, and do not change it, so they are in no key."""
EDITIONS = dict.fromkeys(METHODS, (1,)) | {"mwo": (4,)}
"""Raised when a method finds something else than it did with the same options. All: clusters do not
depend on the order of loads.
"""


@dataclass
class FingerprintResult:
    """What one run of a page method found."""

    method: str
    options: dict[str, Any]
    """Those that the method reads."""
    counts: dict[str, Any] = field(default_factory=dict)
    """Pages, records and terms after each filter as the method counts them; then matches,
    components, clusters ...
    """
    ran: bool = True
    """False where data and options were as they are: nothing was done."""
    seconds: float = 0.0


def fingerprint(
    db: Database, method: str, options: PageOptions | None = None, report: Report | None = None
) -> FingerprintResult:
    """Find near duplicates among the pages that were loaded with ``--content``, by one method, and
    store them.

    Args:
        options: those of the method (READS) count, the others are passed over.
        report: called with what was found.

    Raises:
        UsageError: no such method, or a library or a file that it needs is missing. DataError: no
            page was loaded with content.
    """
    options, started = options or PageOptions(), time.time()
    refuse_unknown(method)
    need_contents(db)
    used, key = read_options(method, options), key_of(db, method, options)
    known = db.rows("SELECT counts FROM fingerprints WHERE method = ? AND key = ?", [method, key])
    if known:
        return FingerprintResult(method, used, json.loads(known[0][0]), False)
    with db.temporary(), db.transaction():
        counts = finder(method)(db, options)
        if report:
            report(run_log.in_a_line(counts))
        counts = counts | _store(db, method, options.chains)
        result = FingerprintResult(method, used, counts, True, time.time() - started)
        db.execute(
            "INSERT OR REPLACE INTO fingerprints VALUES (?, ?, ?, ?, now()::TIMESTAMP, ?)",
            [method, key, json.dumps(used), json.dumps(counts), result.seconds],
        )
        run_log.record(db, "fingerprint", started, {"method": method} | used, counts)
    return result


def _store(db: Database, method: str, chains: bool) -> dict[str, int]:
    """The temporary table ``found`` into matches and page_clusters, in place of what the method had
    there.
    """
    for table in ("matches", "page_clusters"):
        db.execute(f"DELETE FROM {table} WHERE method = ?", [method])
    db.run("near_duplicates/70_clusters", only="matched_pages")
    db.run("near_duplicates/70_clusters", {"method": method}, only="matches")
    found = db.arrays(statements("near_duplicates/70_clusters")["placed_matches"])
    pages = db.arrays("SELECT url_id, hash FROM matched_pages ORDER BY place")
    clusters = clusters_of(found["a"], found["b"], found["score"], pages["hash"], chains)
    if len(clusters.page):
        import pyarrow as pa

        score = pa.array(clusters.score, mask=np.isnan(clusters.score))
        insert_arrow(
            db,
            "page_clusters",
            {
                "method": [method] * len(score),
                "cluster_id": clusters.cluster.astype(np.int32),
                "url_id": pages["url_id"][clusters.page],
                "centre_id": pages["url_id"][clusters.centre],
                "score": score,
            },
        )
    return {"matches": len(found["score"])} | clusters.counts


def similar(
    db: Database,
    query: QueryPage,
    method: str,
    options: PageOptions,
    threshold: float | None = None,
    limit: int | None = None,
) -> pa.Table:
    """The near duplicates of one page, ranked; the database is not changed.

    Args:
        query: the page, from the database or from outside.
        options: of the method.
        threshold: the least score, 0 to 1; the method looks as far as that (see :func:`reaching`).
        limit: so many of them at most.

    Returns:
        url, score; the highest scores first, between equals by URL.

    Raises:
        UsageError: no such method, or a threshold that it cannot reach. DataError: no page was
            loaded with content.

    Complexity: that of the method's vectors and of one row of its pairs.
    """
    refuse_unknown(method)
    limit = None if limit is None else need_count("limit", limit)
    options = reaching(method, options, threshold)
    need_contents(db)
    with db.temporary():
        finder(method)(db, options, query)
        return db.arrow(
            """SELECT o.origin || u.path AS url, f.score FROM found AS f
            JOIN urls AS u ON u.url_id = f.b_id JOIN origins AS o USING (origin_id)
            WHERE f.b_id IS DISTINCT FROM $own AND f.score >= $threshold
            ORDER BY f.score DESC, url LIMIT $limit""",
            {
                "own": query.url_id,
                "threshold": float(threshold or 0.0),
                "limit": 2**62 if limit is None else limit,
            },
        )


def reaching(method: str, options: PageOptions, threshold: float | None) -> PageOptions:
    """The options under which a method finds every page of at least that score: MWO, Jaccard, 1 -
    bits / 64, 1 - difference.

    Raises:
        UsageError: beyond what the method can find, or method exact, whose pages are equal or not.
    """
    if threshold is None:
        return options
    if not 0 <= threshold <= 1:
        raise UsageError(f"threshold must lie between 0 and 1, not {threshold!r}")
    if method == "exact":
        raise UsageError(
            "--threshold does nothing with method exact, whose pages are equal or not; leave it out"
        )
    if method == "simhash":
        bits = int((1 - threshold) * 64 + 1e-9)
        if bits > 8:
            raise UsageError(
                "method simhash finds pages of up to 8 bits of 64, so a threshold of at least"
                f" {1 - 8 / 64}, not {threshold}"
            )
        return options.with_changes(bits=bits)
    if method in ("rp", "rp+hm"):
        return options.with_changes(eps_rp=1 - threshold, eps_hm=1 - threshold)
    return options.with_changes(threshold=threshold)


def near_contents(db: Database, method: str) -> int:
    """Fill near_contents and make the temporary view ``contents`` of it (sql/detect/10_contents);
    returns the number of URLs whose content is a cluster.
    """
    for name in ("near_contents", "contents_by_cluster"):
        db.run("detect/10_contents", {"method": method}, only=name)
    return int(db.value("SELECT count(*) FROM near_contents"))


def chosen_clusters(
    db: Database, clusters: str | None, method: str, report: Callable[[str, str], None] | None
) -> Clusters | None:
    """What counts as one content: the clusters that were named; where none were, and method robust
    finds pages that were loaded with their content, those by DEFAULT, brought up to date; None for
    equal fingerprints, as ``none`` says.

    Args:
        report: called with a stage's name and what was found or why nothing was.
    """
    if clusters is not None or method != "robust" or not has_contents(db):
        return None if clusters == "none" else cast(Clusters | None, clusters)
    say = report or (lambda *_: None)
    found = db.rows("SELECT key, options FROM fingerprints WHERE method = ?", [DEFAULT])
    if found and is_current(db, DEFAULT, *found[0]):
        return DEFAULT
    options = PageOptions().with_changes(**(json.loads(found[0][1]) if found else {}))
    try:
        counts = fingerprint(db, DEFAULT, options).counts
    except (UsageError, LimitError) as error:
        say(STEP, f"pages are compared by equal fingerprints alone: {error}")
        return None
    say(STEP, run_log.in_a_line(counts))
    return DEFAULT


def read_options(method: str, options: PageOptions) -> dict[str, Any]:
    """The options that a method reads, by name."""
    return {name: getattr(options, name) for name in (*READS[method], *CLUSTERS)}


def key_of(db: Database, method: str, options: PageOptions) -> str:
    """A digest of what is loaded and of all that the method's result hangs on."""
    used = read_options(method, options)
    words = stop_words(used["stop_words"]) if used.get("stop_words") else []
    loaded = db.rows("SELECT count(*), coalesce(max(url_id), 0) FROM page_contents")
    parts = [run_log.data_key(db), loaded, method, used, words, *EDITIONS.get(method, ())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def current_key(db: Database, method: str) -> str:
    """The key of a method's stored run.

    Raises:
        DataError: it has not run, or what it goes by is another since; names the command to run.
    """
    command = f"replicadb fingerprint {db.path} --page-method {method}"
    found = db.rows("SELECT key, options FROM fingerprints WHERE method = ?", [method])
    if not found:
        raise DataError(f"{db.path}: no clusters by {method} in it yet; find them first: {command}")
    if not is_current(db, method, *found[0]):
        raise DataError(
            f"{db.path}: {came_since(db, method)} since {method} ran; bring its clusters up to"
            f" date: {command} (with the options it had)"
        )
    return str(found[0][0])


def came_since(db: Database, method: str) -> str:
    """What came since a method ran whose clusters are not up to date, in a few words."""
    own, version, loaded = db.rows(
        """SELECT
            arg_max(run_id, run_id) FILTER (ours),
            arg_max(version, run_id) FILTER (ours),
            max(run_id) FILTER (command IN ('load', 'unload') AND n > 0)
        FROM (
            SELECT
                run_id,
                command,
                version,
                command = 'fingerprint' AND settings ->> 'method' = $method AS ours,
                coalesce(counts ->> 'sources', counts ->> 'read')::BIGINT AS n
            FROM runs
        )""",
        {"method": method},
    )[0]
    if version in (None, __version__) or (loaded or 0) > own:
        return "loads came or went"
    return "another version of replicadb came"


def is_current(db: Database, method: str, key: str, options: str) -> bool:
    """Whether a stored run, of that key and those options as JSON, is of what is loaded now."""
    try:
        return key_of(db, method, stored_options(options)) == key
    except UsageError:  # its file of stop words is gone
        return False


def stored_options(text: str) -> PageOptions:
    """Options from their JSON in ``fingerprints``; those that this version does not know are passed
    over.
    """
    known = json.loads(text)
    return PageOptions().with_changes(
        **{name: value for name, value in known.items() if name in PageOptions.__dataclass_fields__}
    )


def options_of(db: Database, method: str) -> PageOptions:
    """The options of a method's stored run; where it has not run, the defaults."""
    refuse_unknown(method)
    text = db.value("SELECT options FROM fingerprints WHERE method = ?", [method])
    return stored_options(text) if text else PageOptions()


def refuse_unknown(method: str) -> None:
    """Raises UsageError: there is no such page method."""
    if method not in METHODS:
        raise UsageError(
            f"method cannot be {method!r}{did_you_mean(method, METHODS)}; choose one of:"
            f" {', '.join(METHODS)}"
        )


def refuse_unread(
    method: str, given: Mapping[str, Any], spelled: Callable[[str], str] = str
) -> None:
    """Refuse options that a method does not read, rather than pass over them.

    Args:
        given: the options; None is not given.
        spelled: how to write an option's name for the person who gave it.

    Raises:
        UsageError: no such method, or an option of another one.
    """
    refuse_unknown(method)
    for name in (name for name, value in given.items() if value is not None):
        owners = [owner for owner, names in READS.items() if name in names]
        if owners and method not in owners:
            listed = " and ".join(owners) if len(owners) < 3 else ", ".join(owners)
            raise UsageError(
                f"{spelled(name)} belongs to method {listed} and does nothing with method"
                f" {method}; leave it out"
            )
