"""Copies run by the owner: aliases, staging, mobile, moved domains, load balancing, migrations."""

from training.generators.author_f import names
from training.generators.author_f.copying import any_rename, clone, source
from training.generators.author_f.model import UNCLEAR, Site, World
from training.generators.author_f.ordinary import boiler, item, make, parked
from training.generators.author_f.registry import scenario

LABELS = ("dev", "staging", "test", "preview", "beta", "stage", "qa", "old", "backup", "new")


def sub(label: str, host: str) -> str:
    """label.example.at for www.example.at."""
    return f"{label}.{names.bare(host)}"


def alias(world: World, site: Site, **more) -> Site:
    """The same site under a second name, a handful of pages apart."""
    return clone(
        world,
        site,
        names.other_tld(world.rng, site.host),
        keep=world.rng.choice((1, 1, world.u(0.9, 1))),
        edit=world.rng.choice((0, 0, world.u(0, 0.1))),
        same_ip=0.8,
        **more,
    )


def everyday(world: World, count: int) -> None:
    """A few plain aliases and diverged forks, as every crawl has."""
    for _ in range(count):
        site = source(world, 2, 80)
        if world.chance(0.7):
            world.family([site, alias(world, site)], "everyday alias")
        else:
            fork = clone(
                world,
                site,
                world.new_host(),
                keep=world.u(0.3, 0.8),
                own=world.u(0.3, 1.2),
                edit=world.u(0, 0.3),
                reskin=world.chance(0.3),
            )
            world.family([site, fork], "diverged fork")


def agency(world: World, count: int) -> None:
    """Look-alikes: one agency's customers share legal text, scripts and unedited demo pages, and
    one address.
    """
    ip, terms, demo = (
        world.new_ip(),
        world.uid("agency-terms"),
        [world.uid("demo") for _ in range(world.n(1, 3))],
    )
    for _ in range(count):
        site = make(world, "business")
        site.ip = ip
        site.pages.append(boiler("/datenschutz", terms, "Datenschutz"))
        site.pages += [
            boiler(f"/leistung-{i}", root, f"Leistung {i}")
            for i, root in enumerate(demo)
            if world.chance(0.5)
        ]


@scenario(hosts=(900, 2600))
def national_mix(world: World) -> None:
    """A national-domain crawl: brand-protection names, hyphen twins and numbered names among
    agencies' look-alikes.
    """
    for _ in range(world.n(25, 80)):
        site = source(
            world,
            1,
            200,
            kinds=("static", "wordpress", "numbered", "shop", "wiki", "business", "forum"),
        )
        copies = [
            alias(world, site, hosted=world.rng.choice((0, 0, world.u(0, 0.5))))
            for _ in range(world.rng.choice((1, 1, 1, 2, 3, 6)))
        ]
        if world.chance(0.2):
            copies.append(
                clone(
                    world,
                    site,
                    sub(world.rng.choice(LABELS), site.host),
                    keep=world.u(0.8, 1),
                    edit=world.u(0, 0.2),
                )
            )
        world.family([site, *copies], "second name of one site")
    for _ in range(world.n(2, 8)):
        agency(world, world.n(5, 30))
    everyday(world, world.n(10, 40))


@scenario(hosts=(500, 1500), all_types=True)
def staging_and_mobile(world: World) -> None:
    """dev., staging., m., amp. and cdn. hosts beside www; shop. and blog. of the same firm are
    other sites.
    """
    for _ in range(world.n(30, 90)):
        site = source(world, 6, 150, kinds=("static", "wordpress", "shop", "numbered"))
        group = [site]
        if world.chance(0.7):
            lorem = world.u(0, 0.12)
            group.append(
                clone(
                    world,
                    site,
                    sub(world.rng.choice(LABELS), site.host),
                    keep=world.u(0.75, 1),
                    own=lorem,
                    edit=world.u(0, 0.4),
                    stale=world.chance(0.4),
                    noise=world.rng.choice((None, None, world.u(0, 1))),
                )
            )
        if world.chance(0.35):
            group.append(
                clone(
                    world,
                    site,
                    sub(world.rng.choice(("m", "mobile", "mobil")), site.host),
                    keep=world.u(0.85, 1),
                    reskin=True,
                    rename=any_rename(world) if world.chance(0.4) else None,
                    hard=world.u(0, 0.2),
                )
            )
        world.family(group, "staging or mobile host of one site")
        if world.chance(0.3):
            group.append(assets(world, site, group))
        if world.chance(0.2):
            amp = clone(
                world,
                site,
                sub("amp", site.host),
                keep=world.u(0.4, 0.9),
                reskin=True,
                hard=world.u(0, 0.5),
            )
            for other in group:
                world.label(amp, other, UNCLEAR, "articles only, in AMP form")
        for label in world.rng.sample(("shop", "blog", "jobs", "docs"), world.n(0, 2)):
            make(world, None, None, sub(label, site.host)).skin = site.skin
    everyday(world, world.n(0, 8))


def assets(world: World, site: Site, group: list[Site]) -> Site:
    """A cdn host: either pulls whatever is asked for (a mirror), or holds pictures and scripts
    only.
    """
    host = sub(world.rng.choice(("cdn", "static", "assets")), site.host)
    if world.chance(0.4):
        pull = clone(world, site, host, keep=world.u(0.8, 1), same_ip=0, hard=world.u(0, 1))
        world.family([pull, *group], "pull CDN serving the whole site")
        return pull
    cdn = clone(world, site, host, same_ip=0)
    cdn.pages = [p for p in cdn.pages if p.kind != "html"] or [
        item(world, "/pixel.png", None, "img")
    ]
    for other in group:
        world.label(cdn, other, UNCLEAR, "asset host of the site")
    return cdn


