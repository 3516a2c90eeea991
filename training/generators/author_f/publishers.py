"""Content that many hosts publish: country sites, scrapers, dumps, documentation, newspapers."""

from dataclasses import replace

from training.generators.author_f import names
from training.generators.author_f.copying import any_rename, clone, mark, placed, renumbered, source
from training.generators.author_f.model import NEAR, REPLICA, UNCLEAR, Page, Site, World
from training.generators.author_f.operators import alias, everyday, sub
from training.generators.author_f.ordinary import item, make
from training.generators.author_f.registry import scenario

LANGUAGES = {
    "de": ("de", "at", "ch", "li", "lu"),
    "en": ("com", "co.uk", "ie", "us", "com.au", "ca", "co.nz", "in"),
    "fr": ("fr", "be", "mc"),
    "es": ("es", "mx", "com.ar", "cl", "pe"),
    "pt": ("pt", "com.br"),
    "cs": ("cz", "sk"),
}


def translate(world: World, site: Site, host: str, untranslated: float) -> Site:
    """The same structure and files with new text; some pages were left in the old language."""
    other = clone(world, site, host, keep=world.u(0.75, 1), same_ip=0.6)
    for page in other.pages:
        if page.kind == "html" and not page.boiler and not world.chance(untranslated):
            page.root, page.title, page.sure, page.rev = (
                world.uid(),
                names.phrase(world.rng),
                False,
                "",
            )
            if world.chance(0.3):
                page.path = page.path if page.path == "/" else f"/{names.slug(page.title)}"
    other.marked = False
    return other


@scenario(hosts=(500, 1500), all_types=True, coverage=(0.2, 0.9))
def country_sites(world: World) -> None:
    """Brands with sites by country: same language with more or less local content, or translated
    around shared files.
    """
    for _ in range(world.n(6, 22)):
        stem, base = names.domain(world.rng, ("x",))[:-2], None
        local, untranslated = (
            world.u(0.0, 0.25) if world.chance(0.5) else world.u(0.15, 1.2),
            world.rng.choice((0, world.u(0, 0.15))),
        )
        group: list[tuple[str, Site]] = []
        for language in world.rng.sample(list(LANGUAGES), world.n(1, 4)):
            tlds = world.rng.sample(
                LANGUAGES[language], world.n(1, min(4, len(LANGUAGES[language])))
            )
            if base is None:
                base = master = source(
                    world, 15, 160, kinds=("static", "shop"), host=f"www.{stem}.{tlds[0]}"
                )
            else:
                master = translate(world, base, f"www.{stem}.{tlds[0]}", untranslated)
            group.append((language, master))
            group += [
                (
                    language,
                    clone(
                        world,
                        master,
                        f"www.{stem}.{tld}",
                        own=world.u(0.3, 1) * local,
                        keep=1 - world.u(0, 0.1),
                        edit=world.u(0, 0.3),
                        same_ip=0.7,
                    ),
                )
                for tld in tlds[1:]
            ]
        tongue = {site.host: language for language, site in group}
        world.family(
            [site for _, site in group],
            "country sites of one brand",
            lambda a, b, label, tongue=tongue: (
                label if tongue[a.host] == tongue[b.host] else translated(a, b)
            ),
        )
    everyday(world, world.n(2, 12))


def translated(one: Site, two: Site) -> str | None:
    """Translations that share files are near replicas; those that share next to nothing
    are open.
    """
    first, second = one.roots(), two.roots()
    return NEAR if len(first & second) >= 0.08 * min(len(first), len(second)) else UNCLEAR


