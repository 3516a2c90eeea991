"""The arrays of a model, made of what detection stored: set at a time in SQL (sql/model), put
together as arrays.

Invariant: the database is read, never changed, temporary tables aside; the names of arrays,
and their order, are the file's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from replicadb.detection import blocking
from replicadb.detection.collective import MIN_COMMON, NEIGHBOUR
from replicadb.model.host_rows import filter_of
from replicadb.model.shared_items import CONTENTS, ITEM_KINDS
from replicadb.settings import CONSTANTS, PAGE_TYPES, WEIGHT_SCALE
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store.database import Database
from replicadb.store.statements import statements

Progress = Callable[[str], None]
"""Called with what is being done, in a few words."""
Arrays = dict[str, np.ndarray]


def arrays_of(
    db: Database, settings: dict[str, Any], report: Progress
) -> tuple[Arrays, dict[str, float]]:
    """Every array of the model by name, and the weights of what is no item.

    Args:
        settings: of the last detection.
    """
    parameters = {
        "scale": WEIGHT_SCALE,
        "path_max_hosts": settings["path_max_hosts"],
        "cap": settings["max_cluster_hosts"],
        "most_addresses": CONSTANTS.most_addresses,
        "page_types": list(PAGE_TYPES),
        "country_sites": KIND_NUMBERS.country_sites,
        "neighbour": NEIGHBOUR,
        "whole": settings.get("reference") is None,
    }
    with db.temporary():
        report("hashing pages")
        _prepare(db, parameters, settings)
        arrays = _hosts(_rows(db, "model/30_hosts", "hosts", parameters))
        n = len(arrays["weight"])
        report("candidates")
        arrays |= _candidates(_rows(db, "model/40_pairs", "candidates", parameters), n)
        items = _rows(db, "model/20_items", "items", parameters)
        arrays |= _items(items, _rows(db, "model/20_items", "common", parameters))
        arrays |= _neighbours(_rows(db, "model/40_pairs", "neighbours", parameters), n)
        report("what hosts share")
        entries = _rows(db, "model/30_hosts", "entries", parameters)
        arrays |= _entries(entries, n, int(arrays["item_bounds"][CONTENTS + 1]))
        labels = _rows(db, "model/30_hosts", "labels", parameters)
        arrays |= {"label_start": _starts(labels["host"], n), "label": labels["item"]}
        for name in ("target", "identifier"):
            own = _rows(db, "model/30_hosts", f"{name}s", parameters)
            arrays |= {f"{name}_start": _starts(own["host"], n), name: own[name]}
        report("pages")
        arrays |= _pages(_rows(db, "model/30_hosts", "pages", parameters), n)
        singles = _rows(db, "model/30_hosts", "singles", parameters)
        arrays |= {"single": singles["hash"], "single_host": singles["host"]}
        near = _rows(db, "model/30_hosts", "near", parameters)
        arrays |= {"near": near["hash"], "near_content": near["content"]}
        arrays |= _directed(_rows(db, "model/40_pairs", "directed", parameters))
        units = _rows(db, "model/20_items", "units", parameters)
        return arrays, {name: float(values[0]) for name, values in units.items()}


def _prepare(db: Database, parameters: dict[str, Any], settings: dict[str, Any]) -> None:
    """Make the temporary tables that the arrays are read from."""
    with db.temporary(keep=("model_pages",)):  # host_pages is large
        alone = settings.get("assets") is False
        db.run("detect/10_contents", only="pages_alone" if alone else "with_assets")
        contents = "contents_by_cluster" if settings.get("clusters") else "contents_by_fingerprint"
        db.run("detect/10_contents", only=contents)
        db.run("detect/14_host_pages", parameters)
        for name in ("low32", "model_pages"):
            db.run("model/10_pages", only=name)
    db.run("detect/40_pair_features", parameters, only="compared_addresses")
    for name in ("tails", "titles", "targets", "identifiers", "labels"):
        db.run("model/10_pages", only=f"model_{name}")
    for name in ("model_df", "model_items"):
        db.run("model/20_items", parameters, only=name)
    db.run("model/30_hosts", parameters, only="model_norms")
    blocking.every_host(db)
    db.run_once("functions/75_newest_said")
    for name in ("named_places", "directed_pairs", "main_languages"):
        db.run("detect/35_shared_evidence", parameters, only=name)
    db.run("detect/38_country_sites", parameters, only="country_sites")


def _rows(db: Database, stem: str, name: str, parameters: dict[str, Any]) -> Arrays:
    """What a query of ``sql/<stem>.sql`` finds, by column; it gets the parameters that it names."""
    query = statements(stem)[name]
    return db.arrays(query, {key: v for key, v in parameters.items() if f"${key}" in query})


def _hosts(hosts: Arrays) -> Arrays:
    """Names in byte order, one behind the other, and each host's figures."""
    encoded = [name.encode() for name in hosts.pop("host")]
    lengths = [len(name) for name in encoded]
    return {
        "name_start": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "name_bytes": np.frombuffer(b"".join(encoded), np.uint8),
        **hosts,
    }


