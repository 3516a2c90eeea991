"""Groups of replicas, of many kinds.

Invariant: all sites of a group are replicas of each other, and a group has a cause by which
the gold names its pairs.
"""

from __future__ import annotations

from collections.abc import Callable

from training.generators.author_d_heldout.copies import FORMS, Edits, copy, original
from training.generators.author_d_heldout.names import first_label, other_name
from training.generators.author_d_heldout.words import CITIES, GENERIC_ENDINGS, WORDS
from training.generators.author_d_heldout.world import Site, World
from training.generators.common import stripped

ANY_NAME = (None, "subdomain", "ending")
ADDRESSED = ("brochure", "html", "wordpress", "shop", "news", "documentation", "numbered", "wiki")
"""Kinds of sites whose addresses may be written otherwise."""


def _www(world: World) -> None:
    site = original(world, least=1)
    host = other_name(world, site.host, "www")
    world.add_group(
        "www",
        [site, copy(world, site, host, Edits(same_address=0.9, dynamic=world.random.random()))],
    )


def _suffix(world: World) -> None:
    site = original(world, least=2)
    twins = [
        copy(world, site, other_name(world, site.host, "ending"), Edits(same_address=0.75))
        for _ in range(world.random.choice((1, 1, 1, 2, 3)))
    ]
    world.add_group("suffix", [site, *twins])


def _mirror(world: World) -> None:
    r, site, twins = world.random, original(world), []
    for _ in range(r.choice((1, 1, 1, 2, 4))):
        way = r.choice(("subdomain", None, None, "hyphen"))
        twins.append(copy(world, site, other_name(world, site.host, way), Edits()))
    world.add_group("mirror", [site, *twins])


def _partial(world: World) -> None:
    """All of them crawled in part."""
    r, site = world.random, original(world, least=15, factor=3)
    site.cover, twins = r.uniform(0.1, 0.7), []
    for _ in range(r.choice((1, 1, 2, 3))):
        host = other_name(world, site.host, r.choice(("subdomain", None, "ending")))
        twins.append(copy(world, site, host, Edits(cover=r.uniform(0.08, 0.8))))
    world.add_group("partly crawled", [site, *twins])


def _prefix(world: World) -> None:
    """Below a folder of another host."""
    r, site = world.random, original(world, least=5)

    def prefix() -> str:
        return r.choice(
            (
                "/mirror",
                f"/mirrors/{site.name.lower().replace(' ', '')}",
                f"/{world.word()}",
                f"/pub/{site.host}",
                f"/~{world.word()}/{world.word()}",
                f"/{site.host}",
                "/site",
                f"/archive/{world.word()}",
            )
        )

    twins = [
        copy(
            world,
            site,
            None,
            Edits(prefix=prefix(), lost=r.random() * 0.2, stale=r.random() ** 3 * 0.5, dynamic=1),
        )
        for _ in range(r.choice((1, 1, 2)))
    ]
    world.add_group("prefix", [site, *twins])


def _stale(world: World) -> None:
    r, site = world.random, original(world, least=6)
    host = other_name(world, site.host, r.choice(ANY_NAME))
    edits = Edits(stale=r.uniform(0.1, 0.75), lost=r.uniform(0, 0.4), new=r.uniform(0, 0.25))
    world.add_group("stale", [site, copy(world, site, host, edits)])


def _dynamic(world: World) -> None:
    """Pages differ at nearly every fetch."""
    r, site, twins = world.random, original(world, least=6), []
    for _ in range(r.choice((1, 1, 2))):
        host = other_name(world, site.host, r.choice(ANY_NAME))
        twins.append(
            copy(
                world,
                site,
                host,
                Edits(absolute=r.choice((r.uniform(0.3, 0.95), r.uniform(0.6, 1), 1)), dynamic=1),
            )
        )
    world.add_group("dynamic", [site, *twins])


def _form(world: World) -> None:
    """The same pages at addresses of another form."""
    r = world.random
    site = original(world, least=6, kind=r.choice(ADDRESSED))
    host = other_name(world, site.host, r.choice((None, "ending", "subdomain")))
    edits = Edits(
        form=r.choice(list(FORMS)), stale=r.random() * 0.3, absolute=r.choice((0, 0, 0.2, 0.5))
    )
    world.add_group("url form", [site, copy(world, site, host, edits)])


def _scam(world: World) -> None:
    r = world.random
    site, twins = original(world, least=8, kind=r.choice(("shop", "brochure", "html"))), []
    for _ in range(r.choice((1, 1, 2, 3))):
        host = other_name(world, site.host, "typing error") if r.random() < 0.6 else None
        edits = Edits(
            reworded=r.uniform(0.1, 0.7),
            lost=r.uniform(0, 0.35),
            same_address=0,
            links_back=r.random() < 0.5,
        )
        twins.append(copy(world, site, host, edits))
    world.add_group("scam clone", [site, *twins])