@scenario(hosts=(500, 1600), all_types=True, coverage=(0.3, 1))
def scrapers(world: World) -> None:
    """Article scrapers under their own addresses and template, aggregators of many sources, and raw
    whole-site rips.
    """
    sources = [
        source(world, 20, 250, kinds=("wordpress", "numbered")) for _ in range(world.n(10, 35))
    ]
    for site in sources:
        site.pages += [
            item(world, f"/img/{page.root}.jpg", None, "img")
            for page in site.pages
            if page.kind == "html" and world.chance(0.5)
        ]
    for site in sources:
        rips = [
            clone(
                world,
                site,
                world.new_host(),
                keep=world.u(0.85, 1),
                own=world.u(0, 0.1),
                noise=world.rng.choice((None, world.u(0.5, 1))),
                same_ip=0,
                hard=world.rng.choice((0, 0, world.u(0, 0.5))),
            )
            for _ in range(world.rng.choice((0, 1, 1, 2)))
        ]
        world.family([site, *rips], "whole-site rip")
    for _ in range(world.n(20, 70)):
        scrape(
            world, world.rng.sample(sources, world.rng.choice((1, 1, 2, 3, min(8, len(sources)))))
        )
    world.family(world.sites, "article scraper", {REPLICA: UNCLEAR})


def scrape(world: World, sources: list[Site]) -> Site:
    """A blog made of other blogs' articles: own addresses and template, the pictures unchanged."""
    site, rename = make(world, "wordpress", world.n(1, 30)), renumbered(world)
    for origin in sources:
        share = world.u(0.15, 1)
        site.pages += [
            replace(
                p,
                path=rename(p.path),
                skin="",
                sure=False,
                out=(f"https://{origin.host}{p.path}",) if world.chance(0.2) else (),
            )
            for p in origin.pages
            if p.path != "/" and not p.boiler and world.chance(share)
        ]
    return site


@scenario(hosts=(500, 1500), drop=("links",), coverage=(0.15, 0.8))
def dump_republishers(world: World) -> None:
    """Encyclopaedia and question-and-answer dumps republished in full or part, in the same software
    or another.
    """
    for _ in range(world.n(2, 5)):
        dump = source(world, 120, 500, kinds=("wiki", "numbered"), median=220)
        skins = [dump.skin] + [world.uid("skin") for _ in range(world.n(1, 3))]
        group = [dump]
        for _ in range(world.n(4, 16)):
            host = world.rng.choice(
                (
                    world.new_host(),
                    sub("wiki", names.domain(world.rng, world.tlds)),
                    sub("www2", dump.host),
                )
            )
            site = clone(
                world,
                dump,
                host,
                keep=world.rng.choice((world.u(0.2, 1), world.u(0.9, 1))),
                own=world.rng.choice((0, 0, world.u(0, 0.6))),
                edit=world.u(0, 0.2),
                stale=world.chance(0.4),
                noise=world.rng.choice((None, None, world.u(0, 1))),
                same_ip=0.1,
            )
            site.skin = world.rng.choice(skins)
            site.brand = dump.brand if site.skin == dump.skin else "brand " + site.skin
            group.append(site)
        world.family(
            group,
            "republished dump",
            lambda a, b, label: UNCLEAR if label == REPLICA and a.skin != b.skin else label,
        )
    everyday(world, world.n(5, 25))


@scenario(hosts=(500, 1500), coverage=(0.2, 1))
def docs_versions(world: World) -> None:
    """Documentation by version on hosts of their own, 'latest' aliases, API references and manual
    pages on many hosts.
    """
    for _ in range(world.n(8, 30)):
        name = names.domain(world.rng, ("org", "io", "dev"))
        version = source(world, 20, 200, kinds=("static", "wiki"), host=f"v1.{name}")
        versions = [version]
        for i in range(2, world.n(2, 7)):
            version = clone(
                world,
                version,
                f"v{i}.{name}",
                keep=world.u(0.6, 0.98),
                own=world.u(0.02, 0.5),
                edit=world.u(0.1, 0.6),
                same_ip=0.9,
            )
            versions.append(version)
        labels = world.rng.sample(("latest", "stable", "docs", "current"), world.n(0, 2))
        aliases = [clone(world, version, f"{label}.{name}", same_ip=0.9) for label in labels]
        world.family([version, *aliases], "alias of the newest version")
        world.family([*versions, *aliases], "other version of the documentation", {REPLICA: NEAR})
    for _ in range(world.n(1, 3)):
        references(world)
    manuals(world)


