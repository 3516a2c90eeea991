"""Which known hosts share content with a host: the ones worth scoring when it is looked up.

Always true here: all known fingerprints count, also those on one host alone; of content on more
than ``max_cluster_hosts`` hosts no host is found, as in detection. The heaviest come first: most
shared content by rarity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from replicadb.model.host_rows import among
from replicadb.model.new_host_rows import Stranger

if TYPE_CHECKING:
    from replicadb.model.model import Model

PATHS = 5
"""So many paths tell what is shared."""


def of_stranger(
    model: Model, stranger: Stranger, most: int
) -> tuple[np.ndarray, dict[int, list[str]]]:
    """Places of known hosts that share content with a stranger, (k,) rising, and by place some of
    the stranger's paths of it.
    """
    arrays, contents = model.file.arrays, np.array(stranger.contents, np.uint64)
    item, _ = model.items_of(0, contents)
    at = np.searchsorted(arrays["single"], contents)
    alone, several = (
        np.flatnonzero(among(arrays["single"], at, contents)),
        np.flatnonzero(item >= 0),
    )
    low, high = (arrays["posting_start"][item[several] + k] for k in (0, 1))
    which = np.concatenate([alone, np.repeat(several, high - low)])
    hosts = np.concatenate(
        [arrays["single_host"][at[alone]], *_postings(arrays, low, high)]
    ).astype(np.int64)
    own = model.find(stranger.host.name)
    which, hosts = which[hosts != own], hosts[hosts != own]
    weight = np.full(len(which), model.units["two"])
    shared = item[which] >= 0
    weight[shared] = model.items.weight[item[which[shared]]]
    others = _heaviest(hosts, weight, most)
    path = {page.content: page.page.path for page in reversed(stranger.pages)}
    paths: dict[int, list[str]] = {int(host): [] for host in others}
    for host, content in zip(hosts.tolist(), contents[which].tolist(), strict=True):
        if host in paths and len(paths[host]) < PATHS:
            paths[host].append(path[content])
    return others, paths


def of_known(model: Model, place: int, most: int) -> np.ndarray:
    """Places of known hosts that share content with a known one, (k,) rising."""
    arrays = model.file.arrays
    mine = arrays["item"][arrays["start"][place] : arrays["start"][place + 1]].astype(np.int64)
    mine = mine[mine < model.items.bounds[1]]
    low, high = (arrays["posting_start"][mine + k] for k in (0, 1))
    hosts = np.concatenate([np.zeros(0, np.uint32), *_postings(arrays, low, high)]).astype(np.int64)
    weight = np.repeat(model.items.weight[mine], high - low)
    return _heaviest(hosts[hosts != place], weight[hosts != place], most)


def _postings(arrays: dict[str, np.ndarray], low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    return [arrays["posting"][i:j] for i, j in zip(low, high, strict=True)]


def _heaviest(hosts: np.ndarray, weight: np.ndarray, most: int) -> np.ndarray:
    if not len(hosts):
        return hosts
    others, at = np.unique(hosts, return_inverse=True)
    return others[np.sort(np.argsort(-np.bincount(at, weight, len(others)), kind="stable")[:most])]
