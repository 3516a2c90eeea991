"""A model made of what detection stored: set at a time in SQL, put together as arrays, written by
``file.write``.

Always true here: the database is read, never changed (temporary tables aside); the key of a model
is that of the detection's last stage, so that a model is stale exactly when a detection with other
data or settings has run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from replicadb.detection import blocking
from replicadb.detection.collective import MIN_COMMON, NEIGHBOUR
from replicadb.errors import DataError, UsageError
from replicadb.model import known_pairs, model_file
from replicadb.model.decision import tables_of
from replicadb.model.host_rows import filter_of
from replicadb.model.model import Model
from replicadb.settings import PAGE_TYPES, WEIGHT_SCALE
from replicadb.store.connecting import is_duckdb
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.version import __version__

Progress = Callable[[str], None]
"""Called with what is being done, in a few words."""
MEMORY = 3 * 10**9
"""Bytes of DuckDB's while a model is made; more spills to disk."""
LAST_STAGE = "70_replica_groups"
MADE = (
    "low32",
    "model_pages",
    "cleanup_host_pages",
    "model_tails",
    "model_titles",
    "model_labels",
    "model_df",
    "model_items",
    "model_norms",
)
KINDS = ("contents", "paths", "tails", "titles", "terms", "addresses", "networks")


def key_of(db: Database, current: str, detected: str | None) -> str:
    """What tells this detection's model from others.

    Args:
        current, detected: keys of what is loaded and of what the last detection saw
            (``stage.data_key``, ``detected_data``).

    Raises:
        DataError: no detection, or loads came or went since. UsageError: it was not by method
            robust.
    """
    stage = db.value("SELECT key FROM stages WHERE stage = ?", [LAST_STAGE])
    if stage is None:
        raise DataError(
            f"{db.path}: no replicas in it yet; find them first: replicadb detect {db.path}"
        )
    if current != detected:
        raise DataError(
            f"{db.path}: loads came or went since the last detection; bring it up to date:"
            f" replicadb detect {db.path}"
        )
    if settings_of(db)["method"] != "robust":
        raise UsageError(
            f"models are for method robust; detect with it first: replicadb detect {db.path}"
            " --method robust"
        )
    if not db.value("SELECT count(*) FROM evidence_weights"):
        raise DataError(
            f"{db.path}: no candidate pairs, so nothing to score by; load more of the crawl"
        )
    return hashlib.sha256(f"{model_file.FORMAT} {stage}".encode()).hexdigest()


def open_for(db: Database, key: str, progress: Progress | None = None) -> Model:
    """The model of a database, from the file beside it (NAME.model); made anew where that is
    missing, damaged or of other data or settings. In a folder that cannot be written, and for a
    database in memory, it is a temporary file, gone when the model is.

    Raises:
        DataError: the disk is full.
    """
    path = Path(f"{db.path}.model")
    with contextlib.suppress(DataError):
        found = model_file.ModelFile(path)
        if found.header.get("key") == key:
            return Model(found)
    if (
        db.path != ":memory:"
        and os.access(path.parent, os.W_OK)
        and (not path.exists() or model_file.is_model(path))
    ):
        write_model(db, path, key, progress)
        return Model(model_file.ModelFile(path, verify=False))
    with tempfile.TemporaryDirectory(prefix="replicadb-") as folder:
        write_model(db, Path(folder) / "model", key, progress)
        return Model(
            model_file.ModelFile(Path(folder) / "model", verify=False)
        )  # mapped, so it stays while it is used


def settings_of(db: Database) -> dict[str, Any]:
    """The settings of the last detection."""
    return json.loads(
        db.value("SELECT settings FROM runs WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1")
    )


def write_model(db: Database, path: str | Path, key: str, progress: Progress | None = None) -> None:
    """Make the model and write it.

    Raises:
        DataError: the file cannot be written. UsageError: there is a database in its place.
    """
    if is_duckdb(path):
        raise UsageError(f"{path}: is a DuckDB database; name another file")
    tell = progress or (lambda doing: None)
    settings = settings_of(db)
    parameters = {
        "scale": WEIGHT_SCALE,
        "path_max_hosts": settings["path_max_hosts"],
        "cap": settings["max_cluster_hosts"],
        "page_types": list(PAGE_TYPES),
        "whole": settings.get("reference") is None,
    }
    with _modest(db):
        arrays, units, decision = _made(db, settings, parameters, tell)
    counts = {
        "hosts": len(arrays["weight"]),
        "urls": int(db.value("SELECT count(*) FROM urls")),
        "pages": len(arrays["page_path"]),
        "candidate_pairs": int(db.value("SELECT count(*) FROM ranking")),
        "entries": len(arrays["item"]),
        "single_contents": len(arrays["single"]),
        **{
            name: int(arrays["item_bounds"][kind + 1] - arrays["item_bounds"][kind])
            for kind, name in enumerate(KINDS)
        },
    }
    header = {
        "application": "replicadb model",
        "replicadb": __version__,
        "duckdb": duckdb.__version__,
        "key": key,
        "settings": settings,
        "counts": counts,
        "units": units,
        "decision": decision,
        "site": db.value("SELECT value FROM meta WHERE key = 'site'") or "host",
    }
    tell("writing")
    model_file.write(path, header, arrays)


