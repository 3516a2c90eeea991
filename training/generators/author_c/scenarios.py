"""The scenarios: what a crawl is about, how large it is, what is known of its pages, which replicas
and networks it has.

Invariant: numbers in pairs are the least and the most that is drawn between. What a scenario
names first is drawn first, so that another order makes other crawls.
"""

from __future__ import annotations

from training.generators.author_c.scenario import Known, Scenario, Size

STRANGE_NAMES = {"other": 6, "platform": 5, "like": 1, "sub": 1}
ORDINARY = {
    "full": (3, 8),
    "partial": (4, 10),
    "prefix": (2, 6),
    "stale": (3, 8),
    "dynamic": (3, 8),
    "urlform": (2, 6),
    "scam": (2, 6),
    "farm": (0, 2),
    "mix": (3, 8),
}
ORDINARY_NETWORKS = {
    "blogs": (1, 2),
    "section": (2, 4),
    "shops": (1, 2),
    "translation": (3, 6),
    "parked": (1, 1),
    "default": (1, 1),
    "docs": (1, 2),
    "news": (1, 3),
    "forum": (1, 2),
    "package": (2, 4),
    "ring": (1, 1),
    "suffix": (1, 1),
}


EVERYTHING = Known(ips="all", titles=True, lengths=True, links=True)


