"""The scenarios: webs by name, as tables of what is in them.

Always true here: the order within a table is the order in which sites are made; a web's replicas
are made partly before the crowds, and partly after, so that some originals are among the
look-alikes.
"""

from __future__ import annotations

from typing import NamedTuple

from training.generators.author_d_heldout import crowds, families, replicas, sites
from training.generators.author_d_heldout.world import Settings, World

ALL_COLUMNS = "ip length mime title links"
CROWDS = {
    made.__name__: made
    for made in (
        crowds.themed,
        crowds.forks,
        crowds.parked,
        crowds.default_pages,
        crowds.syndicated,
        crowds.counters,
        crowds.forums,
        crowds.manuals,
        crowds.blogrolls,
        crowds.platforms,
        crowds.built,
        crowds.hosted_shops,
        crowds.affiliates,
        crowds.wiki_copies,
        crowds.lyrics,
        families.franchises,
        families.ministries,
        families.translations,
        families.namesakes,
        families.owners,
        families.city_editions,
        families.versions,
        families.excerpts,
        families.archive_servers,
    )
}
"""Look-alikes by name."""


class Scenario(NamedTuple):
    """What is in a web."""

    settings: Settings
    strangers: tuple[
        int, int
    ]  # the least and the greatest number of sites in no group and no crowd
    replicas: dict[str, tuple[int, int]]  # the least and the greatest number of groups of a kind
    crowds: dict[
        str, tuple[int, int, int]
    ]  # the least and the greatest size, and the number of crowds


def make_world(name: str, seed: int) -> World:
    """The web of that scenario and seed."""
    scenario = SCENARIOS[name]
    world = World(name, seed, scenario.settings)
    r, later = world.random, []
    for _ in range(r.randint(*scenario.strangers)):
        sites.make(world)
    for kind, bounds in scenario.replicas.items():
        groups = r.randint(*bounds)
        now = r.randint(0, groups)
        later += [kind] * (groups - now)
        for _ in range(now):
            replicas.KINDS[kind](world)
    for kind, (least, most, count) in scenario.crowds.items():
        for _ in range(count):
            CROWDS[kind](world, r.randint(least, most))
    world.reuse = r.uniform(0.3, 0.9)
    for kind in later:
        replicas.KINDS[kind](world)
    return world


