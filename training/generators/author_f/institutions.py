"""Universities, archives and volunteers: project mirrors, home pages, default installations, paper
repositories.
"""

from dataclasses import replace

from training.generators.author_f import names
from training.generators.author_f.copying import clone, combine, mark, placed, prefixed, source
from training.generators.author_f.model import UNCLEAR, Page, Site, World
from training.generators.author_f.operators import everyday, sub
from training.generators.author_f.ordinary import boiler, item, make
from training.generators.author_f.registry import BARE, scenario


@scenario(hosts=(300, 1000), drop=("title", "length"), coverage=(0.1, 0.9))
def oss_mirrors(world: World) -> None:
    """Mirrors of open-source projects: stale, partial, below a path, with another footer, or many
    projects on one host.
    """
    projects, copies = [], []
    for _ in range(world.n(4, 12)):
        project = source(world, 25, 350, kinds=("static", "wiki"), median=80)
        project.pages += [
            item(
                world,
                f"/dist/{names.word(world.rng)}-{world.n(0, 5)}.{world.n(0, 20)}.txt",
                None,
                "txt",
            )
            for _ in range(world.n(3, 30))
        ]
        projects.append(project)
        stem, mirrors = names.bare(project.host), []
        for i in range(world.n(2, 14)):
            host = world.rng.choice(
                (
                    f"{names.CITIES[i]}.{stem}",
                    f"mirror{i}.{stem}",
                    sub("mirror", names.domain(world.rng, world.tlds)),
                )
            )
            mirrors.append(
                clone(
                    world,
                    project,
                    host,
                    keep=world.u(0.45, 1),
                    stale=world.chance(0.7),
                    edit=world.rng.choice((0, world.u(0, 0.3))),
                    hosted=world.rng.choice((0, 0, 0, world.u(0.5, 1))),
                    same_ip=0,
                    rename=prefixed(world.rng.choice(("/pub", "/mirror/" + stem)))
                    if world.chance(0.25)
                    else None,
                )
            )
        world.family([project, *mirrors], "mirror of a project")
        copies += mirrors
    servers = []
    for _ in range(world.n(4, 20)):
        held = world.rng.sample(projects, world.n(1, len(projects)))
        host = sub(
            world.rng.choice(("ftp", "mirrors", "mirror")), names.domain(world.rng, world.tlds)
        )
        servers.append(
            combine(
                world,
                host,
                [(f"/pub/{names.bare(p.host).partition('.')[0]}", p) for p in held],
                own=world.n(0, 20),
            )
        )
    world.family([*projects, *copies, *servers], "mirror server with several projects")
    everyday(world, world.n(0, 6))


@scenario(hosts=(500, 1700), drop=BARE, coverage=(0.3, 1))
def default_installs(world: World) -> None:
    """WordPress, phpBB, MediaWiki fresh from the box, with few or no pages of their own; few real
    copies among them.
    """
    for product, count in (
        ("wordpress", world.n(60, 300)),
        ("forum", world.n(40, 200)),
        ("wiki", world.n(30, 150)),
    ):
        extras = [
            boiler(
                f"/{folder}/{names.word(world.rng)}{ext}",
                f"{product}-default-{i}",
                f"{product} {folder}",
                kind,
            )
            for i, (folder, ext, kind) in enumerate(
                world.rng.choices(
                    (
                        ("docs", ".html", "html"),
                        ("install", ".txt", "txt"),
                        ("help", "", "html"),
                        ("language/en", ".html", "html"),
                    ),
                    k=30,
                )
            )
        ]
        untouched = []
        for _ in range(count):
            own = world.n(1, 12)
            site = make(world, product, own)
            site.pages += [replace(page) for page in extras if world.chance(0.6)]
            if own <= 2:
                untouched.append(site)
            elif world.chance(0.06):
                site.pages = [
                    Page("/", f"{product}-home", product.capitalize(), fixed=True, boiler=True),
                    *map(replace, extras),
                ]
                untouched.append(site)
        for i, one in enumerate(untouched):
            for two in untouched[i + 1 :]:
                world.label(one, two, UNCLEAR, f"next to untouched installation of {product}")
    for _ in range(world.n(20, 60)):
        site = source(world, 4, 80, kinds=("wordpress", "forum", "wiki"))
        copy = clone(
            world,
            site,
            names.other_tld(world.rng, site.host),
            keep=world.u(0.85, 1),
            hosted=world.rng.choice((0, world.u(0, 1))),
        )
        world.family([site, copy], "second name of an installation")