def _farm(world: World) -> None:
    """Under names that have nothing in common."""
    r, site, twins = world.random, original(world, least=2, factor=0.8), []
    size = r.choice((3, 4, 5, 7, 9, 12) if world.settings.large_farms else (2, 2, 3, 4, 6))
    absolute, lost = r.choice((0, 0, 0.2, 0.6)), r.choice((0, 0, 0.1, 0.3))
    stem = world.word()
    for _ in range(size):
        host = r.choice(
            (
                None,
                f"www.{stem}-{r.choice(CITIES)}.com",
                f"{stem}{r.choice(WORDS)}.{r.choice(('info', 'biz', 'com', 'net'))}",
            )
        )
        name = world.title(1, 2) if absolute else None
        twins.append(
            copy(
                world, site, host, Edits(absolute=absolute, lost=lost, name=name, same_address=0.6)
            )
        )
    world.add_group("farm", [site, *twins])


def _staging(world: World) -> None:
    r, site, twins = world.random, original(world), []
    for _ in range(r.choice((1, 1, 1, 2))):
        host = other_name(world, site.host, "stage")
        edits = Edits(
            stale=r.random() ** 2 * 0.6,
            absolute=r.choice((0, 0.1, 0.4, 0.8)),
            lost=r.random() * 0.2,
            new=r.random() * 0.15,
            same_address=0.5,
        )
        twins.append(copy(world, site, host, edits))
    world.add_group("staging", [site, *twins])


def _catch_all(world: World) -> None:
    """A domain that answers to any subdomain."""
    r, site, twins = world.random, original(world, least=2, factor=0.7), []
    for _ in range(r.choice((1, 2, 3, 5))):
        subdomain = r.choice(
            (world.word(), "mail", "webmail", "ww", "wwww", "cpanel", f"host{r.randint(1, 40)}")
        )
        twins.append(
            copy(world, site, f"{subdomain}.{stripped(site.host)}", Edits(same_address=0.97))
        )
    world.add_group("catch-all names", [site, *twins])


def _university(world: World) -> None:
    """One project mirrored by several universities, each below a prefix or a name of its own."""
    r = world.random
    site = original(
        world, least=20, factor=3, kind=r.choice(("documentation", "html", "documentation"))
    )
    twins = [
        _mirror_at_university(world, site, first_label(site.host))
        for _ in range(r.choice((2, 3, 4, 6)))
    ]
    world.add_group("university mirror", [site, *twins])


def _mirror_at_university(world: World, site: Site, project: str) -> Site:
    r, name = world.random, world.word()
    host = r.choice(
        (
            f"{project}.{name}.edu",
            f"mirror.{name}.ac.uk",
            f"ftp.{name}.edu",
            f"{project}.mirror.{name}.org",
            f"mirrors.{name}.de",
            f"sunsite.{name}.edu",
        )
    )
    prefix = (
        ""
        if host.startswith(project)
        else r.choice(
            (f"/{project}", f"/pub/{project}", f"/mirrors/{project}", f"/pub/mirror/{project}")
        )
    )
    edits = Edits(
        prefix=prefix,
        stale=r.random() ** 2 * 0.5,
        lost=r.random() * 0.2,
        same_address=0,
        form=r.choice((None, None, "index")),
    )
    return copy(world, site, host, edits)


def _rebrand(world: World) -> None:
    """Under a new name, which is on nearly every page."""
    r, site, twins = world.random, original(world, least=8), []
    name = world.title(1, 2)
    for _ in range(r.choice((1, 1, 2))):
        host = f"www.{name.lower().replace(' ', '')}.{r.choice(GENERIC_ENDINGS)}"
        edits = Edits(
            name=name,
            absolute=r.choice((r.uniform(0.3, 0.9), 1)),
            stale=r.random() * 0.25,
            same_address=0.6,
            new=r.random() * 0.1,
        )
        twins.append(copy(world, site, host, edits))
    world.add_group("rebranded", [site, *twins])


KINDS: dict[str, Callable[[World], None]] = {
    "www": _www,
    "suffix": _suffix,
    "mirror": _mirror,
    "partial": _partial,
    "prefix": _prefix,
    "stale": _stale,
    "dynamic": _dynamic,
    "form": _form,
    "scam": _scam,
    "farm": _farm,
    "staging": _staging,
    "catch_all": _catch_all,
    "university": _university,
    "rebrand": _rebrand,
}
"""Kinds of replicas by name."""