SCENARIOS: dict[str, Scenario] = {
    "ordinary": Scenario(  # ordinary web, mostly easy; url, ip and fingerprint
        Settings(columns="ip", size=22),
        strangers=(500, 750),
        replicas={
            "www": (5, 25),
            "suffix": (5, 20),
            "mirror": (8, 25),
            "partial": (3, 10),
            "prefix": (2, 6),
            "stale": (3, 10),
            "dynamic": (3, 10),
            "staging": (1, 6),
            "farm": (0, 4),
            "catch_all": (1, 5),
        },
        crowds={
            "themed": (5, 25, 2),
            "franchises": (5, 15, 1),
            "namesakes": (5, 20, 1),
            "parked": (3, 20, 1),
            "default_pages": (5, 20, 1),
            "owners": (2, 8, 1),
            "translations": (1, 6, 1),
            "counters": (5, 25, 1),
            "syndicated": (4, 15, 1),
        },
    ),
    "bare": Scenario(  # only url and fingerprint; moderate coverage, many counters
        Settings(
            cover=(0.3, 1),
            kinds={
                "brochure": 3,
                "wordpress": 2,
                "numbered": 5,
                "joomla": 3,
                "news": 2,
                "forum": 1,
                "html": 2,
                "gallery": 1.5,
            },
        ),
        strangers=(400, 600),
        replicas={
            "www": (3, 12),
            "suffix": (3, 12),
            "mirror": (5, 20),
            "partial": (5, 20),
            "prefix": (2, 8),
            "dynamic": (4, 12),
            "stale": (4, 10),
            "form": (1, 6),
            "catch_all": (1, 4),
        },
        crowds={
            "counters": (10, 40, 3),
            "themed": (5, 20, 1),
            "forums": (10, 40, 1),
            "namesakes": (5, 15, 1),
            "default_pages": (3, 15, 1),
            "ministries": (5, 15, 1),
        },
    ),
    # small businesses on site builders, franchises; all columns; few pages a site
    "smallbiz": Scenario(
        Settings(
            columns=ALL_COLUMNS,
            size=9,
            spread=0.9,
            networks=25,
            themed=0.7,
            kinds={"brochure": 6, "wordpress": 3, "html": 2, "shop": 0.7},
        ),
        strangers=(350, 600),
        replicas={
            "www": (5, 20),
            "suffix": (8, 25),
            "mirror": (3, 12),
            "rebrand": (5, 15),
            "staging": (4, 14),
            "farm": (1, 5),
            "stale": (3, 8),
            "form": (2, 6),
            "scam": (1, 4),
        },
        crowds={
            "built": (20, 70, 4),
            "franchises": (6, 30, 4),
            "themed": (5, 30, 2),
            "namesakes": (5, 20, 1),
            "owners": (4, 12, 1),
            "default_pages": (5, 15, 1),
            "parked": (5, 20, 1),
        },
    ),
    "gov_edu": Scenario(  # ministries, universities and their mirrors; ip, title, length
        Settings(
            columns="ip length title mime",
            size=35,
            kinds={
                "university": 5,
                "numbered": 2,
                "joomla": 2,
                "brochure": 2,
                "news": 1.5,
                "html": 3,
            },
            networks=90,
        ),
        strangers=(300, 450),
        replicas={
            "www": (3, 12),
            "suffix": (2, 8),
            "mirror": (3, 10),
            "university": (3, 8),
            "prefix": (4, 12),
            "stale": (4, 12),
            "staging": (2, 6),
            "dynamic": (2, 8),
            "partial": (3, 8),
        },
        crowds={
            "ministries": (8, 30, 4),
            "translations": (3, 10, 1),
            "manuals": (5, 20, 2),
            "archive_servers": (2, 5, 1),
            "versions": (1, 4, 1),
            "excerpts": (1, 6, 1),
            "namesakes": (3, 12, 1),
            "owners": (1, 5, 1),
        },
    ),
    "shops": Scenario(  # hosted shops, drop-shippers, scam clones, rebrands; all columns
        Settings(
            columns=ALL_COLUMNS,
            size=20,
            kinds={"shop": 6, "brochure": 2, "wordpress": 1.5, "numbered": 1},
        ),
        strangers=(300, 450),
        replicas={
            "scam": (8, 25),
            "rebrand": (5, 15),
            "suffix": (5, 18),
            "www": (3, 10),
            "farm": (2, 6),
            "staging": (2, 6),
            "mirror": (2, 8),
            "dynamic": (3, 10),
        },
        crowds={
            "hosted_shops": (20, 60, 3),
            "affiliates": (6, 20, 2),
            "translations": (3, 12, 1),
            "namesakes": (5, 15, 1),
            "parked": (5, 15, 1),
            "owners": (2, 6, 1),
            "themed": (5, 15, 1),
        },
    ),
    # static sites of public repositories, every file: themes, forks, copies under a project name;
    # no address
    "static_pages": Scenario(
        Settings(
            columns="length mime title links",
            all_types=True,
            size=10,
            spread=1.1,
            most=300,
            themed=0.85,
            themes=14,
            kinds={"html": 3, "wordpress": 3, "documentation": 1.5, "brochure": 2, "gallery": 0.3},
            cover=(0.85, 1),
        ),
        strangers=(250, 350),
        replicas={
            "prefix": (12, 30),
            "mirror": (4, 12),
            "stale": (8, 20),
            "partial": (1, 5),
            "form": (2, 6),
            "dynamic": (2, 8),
            "farm": (1, 3),
            "university": (0, 2),
        },
        crowds={
            "themed": (8, 30, 3),
            "forks": (5, 20, 3),
            "manuals": (3, 10, 1),
            "versions": (1, 4, 1),
            "translations": (2, 8, 1),
            "excerpts": (2, 8, 1),
        },
    ),
    # free software: project mirrors, manuals, api references, versions; all files; length and mime
    "software": Scenario(
        Settings(
            columns="ip length mime",
            all_types=True,
            size=20,
            kinds={
                "documentation": 3,
                "html": 3,
                "wiki": 1,
                "forum": 1,
                "wordpress": 1.5,
                "brochure": 1,
                "university": 1,
            },
            cover=(0.4, 1),
            most=400,
        ),
        strangers=(250, 380),
        replicas={
            "university": (5, 12),
            "prefix": (5, 15),
            "mirror": (3, 10),
            "partial": (3, 10),
            "stale": (3, 10),
            "www": (2, 6),
            "suffix": (2, 6),
            "form": (2, 6),
        },
        crowds={
            "manuals": (8, 30, 3),
            "archive_servers": (2, 7, 1),
            "versions": (3, 10, 1),
            "wiki_copies": (2, 8, 1),
            "forums": (5, 15, 1),
            "translations": (3, 8, 1),
            "themed": (4, 15, 1),
        },
    ),
    # newspapers and agencies: syndicated articles, chains; title and links known
    "newspapers": Scenario(
        Settings(
            columns="title links mime",
            size=22,
            kinds={"news": 5, "wordpress": 3, "numbered": 2, "brochure": 1},
            cover=(0.2, 0.9),
        ),
        strangers=(300, 450),
        replicas={
            "rebrand": (4, 12),
            "dynamic": (6, 16),
            "suffix": (3, 10),
            "www": (4, 12),
            "stale": (3, 8),
            "staging": (3, 8),
            "mirror": (2, 8),
            "partial": (4, 12),
        },
        crowds={
            "syndicated": (20, 60, 3),
            "city_editions": (8, 30, 2),
            "blogrolls": (5, 20, 1),
            "themed": (4, 12, 1),
            "excerpts": (2, 6, 1),
            "namesakes": (3, 10, 1),
        },
    ),
    "forums": Scenario(  # forums and dynamic sites with session ids; ip and length
        Settings(
            columns="ip length",
            size=25,
            kinds={"forum": 6, "numbered": 3, "joomla": 2, "wordpress": 1.5, "brochure": 1},
            cover=(0.25, 0.95),
        ),
        strangers=(350, 500),
        replicas={
            "dynamic": (10, 25),
            "www": (5, 15),
            "suffix": (4, 12),
            "partial": (4, 12),
            "mirror": (2, 8),
            "catch_all": (2, 6),
            "stale": (2, 6),
        },
        crowds={
            "forums": (40, 100, 1),
            "counters": (10, 40, 3),
            "platforms": (10, 30, 1),
            "default_pages": (3, 10, 1),
            "namesakes": (5, 12, 1),
        },
    ),
    "spam": Scenario(  # farms, clones, parked domains, affiliates; ip, title, length
        Settings(columns="ip title length mime", size=10, networks=30, large_farms=True),
        strangers=(350, 550),
        replicas={
            "farm": (10, 22),
            "scam": (6, 18),
            "catch_all": (4, 12),
            "mirror": (2, 8),
            "suffix": (2, 8),
            "rebrand": (2, 8),
        },
        crowds={
            "parked": (8, 30, 5),
            "affiliates": (10, 40, 2),
            "default_pages": (10, 40, 1),
            "hosted_shops": (10, 20, 1),
            "platforms": (10, 40, 1),
            "namesakes": (10, 30, 1),
            "excerpts": (3, 10, 1),
        },
    ),
    "sparse": Scenario(  # a shallow crawl: 5 to 35 % of every site; ip and title
        Settings(
            columns="ip title", cover=(0.05, 0.35), size=70, spread=1.1, most=1200, shallow=True
        ),
        strangers=(450, 650),
        replicas={
            "partial": (10, 30),
            "mirror": (10, 25),
            "www": (4, 12),
            "suffix": (4, 12),
            "prefix": (3, 8),
            "dynamic": (3, 8),
            "stale": (3, 8),
            "rebrand": (2, 6),
        },
        crowds={
            "counters": (5, 25, 2),
            "ministries": (5, 20, 1),
            "franchises": (5, 20, 1),
            "manuals": (4, 15, 1),
            "syndicated": (5, 20, 1),
            "translations": (2, 8, 1),
            "themed": (4, 15, 1),
            "namesakes": (4, 12, 1),
        },
    ),
    # old and moved copies: stale, prefix, other URL forms; title, length, links
    "archives": Scenario(
        Settings(
            columns="title length links",
            size=25,
            kinds={
                "html": 4,
                "brochure": 3,
                "wordpress": 2,
                "numbered": 1.5,
                "documentation": 1,
                "news": 1,
                "gallery": 1,
                "wiki": 0.7,
            },
        ),
        strangers=(350, 500),
        replicas={
            "stale": (10, 30),
            "prefix": (8, 20),
            "form": (10, 30),
            "rebrand": (3, 8),
            "dynamic": (2, 6),
            "university": (1, 4),
        },
        crowds={
            "themed": (5, 20, 2),
            "versions": (3, 8, 1),
            "excerpts": (4, 12, 1),
            "translations": (3, 10, 1),
            "namesakes": (5, 15, 1),
            "manuals": (4, 12, 1),
            "owners": (2, 6, 1),
            "forks": (3, 8, 1),
        },
    ),
    # international firms: country copies against translations and namesakes; ip, title, links
    "countries": Scenario(
        Settings(columns="ip title links", size=18),
        strangers=(350, 500),
        replicas={
            "suffix": (15, 40),
            "www": (3, 10),
            "form": (2, 6),
            "rebrand": (2, 6),
            "stale": (2, 6),
            "mirror": (2, 8),
        },
        crowds={
            "translations": (20, 50, 1),
            "namesakes": (40, 90, 1),
            "franchises": (6, 25, 2),
            "owners": (3, 10, 1),
            "parked": (4, 15, 1),
        },
    ),
    # two web agencies' servers: staging, catch-all names, many sites an address; all columns, all
    # files
    "agency": Scenario(
        Settings(
            columns=ALL_COLUMNS,
            all_types=True,
            size=10,
            networks=5,
            themed=0.8,
            themes=8,
            most=250,
            kinds={"brochure": 4, "wordpress": 4, "shop": 1, "joomla": 1, "html": 1},
        ),
        strangers=(250, 400),
        replicas={
            "staging": (12, 35),
            "catch_all": (4, 12),
            "www": (6, 20),
            "suffix": (4, 12),
            "rebrand": (3, 8),
            "stale": (2, 6),
            "dynamic": (2, 6),
        },
        crowds={
            "themed": (8, 25, 3),
            "built": (10, 40, 2),
            "owners": (4, 10, 1),
            "default_pages": (5, 15, 1),
            "franchises": (5, 15, 1),
            "translations": (3, 8, 1),
            "namesakes": (4, 12, 1),
        },
    ),
    # wikis, lyrics and recipe sites: the same titles and addresses, own bytes; title and length
    "wikis_songs": Scenario(
        Settings(
            columns="title length",
            size=18,
            kinds={"wiki": 3, "songs": 2, "wordpress": 3, "brochure": 2, "numbered": 1, "html": 1},
            cover=(0.3, 1),
        ),
        strangers=(300, 420),
        replicas={
            "mirror": (4, 14),
            "dynamic": (5, 14),
            "partial": (5, 14),
            "suffix": (2, 8),
            "stale": (3, 8),
            "form": (2, 6),
            "prefix": (1, 5),
            "www": (2, 6),
        },
        crowds={
            "lyrics": (25, 60, 1),
            "wiki_copies": (5, 20, 3),
            "blogrolls": (5, 15, 1),
            "themed": (4, 12, 1),
            "excerpts": (2, 8, 1),
        },
    ),
    "tiny": Scenario(  # nearly all hosts have one to six pages; ip and length
        Settings(columns="ip length mime", size=3, spread=0.8, most=60, cover=(0.7, 1)),
        strangers=(600, 800),
        replicas={
            "www": (10, 30),
            "suffix": (8, 25),
            "mirror": (5, 15),
            "farm": (2, 6),
            "catch_all": (3, 8),
            "stale": (3, 8),
            "staging": (2, 8),
        },
        crowds={
            "platforms": (20, 60, 2),
            "parked": (5, 25, 2),
            "default_pages": (20, 60, 1),
            "built": (10, 30, 1),
            "themed": (5, 20, 1),
            "namesakes": (10, 30, 1),
        },
    ),
    # a large independent web with very few replicas, none of them obvious by name; all columns
    "few": Scenario(
        Settings(columns=ALL_COLUMNS, size=16),
        strangers=(600, 800),
        replicas={
            "mirror": (4, 8),
            "partial": (2, 5),
            "stale": (3, 6),
            "dynamic": (3, 6),
            "prefix": (2, 5),
            "rebrand": (2, 4),
            "scam": (2, 4),
            "form": (1, 4),
            "farm": (1, 2),
        },
        crowds={
            "themed": (8, 25, 2),
            "franchises": (5, 20, 2),
            "built": (10, 40, 1),
            "hosted_shops": (8, 20, 1),
            "ministries": (5, 15, 1),
            "syndicated": (5, 20, 1),
            "namesakes": (10, 30, 1),
            "translations": (2, 8, 1),
            "owners": (3, 8, 1),
            "manuals": (4, 10, 1),
            "forks": (4, 10, 1),
        },
    ),
}
