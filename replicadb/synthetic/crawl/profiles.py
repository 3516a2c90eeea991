"""The kinds of crawl that can be generated: each profile is a set of rates, and nothing else.

Invariant: a rate is a share in [0, 1]; a range is (low, high), both included. Shares "of
sites" are of all sites that are not parked; a replica group counts as one site. Sizes of groups do
not grow with the crawl (but for farms and parked groups, up to their limit), so candidates grow in
proportion to the hosts, except by ``common``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Range = tuple[float, float]


@dataclass(frozen=True)
class Profile:
    """Rates of one kind of crawl. The defaults are the profile ``ordinary``."""

    readable: bool = False
    """Host names of two common words each, rather than random syllables."""
    replicated: float = 0.17
    """Share of hosts that stand in replica groups."""
    kinds: tuple[tuple[str, float], ...] = (
        ("www", 0.16),
        ("suffix", 0.16),
        ("load-balanced", 0.12),
        ("moved", 0.12),
        ("franchise", 0.14),
        ("clone", 0.07),
        ("farm", 0.18),
        ("moved-prefix", 0.05),
    )
    """Shares of the replicated hosts by the cause of their group."""
    alias: float = 0.05
    """Share of replicated hosts that also answer under a www (or non-www) name."""
    farm_limit: int = 150
    """Most hosts of a farm (and no more than one host in farm_one_in); one host in 4,000 where that
    is more, up to 150.
    """
    farm_one_in: int = 80
    farm_pages: int = 80
    """Pages that the site of a large farm or franchise has at least."""
    obvious: int | None = None
    """At most so many obvious pairs (www or suffix), replicas or not; None is no limit."""
    noisy_obvious: float = 0.04
    """Obvious-looking pairs that are different sites and share a page, per replica group of obvious
    names.
    """

    size: Range = (40.0, 140.0)
    """Median and mean of a site's pages (log-normal, cut at 6,000)."""
    replicated_size: float = 2.0
    """Factor on the size of a replicated site."""
    replicated_most: int = 6_000
    """Most own pages of a replicated site."""
    coverage: Range = (0.05, 1.0)
    """Share of a host's pages that a crawl gets, drawn for each host; small sites get 0.5 or more,
    and every host but stubs fifteen pages if it has them.
    """
    small: int = 60
    """Pages of which a small site has fewer."""
    coverage_power: float = 0.6
    """Coverage is low + (high - low) u^power; below 1 most hosts are crawled well."""
    stub: float = 0.06
    """Share of hosts of which only 1 to 3 pages are crawled (a tenth of it in replica groups, and 4
    to 12 pages; none in groups of more than six).
    """

    dynamic: Range = (0.05, 0.40)
    """Share of a site's pages whose content differs at each fetch, drawn for each site."""
    home_dynamic: float = 0.6
    """Share of sites whose home page is such a page."""
    varied: float = 0.30
    """Share of sites some pages of which stand under several URLs: sessions, tracking or print
    parameters, parameter order, trailing slashes, index pages, each site in one of these ways.
    """
    varied_pages: float = 0.10
    """Share of their pages of which that is so."""
    most_varied: int = 1
    """Most further URLs of such a page, log-uniform from 1 (tracking has five values, sessions
    never repeat).
    """
    erring: float = 0.0
    """Share of further URLs that show something else after all, on average; drawn for each site,
    half of that to one and a half. So a rule that takes them for one page errs.
    """
    empty: float = 0.0
    """Share of sites that show one empty page (no results, sign in) at up to half of their own
    URLs.
    """
    edits: Range = (0.0, 0.06)
    """Share of a replica's pages that were changed, and again that were removed, since the other
    was fetched.
    """
    moved: float = 0.16
    """Share of replicas (not the first of a group) that keep the pages under other paths."""
    prefixed: float = 0.10
    """Share of replicas that keep them under a prefix (always, where the cause is moved-prefix)."""

    template: float = 0.45
    """Share of sites on a template: common files, common paths with own content."""
    template_group: Range = (8, 180)
    """Sites on one version of a template."""
    template_paths: Range = (10, 60)
    """Common paths of a template."""
    numbered: float = 0.35
    """Share of templates that number a site's own pages (/?p=12), so that siblings share those
    paths too.
    """
    soft404: float = 0.10
    """Share of templated sites with soft 404s: the template's one content at many paths."""
    affiliate: float = 0.18
    """Share of sites in affiliate networks: whole sections, paths and content, are those of the
    network.
    """
    affiliate_group: Range = (2, 25)
    """Sites in one network."""
    affiliate_share: Range = (0.20, 0.65)
    """Share of an affiliate's pages that are the network's."""
    affiliate_section: float = 50.0
    """Pages of a network's smallest sections; the median has 1.6 times as many, the largest 300."""
    syndicated: float = 0.08
    """Share of sites that take content from a pool and give it their own paths (lyrics,
    wire news).
    """
    syndicated_group: Range = (4, 80)
    syndicated_share: Range = (0.10, 0.70)
    """Share of such a site's pages that come from the pool."""
    scripts: float = 0.10
    """Share of sites that carry one to four common files (scripts) at their usual paths."""
    scripts_group: Range = (3, 80)
    shared_hosting: float = 0.25
    """Share of sites on an IP address with unrelated sites."""
    hosting_group: Range = (2, 120)
    subdomains: float = 0.04
    """Share of single sites whose name is a subdomain of, or all but equal to, another site's."""
    parked: float = 0.04
    """Share of hosts that are parked or show a server's default page."""
    parked_group: Range = (20, 60)
    """Hosts of one parking page; the upper end holds per 4,000 hosts and grows with them up to
    3,000.
    """
    common: float = 0.0
    """Share of sites, in a crawl of 583,411 hosts, that show its most common content (an empty
    body, a server's default page) at one of their URLs; the k-th of two hundred such contents is on
    1 / k^0.9 as many. The share grows with the root of the hosts, so that few of a small crawl's
    pairs come of it, and most of a large one's.
    """
    isolated: float = 0.0
    """Share of hosts that share nothing with anyone."""
    isolated_size: Range = (40.0, 140.0)
    """Median and mean of their pages."""

    honest_lengths: bool = True
    """Versions of a page have nearly its length (lengths.py); False: a length is drawn for each
    content, so that it says nothing beyond the fingerprint.
    """
    no_address: float = 0.03
    """Share of hosts whose address is not known."""
    static: bool = False
    """Static sites on themes, every file type in the crawl (themes.py): sites share the theme's
    files, and the rates of templates' paths, networks, pools and parked hosts above do not hold;
    ``template`` and ``template_group`` are about themes.
    """
    hosted: float = 0.0
    """Share of hosts named as a hosting service names them (user.service.net)."""
    translation: float = 0.08
    """Share of static sites in groups of translations: one's pictures, files and paths, other
    pages.
    """
    begun: float = 0.0
    """Share of single static sites that hardly go beyond their theme: one to three pages, no links
    of their own.
    """
    started_from: float = 0.10
    """Share of static sites that started from another's repository, of which pictures and a page or
    two remain.
    """


