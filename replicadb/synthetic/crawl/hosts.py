"""Which hosts there are: replica groups by cause, single sites, parked names; their names and
addresses.

Invariant: the number of hosts is exactly the one wanted, and every pair of hosts with one
site is a planted replica pair, no other pair is. Causes are those of the paper's introduction
(docs/method.md#causes, thesis §1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from replicadb.arrays import Array, Bools, Ints
from replicadb.synthetic.crawl import pseudo_names, readable_names
from replicadb.synthetic.crawl.draws import assign_groups, group_sizes, within
from replicadb.synthetic.crawl.profiles import Profile

CAUSES = [
    "", "www", "suffix", "load-balanced", "moved", "franchise", "clone", "farm", "moved-prefix",
    "fork", "fork-prefix", "stale", "reformatted", "partial", "version",
]  # fmt: skip
"""Why a host exists beside the first of its group; the cause of a pair is the later one in this
list.
"""

_SIZES = {
    "www": (2, 2),
    "suffix": (2, 4),
    "load-balanced": (2, 6),
    "moved": (2, 2),
    "franchise": (3, 30),
    "clone": (2, 3),
    "farm": (3, 150),
    "moved-prefix": (2, 2),
    "fork": (2, 6),
    "fork-prefix": (2, 6),
    "stale": (2, 3),
    "reformatted": (2, 2),
    "partial": (2, 2),
    "version": (2, 5),
}
_SAME_IP = {
    "": 0,
    "www": 0.9,
    "suffix": 0.65,
    "load-balanced": 0.35,
    "moved": 0.03,
    "franchise": 0.3,
    "clone": 0.02,
    "farm": 0.45,
    "moved-prefix": 0.3,
    "fork": 0.2,
    "fork-prefix": 0.2,
    "stale": 0.2,
    "reformatted": 0.1,
    "partial": 0.1,
    "version": 0.1,
}
_SAME_NET = {
    "": 0,
    "www": 0.3,
    "suffix": 0.2,
    "load-balanced": 0.8,
    "moved": 0.05,
    "franchise": 0.4,
    "clone": 0.0,
    "farm": 0.4,
    "moved-prefix": 0.2,
    "fork": 0.2,
    "fork-prefix": 0.2,
    "stale": 0.2,
    "reformatted": 0.2,
    "partial": 0.2,
    "version": 0.2,
}
FORKS = ("fork", "fork-prefix", "stale", "reformatted", "partial", "version")
"""The causes of replicas among static sites: somebody published a copy of a repository. A
``version`` is what the same project was or became in other years: a near-replica, most pages of
which were written anew.
"""


@dataclass(frozen=True)
class Hosts:
    """One row for each host; rows of a site are not adjacent."""

    site: np.ndarray
    """(h,) int64."""
    cause: np.ndarray
    """(h,) int64, index into CAUSES; 0 for the first of a group and for a single site."""
    name: pl.Series
    """String (h,), distinct."""
    ip: pl.Series
    """String (h,), null where the address is not known."""
    hosts_of: np.ndarray
    """(s,) int64, hosts of each site."""
    parked: np.ndarray
    """(s,) bool."""
    isolated: np.ndarray
    """(s,) bool."""
    twins: np.ndarray
    """(t, 2) int64, pairs of different sites whose names look obvious."""


def build_hosts(profile: Profile, hosts: int, seed: int) -> Hosts:
    """Draw the hosts of a crawl."""
    rng = np.random.default_rng([seed, 2])
    site, cause, alias_of = _replicas(profile, hosts, rng)
    groups = int(site.max()) + 1 if len(site) else 0
    singles = hosts - len(site)
    alone = np.arange(groups, groups + singles)
    n = groups + singles
    parked = np.zeros(n, bool)
    parked[alone[: int(profile.parked * hosts)]] = True
    isolated = np.zeros(n, bool)
    isolated[
        alone[len(alone) - min(int(profile.isolated * hosts), singles - int(parked.sum())) :]
    ] = True
    obvious_groups = np.unique(site[np.isin(cause, [1, 2])])
    twins, look_alikes = _look_alikes(profile, rng, len(obvious_groups), alone, parked, isolated)
    site = np.concatenate([site, alone])
    cause = np.concatenate([cause, np.zeros(singles, np.int64)])
    alias_of = np.concatenate([alias_of, np.full(singles, -1)])
    name = _names(profile, seed, rng, site, cause, alias_of, n, twins, look_alikes)
    ip = _addresses(profile, rng, site, cause, n)
    return Hosts(site, cause, name, ip, np.bincount(site, minlength=n), parked, isolated, twins)


def _replicas(profile: Profile, hosts: int, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Hosts in replica groups: site (r,), cause (r,), alias_of (r,): the row whose www name it is,
    or -1.
    """
    budget = profile.replicated * hosts / (1 + profile.alias)
    sites, causes, first = [], [], 0
    obvious = profile.obvious if profile.obvious is not None else hosts
    for kind, share in profile.kinds:
        low, high = _SIZES[kind]
        if kind in ("farm", "franchise"):
            limit = max(profile.farm_limit, hosts // 4000)
            high = min(high, max(low, hosts // profile.farm_one_in), limit)
        sizes = group_sizes(rng, int(budget * share), low, high, 0.6 if high > 6 else 0.5)
        if kind in ("www", "suffix"):
            sizes = sizes[np.cumsum(sizes * (sizes - 1) // 2) <= 0.45 * obvious]
        member = within(sizes)
        sites.append(first + np.repeat(np.arange(len(sizes)), sizes))
        causes.append(np.where(member > 0, CAUSES.index(kind), 0))
        first += len(sizes)
    site, cause = np.concatenate(sites), np.concatenate(causes)
    usual = np.flatnonzero(~np.isin(cause, [CAUSES.index("www"), CAUSES.index("load-balanced")]))
    in_www = np.isin(site, site[cause == CAUSES.index("www")])
    usual = usual[~in_www[usual]]
    chosen = np.sort(rng.permutation(usual)[: int(profile.alias * len(site))])
    alias_of = np.concatenate([np.full(len(site), -1), chosen])
    return (
        np.concatenate([site, site[chosen]]),
        np.concatenate([cause, np.full(len(chosen), 1)]),
        alias_of,
    )


def _look_alikes(
    profile: Profile,
    rng: np.random.Generator,
    obvious_groups: int,
    alone: Ints,
    parked: Bools,
    isolated: Bools,
) -> tuple[Ints, Ints]:
    """Pairs of single sites: twins (t, 2) with obvious names, and (u, 2) with a related name."""
    eligible = rng.permutation(alone[~parked[alone] & ~isolated[alone]])
    n = max(2, int(np.ceil(profile.noisy_obvious * obvious_groups)))
    if profile.obvious is not None:
        n = max(0, min(n, profile.obvious - 2 * int(0.45 * profile.obvious) - 1))
    lots = rng.permutation(alone[parked[alone]])
    in_lots = 1 if profile.obvious is not None else max(1, n // 4)
    twins = np.concatenate([eligible[: 2 * n], lots[: 2 * in_lots][: len(lots) // 2 * 2]]).reshape(
        -1, 2
    )
    rest = eligible[2 * n :]
    m = min(int(profile.subdomains * len(eligible)), len(rest) // 2)
    return twins, rest[: 2 * m].reshape(-1, 2)


def _names(
    profile: Profile,
    seed: int,
    rng: np.random.Generator,
    site: Ints,
    cause: Ints,
    alias_of: Ints,
    n: int,
    twins: Ints,
    look_alikes: Ints,
) -> pl.Series:
    """Host names. A cause decides what of the site's own name the host keeps."""
    h, n_suffixes = len(site), len(pseudo_names.SUFFIXES)
    vocabulary = pseudo_names.words(rng, 6_000)
    drawn = pseudo_names.brands(rng, vocabulary, n + h)
    site_suffix = rng.choice(n_suffixes, n, p=pseudo_names.SUFFIX_WEIGHTS)
    site_www = rng.random(n) < 0.6
    member = (
        pl.DataFrame({"s": site, "c": cause})
        .select(pl.int_range(pl.len()).over("s", "c"))
        .to_series()
        .to_numpy()
    )
    label = np.array(CAUSES)[cause]
    renamed = np.isin(label, ["moved", "franchise", "clone", "farm", "moved-prefix", *FORKS])
    related = renamed & (rng.random(h) < np.where(label == "farm", 0.4, 0.25))
    word = rng.integers(0, len(vocabulary), h)
    words = vocabulary.gather(word)
    if profile.readable:
        drawn, words = readable_names.brands(seed, n + h), readable_names.words(word)
    fresh = drawn.gather(np.arange(n, n + h))
    brand = _renamed(drawn.gather(site), fresh, words, renamed, related)
    elsewhere = renamed & (rng.random(h) < 0.6)
    suffix = np.where(
        elsewhere, rng.choice(n_suffixes, h, p=pseudo_names.SUFFIX_WEIGHTS), site_suffix[site]
    )
    suffix = np.where(label == "suffix", (suffix + 1 + member) % n_suffixes, suffix)
    www = np.where(renamed, rng.random(h) < 0.6, site_www[site])
    www = np.where(label == "www", ~www, www) & (label != "load-balanced")
    style = rng.integers(0, len(pseudo_names.BALANCERS), n)[site]
    balanced = np.array(pseudo_names.BALANCERS)[(style + member) % len(pseudo_names.BALANCERS)]
    prefix = np.where(label == "load-balanced", balanced, "").astype("U24")
    source = _borrow_names(rng, site, n, alias_of, twins, look_alikes, www, suffix, prefix)
    brand = brand.gather(source)
    if profile.hosted:
        apart = np.isin(site, np.r_[site[np.isin(label, ["www", "suffix"])], twins.ravel()])
        www, prefix, brand, suffix = _on_services(
            profile, seed, ~apart, www, prefix, brand, suffix, vocabulary
        )
    return pseudo_names.host_names(www, pl.Series(prefix), brand, suffix)


def _renamed(
    own: pl.Series, fresh: pl.Series, words: pl.Series, renamed: Bools, related: Bools
) -> pl.Series:
    """The own name; a fresh one where the site is renamed, own name and a word where related."""
    frame = pl.DataFrame(
        {"own": own, "fresh": fresh, "word": words, "renamed": renamed, "related": related}
    )
    return frame.select(
        pl.when("related")
        .then(pl.concat_str("own", pl.lit("-"), "word"))
        .when("renamed")
        .then("fresh")
        .otherwise("own")
    ).to_series()


def _on_services(
    profile: Profile,
    seed: int,
    may: Bools,
    www: Bools,
    prefix: Array,
    brand: pl.Series,
    suffix: Ints,
    vocabulary: pl.Series,
) -> tuple[Bools, Array, pl.Series, Ints]:
    """Give most hosts a name of a hosting service (user.service.net), of which there are three."""
    rng = np.random.default_rng([seed, 5])
    services = pseudo_names.brands(rng, vocabulary, 3)
    hosted = may & (rng.random(len(www)) < profile.hosted)
    which = np.minimum(rng.integers(0, 6, len(www)), 2) % 3
    prefix = np.where(hosted, np.char.add(brand.to_numpy().astype(str), "."), prefix)
    brand = (
        pl.DataFrame({"own": brand, "service": services.gather(which), "hosted": hosted})
        .select(pl.when("hosted").then("service").otherwise("own"))
        .to_series()
    )
    return www & ~hosted, prefix, brand, np.where(hosted, np.array([2, 0, 5])[which], suffix)


def _borrow_names(
    rng: np.random.Generator,
    site: Ints,
    n: int,
    alias_of: Ints,
    twins: Ints,
    look_alikes: Ints,
    www: Bools,
    suffix: Ints,
    prefix: Array,
) -> Ints:
    """Give twins, look-alikes and aliases another row's name, changed a little (www, suffix, prefix
    in place).

    Returns:
        (h,) int64, the row whose brand each row has.
    """
    row = np.zeros(n, np.int64)  # the first row of each site
    row[site[::-1]] = np.arange(len(site))[::-1]
    source = np.arange(len(site))
    a, b = row[twins[:, 0]], row[twins[:, 1]]
    by_www = rng.random(len(twins)) < 0.5
    source[b] = a
    www[b] = np.where(by_www, ~www[a], www[a])
    suffix[b] = np.where(by_www, suffix[a], (suffix[a] + 1) % len(pseudo_names.SUFFIXES))
    a, b = row[look_alikes[:, 0]], row[look_alikes[:, 1]]
    under = rng.random(len(a)) < 0.6  # blog.example.com beside example.com; else blog-example.com
    source[b] = a
    prefix[b] = np.char.add(rng.choice(pseudo_names.SUBDOMAINS, len(b)), np.where(under, ".", "-"))
    www[b] = ~under & www[b]
    suffix[b] = np.where(under, suffix[a], suffix[b])
    alias = np.flatnonzero(alias_of >= 0)
    original = alias_of[alias]
    source[alias], suffix[alias] = original, suffix[original]
    www[alias], prefix[alias] = ~www[original], prefix[original]
    return source


def _addresses(
    profile: Profile, rng: np.random.Generator, site: Ints, cause: Ints, n: int
) -> pl.Series:
    """IPv4 addresses: shared hosting, own addresses in providers' networks, and replicas by their
    cause.
    """
    h = len(site)
    pools = group_sizes(rng, int(profile.shared_hosting * n), *map(int, profile.hosting_group))
    pool = assign_groups(rng, np.arange(n), pools, n)
    pool_ip = _some_ip(rng, max(1, len(pools)), max(1, h // 60))
    site_ip = np.where((pool >= 0)[:, None], pool_ip[pool], _some_ip(rng, n, max(1, h // 30)))
    ip = site_ip[site].copy()
    labels = np.array(CAUSES)
    same = rng.random(h) < np.array([_SAME_IP[c] for c in labels])[cause]
    near = rng.random(h) < np.array([_SAME_NET[c] for c in labels])[cause]
    other = _some_ip(rng, h, max(1, h // 30))
    last = rng.integers(1, 255, h)
    moved = (cause > 0) & ~same
    ip[moved & ~near] = other[moved & ~near]
    ip[moved & near, 3] = last[moved & near]
    text = ip.astype(str)
    joined = text[:, 0]
    for octet in range(1, 4):
        joined = np.char.add(np.char.add(joined, "."), text[:, octet])
    known = rng.random(h) >= profile.no_address
    return (
        pl.DataFrame({"ip": joined, "known": known}).select(pl.when("known").then("ip")).to_series()
    )


def _some_ip(rng: np.random.Generator, n: int, networks: int) -> Ints:
    """(n, 4) octets, spread over so many /24 networks."""
    net = np.stack(
        [
            rng.integers(20, 220, networks),
            rng.integers(0, 256, networks),
            rng.integers(0, 256, networks),
        ],
        axis=1,
    )
    return np.concatenate([net[rng.integers(0, networks, n)], rng.integers(1, 255, (n, 1))], axis=1)
