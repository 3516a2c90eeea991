"""Retrieved candidates: the known hosts that share content with a host, worth scoring when it is
looked up.

Invariant: all known fingerprints count, also those on one host alone; of content on more
than ``max_cluster_hosts`` hosts no host is found, as in detection. The heaviest come first: most
shared content by idf.
"""

from __future__ import annotations

import numpy as np

from replicadb.model.known_hosts import KnownHosts
from replicadb.model.new_host_items import NewHost
from replicadb.model.shared_items import CONTENTS
from replicadb.stage_constants import MODEL

MOST = MODEL.most_retrieved
"""Candidates of a host: those that share most."""
PATHS = 5
"""So many paths say what is shared."""


def of_new_host(known: KnownHosts, host: NewHost) -> tuple[np.ndarray, dict[int, list[str]]]:
    """Places of known hosts that share content with a new host, (k,) rising, and by place some of
    the new host's paths of it.
    """
    contents = np.array(host.contents, np.uint64)
    item, _ = known.items_of(CONTENTS, contents)
    only = known.only_host_of(contents)
    alone, several = np.flatnonzero(only >= 0), np.flatnonzero(item >= 0)
    n, places = known.hosts_of(item[several])
    which = np.concatenate([alone, np.repeat(several, n)])
    hosts = np.concatenate([only[alone], places])
    which, hosts = which[hosts != host.place], hosts[hosts != host.place]
    weight = np.full(len(which), known.units["two"])
    shared = item[which] >= 0
    weight[shared] = known.items.weight[item[which[shared]]]
    others = _heaviest(hosts, weight)
    path = {page.content: page.page.path for page in reversed(host.pages)}
    paths: dict[int, list[str]] = {int(place): [] for place in others}
    for place, content in zip(hosts.tolist(), contents[which].tolist(), strict=True):
        if place in paths and len(paths[place]) < PATHS:
            paths[place].append(path[content])
    return others, paths


def of_known(known: KnownHosts, place: int) -> np.ndarray:
    """Places of known hosts that share content with a known one, (k,) rising."""
    mine = known.contents(place)
    n, hosts = known.hosts_of(mine)
    weight = np.repeat(known.items.weight[mine], n)
    return _heaviest(hosts[hosts != place], weight[hosts != place])


def _heaviest(hosts: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The MOST hosts that most weight falls to, rising; hosts and weight, (m,), of shared
    contents.
    """
    if not len(hosts):
        return hosts
    others, at = np.unique(hosts, return_inverse=True)
    heaviest = np.argsort(-np.bincount(at, weight, len(others)), kind="stable")[:MOST]
    found: np.ndarray = others[np.sort(heaviest)]
    return found