_ORDINARY = Profile()
_NO_OBVIOUS = (
    ("www", 0.0),
    ("suffix", 0.0),
    ("load-balanced", 0.20),
    ("moved", 0.22),
    ("franchise", 0.17),
    ("clone", 0.12),
    ("farm", 0.22),
    ("moved-prefix", 0.07),
)
_PAPER_KINDS = (
    ("www", 0.05),
    ("suffix", 0.05),
    ("load-balanced", 0.12),
    ("moved", 0.16),
    ("franchise", 0.20),
    ("clone", 0.13),
    ("farm", 0.23),
    ("moved-prefix", 0.06),
)
_FORKS = (
    ("www", 0.01),
    ("suffix", 0.01),
    ("fork", 0.20),
    ("fork-prefix", 0.34),
    ("stale", 0.18),
    ("reformatted", 0.12),
    ("partial", 0.14),
    ("version", 0.0),
)
_YEARS = (
    ("www", 0.01),
    ("suffix", 0.01),
    ("fork", 0.15),
    ("fork-prefix", 0.20),
    ("stale", 0.15),
    ("reformatted", 0.08),
    ("partial", 0.10),
    ("version", 0.30),
)

PROFILES: dict[str, Profile] = {
    "ordinary": _ORDINARY,
    "template": replace(
        _ORDINARY,
        template=0.80,
        template_group=(8, 130),
        template_paths=(20, 90),
        numbered=0.6,
        moved=0.45,
        prefixed=0.10,
        affiliate=0.12,
    ),
    "sparse": replace(
        _ORDINARY,
        affiliate=0.22,
        affiliate_section=90.0,
        coverage=(0.05, 0.35),
        coverage_power=1.0,
        small=25,
        size=(60.0, 260.0),
        template=0.6,
        template_group=(10, 220),
    ),
    "few-obvious": replace(
        _ORDINARY,
        affiliate=0.22,
        affiliate_section=90.0,
        obvious=30,
        alias=0.0,
        kinds=(("www", 0.05), ("suffix", 0.06), *_NO_OBVIOUS[2:]),
    ),
    "affiliates": replace(_ORDINARY, affiliate=0.55, affiliate_group=(2, 50), template=0.35),
    "shared-hosting": replace(_ORDINARY, shared_hosting=0.85, hosting_group=(50, 600)),
    "parked": replace(_ORDINARY, affiliate=0.24, parked=0.20, parked_group=(20, 200)),
    "paper": replace(
        _ORDINARY,
        replicated=0.017,
        alias=0.01,
        moved=0.45,
        prefixed=0.2,
        isolated=0.62,
        isolated_size=(4.5, 10.5),
        size=(45.0, 154.0),
        replicated_size=2.8,
        replicated_most=1_000,
        farm_limit=16,
        kinds=_PAPER_KINDS,
        template=0.75,
        template_group=(20, 140),
        affiliate=0.03,
        affiliate_group=(2, 10),
        affiliate_share=(0.30, 0.65),
        affiliate_section=80.0,
        syndicated=0.03,
        scripts=0.3,
        parked=0.01,
        parked_group=(20, 100),
        varied=0.4,
        varied_pages=0.10,
        most_varied=50,
        empty=0.2,
        common=0.056,
    ),
    "demo": replace(
        _ORDINARY,
        readable=True,
        obvious=30,
        alias=0.0,
        template=0.60,
        numbered=0.5,
        moved=0.15,
        prefixed=0.12,
        kinds=(("www", 0.05), ("suffix", 0.06), *_NO_OBVIOUS[2:]),
        coverage=(0.05, 0.7),
        coverage_power=1.0,
        affiliate=0.25,
        affiliate_section=80.0,
        shared_hosting=0.5,
        hosting_group=(20, 400),
        parked=0.07,
        parked_group=(20, 90),
    ),
    "themes": replace(
        _ORDINARY,
        static=True,
        replicated=0.16,
        kinds=_FORKS,
        alias=0.0,
        obvious=4,
        hosted=0.75,
        no_address=1.0,
        size=(9.0, 24.0),
        replicated_size=1.0,
        coverage=(0.85, 1.0),
        stub=0.0,
        dynamic=(0.0, 0.05),
        home_dynamic=0.1,
        edits=(0.0, 0.03),
        moved=0.0,
        prefixed=0.5,
        template=0.95,
        template_group=(4, 80),
        parked=0.0,
        scripts=0.05,
    ),
}
"""``paper`` has the counts published with the method (Carvalho et al. 2017, section
4.1.1). Published, and mean of three crawls of 20,000 hosts
(tests/synthetic/test_profile_paper.py has the tolerances): URLs a host 51.4, 54; hosts that
share a fingerprint 29.5 %, 30.0 %; URLs in dup-clusters 23.2 %, 26 %; replicas among candidates
0.43 %, 0.39 %; URLs of a replicated host 224, about 240; of other candidates' hosts 135, 129;
replica pairs of a replicated host 1.8, 2.2; obvious among replicas 5.2 %, 3.8 %. A crawl of the
published size (583,411 hosts, 30 M URLs) had 7.5 M URLs in dup-clusters (6.9 M published) and
180,000 hosts that share a fingerprint (172,004). Other than published:
outcomes (docs/replication.md); candidate pairs, which grow with the hosts (30 a sharing host; 645
are published for 583,411 hosts); and 94 % intra-site among duplicate URLs (64 %: the published
count of inter-site duplicates, 843,526, is that of the labelled hosts, 3,765 x 224).
"""

# rewrite rules that err, and duplicates within hosts that no rule says
PROFILES["erring"] = replace(
    PROFILES["paper"], varied=0.3, varied_pages=0.2, most_varied=15, erring=0.06, empty=1.0
)
"""As ``paper``, but rules for URLs err, and most duplicates within a host are empty pages, which no
rule says. Of all duplicate URLs of a crawl of 2,000 hosts rules removed 9 % with no error allowed,
25 % with one in ten (published: 4.2 % and 23.4 %).
"""

# near-replicas, and more that looks like them
PROFILES["versions"] = replace(PROFILES["themes"], kinds=_YEARS, begun=0.15)
