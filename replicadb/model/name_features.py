"""Features of pairs that hang on names and addresses, of known and of new hosts.

Invariant: ndist and nmatch are those of ``replicadb.detection.name_similarity``, ip4 and ip3
those of sql/detect/40_pair_features.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import numpy as np

from replicadb.detection.evidence import about
from replicadb.detection.name_similarity import FARTHEST
from replicadb.model.host_rows import Rows, expanded, matches
from replicadb.model.known_hosts import KnownHosts
from replicadb.model.new_host_rows import NewHosts
from replicadb.model.shared_items import ADDRESSES, NETWORKS, TERMS

NAME_FEATURES = about("names", "addresses")


class NameFeatures(Mapping[str, Callable[[], np.ndarray]]):
    """The features of P pairs by name, each computed when it is called for, (P,) float32.

    Args:
        x, y: (P,) places; from n on of new hosts.
    """

    def __init__(self, known: KnownHosts, x: np.ndarray, y: np.ndarray, new: NewHosts) -> None:
        self.known, self.x, self.y, self.new = known, x, y, new

    def __getitem__(self, name: str) -> Callable[[], np.ndarray]:
        return {
            "ndist": self.ndist,
            "nmatch": self.nmatch,
            "ip4": lambda: self.group(ADDRESSES),
            "ip3": lambda: self.group(NETWORKS),
        }[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAME_FEATURES)

    def __len__(self) -> int:
        return len(NAME_FEATURES)

    def of(self, at: np.ndarray) -> NameFeatures:
        """Those of the pairs at these places, (m,)."""
        return NameFeatures(self.known, self.x[at], self.y[at], self.new)

    def ndist(self) -> np.ndarray:
        """Levenshtein distance of the names in characters, at most FARTHEST, (P,)."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        if len(self.x) == 1:
            a, b = self._name(self.x[0]), self._name(self.y[0])
            found = np.array([Levenshtein.distance(a, b, score_cutoff=FARTHEST)])
        else:
            found = cpdist(
                self._names(self.x),
                self._names(self.y),
                scorer=Levenshtein.distance,
                score_cutoff=FARTHEST,
                dtype=np.uint16,
            )
        distance: np.ndarray = np.minimum(found, FARTHEST)
        return distance

    def _name(self, place: int) -> str:
        known = self.known
        return known.names[place] if place < known.n else self.new[place - known.n].host.name

    def _names(self, places: np.ndarray) -> np.ndarray:
        names = np.empty(len(places), object)
        known = places < self.known.n
        names[known] = self.known.names.objects[places[known]]
        names[~known] = [self._name(place) for place in places[~known]]
        return names

    @cached_property
    def _labels(self) -> Rows:
        """Labels of the known hosts and, behind them, of the new ones."""
        known = self.known.rows
        if not len(self.new):
            return known
        extra = [host.labels for host in self.new]
        start, label = known["label_start"], known["label"]
        ends = start[-1] + np.cumsum([len(labels) for labels in extra])
        more = np.array([item for labels in extra for item in labels], np.uint32)
        return Rows({"label_start": np.append(start, ends), "label": np.append(label, more)})

    @cached_property
    def _shared(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels that both have: pair (m,) and item (m,)."""
        rows = self._labels
        pair, i, _ = matches(rows, self.x, rows, self.y, "label_start", "label")
        return pair, rows["label"][i]

    def _of_kind(self, kind: int, item: np.ndarray) -> np.ndarray:
        bounds = self.known.items.bounds
        return np.flatnonzero((item >= bounds[kind]) & (item < bounds[kind + 1]))

    def nmatch(self) -> np.ndarray:
        """Cosine of the names' term vectors, (P,) float64; 0 where a name has no term of weight."""
        if len(self.x) == 1 and not len(self.new):
            return np.array([self._nmatch_one()])
        pair, item = self._shared
        at = self._of_kind(TERMS, item)
        weight = self.known.items.weight
        found = np.bincount(pair[at], weight[item[at]], len(self.x))
        norm = np.sqrt(self._norm2(self.x) * self._norm2(self.y))
        cosine: np.ndarray = np.divide(found, norm, out=np.zeros(len(self.x)), where=norm > 0)
        return cosine

    def _nmatch_one(self) -> float:
        """The same of one pair of known hosts: arrays cost more to set up than a few terms."""
        rows, weight = self._labels, self.known.items.weight
        start, label = rows["label_start"], rows["label"]
        first, end = self.known.items.bounds[TERMS : TERMS + 2].tolist()
        one, other = (
            {
                item: float(weight[item])
                for item in label[start[place] : start[place + 1]].tolist()
                if first <= item < end
            }
            for place in (self.x[0], self.y[0])
        )
        norm = math.sqrt(sum(one.values()) * sum(other.values()))
        return sum(one[item] for item in one.keys() & other.keys()) / norm if norm else 0.0

    def _norm2(self, side: np.ndarray) -> np.ndarray:
        """The squared norm of each name's term vector, (P,) float64."""
        rows = self._labels
        hosts, at = np.unique(side, return_inverse=True)
        host, place = expanded(rows["label_start"][hosts], rows["label_start"][hosts + 1])
        item = rows["label"][place]
        terms = self._of_kind(TERMS, item)
        weight = self.known.items.weight[item[terms]]
        total = np.bincount(host[terms], weight, len(hosts)).astype(float)  # of no terms: ints
        new = np.flatnonzero(hosts >= self.known.n)
        total[new] += [self.new[place - self.known.n].new_terms for place in hosts[new].tolist()]
        norms: np.ndarray = total[at]
        return norms

    def group(self, kind: int) -> np.ndarray:
        """Eq. 2, (P,) float64: 1 / (size of the smallest shared group - 1), 0 where none is shared,
        NaN where a host has no known address. A new host is one more in its group.

        Args:
            kind: of the items, ADDRESSES or NETWORKS.
        """
        n, (pair, item) = self.known.n, self._shared
        at = self._of_kind(kind, item)
        size = np.full(len(self.x), np.inf)
        np.minimum.at(size, pair[at], self.known.items.weight[item[at]].astype(float))
        size = size + np.maximum(self.x >= n, self.y >= n)
        known = self._has_address(self.x) & self._has_address(self.y)
        with np.errstate(divide="ignore"):
            return np.where(known, np.where(np.isinf(size), 0, 1 / np.maximum(size - 1, 1)), np.nan)

    def _has_address(self, side: np.ndarray) -> np.ndarray:
        """Whether an address of each host is known, (P,) bool; a host's labels are in the order of
        their kinds.
        """
        start, label = self._labels["label_start"], self._labels["label"]
        hosts, back = np.unique(side, return_inverse=True)
        last = start[hosts + 1] - 1
        first_address = self.known.items.bounds[ADDRESSES]
        has = (last >= start[hosts]) & (label[np.maximum(last, 0)] >= first_address)
        new = np.flatnonzero(hosts >= self.known.n)
        ips = [self.new[place - self.known.n].host.ips for place in hosts[new].tolist()]
        has[new] |= np.array([bool(each) for each in ips], bool)
        found: np.ndarray = has[back]
        return found
