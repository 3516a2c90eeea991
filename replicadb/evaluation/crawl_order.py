"""How many fetches are saved when a host is dropped once some of its URLs are seen: a crawler's
question, answered by detecting on the beginning of a crawl.

Invariant: the database does not change; a detection sees only what had been fetched by then; a host
with no more URLs than that saves nothing. Source: docs/method.md#crawl-order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.arrays import Ints
from replicadb.errors import UsageError
from replicadb.evaluation.drop_list import MEMBERS, verdicts
from replicadb.evaluation.gold import Gold
from replicadb.evaluation.scratch import Scratch
from replicadb.store.database import Database
from replicadb.store.statements import statements

STEPS = (1, 2, 3, 5, 10, 20, 50, 100)
"""URLs of each host that are seen before it is judged."""
ORDERS = ("path", "time")
"""Shortest paths first, as a crawler that begins at home pages; or as the crawl was made."""
OF_HOSTS = {
    "links": "schema/10_loaded",
    "outlinks": "schema/10_loaded",
    "identifiers": "schema/14_identifiers",
}
"""Tables that do not say on which page a link, or who runs the host, was said, with the SQL that
makes them: a beginning of a crawl has none.
"""


class CrawlBeginning(Scratch):
    """A scratch that sees only the first URLs of each host, no links and no identifiers.

    Args:
        most: URLs of each host. by_time: in the order of their captures, else shortest paths first.
    """

    def __init__(self, source: Database, most: int, by_time: bool) -> None:
        self.limits = {"most": most, "by_time": by_time}
        super().__init__(source)

    def show(self, table: str, here: str, there: str) -> None:
        """A table of the file as far as it is of URLs that are fetched."""
        if table == "urls":
            self.execute(f"CREATE VIEW internal.whole_urls AS FROM {there}")
            self.run("evaluate/40_crawl_order", self.limits, only="first_urls")
        elif table in OF_HOSTS:
            self.run(OF_HOSTS[table], only=table)
        else:
            super().show(table, here, there)

    def _current(self, source: Database) -> set[str]:
        return set()

    def unfetched(self, dropped: Ints) -> tuple[int, int]:
        """URLs that are not fetched where these hosts are dropped, and those of them whose content
        nothing fetched has.
        """
        with self.registered("dropped", pa.table({"host_id": dropped})):
            urls, lost = self.rows(statements("evaluate/40_crawl_order")["unfetched"])[0]
        return urls, lost


def crawl_order(
    db: Database, gold: Gold, order: str, report: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """What would have been saved, and lost, had robust judged each host after some of its URLs, on
    the pairs and by the settings of the last detection.

    Args:
        order: of a host's URLs, one of ORDERS. report: called with a line of progress.

    Returns:
        ``urls``, ``hosts`` of the crawl; ``order``; ``steps``, a dict for each number of URLs
        (``seen``): ``dropped`` hosts that have more, ``saved`` URLs of them that are not fetched,
        of these ``replicas``, ``wrong`` and ``other`` by what the gold says of the host and the one
        kept for it, ``lost`` whose content nothing fetched has, and ``best``, what dropping all but
        the largest host of each group of replicas in the gold would save.

    Raises:
        UsageError: another order, or that of times in a crawl without.
    """
    need_order(db, order)
    n_urls = _sizes(db)
    steps = []
    for most in STEPS:
        if not (n_urls > most).any():
            break
        if report:
            report(f"judging hosts by {most} URLs")
        with CrawlBeginning(db, most, order == "time") as beginning:
            beginning.detect()
            steps.append(_step(beginning, gold, n_urls, most))
    return {
        "urls": int(n_urls.sum()),
        "hosts": int((n_urls > 0).sum()),
        "order": order,
        "steps": steps,
    }


def _step(beginning: CrawlBeginning, gold: Gold, n_urls: Ints, most: int) -> dict[str, int]:
    """The figures of one number of URLs."""
    found = beginning.arrays(MEMBERS)
    host, kept = found["host_id"].astype(np.int64), found["canonical_id"].astype(np.int64)
    more = n_urls[host] > most
    host, kept = host[more], kept[more]
    saved, words = n_urls[host] - most, verdicts(gold, (host, kept))
    right, wrong = words == "replica", words == "not"
    urls, lost = beginning.unfetched(host)
    return {
        "seen": most,
        "dropped": len(host),
        "saved": urls,
        "replicas": int(saved[right].sum()),
        "wrong": int(saved[wrong].sum()),
        "other": int(saved[~right & ~wrong].sum()),
        "lost": lost,
        "best": _best(gold, n_urls, most),
    }


def _best(gold: Gold, n_urls: Ints, most: int) -> int:
    """URLs saved where all but the largest host of each group of replicas is dropped."""
    known = (gold.label == 1) & (gold.low >= 0)
    host, first = np.unique(np.concatenate([gold.low[known], gold.high[known]]), return_index=True)
    group = np.concatenate([gold.group[known]] * 2)[first]
    saved = np.maximum(n_urls[host] - most, 0)
    largest = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    np.maximum.at(largest, group, saved)
    return int(saved.sum() - largest.sum())


def _sizes(db: Database) -> Ints:
    """(highest host_id + 1,) URLs of each host."""
    found = db.arrays("SELECT host_id, count(*) AS n FROM urls GROUP BY host_id")
    return np.bincount(found["host_id"], found["n"]).astype(np.int64)


def need_order(db: Database, order: str) -> None:
    """Raises UsageError: another order, or that of times in a crawl without."""
    if order not in ORDERS:
        raise UsageError(f"--crawl-order {order}: give one of {', '.join(ORDERS)}")
    if order == "time" and not db.value("SELECT count(fetched_at) FROM urls"):
        raise UsageError("--crawl-order time: no capture here has a time; try --crawl-order path")