def _candidates(pairs: Arrays, n: int) -> Arrays:
    """Of n hosts' ranked pairs, each in the row of its host that comes first."""
    return {
        "candidate_start": _starts(pairs["a"], n),
        "candidate_other": pairs["b"],
        "candidate_strength": pairs["strength"],
    }


def _items(items: Arrays, common: Arrays) -> Arrays:
    """Items, and the hashes of what too many hosts have, by kind and hash."""
    edges = np.arange(len(ITEM_KINDS) + 1)
    return {
        "item_hash": items["hash"],
        "item_weight": items["weight"],
        "item_flags": items["flags"],
        "item_exclusive": items["exclusive"][items["kind"] == CONTENTS],
        "item_bounds": np.searchsorted(items["kind"], edges).astype(np.int64),
        "common_hash": common["hash"],
        "common_bounds": np.searchsorted(common["kind"], edges).astype(np.int64),
    }


def _neighbours(rows: Arrays, n: int) -> Arrays:
    """Each host's neighbours by local evidence (``partner_``) and, of hosts with MIN_COMMON of
    them, by corrected log odds (``corrected_``): the arrays of ``relational.NeighbourLists``.
    """
    host, corrected = rows["host"], rows["corrected"]
    large = np.bincount(host, corrected, n) >= MIN_COMMON * 1000
    made: Arrays = {}
    for kind, weight in (("partner", rows["local"]), ("corrected", corrected * large[host])):
        at = np.flatnonzero(weight)
        weight = weight[at].astype(np.uint16)
        made |= {
            f"{kind}_start": _starts(host[at], n),
            f"{kind}_other": rows["other"][at],
            f"{kind}_weight": weight,
            f"{kind}_total": np.bincount(host[at], weight, n).astype(np.int64),
        }
    return made


def _entries(entries: Arrays, n: int, contents: int) -> Arrays:
    """What each of n hosts has of the items, their filter, and the hosts of each content; contents
    are the items below ``contents``.
    """
    start, item = _starts(entries.pop("host"), n), entries["item"]
    for name in ("fourth", "fifth"):
        if not entries[name].any():
            entries[name] = entries[name][:0]
    of_content = np.flatnonzero(item < contents)
    order = of_content[np.argsort(item[of_content], kind="stable")]
    posting = np.searchsorted(start, order, side="right") - 1
    return {
        "start": start,
        **entries,
        "filter": filter_of(start, item),
        "posting": posting.astype(np.uint32),
        "posting_start": _starts(item[order], contents),
    }


def _pages(pages: Arrays, n: int) -> Arrays:
    """Each host's pages; a column of zeros (no titles at all) is an empty array."""
    made = {"page_start": _starts(pages.pop("host"), n)}
    for name, values in pages.items():
        made[f"page_{name}"] = values if values.any() else values[:0]
    return made


def _directed(pairs: Arrays) -> Arrays:
    """Pairs of hosts with links, each pair as one number, and the shares of links."""
    return {
        "directed": pairs["a"].astype(np.uint64) << np.uint64(32) | pairs["b"].astype(np.uint64),
        "linked": pairs["linked"],
        "canonical": pairs["canonical"],
    }


def _starts(number: np.ndarray, n: int) -> np.ndarray:
    """Where each number's rows begin in a column of numbers in order, and where the last one's end:
    (n + 1,) int64.
    """
    return np.searchsorted(number, np.arange(n + 1, dtype=number.dtype)).astype(np.int64)