@scenario(hosts=(400, 1300), coverage=(0.25, 0.95))
def homes_and_paths(world: World) -> None:
    """Home pages below ~user on several university hosts, hosting by path, by subdomain and by own
    domain.
    """
    for _ in range(world.n(3, 10)):
        campus = names.domain(world.rng, ("edu", "ac.at", "uni.de"))
        homes = [source(world, 2, 80, median=8) for _ in range(world.n(6, 30))]
        hosts = []
        for label in world.rng.sample(
            ("www", "people", "users", "homepages", "www-cs", "staff"), world.n(2, 4)
        ):
            held = [home for home in homes if world.chance(world.u(0.5, 1))]
            hosts.append(
                combine(
                    world,
                    sub(label, campus),
                    [(f"/~{names.bare(h.host)[:8]}", h) for h in held or homes],
                    (0.9, 1),
                    own=world.n(0, 60),
                )
            )
        world.family([*hosts, *homes], "home pages of one campus")
    for _ in range(world.n(2, 6)):
        provider = names.domain(world.rng, world.tlds)
        customers = [source(world, 3, 120, median=15) for _ in range(world.n(8, 30))]
        paths = [
            combine(
                world,
                sub(label, provider),
                [(f"/{names.bare(c.host).partition('.')[0]}", c) for c in customers],
                own=world.n(5, 60),
            )
            for label in world.rng.sample(("www", "members", "sites"), world.n(1, 2))
        ]
        subdomains = []
        for customer in customers:
            if world.chance(0.6):
                own = f"{names.bare(customer.host).partition('.')[0]}.{provider}"
                subdomains.append(
                    clone(
                        world,
                        customer,
                        own,
                        keep=world.u(0.75, 1),
                        hard=world.rng.choice((0, world.u(0, 1))),
                    )
                )
                world.family([customer, subdomains[-1]], "own domain and provider subdomain")
        world.family([*paths, *customers, *subdomains], "hosting by path")
    for _ in range(world.n(5, 20)):
        faculty = source(world, 15, 200, kinds=("static",))
        held = combine(
            world,
            sub("www", names.domain(world.rng, ("edu", "ac.uk"))),
            [(f"/dept/{names.word(world.rng)}", faculty)],
            (0.85, 1),
            own=world.n(0, 3),
        )
        world.family([faculty, held], "whole site below a path")


@scenario(hosts=(300, 900), all_types=True, drop=("title",), coverage=(0.2, 0.9))
def pdf_repositories(world: World) -> None:
    """Paper repositories: full mirrors, joint deposits of the same paper, harvesters of everything,
    other landing pages.
    """
    papers = [item(world, "/", None, "pdf") for _ in range(world.n(1500, 4000))]
    repositories = [
        repository(world, world.rng.sample(papers, world.n(30, 250)))
        for _ in range(world.n(10, 35))
    ]
    groups = [[site] for site in repositories]
    for group in groups:
        for _ in range(world.rng.choice((0, 1, 1, 2, 3))):
            site = group[0]
            group.append(
                clone(
                    world,
                    site,
                    world.rng.choice(
                        (
                            sub("mirror", site.host),
                            sub("eprints", names.domain(world.rng, ("edu", "ac.uk", "org"))),
                            names.other_tld(world.rng, site.host),
                        )
                    ),
                    keep=world.u(0.7, 1),
                    stale=world.chance(0.5),
                    reskin=world.chance(0.4),
                    noise=world.rng.choice((None, world.u(0, 1))),
                    same_ip=0.1,
                )
            )
    deposits = [co_deposit(world, world.rng.sample(repositories, 2)) for _ in range(world.n(5, 25))]
    harvesters = []
    for _ in range(world.n(1, 3)):
        harvesters.append(make(world, "static", world.n(10, 200)))
        for site in world.rng.sample(repositories, world.n(2, len(repositories))):
            mark(world, site)
            harvesters[-1].pages += [
                placed(p, site, f"/{names.bare(site.host)}") for p in site.pages if p.kind == "pdf"
            ]
    world.family(
        [*(site for group in groups for site in group), *deposits, *harvesters],
        "paper repository and its mirrors",
    )
    everyday(world, world.n(0, 8))


def repository(world: World, papers: list[Page]) -> Site:
    """Landing pages and documents under ids of the repository."""
    site, start = make(world, "business", 4), world.n(1, 9000)
    form = world.rng.choice(("/handle/123/{}", "/{}", "/eprint/{}", "/record/{}"))
    for i, paper in enumerate(papers):
        path = form.format(start + i)
        site.pages += [item(world, path), replace(paper, path=f"{path}/fulltext.pdf")]
    return site


def co_deposit(world: World, sites: list[Site]) -> Site:
    """A repository half of whose papers also lie in others, under other ids."""
    share = world.u(0.05, 0.6)
    return repository(
        world,
        [
            page
            for site in sites
            for page in site.pages
            if page.kind == "pdf" and world.chance(share)
        ]
        + [item(world, "/", None, "pdf") for _ in range(world.n(5, 120))],
    )
