"""Copies that migrations leave behind, and copies of which little was fetched."""

from training.generators.author_f import names
from training.generators.author_f.copying import any_rename, clone, prefixed, source
from training.generators.author_f.model import Page, World
from training.generators.author_f.operators import agency, alias, everyday, sub
from training.generators.author_f.ordinary import make
from training.generators.author_f.registry import BARE, scenario


@scenario(hosts=(400, 1300), all_types=True)
def cms_migrations(world: World) -> None:
    """Old and new installation both online: case, extension, folder and id addresses; some content
    edited or dropped.
    """
    for _ in range(world.n(30, 80)):
        site = source(world, 8, 200, kinds=("static", "numbered", "wiki", "shop"))
        host = world.rng.choice(
            (
                names.other_tld(world.rng, site.host),
                sub(world.rng.choice(("old", "archive", "www2", "neu")), site.host),
            )
        )
        new = clone(
            world,
            site,
            host,
            rename=any_rename(world),
            reskin=world.chance(0.5),
            keep=world.u(0.7, 1),
            hosted=world.rng.choice(
                (0, 0, world.u(0.2, 1))
            ),  # inner links changed with the addresses
            edit=world.u(0, 0.3),
            own=world.rng.choice((0, world.u(0, 0.3))),
            same_ip=0.6,
        )
        world.family([site, new], "migrated installation")
        if world.chance(0.25):
            third = clone(
                world, new, sub("test", site.host), rename=any_rename(world), edit=world.u(0, 0.1)
            )
            world.family([site, new, third], "migrated installation")
    for _ in range(world.n(10, 40)):
        relaunch(world)
    everyday(world, world.n(0, 6))


def relaunch(world: World) -> None:
    """Look-alike: the old host and a relaunch of the same firm that kept its documents and little
    else.
    """
    old = source(world, 12, 120, kinds=("static",))
    new = make(world, "wordpress", len(old.pages))
    share = world.u(0.02, 0.18)
    new.pages += [
        Page("/wp-content/uploads" + p.path, p.root, p.title, p.kind, fixed=True)
        for p in old.pages
        if p.kind != "html" and not p.boiler and world.chance(share * 4)
    ][: max(1, int(share * len(old.pages)))]
    world.family([old, new], "relaunch that kept documents")


@scenario(hosts=(4500, 8000), drop=BARE, coverage=(0.05, 0.7), scale=7, errors=0)
def llm_corpus(world: World) -> None:
    """A text-corpus crawl: many hosts, few pages each, only good HTML, no metadata; copies of all
    common kinds.
    """
    for _ in range(world.n(120, 300)):
        site = source(world, 2, 120, kinds=("static", "wordpress", "numbered", "business", "wiki"))
        make_copy = world.rng.choice(
            (
                lambda s: alias(world, s),
                lambda s: clone(world, s, world.new_host(), keep=0.9, hosted=0.9),
                lambda s: clone(world, s, sub("www2", s.host), rename=prefixed("/en")),
                lambda s: clone(
                    world, s, world.new_host(), keep=world.u(0.2, 0.9), own=world.u(0, 1)
                ),
            )
        )
        world.family(
            [site, *(make_copy(site) for _ in range(world.rng.choice((1, 1, 1, 2, 4))))],
            "copy in a text corpus",
        )
    for _ in range(world.n(10, 30)):
        agency(world, world.n(5, 40))


@scenario(hosts=(300, 700), coverage=(0.02, 0.05), evidence=False, scale=120)
def sparse_crawl(world: World) -> None:
    """Two to five percent of every site was fetched; true copies may share nothing that
    was seen.
    """
    for _ in range(world.n(25, 70)):
        site = source(world, 60, 900, median=220)
        copies = [alias(world, site) for _ in range(world.rng.choice((1, 1, 2, 5)))]
        world.family([site, *copies], "copy, sparsely crawled")
    for _ in range(world.n(8, 25)):
        site = source(world, 60, 600, median=200)
        fork = clone(world, site, world.new_host(), keep=world.u(0.3, 0.75), own=world.u(0.2, 0.6))
        world.family([site, fork], "diverged fork, sparsely crawled")
