"""An audit of names that tools fold by rule: which are one site, which are two, and which replicas
no rule folds.

Invariant: a verdict stands on what is loaded: a probability of the last detection where it compared
the two, else of the paths that both names have; where there is neither, the verdict is "not known".
Where most of those paths have other pages, a probability alone calls nothing one site. Pages of
which nothing but the content is known are not compared where it differs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.arrays import Array, Floats, Ints
from replicadb.counted import counted
from replicadb.errors import DataError, LimitError, need_count
from replicadb.explanation.lookup import rows_of
from replicadb.learning.beta_binomial import probabilities
from replicadb.near_duplicates.loaded_contents import stage_near_contents
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import ALIASES
from replicadb.store.database import Database
from replicadb.store.run_log import LAST_STAGE
from replicadb.store.site_spellings import known_host
from replicadb.store.statements import statements
from replicadb.web.urls import spellings

STEM = "names/10_aliases"
EVIDENCE = "names/15_alias_evidence"
RULES = ("www", "www+digits", "mobile", "scheme", "port", "redirects", "canonical", "none")
"""What folds the two names; redirects: name_b has no page and leads to name_a; canonical: most
pages of name_b name pages of name_a; none: nothing does.
"""
LEAST_NAMED = 2
"""Pages whose canonical links lead to another name from which on most of a name can be told; and
different pages that they name, from which on the two are one site where they are half as many.
"""
MOST_NAMED = 0.75
"""Share of its pages from which on a name that names another is one site with it; less is unclear.
"""
LEAST_MOVED = 2
"""Redirects to the same paths from which on a name that only redirects is one site with another,
where they are half of its paths, too.
"""
MOST_DAYS = 366
"""Between two captures of pages that differ, for them to count as unlike."""
VERDICTS = ("two sites", "unclear", "one site", "not known")
"""In the order in which they are reported: what would be folded wrongly comes first."""
SCHEMA = pa.schema(
    [
        ("rule", pa.string()),
        ("name_a", pa.string()),
        ("name_b", pa.string()),
        ("verdict", pa.string()),
        ("probability", pa.float64()),
        ("by", pa.string()),
        ("keep", pa.string()),
        ("paths", pa.int64()),
        ("same", pa.int64()),
        ("alike", pa.int64()),
        ("unlike", pa.int64()),
        ("not_compared", pa.int64()),
        ("named", pa.int64()),
        ("pages_a", pa.int64()),
        ("pages_b", pa.int64()),
    ]
)


@dataclass(frozen=True)
class AliasCost:
    """What an audit reads, counted before it is done."""

    pairs: int
    pages: int
    """Newest captures, each as often as it is in pairs."""
    earlier_captures: int
    """What stood at their URLs before, counted alike."""
    names: int
    seen_one_way: int
    """Names that the crawl has under one scheme and port alone."""
    large_groups: int
    """Of names that fold together, so many that not each is compared with each."""
    detected: bool
    """Whether there is a detection; without one, replicas that no rule folds are not known."""

    @property
    def read(self) -> str:
        """What is read, in words."""
        earlier = self.earlier_captures
        return counted(self.pages, "page") + (
            f" and {counted(earlier, 'earlier capture')}" if earlier else ""
        )


@dataclass(frozen=True)
class AliasAudit:
    """The audit, and what it cost."""

    rows: pa.Table
    """SCHEMA, what would be folded wrongly first."""
    cost: AliasCost

    def counts(self) -> list[tuple[str, str, int]]:
        """Rule, verdict and how many pairs of it there are."""
        found = self.rows.group_by(["rule", "verdict"]).aggregate([([], "count_all")]).to_pylist()
        return sorted(
            ((row["rule"], row["verdict"], row["count_all"]) for row in found),
            key=lambda row: (RULES.index(row[0]), VERDICTS.index(row[1])),
        )


def audit(
    db: Database,
    host: str | None = None,
    max_pages: int | None = None,
    announce: Callable[[AliasCost], None] = lambda cost: None,
) -> AliasAudit:
    """Audit the names of a crawl.

    Args:
        host: only pairs of this host, in any spelling.
        max_pages: refuse to read more, with earlier captures of them; 0 is no limit, None what the
            settings say.
        announce: called with the cost before the work.

    Raises:
        DataError: no URLs, an unknown host (with the nearest names), or --site host+1.
            LimitError: more pages than ``max_pages``. UsageError: that is no number of pages.
    """
    max_pages = need_count("max_pages", ALIASES.max_pages if max_pages is None else max_pages)
    site = db.value("SELECT value FROM meta WHERE key = 'site'")
    if not db.value("SELECT count(*) FROM origins"):
        raise DataError(f"{db.path}: no URLs in it yet; begin with: replicadb load {db.path} FILE")
    if site == "host+1":
        raise DataError(
            f"{db.path}: its sites are hosts with their first path segment (--site host+1), and a"
            " rule folds whole names; load it anew with --site host"
        )
    detected = bool(db.value("SELECT count(*) FROM stages WHERE stage = ?", [LAST_STAGE]))
    given = {
        "detected": detected,
        "by_host": site != "domain",
        "host_id": None,
        "name": None,
        "close_percent": CONSTANTS.close_percent,
        "most_folded": ALIASES.most_folded,
        "least_named": LEAST_NAMED,
        "most_days": MOST_DAYS,
    }
    db.run_once("functions/75_newest_said")
    with db.temporary():
        for made in ("name_of", "without_www", "alias_names"):
            db.run(STEM, given, only=made)
        if host is not None:
            given |= _wanted(db, host)
        for table in ("alias_pairs", "alias_sides"):
            db.run(STEM, given, only=table)
        (costs,) = rows_of(db, statements(STEM)["cost"], given)
        cost = AliasCost(**costs, detected=detected)
        announce(cost)
        if max_pages and cost.pages + cost.earlier_captures > max_pages:
            raise LimitError(
                f"{cost.read} would be read for {counted(cost.pairs, 'pair')} of names, more than"
                f" --max-pages {max_pages:,}; raise it, or ask for one --host"
            )
        stage_near_contents(db)
        db.run(EVIDENCE, given, only="of_every_site")
        wanted = ("detected", "by_host", "close_percent", "most_days")
        found = db.arrow(statements(EVIDENCE)["evidence"], {name: given[name] for name in wanted})
    return AliasAudit(_judged(found), cost)


def _wanted(db: Database, host: str) -> dict[str, Any]:
    """The parameters that ask for one host; a name that only redirects is no host.

    Raises:
        DataError: nobody knows it.
    """
    try:
        name = known_host(db, host)
    except DataError:
        redirects = "SELECT host_name FROM alias_names WHERE host_id IS NULL AND host_name = ?"
        for spelled in spellings(host):
            if db.value(redirects, [spelled]) is not None:
                return {"host_id": None, "name": spelled}
        raise
    return {"host_id": db.value("SELECT host_id FROM hosts WHERE host = ?", [name]), "name": name}


def _judged(found: pa.Table) -> pa.Table:
    """Each pair with its verdict, in the order in which they are reported."""
    column = {name: found[name].to_numpy(zero_copy_only=False) for name in found.column_names}
    agree = (column["agree"] + column["alike"]).astype(float)
    compared = agree + column["unlike"]
    decided = column["decided"].astype(bool)
    leads, moved, partly = _led(column, decided)
    detected = column["detected"].astype(float)
    detected[moved] = np.nan
    known = ~np.isnan(detected)
    by_paths = np.full(len(agree), np.nan)
    for rule in RULES:
        of = (column["rule"] == rule) & ~known
        by_paths[of] = probabilities(
            agree[of],
            compared[of],
            (ALIASES.one_agree, ALIASES.one_differ),
            (ALIASES.other_agree, ALIASES.other_differ),
            ALIASES.pseudo_count,
        )
    by_paths[leads] = np.nan
    probability = np.where(known, detected, by_paths)
    flagged, two = column["flagged"].astype(bool), probability <= 1 - ALIASES.certain
    thin = (column["agree"] == 0) & (column["alike"] <= 1) & (compared > 0) & ~known & ~flagged
    doubted = ~decided & (column["unlike"] + column["not_compared"] > agree)
    verdict = np.select(
        [
            moved,
            thin & (~two | (compared == 1)),
            doubted & ~two,
            flagged | (probability >= ALIASES.certain),
            two,
            ~np.isnan(probability) | partly,
        ],
        ["one site", "unclear", "unclear", "one site", "two sites", "unclear"],
        "not known",
    )
    by = np.select(
        [decided, known, leads, ~np.isnan(probability) | doubted],
        ["decision", "detect", column["rule"], "paths"],
        "",
    )
    keep = np.where(moved, np.where(column["mutual"], None, column["name_a"]), column["keep"])
    keep[verdict != "one site"] = None
    rows = found.select([name for name in SCHEMA.names if name in found.column_names])
    rows = rows.append_column("verdict", pa.array(verdict, pa.string()))
    rows = rows.append_column("probability", pa.array(probability, pa.float64(), from_pandas=True))
    rows = rows.append_column("by", pa.array([one or None for one in by.tolist()], pa.string()))
    rows = rows.drop_columns("keep").append_column("keep", pa.array(keep, pa.string()))
    return rows.select(SCHEMA.names).cast(SCHEMA).take(_order(column, verdict, probability))


def _led(column: dict[str, Array], decided: Array) -> tuple[Array, Array, Array]:
    """Pairs of which name_b says itself that it is name_a; those of them where that is enough, as
    it leads to as many pages, and not all to one; and those where but for its share it would be.
    People know better than canonical links.
    """
    old, canonical = (column["rule"] == rule for rule in ("redirects", "canonical"))
    there = np.where(old, column["agree"], column["targets"])
    least = np.where(old, LEAST_MOVED, LEAST_NAMED)
    enough = (there >= least) & (2 * there >= column["named"])
    whole = old | (column["share"].astype(float) >= MOST_NAMED)
    led = old | canonical
    return led, led & ~decided & enough & whole, led & enough & ~whole


def _order(column: dict[str, Array], verdict: Array, probability: Floats) -> Ints:
    """What would be folded wrongly first, and of that what has most other content; then what nobody
    folds; names last, so that the order is total.
    """
    place = np.array([VERDICTS.index(one) for one in verdict], int)
    folded = column["rule"] != "none"
    paths = np.nan_to_num(probability, nan=2.0)
    return np.lexsort(
        (
            column["name_b"].astype(str),
            column["name_a"].astype(str),
            paths,
            -(column["unlike"] + column["not_compared"]),
            folded,
            place,
        )
    )