@scenario(hosts=(500, 1800))
def moved_and_grabbed(world: World) -> None:
    """Moved domains with the old one left running; expired domains that re-host an archived copy;
    redirecting names.
    """
    for _ in range(world.n(25, 80)):
        new, how = source(world, 8, 200), world.rng.random()
        old_name = names.other_tld(world.rng, new.host) if world.chance(0.5) else world.new_host()
        if how < 0.45:
            old = clone(
                world,
                new,
                old_name,
                keep=world.u(0.6, 1),
                stale=True,
                edit=world.u(0, 0.15),
                reskin=world.chance(0.3),
                rename=any_rename(world) if world.chance(0.3) else None,
                same_ip=0.4,
                hard=world.rng.choice((0, 0, world.u(0, 1))),
            )
            world.family([new, old], "old domain left running")
        elif how < 0.75:
            grab = clone(
                world,
                new,
                old_name,
                keep=world.u(0.3, 0.95),
                own=world.u(0.02, 0.4),
                hosted=world.u(0.3, 1),
                same_ip=0,
                own_folder=world.rng.choice(("", "/casino", "/blog")),
                hard=world.rng.choice((0, world.u(0, 0.3))),
            )
            world.family([new, grab], "expired domain re-hosting an archived copy")
        elif how < 0.9:
            squat = make(world, "wordpress")
            for page, lost in zip(squat.pages[1:], new.pages[1:], strict=False):
                page.path = lost.path if world.chance(0.6) else page.path
            squat.pages = list({p.path: p for p in squat.pages}.values())
        else:
            redirecting(world, new, old_name)
    everyday(world, world.n(0, 10))


def redirecting(world: World, site: Site, host: str) -> None:
    """A name that only redirects: every capture is a server's 301 page."""
    kind = world.n(1, 3)
    pages = [
        boiler(p.path, f"moved-{kind}", "301 Moved Permanently", status=301) for p in site.pages
    ]
    other = world.add(
        Site(
            world.claim(host),
            pages,
            world.uid("skin"),
            "",
            world.new_ip(),
            "http",
            world.u(0.1, 0.6),
        )
    )
    world.label(site, other, UNCLEAR, "only redirects to the site")


@scenario(hosts=(700, 1800), drop=("ip",), coverage=(0.15, 0.9))
def giant_groups(world: World) -> None:
    """Groups of a hundred and more names: wildcard DNS, www1..wwwN, resellers; beside template
    families as large.
    """
    for _ in range(world.n(1, 2)):
        site = source(world, 5, 40, median=14)
        for page in site.pages:
            page.out = ()
        group = [site]
        for _ in range(world.n(100, 190)):
            host = world.rng.choice(
                (
                    sub(f"{names.word(world.rng)}", site.host),
                    names.other_tld(world.rng, site.host),
                    f"www.{names.slug(site.brand)}-{world.rng.choice(names.CITIES)}.com",
                )
            )
            group.append(
                clone(
                    world,
                    site,
                    host,
                    hosted=world.rng.choice((0, world.u(0, 0.6))),
                    keep=world.u(0.9, 1),
                )
            )
        world.family(group, "wildcard or bulk-registered names of one site")
    for _ in range(world.n(3, 10)):
        site = source(world, 20, 120, kinds=("numbered", "forum", "shop"))
        nodes = [
            clone(
                world,
                site,
                f"www{i}.{names.bare(site.host)}",
                noise=world.rng.choice((None, world.u(0, 0.8))),
                same_ip=0.1,
            )
            for i in range(1, world.n(3, 16))
        ]
        world.family([site, *nodes], "load-balanced name")
    for _ in range(world.n(2, 5)):
        agency(world, world.n(40, 100))
    for _ in range(world.n(20, 60)):
        parked(world)
    everyday(world, world.n(0, 20))


@scenario(hosts=(400, 1300), coverage=(0.4, 1.0))
def every_byte_differs(world: World) -> None:
    """Copies whose pages all differ by tokens, dates, ads or the host's own name; few static files
    stay equal.
    """
    for _ in range(world.n(30, 90)):
        site = source(world, 6, 150, kinds=("numbered", "wordpress", "shop", "wiki", "forum"))
        noise = world.u(0.88, 1)
        copies = [
            clone(
                world,
                site,
                names.other_tld(world.rng, site.host) if world.chance(0.7) else world.new_host(),
                keep=world.u(0.8, 1),
                noise=noise,
                hosted=1,
                same_ip=0.3,
            )
            for _ in range(world.rng.choice((1, 1, 2, 4)))
        ]
        for page in site.pages:
            page.noisy = page.kind == "html" and not page.fixed and world.chance(noise)
        world.family([site, *copies], "copy whose bytes differ at every fetch")
    for _ in range(world.n(3, 9)):
        platform(world, world.n(4, 25))
    everyday(world, world.n(5, 20))


def platform(world: World, count: int) -> None:
    """Look-alikes: portals of one software, all dynamic, same addresses, same few static files,
    other content.
    """
    size, static = (
        world.n(8, 60),
        [
            (world.uid("static"), kind)
            for kind in world.rng.choices(("pdf", "txt", "html"), k=world.n(1, 4))
        ],
    )
    form = world.rng.choice(("/index.php?site=show&id={}", "/portal/{}.do", "/view?item={}"))
    titles = [names.phrase(world.rng, 1, 2) for _ in range(size)]
    for _ in range(count):
        site = make(world, "business", 1)
        site.pages += [
            item(world, form.format(i), titles[i] if world.chance(0.5) else None, noisy=True)
            for i in range(size)
        ]
        site.pages += [
            boiler(f"/manual-{i}.{kind}", root, "Manual", kind)
            for i, (root, kind) in enumerate(static)
        ]