def references(world: World) -> None:
    """One API reference that many hosts carry, some as all they have, some beside a site of their
    own.
    """
    reference = source(world, 60, 200, kinds=("static",), median=100)
    carriers = []
    for _ in range(world.n(5, 20)):
        prefix = world.rng.choice(("/javadoc", "/docs/api", "/~lab/jdk/docs", "/api"))
        carriers.append(make(world, "static", world.rng.choice((1, world.n(5, 200)))))
        share = world.rng.choice((1, 1, world.u(0.1, 1)))
        mark(world, reference)
        carriers[-1].pages += [
            placed(p, reference, prefix) for p in reference.pages if p.sure or world.chance(share)
        ]
    world.family([reference, *carriers], "same API reference")


def manuals(world: World) -> None:
    """Look-alikes and open cases: manual pages rendered by each host from the same sources."""
    pages = [
        (world.uid("man"), f"{names.word(world.rng)}({world.n(1, 8)})")
        for _ in range(world.n(80, 300))
    ]
    hosts = []
    for _ in range(world.n(4, 12)):
        form = world.rng.choice(("/man/{}.html", "/manpages/{}", "/cgi-bin/man?q={}"))
        site, share = make(world, "static", world.n(1, 60)), world.u(0.3, 1)
        site.pages += [
            Page(form.format(title.strip(")").replace("(", ".")), root, title)
            for root, title in pages
            if world.chance(share)
        ]
        hosts.append(site)
    world.family(
        hosts, "manual pages rendered from the same sources", {REPLICA: UNCLEAR, NEAR: UNCLEAR}
    )


@scenario(hosts=(400, 1300), coverage=(0.2, 0.9))
def newspapers(world: World) -> None:
    """Regional editions that share 60 to 97 % of their articles, wire copy everywhere, and old or
    e-paper names.
    """
    for _ in range(world.n(4, 14)):
        base, share = (
            source(world, 40, 300, kinds=("numbered", "wordpress"), median=110),
            world.u(0.6, 0.97),
        )
        local, own_skin = (1 - share) / share, world.chance(0.5)
        editions = [
            clone(
                world,
                base,
                world.rng.choice(
                    (f"{city}.{names.bare(base.host)}", f"www.{city}-{names.bare(base.host)}")
                ),
                keep=world.u(0.94, 1),
                own=local,
                own_folder="/lokal",
                reskin=own_skin,
                brand=f"{base.brand} {city}",
                same_ip=0.8,
                noise=world.rng.choice((None, None, world.u(0, 0.6))),
            )
            for city in world.rng.sample(names.CITIES, world.n(2, 8))
        ]
        base.pages += [
            item(world, f"/lokal/{names.slug(names.phrase(world.rng))}")
            for _ in range(round(local * len(base.pages)))
        ]
        for edition in editions:
            if world.chance(0.3):
                second = alias(world, edition)
                world.family([edition, second], "second name of an edition")
                editions = [*editions, second]
        world.family(
            [base, *editions],
            "regional editions of one newspaper",
            {REPLICA: UNCLEAR, UNCLEAR: NEAR},
        )
    for _ in range(world.n(10, 40)):
        newspaper(world)


def newspaper(world: World) -> None:
    """One with wire copy, and its old name now and then."""
    paper = source(world, 20, 150, kinds=("numbered", "wordpress"))
    paper.pages += [
        Page(f"/wire/{names.slug(title)}", root, title, fixed=same)
        for root, title, same in world.rng.sample(
            world.wire, min(len(world.wire), len(paper.pages) // 6)
        )
    ]
    if world.chance(0.4):
        world.family(
            [
                paper,
                clone(
                    world,
                    paper,
                    names.other_tld(world.rng, paper.host),
                    rename=any_rename(world) if world.chance(0.3) else None,
                    hosted=world.rng.choice((0, world.u(0, 1))),
                    keep=world.u(0.85, 1),
                ),
            ],
            "old name of a newspaper",
        )
