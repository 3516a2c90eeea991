"""The largest groups as small graphs: where each host is drawn, and what holds a group together.

Invariant: the same group is drawn at the same places each time: the layout begins on a circle, in
the order of names, and takes a fixed number of steps. Source of the layout: Fruchterman and
Reingold (1991), "Graph drawing by force-directed placement".
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.store.database import Database
from replicadb.store.statements import statements

GROUPS, HOSTS, OUTSIDE = 60, 30, 6
"""Groups that are drawn, hosts of each, and hosts outside of it that are tied to it."""
LISTED = 1_000
"""Groups in the table of all."""
STEPS = 120
HALF = 2
"""Hosts from which a part counts as one half."""
SQL = "report/30_groups"
Row = dict[str, Any]


def group_graphs(db: Database) -> Row:
    """Groups with their hosts, edges, places and bridges.

    Returns:
        ``drawn``: of each group its ``canonical_host``, ``hosts`` (in all), ``urls``, ``nodes``
            (host, part: keep, drop or outside, and x, y in 0 to 1), ``edges`` (places of two nodes,
            strength, probability; of a decided pair that was no candidate no strength) and
            ``bridges``. ``listed``: groups, the largest first.
    """
    sql = statements(SQL)
    with db.temporary():
        for name in ("drawn_groups", "drawn_members", "drawn_edges"):
            db.run(SQL, {"groups": GROUPS, "hosts": HOSTS}, only=name)
        hosts, outsiders, edges = (
            _by_group(db.arrow(sql[name], given).to_pylist())
            for name, given in (("hosts", {}), ("outsiders", {"outside": OUTSIDE}), ("edges", {}))
        )
        groups = db.arrow(sql["groups"]).to_pylist()
    drawn = [
        group | _graph(hosts[at], outsiders[at], edges[at])
        for group in groups
        for at in [group["group_id"]]
    ]
    return {"drawn": drawn, "listed": db.arrow(sql["listed"], {"groups": LISTED}).to_pylist()}


def _by_group(rows: list[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["group_id"]].append(row)
    return found


def _graph(hosts: list[Row], outsiders: list[Row], edges: list[Row]) -> Row:
    nodes = [host | {"part": "keep" if host["kept"] else "drop"} for host in hosts]
    nodes += [host | {"part": "outside"} for host in outsiders]
    at = {node["host_id"]: place for place, node in enumerate(nodes)}
    shown = [e for e in edges if e["host_id"] in at and e["other_id"] in at]
    ends = np.array([(at[e["host_id"]], at[e["other_id"]]) for e in shown], int).reshape(-1, 2)
    tied = np.zeros((len(nodes), len(nodes)), bool)
    tied[ends[:, 0], ends[:, 1]] = tied[ends[:, 1], ends[:, 0]] = True
    for node, (x, y) in zip(nodes, places(tied).tolist(), strict=True):
        node |= {"x": round(x, 4), "y": round(y, 4)}
    return {
        "nodes": nodes,
        "edges": [
            {"ends": pair, "strength": e["strength"], "probability": e["probability"]}
            for pair, e in zip(ends.tolist(), shown, strict=True)
        ],
        "bridges": bridges(tied),
    }


def places(tied: Bools) -> Floats:
    """(n, 2) where to draw each node, in 0 to 1; tied nodes near each other.

    Args:
        tied: (n, n) symmetric.
    """
    n = len(tied)
    angle = 2 * np.pi * np.arange(n) / max(n, 1)
    at = np.column_stack([np.cos(angle), np.sin(angle)])
    ideal = 2 / np.sqrt(max(n, 1))
    for step in range(STEPS):
        gap = at[:, None] - at[None]
        far = np.maximum(np.hypot(gap[..., 0], gap[..., 1]), 1e-3)
        force = ideal**2 / far - np.where(tied, far**2 / ideal, 0)
        np.fill_diagonal(force, 0)
        push = (gap * (force / far)[..., None]).sum(1) - 0.3 * at
        length = np.maximum(np.hypot(push[:, 0], push[:, 1]), 1e-9)
        most = 0.3 * (1 - step / STEPS)
        at = at + push * (np.minimum(length, most) / length)[:, None]
    if not n:
        return at
    low, high = at.min(0), at.max(0)
    within: Floats = 0.5 + (at - (low + high) / 2) / max(float((high - low).max()), 1e-9)
    return within


def bridges(tied: Bools) -> list[Row]:
    """What alone holds two halves of HALF nodes or more together: a node, or an edge.

    Returns:
        Rows of ``nodes`` (one, or the two ends of an edge) and ``parts``, the sizes of what is left
            without it, the largest first.
    """
    found = []
    for node in np.flatnonzero(tied.sum(1) >= HALF).tolist():
        rest = np.delete(np.delete(tied, node, 0), node, 1)
        parts = _parts(rest)
        if len(parts) > 1 and parts[1] >= HALF:
            found.append({"nodes": [node], "parts": parts})
    alone = tied & ~((tied.astype(int) @ tied.astype(int)) > 0)  # edges in no triangle
    for a, b in np.argwhere(np.triu(alone)).tolist():
        cut = tied.copy()
        cut[a, b] = cut[b, a] = False
        parts = _parts(cut)
        if len(parts) > len(_parts(tied)) and parts[1] >= HALF:
            found.append({"nodes": [a, b], "parts": parts})
    return found


def _parts(tied: Bools) -> list[int]:
    """Sizes of the connected parts, the largest first."""
    reached = tied | np.eye(len(tied), dtype=bool)
    for _ in range(max(len(tied), 1).bit_length()):
        reached = (reached.astype(int) @ reached.astype(int)) > 0
    first: Ints = np.argmax(reached, axis=1) if len(tied) else np.zeros(0, int)
    return sorted(np.bincount(first)[np.unique(first)].tolist(), reverse=True)
