"""Stages 10 to 40 against a slow reference in plain Python: dup-clusters, candidate pairs, features, evidence.

The reference works on raw rows (url parts, ip, fingerprint) with dicts and loops, after METHOD sections 1, 2
and 7 and the headers of the SQL files; it shares no code with the product. Only sections are put into 64 bits by
DuckDB's own hash, as sql/20 says.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from math import log, sqrt

import duckdb
import numpy as np
import polars as pl
import pytest

import replicadb

SCALE = 2**20
CAP, PATH_MAX = 9, 12  # small, so that the small crawl has clusters and paths beyond both
ENDINGS = ("com", "net", "org", "com.br", "org.uk")
WORDS = ("a", "mirror", "shop", "news", "x", "blue-sky", "lyrics", "www2")


def draw_rows(seed: int, n_hosts: int = 48) -> list[dict]:
    """A crawl of every awkward kind: http and https twins, several addresses or none, IPv6, unknown content."""
    rng = random.Random(seed)
    hosts = set()
    while len(hosts) < n_hosts:
        stem = ".".join(rng.sample(WORDS, rng.randint(1, 3))) + rng.choice(("", "1", "2"))
        hosts.add(rng.choice(("www.", "")) + stem + "." + rng.choice(ENDINGS))
        if rng.random() < 0.02:
            hosts.add(f"10.0.{rng.randint(0, 3)}.{rng.randint(1, 9)}")
    ips = [f"192.0.{rng.randint(1, 4)}.{rng.randint(1, 9)}" for _ in range(12)]
    ips += [f"2001:db8::{rng.randint(0, 2)}:0:0:0:{rng.randint(1, 5):x}" for _ in range(6)]
    paths = ["/", "/index.html", "/a/", "/a/b.html", "/c?q=1", "/shop/x?p=2", "/mirror/a/b.html"]
    paths += [f"/{section}/{i}.html" for section in ("s", "t", "u", "v") for i in range(12)]
    contents = [f"{i:040x}" for i in range(60)]
    rows = []
    for host in sorted(hosts):
        addresses = rng.sample(ips, rng.choice((0, 1, 1, 1, 2, 3)))
        popular = rng.random() < 0.4
        for path in set(rng.sample(paths, rng.randint(2, 30))) | ({"/"} if popular else set()):
            for scheme in rng.choice((["http"], ["https"], ["http", "https"])):
                digest = rng.choice((None, f"{rng.getrandbits(160):040x}", rng.choice(contents), contents[len(path) % 7],
                                     contents[hash_of(path) % 60]))
                rows.append({"scheme": scheme, "host": host, "path": path, "url": f"{scheme}://{host}{path}",
                             "ip": rng.choice(addresses) if addresses else None, "fingerprint": digest,
                             "timestamp": rng.choice((None, "20200101000000", "20210101000000"))})
    rng.shuffle(rows)
    return rows


def hash_of(text: str) -> int:
    return sum(ord(c) * (i + 7) for i, c in enumerate(text))


def levenshtein(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        left, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            left, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, left + (x != y))
    return row[-1]


def scaled(value: float) -> int:
    return round(value * SCALE)


class Reference:
    """Everything by dicts and loops; rows have a ``url_id`` by their place."""

    def __init__(self, rows: list[dict]) -> None:
        self.rows = rows
        self.hosts = sorted({r["host"] for r in rows}, key=str.encode)
        self.section_hash: dict[str, int] = {}
        self._clusters()
        self._paths()
        self._names()
        self._addresses()

    def _clusters(self) -> None:
        members = defaultdict(list)
        for row in self.rows:
            if row["fingerprint"]:
                members[row["fingerprint"]].append(row)
        self.clusters = {f: urls for f, urls in members.items() if len(urls) > 1}
        self.cluster_hosts = {f: sorted({u["host"] for u in urls}, key=str.encode) for f, urls in self.clusters.items()}
        self.cluster_path = {f: {h: min((u["path"] for u in urls if u["host"] == h), key=str.encode) for h in self.cluster_hosts[f]}
                             for f, urls in self.clusters.items()}
        self.cluster_weight = {f: scaled(1 + log(len(self.hosts) / len(hosts))) for f, hosts in self.cluster_hosts.items()}
        self.alone, self.by_two = scaled(1 + log(len(self.hosts))), scaled(1 + log(len(self.hosts) / 2))
        self.host_weight, self.n_clusters = Counter(), Counter()
        for fingerprint, urls in members.items():
            if fingerprint in self.clusters:
                for host in self.cluster_hosts[fingerprint]:
                    self.host_weight[host] += self.cluster_weight[fingerprint]
                    self.n_clusters[host] += 1
            else:
                self.host_weight[urls[0]["host"]] += self.alone

    def _paths(self) -> None:
        self.content: dict[str, dict[str, str | None]] = {h: {} for h in self.hosts}
        for host in self.hosts:
            at = defaultdict(list)
            for row in self.rows:
                if row["host"] == host:
                    at[row["path"]].append(row)
            for path, urls in at.items():
                known = [u for u in urls if u["fingerprint"]]
                newest = max(known, key=lambda u: (u["timestamp"] or "1970", str(u["fingerprint"])), default={"fingerprint": None})
                self.content[host][path] = newest["fingerprint"]
        df = Counter(p for paths in self.content.values() for p in paths)
        self.path_df = df
        usable = {p: n for p, n in df.items() if 2 <= n <= PATH_MAX}
        maxdf = max(usable.values(), default=1)
        self.path_weight2 = {p: scaled((1 + log(maxdf / n)) ** 2) for p, n in usable.items()}
        own = scaled((1 + log(maxdf)) ** 2)
        self.path_norm2 = {h: sum(own if df[p] == 1 else self.path_weight2.get(p, 0) for p in paths) for h, paths in self.content.items()}

    def _names(self) -> None:
        terms = {h: set(h.split(".")) for h in self.hosts}
        df = Counter(t for ts in terms.values() for t in ts)
        weight2 = {t: scaled((log(len(t)) / (1 + log(n))) ** 2) for t, n in df.items()}
        self.terms = {h: {t: weight2[t] for t in ts} for h, ts in terms.items()}

    def _addresses(self) -> None:
        self.ips, self.nets = defaultdict(set), defaultdict(set)
        self.of_ip, self.of_net = defaultdict(set), defaultdict(set)
        for row in self.rows:
            if row["ip"]:
                net = ":".join(row["ip"].split(":")[:4]) if ":" in row["ip"] else row["ip"].rsplit(".", 1)[0]
                net = net.replace("2001:db8::", "2001:db8:0:") if ":" in net else net
                self.ips[row["host"]].add(row["ip"])
                self.nets[row["host"]].add(net)
                self.of_ip[row["ip"]].add(row["host"])
                self.of_net[net].add(row["host"])

    def section(self, path: str) -> str:
        return path.split("/")[1] if "/" in path[1:] else ""

    def bits(self, sections: set[str]) -> int:
        for s in sections - self.section_hash.keys():
            self.section_hash[s] = duckdb.execute("SELECT hash(?::VARCHAR) % 64", [s]).fetchall()[0][0]
        return len({self.section_hash[s] for s in sections})

    def sections(self, host: str) -> int:
        return min(len({self.section(p) for p in self.content[host]}), 64)

    def pairs(self) -> set[tuple[str, str]]:
        return {pair for hosts in self.cluster_hosts.values() if 1 < len(hosts) <= CAP for pair in combinations(hosts, 2)}

    def features(self, a: str, b: str) -> dict[str, float | None]:
        shared = [f for f, hosts in self.cluster_hosts.items() if len(hosts) <= CAP and a in hosts and b in hosts]
        weight = sum(self.cluster_weight[f] for f in shared)
        path_of = {f: (self.cluster_path[f][a], self.cluster_path[f][b]) for f in shared}
        same = [f for f in shared if path_of[f][0] == path_of[f][1]]
        tails = [f for f in shared if self.tail(path_of[f][0]) == self.tail(path_of[f][1])]
        common = [p for p in self.content[a] if p in self.content[b] and p in self.path_weight2]
        unequal = sum(1 for p in common if self.content[a][p] and self.content[b][p] and self.content[a][p] != self.content[b][p])
        roots = [self.content[h].get("/") if "/" not in self.path_weight2 else None for h in (a, b)]
        unequal += all(roots) and roots[0] != roots[1]
        dot = sum(w for t, w in self.terms[a].items() if t in self.terms[b])
        norms = sqrt(sum(self.terms[a].values())) * sqrt(sum(self.terms[b].values()))
        reach = sorted(self.bits({self.section(path_of[f][i]) for f in shared}) / (self.sections(h) + 0.5) for i, h in enumerate((a, b)))
        path_dot, path_norms = sum(self.path_weight2[p] for p in common), sqrt(self.path_norm2[a]) * sqrt(self.path_norm2[b])
        of_a, of_b, own = self.host_weight[a], self.host_weight[b], self.alone
        return {
            "shared": len(shared),
            "ndist": levenshtein(a, b),
            "nmatch": dot / norms if norms else 0,
            "ip4": self.match(a, b, self.ips, self.of_ip),
            "ip3": self.match(a, b, self.nets, self.of_net),
            "fullpath": path_dot / path_norms if path_norms else 0,
            "similarity": len(shared) / (self.n_clusters[a] + self.n_clusters[b] - len(shared)),
            "evidence": weight / self.by_two,
            "containment": weight / (min(of_a, of_b) + own),
            "resemblance": weight / (of_a + of_b - weight + own),
            "path_overlap": path_dot / (path_norms + scaled((1 + log(PATH_MAX)) ** 2)),
            "agreement": (len(same) + 1) / (len(same) + unequal + 2),
            "alignment": (sum(self.cluster_weight[f] for f in tails) + own / 4) / (weight + own / 2),
            "reach": reach[1],
            "reach_both": reach[0],
        }

    @staticmethod
    def tail(path: str) -> str:
        """The last segment with its slash, where one stands at the end."""
        end = path.rstrip("/") if path.endswith("/") and not path.endswith("//") else path
        return end.rsplit("/", 1)[-1] + path[len(end):]

    @staticmethod
    def match(a: str, b: str, groups: dict, hosts_of: dict) -> float | None:
        if a not in groups or b not in groups:
            return None
        return max((1 / (len(hosts_of[g]) - 1) for g in groups[a] & groups[b]), default=0)


@pytest.fixture(scope="module", params=[1, 2, 3])
def found(request, tmp_path_factory):
    """A loaded and detected crawl beside its reference."""
    rows = draw_rows(request.param)
    for i, row in enumerate(rows):
        row["url_id"] = i
    folder = tmp_path_factory.mktemp("features")
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame.select("url", "ip", "fingerprint", "timestamp").write_parquet(folder / "crawl.parquet")
    with replicadb.open(folder / "web.duckdb") as web:
        assert web.load(folder / "crawl.parquet").kept == len(rows)
        web.detect(method="paper", max_cluster_hosts=CAP, path_max_hosts=PATH_MAX)
        yield web.database, Reference(rows)


def test_dup_clusters_are_the_fingerprints_of_two_or_more_urls(found):
    db, reference = found
    clusters = {r[0]: r[1:] for r in db.rows("SELECT fingerprint, n_urls, n_hosts, weight FROM dup_clusters")}
    assert clusters == {f: (len(urls), len(reference.cluster_hosts[f]), reference.cluster_weight[f])
                        for f, urls in reference.clusters.items()}
    paths = db.rows("SELECT fingerprint, host, path FROM cluster_hosts JOIN dup_clusters USING (cluster_id) JOIN hosts USING (host_id)")
    assert sorted(paths) == sorted((f, h, p) for f, at in reference.cluster_path.items() for h, p in at.items())
    assert any(len(hosts) > CAP for hosts in reference.cluster_hosts.values())


def test_host_stats_count_what_each_host_has(found):
    db, reference = found
    for host, rank, urls, paths, clusters, weight, norm2, sections in db.rows(
            """SELECT host, host_rank, n_urls, n_paths, n_clusters, weight, path_weight2, n_sections
               FROM host_stats JOIN hosts USING (host_id)"""):
        assert host == reference.hosts[rank - 1]
        assert urls == sum(r["host"] == host for r in reference.rows)
        assert paths == len(reference.content[host])
        assert min(sections, 64) == reference.sections(host)
        assert (clusters, weight, norm2) == (reference.n_clusters[host], reference.host_weight[host], reference.path_norm2[host])


def test_candidate_pairs_are_those_that_share_a_cluster_within_the_cap(found):
    db, reference = found
    assert set(db.rows("SELECT host_a, host_b FROM candidate_pairs")) == reference.pairs()


def test_every_feature_is_what_the_reference_says(found):
    db, reference = found
    names = list(reference.features(*next(iter(reference.pairs()))))
    rows = db.rows(f"SELECT host_a, host_b, {', '.join(names)} FROM candidate_pairs")
    assert rows
    for a, b, *values in rows:
        expected = reference.features(a, b)
        for name, value in zip(names, values, strict=True):
            if expected[name] is None or value is None:
                assert value is None and expected[name] is None, (a, b, name)
            else:
                assert value == pytest.approx(float(np.float32(expected[name])), rel=3e-7, abs=1e-12), (a, b, name)


def test_labels_are_obvious_by_name_and_strangers_by_content_and_path(found):
    db, reference = found
    pairs = reference.pairs()
    for a, b, label in db.rows("""SELECT a.host, b.host, label FROM labels JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS b ON b.host_id = b_id"""):
        if label == 1:
            assert (a, b) in pairs
        else:
            assert not any(a in hosts and b in hosts for hosts in reference.cluster_hosts.values())
            assert not any(p in reference.content[b] for p in reference.content[a] if p in reference.path_weight2)
    found_labels = set(db.rows("SELECT host_a, host_b FROM obvious_replicas"))
    assert found_labels == {(a, b) for a, b in pairs if obvious(a, b)}


def obvious(a: str, b: str) -> bool:
    def stem(host: str) -> tuple[str, str] | None:
        for ending in sorted(ENDINGS, key=len, reverse=True):
            if host.endswith("." + ending):
                return host.removesuffix("." + ending), ending
        return None

    x, y = stem(a), stem(b)
    return "www." + a == b or "www." + b == a or bool(x and y and x[0] == y[0] and x[1] != y[1])
