"""A guard before dropping: what a list of hosts takes from each part of the crawl, and whether that
is more than anybody would expect (docs/drops.md#guard).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from replicadb.changeable import is_number
from replicadb.counted import and_more, counted
from replicadb.errors import DataError, LimitError, UsageError, need_count
from replicadb.export.own_hosts import OwnHosts, own_hosts
from replicadb.stage_constants import DROPS
from replicadb.store.database import Database
from replicadb.store.statements import statements

STEM = "export/50_drop_shares"
MOST_TOLD = 10
"""Parts that lose more than half, which are named."""
PARTS = ("domain", "suffix", "load", "language")


@dataclass(frozen=True)
class DropShares:
    """What a list drops: of the crawl, of domains, public suffixes, loads and languages."""

    table: pa.Table
    """part (crawl, domain, suffix, load, language), name, hosts, dropped_hosts, share (of the
    hosts), urls, dropped_urls, outside_hosts and outside_urls (of those dropped, those that go for
    a host of another registered domain), wiped_hosts (of a suffix,
    language or load of which nothing else is left; of a load those that no load has of which
    something is); the crawl first, then by part the largest shares.
    """
    expected_wrong: float | None
    """Drops that are expected to be wrong; None: method paper gives no probabilities."""
    own: OwnHosts = field(default_factory=OwnHosts)
    """Drops of hosts that somebody watches, or of a domain of theirs."""

    def lines(self) -> list[str]:
        """What is said of it: the whole, of each kind of part the one that loses most, others that
        lose more than half, and hosts of one's own.
        """
        rows = self.table.to_pylist()
        if not rows:
            return ["drops nothing: every load was taken out again"]
        whole = rows[0]
        first = f"drops {_of(whole)}, {_of_urls(whole)}"
        if self.expected_wrong is not None:
            first += f"; {self.expected_wrong:.1f} of these drops expected to be wrong"
        most = []
        for part in PARTS:
            large = (r for r in rows if r["part"] == part and r["hosts"] >= DROPS.worth_telling)
            if row := next(large, None):
                most.append(row)
        said = "; of a ".join(map(_named, most))
        named = [(row["part"], row["name"]) for row in most]
        most_of = [f"most of a {said}"] if said else []
        return [first, *most_of, *self.more_than_half(named), *self.own.lines()]

    def more_than_half(self, besides: Collection[tuple[str, str]] = ()) -> list[str]:
        """A line on the parts of DROPS.worth_telling hosts or more that lose more than half of them
        to other domains, most lost first; none where there are none but those in ``besides``.
        """
        over = [
            row
            for row in self.table.to_pylist()
            if row["part"] != "crawl"
            and row["hosts"] >= DROPS.worth_telling
            and row["outside_hosts"] > DROPS.most_dropped * row["hosts"]
            and (row["part"], row["name"]) not in besides
        ]
        if not over:
            return []
        over.sort(key=lambda row: (-row["share"], -row["hosts"]))
        named = "; of ".join(map(_named, over[:MOST_TOLD]))
        left = len(over) - MOST_TOLD
        more = f"; and {left:,} more" if left > 0 else ""
        return [f"more than half {'also ' if besides else ''}of {named}{more}"]

    def refuse(self, most: float | None = None) -> None:
        """Raises LimitError where the crawl, or a part of it, would lose more than the share
        ``most`` of its hosts, or of its URLs. A part counts from DROPS.large_part hosts on, or
        where a suffix, language or load loses all of DROPS.worth_telling hosts or more. A part does
        not lose what a host of the same domain stays for: names of a wildcard. A load does not lose
        what a load has of which something stays. By default ``most`` is DROPS.most_dropped, and a
        crawl of fewer hosts than a large part is not refused. Raises UsageError where ``most`` is
        no share: 5 would refuse nothing.
        """
        if most is not None and not (is_number(most) and 0 <= most <= 1):
            raise UsageError(f"a share lies between 0 and 1 (5 % is 0.05), and is not {most!r}")
        small = DROPS.large_part if most is None else 0
        most = DROPS.most_dropped if most is None else most
        over: list[tuple[float, str, dict[str, Any]]] = []
        for row in self.table.to_pylist():
            least = small if row["part"] == "crawl" else DROPS.large_part
            if row["hosts"] < least and row["wiped_hosts"] < DROPS.worth_telling:
                continue
            lost = row
            if row["part"] != "crawl":
                lost = {**row, "dropped_hosts": row["outside_hosts"]}
                lost |= {"dropped_urls": row["outside_urls"]}
                lost |= {"share": row["outside_hosts"] / row["hosts"]}
            for share, what in (
                (lost["share"], _of),
                (lost["dropped_urls"] / max(lost["urls"], 1), _of_urls),
            ):
                if share > most:
                    over.append((share, what(lost), lost))
        if not over:
            return
        share, lost_part, row = max(over, key=lambda one: one[0])
        where = "the crawl" if row["part"] == "crawl" else f"{row['part']} {row['name']}"
        others = len({(row["part"], row["name"]) for _, _, row in over}) - 1
        where += f" (and too much of {counted(others, 'other part')})" if others else ""
        raise LimitError(
            f"the list would drop {lost_part} of {where}, more than --max-drop-share {most:g};"
            " nothing was written. Look at some with --check 20; where they are right, go on with"
            f" --max-drop-share {min(1.0, -(-share * 100 // 1) / 100):g}"
        )


def drop_shares(db: Database, dropped: pa.Table, assets: bool) -> DropShares:
    """What a list as flagged_hosts has it would drop of what is loaded now.

    Args:
        assets: whether other files than pages were compared, and count.

    Raises:
        DataError: of a host in it something else was decided since the last detection.
    """
    sql = statements(STEM)
    with db.registered("dropped", dropped):
        for what in ("pinned", "decided to be no replica"):
            if hosts := db.column(sql[what.replace(" ", "_")]):
                raise DataError(
                    f"{and_more(hosts)}: {what} since the last detection, and still in the list;"
                    f" bring it up to date: replicadb detect {db.path}"
                )
        db.run_once("functions/75_newest_said")
        shares = db.arrow(sql["shares"], {"assets": assets})
        wrong = db.value(sql["expected_wrong"])
    return DropShares(shares, wrong, own_hosts(db, dropped))


def for_a_look(db: Database, dropped: pa.Table, n: int) -> pa.Table:
    """So many of the drops that nobody has decided on, rather those where a mistake would lose
    much: a file of decisions with its labels empty.

    Raises:
        UsageError: less than one.
    """
    n = need_count("--check", n, 1)
    with db.registered("dropped", dropped):
        return db.arrow(statements(STEM)["checked"], {"n": n})


def _named(row: dict[str, Any]) -> str:
    return f"{row['part']} {row['name']}: {_of(row)}"


def _of(row: dict[str, Any]) -> str:
    return (
        f"{row['dropped_hosts']:,} of {counted(row['hosts'], 'host')}"
        f" ({_percent(row['dropped_hosts'], row['hosts'])})"
    )


def _of_urls(row: dict[str, Any]) -> str:
    return (
        f"{row['dropped_urls']:,} of {counted(row['urls'], 'URL')}"
        f" ({_percent(row['dropped_urls'], row['urls'])})"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"
