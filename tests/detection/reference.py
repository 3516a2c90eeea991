"""A slow reference for stages 10 to 40 in plain Python: dup-clusters, candidate pairs, features.

The reference works on raw rows (url parts, ip, fingerprint, type, length, title, links) with dicts
and loops, after docs/method.md (#candidates, #features), docs/robust.md#robust-evidence and the
headers of the SQL files; it shares no code with the product. Only sections are put into 64 bits by
DuckDB's own hash, and one of two titles of a page is chosen by hash64, as sql/detect/14_host_pages
and sql/detect/22_candidate_pairs say.

A new column of pair_features needs one entry in a ``*_features`` method; without it
test_pair_features says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from math import log, sqrt

from who_runs import identifiers_of

from .country_reference import countries_agree
from .files_reference import asset_features, files_alone, in_place_of_pages
from .plain_forms import (
    CAP,
    PATH_MAX,
    SCALE,
    alike,
    duckdb_hash,
    exclusivities,
    host_of,
    is_page,
    known_pages,
    levenshtein,
    names_of,
    one_language,
    rarities,
    same_title,
    scaled,
    segment_of,
    tail_of,
    titles_of,
)


class Reference:
    """Everything by dicts and loops; of redirects only where they lead counts."""

    def __init__(self, rows: list[dict]) -> None:
        self.all_rows = rows
        self.rows = [r for r in rows if r["status"] == "200"]
        self.hosts = sorted({r["host"] for r in self.rows}, key=str.encode)
        self.section_hash: dict[str, int] = {}
        self._clusters()
        self._paths()
        self._tails()
        self._titles()
        self._links()
        self._identifiers()
        self._names()
        self._addresses()

    def _clusters(self) -> None:
        members = defaultdict(list)
        for row in self.rows:
            if row["fingerprint"]:
                members[row["fingerprint"]].append(row)
        self.clusters = {f: urls for f, urls in members.items() if len(urls) > 1}
        self.cluster_page = {f: any(map(is_page, urls)) for f, urls in members.items()}
        self.cluster_hosts = {
            f: sorted({u["host"] for u in urls}, key=str.encode)
            for f, urls in self.clusters.items()
        }
        self.cluster_path = {
            f: {
                h: min((u["path"] for u in urls if u["host"] == h), key=str.encode)
                for h in self.cluster_hosts[f]
            }
            for f, urls in self.clusters.items()
        }
        self.cluster_weight = {
            f: scaled(1 + log(len(self.hosts) / len(hosts)))
            for f, hosts in self.cluster_hosts.items()
        }
        self.exclusive = {
            f: SCALE // max(len(hosts) - 1, 1) for f, hosts in self.cluster_hosts.items()
        }
        self.alone, self.by_two = (scaled(1 + log(len(self.hosts) / n)) for n in (1, 2))
        self.n_contents, self.n_borrowed = Counter(), Counter()
        self.host_weight, self.host_exclusive, self.host_asset_weight, self.n_clusters = (
            Counter(),
            Counter(),
            Counter(),
            Counter(),
        )
        for fingerprint, urls in members.items():
            exclusive = (
                self.host_exclusive if self.cluster_page[fingerprint] else self.host_asset_weight
            )
            for host in self.cluster_hosts.get(fingerprint, [urls[0]["host"]]):
                exclusive[host] += self.exclusive.get(fingerprint, SCALE)
                if self.cluster_page[fingerprint]:
                    self.host_weight[host] += self.cluster_weight.get(fingerprint, self.alone)
                self.n_clusters[host] += fingerprint in self.clusters
                self.n_contents[host] += self.cluster_page[fingerprint]
                self.n_borrowed[host] += (
                    self.cluster_page[fingerprint]
                    and len(self.cluster_hosts.get(fingerprint, ())) > 1
                )

    def _paths(self) -> None:
        """Per host and path: the newest known content, whether it is a page, its length
        and title.
        """
        self.at: dict[str, dict[str, dict]] = {h: {} for h in self.hosts}
        urls_at = defaultdict(list)
        for row in self.rows:
            urls_at[row["host"], row["path"]].append(row)
        self.site_names = {host: names_of(self.rows, host) for host in self.hosts}
        for (host, path), urls in urls_at.items():
            known = [u for u in urls if u["fingerprint"]]
            newest = max(
                known,
                key=lambda u: (u["timestamp"] or "1970", u["fingerprint"]),
                default={"fingerprint": None},
            )
            self.at[host][path] = {
                "content": newest["fingerprint"],
                "page": any(map(is_page, urls)),
                "length": max((u["length"] for u in urls if u["length"]), default=None),
                **titles_of(urls, self.site_names[host]),
            }
        self.content = {
            h: {p: x["content"] for p, x in paths.items()} for h, paths in self.at.items()
        }
        df = self.path_df = Counter(p for paths in self.at.values() for p in paths)
        usable = {p: n for p, n in df.items() if 2 <= n <= PATH_MAX}
        maxdf = max(usable.values(), default=1)
        self.path_weight2 = {p: scaled((1 + log(maxdf / n)) ** 2) for p, n in usable.items()}
        own = scaled((1 + log(maxdf)) ** 2)
        weight2 = {p: own if n == 1 else self.path_weight2.get(p, 0) for p, n in df.items()}
        self.path_norm2 = {h: sum(weight2[p] for p in paths) for h, paths in self.at.items()}
        self.page_path_norm2 = {
            h: sum(weight2[p] for p, x in paths.items() if x["page"])
            for h, paths in self.at.items()
        }

    def _tails(self) -> None:
        """Per host and tail of a page (the home page has none): that page, or None where several
        have it or it is named by a small number; and per host and segment with such a number the
        page, where there is one and it can be compared.
        """
        self.tails: dict[str, dict[str, dict | None]] = {h: {} for h in self.hosts}
        self.numbered: dict[str, dict[str, dict]] = {}
        for host, paths in self.at.items():
            segments: dict[str, list[dict]] = {}
            for path, page in paths.items():
                if page["page"] and path != "/":
                    tail, segment = tail_of(path), segment_of(path)
                    self.tails[host][tail] = (
                        None if tail in self.tails[host] or tail != segment else page
                    )
                    if tail != segment:
                        segments.setdefault(segment, []).append(page)
            self.numbered[host] = {
                s: pages[0]
                for s, pages in segments.items()
                if len(pages) == 1
                and pages[0]["content"]
                and (pages[0]["length"] or pages[0]["title"] or pages[0]["language"])
            }
        n_hosts = Counter(s for segments in self.numbered.values() for s in segments)
        self.numbered = {
            h: {s: page for s, page in segments.items() if n_hosts[s] <= PATH_MAX}
            for h, segments in self.numbered.items()
        }
        self.tail_weight = rarities(self.tails, len(self.hosts))

    def _titles(self) -> None:
        self.titles = {h: set() for h in self.hosts}
        for row in self.rows:
            if row["title"]:
                self.titles[row["host"]].add(row["title"].lower())
        self.title_weight = exclusivities(self.titles)

    def _links(self) -> None:
        """Pages of a host by the URL that they link to, and how often canonical links and redirects
        lead to which host.
        """
        self.links, self.named = (
            {h: Counter() for h in self.hosts},
            {h: Counter() for h in self.hosts},
        )
        for row in self.all_rows:
            self.links[row["host"]].update(set(row.get("links") or ()))
            for url in (row.get("canonical"), row["redirect"]):
                if url:
                    self.named[row["host"]][host_of(url)] += 1
        self.outside = {
            h: {url for url in links if host_of(url) != h} for h, links in self.links.items()
        }
        self.link_weight = exclusivities(self.outside)

    def _identifiers(self) -> None:
        self.said = {
            h: {(kind, v) for kind, values in identifiers_of(h).items() for v in values}
            for h in self.hosts
        }
        self.said_weight = rarities(self.said, len(self.hosts))

    def _names(self) -> None:
        terms = {h: set(h.replace("/", ".").split(".")) for h in self.hosts}
        df = Counter(t for ts in terms.values() for t in ts)
        weight2 = {t: scaled((log(len(t)) / (1 + log(n))) ** 2) for t, n in df.items()}
        self.terms = {h: {t: weight2[t] for t in ts} for h, ts in terms.items()}

    def _addresses(self) -> None:
        self.ips, self.nets = defaultdict(set), defaultdict(set)
        self.of_ip, self.of_net = defaultdict(set), defaultdict(set)
        for row in self.rows:
            if row["ip"]:
                net = (
                    ":".join(row["ip"].split(":")[:4])
                    if ":" in row["ip"]
                    else row["ip"].rsplit(".", 1)[0]
                )
                net = net.replace("2001:db8::", "2001:db8:0:") if ":" in net else net
                self.ips[row["host"]].add(row["ip"])
                self.nets[row["host"]].add(net)
                self.of_ip[row["ip"]].add(row["host"])
                self.of_net[net].add(row["host"])

    def section(self, path: str) -> str:
        return path.split("/")[1] if "/" in path[1:] else ""

    def bits(self, sections: set[str]) -> int:
        for s in sections - self.section_hash.keys():
            self.section_hash[s] = duckdb_hash(s) % 64
        return len({self.section_hash[s] for s in sections})

    def sections(self, host: str) -> int:
        return self.bits({self.section(p) for p, x in self.at[host].items() if x["page"]})

    def pairs(self) -> set[tuple[str, str]]:
        return {
            pair
            for hosts in self.cluster_hosts.values()
            if 1 < len(hosts) <= CAP
            for pair in combinations(hosts, 2)
        }

    def features(self, a: str, b: str) -> dict[str, float | None]:
        common = [p for p in self.at[a] if p in self.at[b] and p in self.path_weight2]
        return (
            self.papers_features(a, b, common)
            | self.content_features(a, b, common)
            | self.tail_features(a, b)
            | self.link_features(a, b)
            | (in_place_of_pages(self, a, b, CAP) if files_alone(self, a, b) else {})
        )

    def papers_features(self, a: str, b: str, common: list[str]) -> dict[str, float | None]:
        dot = sum(w for t, w in self.terms[a].items() if t in self.terms[b])
        norms = sqrt(sum(self.terms[a].values())) * sqrt(sum(self.terms[b].values()))
        path_dot, path_norms = (
            sum(self.path_weight2[p] for p in common),
            sqrt(self.path_norm2[a]) * sqrt(self.path_norm2[b]),
        )
        return {
            "ndist": levenshtein(a, b),
            "nmatch": dot / norms if norms else 0,
            "ip4": self.match(a, b, self.ips, self.of_ip),
            "ip3": self.match(a, b, self.nets, self.of_net),
            "fullpath": path_dot / path_norms if path_norms else 0,
        }

    def content_features(self, a: str, b: str, common: list[str]) -> dict[str, float | None]:
        everything = [
            f
            for f, hosts in self.cluster_hosts.items()
            if len(hosts) <= CAP and a in hosts and b in hosts
        ]
        shared = [f for f in everything if self.cluster_page[f]]
        weight, own = sum(self.cluster_weight[f] for f in shared), self.alone
        exclusive = sum(self.exclusive[f] for f in shared)
        path_of = {f: (self.cluster_path[f][a], self.cluster_path[f][b]) for f in shared}
        same = [f for f in shared if path_of[f][0] == path_of[f][1]]
        tails = [f for f in shared if tail_of(path_of[f][0]) == tail_of(path_of[f][1])]
        pages = [p for p in common if self.at[a][p]["page"] and self.at[b][p]["page"]]
        unequal = sum(
            1
            for p in pages
            if self.content[a][p]
            and self.content[b][p]
            and self.content[a][p] != self.content[b][p]
        )
        roots = [self.content[h].get("/") if "/" not in self.path_weight2 else None for h in (a, b)]
        unequal += all(roots) and roots[0] != roots[1]
        reach = sorted(
            self.bits({self.section(path_of[f][i]) for f in shared}) / (self.sections(h) + 0.5)
            for i, h in enumerate((a, b))
        )
        borrowed = sorted(self.n_borrowed[h] / (self.n_contents[h] + 1) for h in (a, b))
        page_norms = sqrt(self.page_path_norm2[a]) * sqrt(self.page_path_norm2[b])
        exclusive_a, exclusive_b = self.host_exclusive[a], self.host_exclusive[b]
        of_a, of_b = self.host_weight[a], self.host_weight[b]
        return {
            "shared": len(everything),
            "similarity": round(
                len(everything) / (self.n_clusters[a] + self.n_clusters[b] - len(everything)), 5
            ),
            "evidence": weight / self.by_two,
            "containment": weight / (min(of_a, of_b) + own),
            "resemblance": weight / (of_a + of_b - weight + own),
            "exclusive_evidence": exclusive / SCALE,
            "exclusive_containment": exclusive / (min(exclusive_a, exclusive_b) + SCALE),
            "exclusive_resemblance": exclusive / (exclusive_a + exclusive_b - exclusive + SCALE),
            "path_overlap": sum(self.path_weight2[p] for p in pages)
            / (page_norms + scaled((1 + log(PATH_MAX)) ** 2)),
            "agreement": (len(same) + 1) / (len(same) + unequal + 2),
            "alignment": (sum(self.cluster_weight[f] for f in tails) + own / 4)
            / (weight + own / 2),
            "reach": reach[1],
            "reach_both": reach[0],
            "borrowed": borrowed[1] if shared else None,
            "borrowed_both": borrowed[0] if shared else None,
            **alike(self, a, b, bool(shared) and len(same) >= unequal),
            "countries_agree": countries_agree(self, a, b, len(everything), len(same), unequal),
            "known_pages": known_pages(self.n_contents[a], self.n_contents[b], shared),
            "plain_resemblance": weight / (of_a + of_b - weight)
            if shared and min(self.n_contents[a], self.n_contents[b]) >= 5
            else None,
        } | asset_features(self, a, b, sum(self.exclusive[f] for f in everything) - exclusive)

    def tail_features(self, a: str, b: str) -> dict[str, float | None]:
        both = [
            (self.tails[a][t], self.tails[b][t])
            for t in self.tails[a]
            if t in self.tails[b] and self.tail_weight.get(t)
        ]
        both += [
            (page, self.numbered[b][s])
            for s, page in self.numbered[a].items()
            if s in self.numbered[b]
        ]
        differ = [
            (x, y)
            for x, y in both
            if x and y and x["content"] and y["content"] and x["content"] != y["content"]
        ]
        sized = [(x["length"], y["length"]) for x, y in differ if x["length"] and y["length"]]
        titled = [same_title(x, y) for x, y in differ if x["title"] and y["title"]]
        close = sum(abs(x - y) * 100 <= 3 * max(x, y) for x, y in sized)
        return {
            "tail_overlap": self.overlap(a, b, self.tails, self.tail_weight, 0.0, self.alone),
            "size_agreement": (close + 0.2) / (len(sized) + 2) if sized else None,
            "title_agreement": (sum(titled) + 0.2) / (len(titled) + 2) if titled else None,
            "title_overlap": self.overlap(a, b, self.titles, self.title_weight, None),
            "same_language": one_language(differ, self.at[a], self.at[b]),
        }

    def link_features(self, a: str, b: str) -> dict[str, float | None]:
        linked, named = [], []
        for x, y in ((a, b), (b, a)):
            most = max((n for url, n in self.links[x].items() if host_of(url) == y), default=0)
            linked.append(min(most / (sum(r["host"] == x for r in self.rows) + 1), 1))
            named.append(self.named[x][y] / (self.named[x].total() + 1))
        return {
            "identifier_overlap": self.overlap(
                a, b, self.said, self.said_weight, None, scaled(1 + log(len(self.hosts)))
            ),
            "link_overlap": self.overlap(a, b, self.outside, self.link_weight, None),
            "linked": max(linked) if self.links[a] or self.links[b] else None,
            "canonical": max(named) if self.named[a] or self.named[b] else None,
        }

    def overlap(
        self, a: str, b: str, things: dict, weight: dict, unknown: float | None, one: int = SCALE
    ) -> float | None:
        """Share of the lighter host's things that the other has too, drawn to 0; ``unknown`` where
        a host has none.
        """
        of_a, of_b = (sum(weight.get(x, 0) for x in things[h]) for h in (a, b))
        both = sum(weight.get(x, 0) for x in things[a] if x in things[b])
        return both / (min(of_a, of_b) + one) if of_a and of_b else unknown

    @staticmethod
    def match(a: str, b: str, groups: dict, hosts_of: dict) -> float | None:
        if a not in groups or b not in groups:
            return None
        return max((1 / (len(hosts_of[g]) - 1) for g in groups[a] & groups[b]), default=0)