def _made(
    db: Database, settings: dict[str, Any], parameters: dict[str, Any], tell: Progress
) -> tuple[dict[str, np.ndarray], dict[str, float], dict[str, Any]]:
    """Arrays, units and decision, by way of temporary tables that are gone again."""
    with db.temporary():
        tell("hashing pages")
        db.run("functions/10_hashes")
        db.run(
            "detect/10_contents",
            only="contents_by_cluster" if settings.get("clusters") else "contents_by_fingerprint",
        )
        db.run("detect/14_host_pages", parameters)
        for name in MADE:
            db.run("model/10_model", parameters, only=name)
        blocking.every_host(db)
        for name in ("named_places", "directed_pairs"):
            db.run("detect/35_shared_evidence", parameters, only=name)
        arrays = _arrays(db, parameters, tell)
        units = {
            name: float(values[0])
            for name, values in db.arrays(_sql("units"), _only(parameters, "units")).items()
        }
        tell("reading the tables of evidence")
        return arrays, units, tables_of(db, settings)


@contextlib.contextmanager
def _modest(db: Database) -> Iterator[None]:
    """While inside, DuckDB takes MEMORY at most, since the arrays stand beside it; where it cannot
    spill, it keeps its limit.
    """
    before = db.value("SELECT current_setting('memory_limit')")
    number, unit = before.split()
    much = (
        float(number) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}.get(unit, 1)
        > MEMORY
    )
    if much and os.access(Path(db.path).resolve().parent, os.W_OK):
        db.execute("SET memory_limit = $limit", {"limit": f"{MEMORY}B"})
    try:
        yield
    finally:
        db.execute("SET memory_limit = $limit", {"limit": before})


def _sql(name: str) -> str:
    return statements("model/10_model")[name]


def _only(parameters: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in parameters.items() if f"${key}" in _sql(name)}


def _arrays(db: Database, parameters: dict[str, Any], tell: Progress) -> dict[str, np.ndarray]:
    """Every array of the model but those of the decision, by name."""
    made = _hosts(db)
    n = len(made["weight"])
    tell("candidates")
    made |= known_pairs.arrays_of(db, n)
    items, common = db.arrays(_sql("items")), db.arrays(_sql("common"), _only(parameters, "common"))
    edges = np.arange(len(KINDS) + 1)
    made |= {
        "item_hash": items["hash"],
        "item_weight": items["weight"],
        "item_flags": items["flags"],
        "item_exclusive": items["exclusive"][items["kind"] == 0],
        "item_bounds": np.searchsorted(items["kind"], edges).astype(np.int64),
        "common_hash": common["hash"],
        "common_bounds": np.searchsorted(common["kind"], edges).astype(np.int64),
    }
    partners = db.arrays(_sql("partner_lists"), {"counts": NEIGHBOUR, "whole": parameters["whole"]})
    large = np.bincount(partners["host"], partners["told"], n) >= MIN_COMMON * 1000
    made |= _partners("partner", partners, partners["weight"], n) | _partners(
        "told", partners, partners["told"] * large[partners["host"]], n
    )
    tell("what hosts share")
    entries = db.arrays(_sql("entries"))
    made["start"] = _starts(entries.pop("host"), n)
    made |= entries
    made["filter"] = filter_of(made["start"], made["item"])
    contents = np.flatnonzero(made["item"] < made["item_bounds"][1])
    order = contents[np.argsort(made["item"][contents], kind="stable")]
    made["posting"] = (np.searchsorted(made["start"], order, side="right") - 1).astype(np.uint32)
    made["posting_start"] = np.searchsorted(
        made["item"][order], np.arange(made["item_bounds"][1] + 1)
    ).astype(np.int64)
    labels = db.arrays(_sql("labels"))
    made |= {"label_start": _starts(labels["host"], n), "label": labels["item"]}
    tell("pages")
    pages = db.arrays(_sql("pages"))
    made["page_start"] = _starts(pages.pop("host"), n)
    made |= {
        f"page_{name}": values if values.any() else values[:0] for name, values in pages.items()
    }  # no titles at all: no array
    singles = db.arrays(_sql("singles"))
    near = db.arrays(_sql("near"))
    made |= {
        "single": singles["hash"],
        "single_host": singles["host"],
        "near": near["hash"],
        "near_content": near["content"],
    }
    directed = db.arrays(_sql("directed"))
    made |= {
        "directed": _keys(directed),
        "linked": directed["linked"],
        "canonical": directed["canonical"],
    }
    return made


def _keys(pairs: dict[str, np.ndarray]) -> np.ndarray:
    """Pairs of hosts a, b as one number each."""
    return pairs["a"].astype(np.uint64) << np.uint64(32) | pairs["b"].astype(np.uint64)


def _hosts(db: Database) -> dict[str, np.ndarray]:
    """Names in byte order, one behind the other, and each host's figures."""
    table = db.arrow(_sql("hosts"))
    names = table.column("host").to_numpy(zero_copy_only=False)
    encoded = [name.encode() for name in names]
    made = {
        "name_start": (
            np.concatenate([[0], np.cumsum([len(name) for name in encoded])]).astype(np.int64)
        ),
        "name_bytes": np.frombuffer(b"".join(encoded), np.uint8),
    }
    return made | {
        name: table.column(name).to_numpy() for name in table.column_names if name != "host"
    }


def _partners(
    kind: str, rows: dict[str, np.ndarray], weight: np.ndarray, n: int
) -> dict[str, np.ndarray]:
    """The arrays of one kind of partners of n hosts (``company.Lists``), those that weigh
    something.
    """
    at = np.flatnonzero(weight)
    host, weight = rows["host"][at], weight[at].astype(np.uint16)
    return {
        f"{kind}_start": _starts(host, n),
        f"{kind}_other": rows["other"][at],
        f"{kind}_weight": weight,
        f"{kind}_total": np.bincount(host, weight, n).astype(np.int64),
    }


def _starts(host: np.ndarray, n: int) -> np.ndarray:
    """Where each host's rows begin in a column of hosts in order, and where the last one's end: (n
    + 1,) int64.
    """
    return np.searchsorted(host, np.arange(n + 1)).astype(np.int64)