SCENARIOS = {
    # ordinary mixed web, every column known
    "everything_known": Scenario(
        hosts=(700, 1000),
        size=Size(2.9, 1.1, 900),
        known=EVERYTHING,
        groups=ORDINARY | {"recoded": (2, 6)},
        networks=ORDINARY_NETWORKS,
    ),
    # the same mix, URL and fingerprint only
    "nothing_known": Scenario(
        hosts=(700, 1100),
        size=Size(2.9, 1.1, 900),
        known=Known(mimes=False),
        groups=ORDINARY,
        networks=ORDINARY_NETWORKS,
    ),
    # static sites of every file type on user platforms, hardly an obvious pair, prefixes and forks
    "static_all_types": Scenario(
        all_types=True,
        hosts=(400, 650),
        size=Size(2.5, 1.1, 400),
        known=Known(titles=True, lengths=True, links=True),
        kinds={"static": 5, "dirs": 2, "mix": 1},
        names=STRANGE_NAMES,
        from_networks=0.5,
        on_platform=0.7,
        groups={
            "full": (2, 6),
            "partial": (3, 8),
            "prefix": (10, 20),
            "stale": (5, 12),
            "urlform": (1, 4),
            "scam": (1, 4),
            "mix": (6, 12),
            "recoded": (3, 6),
            "farm": (0, 2),
        },
        networks={
            "blogs": (3, 6),
            "package": (5, 10),
            "translation": (4, 8),
            "section": (0, 2),
            "docs": (1, 3),
        },
    ),
    # themes' barely begun blogs, pages only, no ip
    "theme_blogs_pages": Scenario(
        hosts=(700, 1200),
        size=Size(2.0, 0.9, 200),
        known=Known(titles=True, lengths=True, links=True),
        kinds={"wp": 4, "static": 1},
        names=STRANGE_NAMES,
        from_networks=0.75,
        on_platform=0.5,
        network_scale=1.4,
        groups={
            "full": (5, 12),
            "partial": (5, 12),
            "prefix": (2, 6),
            "stale": (8, 20),
            "mix": (4, 10),
            "scam": (2, 6),
        },
        networks={"blogs": (9, 16), "ring": (1, 2), "package": (0, 2)},
    ),
    # the same with all theme assets
    "theme_blogs_all_types": Scenario(
        all_types=True,
        hosts=(450, 700),
        size=Size(1.9, 0.9, 120),
        known=Known(lengths=True),
        kinds={"wp": 4, "static": 1},
        names=STRANGE_NAMES,
        from_networks=0.75,
        on_platform=0.5,
        groups={
            "full": (5, 10),
            "partial": (5, 10),
            "prefix": (5, 10),
            "stale": (6, 14),
            "mix": (4, 10),
        },
        networks={"blogs": (8, 14), "package": (1, 3), "translation": (0, 2)},
    ),
    # content management systems with counters, addresses known, shared hosting
    "cms_ips": Scenario(
        hosts=(900, 1400),
        size=Size(2.9, 1.0, 500),
        known=Known(ips="all", titles=True),
        kinds={"drupal": 4, "query": 3, "wp": 3, "wiki": 1},
        groups=ORDINARY | {"dynamic": (8, 18)},
        networks={
            "forum": (3, 6),
            "section": (3, 7),
            "shops": (2, 4),
            "default": (1, 3),
            "suffix": (1, 2),
            "parked": (0, 1),
        },
    ),
    # many farms of 5 to 40 copies, scammers, parked domains
    "farms": Scenario(
        hosts=(800, 1300),
        size=Size(2.6, 1.0, 300),
        known=Known(ips="part", titles=True, lengths=True, links=True),
        farm=9,
        farm_pages=45,
        groups={"farm": (14, 24), "scam": (10, 25), "full": (2, 5), "partial": (2, 5)},
        networks={
            "parked": (2, 4),
            "shops": (2, 4),
            "blogs": (1, 2),
            "section": (1, 2),
            "suffix": (1, 1),
        },
    ),
    # mostly franchises, ministries, departments with a common section
    "networks": Scenario(
        hosts=(700, 1100),
        size=Size(2.9, 0.9, 300, least=4),
        known=Known(ips="part", titles=True, lengths=True),
        from_networks=0.6,
        groups={
            "full": (3, 8),
            "partial": (6, 14),
            "prefix": (2, 6),
            "stale": (4, 10),
            "dynamic": (2, 6),
            "mix": (4, 10),
        },
        networks={"section": (30, 48), "package": (1, 3), "default": (0, 1)},
    ),
    # mostly translations: same paths and pictures, other text, all types
    "translations": Scenario(
        all_types=True,
        hosts=(400, 700),
        size=Size(2.7, 0.9, 200),
        known=Known(titles=True, lengths=True, links=True),
        from_networks=0.45,
        groups={
            "full": (4, 10),
            "partial": (5, 12),
            "prefix": (3, 8),
            "stale": (4, 10),
            "dynamic": (3, 8),
            "recoded": (2, 6),
            "mix": (3, 8),
        },
        networks={"translation": (45, 70), "docs": (1, 3), "suffix": (1, 1)},
    ),
    # translations, pages only, no title, length or links
    "translations_bare": Scenario(
        hosts=(500, 900),
        size=Size(3.0, 0.9, 300),
        known=Known(ips="all"),
        from_networks=0.45,
        groups={
            "full": (4, 10),
            "partial": (5, 12),
            "stale": (4, 10),
            "dynamic": (5, 12),
            "mix": (3, 8),
        },
        networks={"translation": (50, 80), "forum": (1, 2), "suffix": (1, 2)},
    ),
    # most pages of replicas are not byte-identical
    "dynamic": Scenario(
        hosts=(600, 1000),
        size=Size(3.2, 1.0, 500),
        known=Known(ips="part", titles=True, lengths=True, links=True),
        kinds={"query": 2, "wp": 3, "drupal": 2, "wiki": 1, "mix": 2},
        dynamic=(0.6, 0.97),
        source_pages=(12, 500),
        groups={
            "dynamic": (25, 50),
            "recoded": (4, 9),
            "mix": (5, 15),
            "farm": (1, 3),
            "scam": (2, 5),
        },
        networks={
            "translation": (8, 16),
            "forum": (3, 6),
            "shops": (2, 4),
            "section": (2, 4),
            "news": (1, 2),
        },
    ),
    # the same, nothing known but ip
    "dynamic_bare": Scenario(
        hosts=(600, 1000),
        size=Size(3.2, 1.0, 500),
        known=Known(ips="part"),
        dynamic=(0.5, 0.93),
        source_pages=(12, 500),
        groups={"dynamic": (25, 50), "mix": (5, 15), "partial": (5, 10)},
        networks={
            "translation": (3, 8),
            "forum": (3, 6),
            "shops": (2, 4),
            "section": (2, 4),
            "news": (1, 2),
        },
    ),
    # sites of 2 to 6 pages
    "tiny": Scenario(
        hosts=(1000, 1500),
        size=Size(1.1, 0.5, 6),
        known=Known(ips="part", titles=True, lengths=True),
        source_pages=(3, 7),
        from_networks=0.15,
        groups={
            "full": (20, 40),
            "stale": (5, 10),
            "prefix": (4, 10),
            "urlform": (4, 10),
            "scam": (5, 15),
            "farm": (1, 3),
        },
        networks={
            "blogs": (3, 6),
            "parked": (2, 3),
            "default": (2, 4),
            "ring": (1, 2),
            "suffix": (2, 4),
        },
    ),
    # big sites, coverage of 20 to 100 %
    "big": Scenario(
        hosts=(400, 500),
        size=Size(4.3, 1.2, 3000),
        known=Known(lengths=True, links=True),
        source_pages=(40, 900),
        from_networks=0.2,
        groups={
            "full": (2, 5),
            "partial": (8, 16),
            "prefix": (3, 7),
            "stale": (3, 8),
            "dynamic": (2, 6),
            "mix": (4, 9),
        },
        networks={
            "news": (3, 6),
            "package": (3, 6),
            "section": (2, 5),
            "forum": (1, 3),
            "docs": (1, 3),
            "blogs": (1, 1),
        },
    ),
    # query URLs with counters everywhere
    "query_urls": Scenario(
        hosts=(700, 1100),
        size=Size(3.1, 1.0, 500),
        known=Known(ips="part", lengths=True),
        kinds={"query": 6, "forum": 2, "shop": 1, "drupal": 1},
        groups=ORDINARY | {"partial": (8, 16), "urlform": (4, 10)},
        networks={"forum": (6, 12), "shops": (2, 4), "default": (1, 2), "section": (1, 3)},
    ),
    # replicas crawled to 8 to 40 % on each side, among packages and syndication
    "sparse": Scenario(
        hosts=(600, 1000),
        size=Size(3.6, 0.9, 500),
        known=Known(titles=True, links=True),
        coverage=(0.08, 0.4),
        source_pages=(25, 500),
        groups={"partial": (25, 45), "mix": (5, 12)},
        networks={"package": (5, 10), "news": (4, 8), "section": (3, 6), "docs": (1, 2)},
    ),
    # syndication, free packages, documentation versions, all types, ip known
    "news_packages": Scenario(
        all_types=True,
        hosts=(400, 700),
        size=Size(2.7, 0.9, 250),
        known=EVERYTHING,
        groups=ORDINARY | {"prefix": (6, 14), "recoded": (2, 6)},
        networks={"news": (8, 16), "package": (8, 16), "docs": (3, 6), "ring": (1, 2)},
    ),
    # a dozen replica groups of odd names in a big web of look-alikes
    "few_replicas": Scenario(
        hosts=(1200, 1500),
        size=Size(2.5, 1.0, 300),
        known=EVERYTHING,
        names=STRANGE_NAMES,
        source_pages=(8, 500),
        groups={
            "full": (4, 6),
            "partial": (4, 6),
            "prefix": (3, 5),
            "stale": (4, 6),
            "dynamic": (3, 5),
            "recoded": (2, 3),
            "scam": (3, 4),
        },
        networks={
            "blogs": (4, 8),
            "section": (5, 9),
            "shops": (3, 6),
            "translation": (6, 12),
            "default": (2, 3),
            "forum": (3, 5),
            "news": (2, 4),
            "package": (4, 8),
            "ring": (2, 3),
            "suffix": (2, 3),
        },
    ),
    # cloned sites of scammers and affiliates beside shops of one platform
    "scam_clones": Scenario(
        hosts=(600, 1000),
        size=Size(2.7, 0.9, 300),
        known=Known(ips="part", titles=True, links=True),
        kinds={"shop": 4, "wp": 2, "query": 1, "mix": 1},
        source_pages=(8, 500),
        from_networks=0.55,
        groups={"scam": (35, 65), "farm": (1, 3), "dynamic": (2, 6), "stale": (3, 6)},
        networks={
            "shops": (8, 14),
            "parked": (1, 1),
            "suffix": (1, 2),
            "blogs": (1, 2),
            "translation": (1, 4),
        },
    ),
}
