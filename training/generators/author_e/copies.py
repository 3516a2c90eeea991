"""Copies of one site or a few: staging, mirrors, moves, folders, dynamic pages, and crawls of few
pages a host.

Invariant: a scenario adds to the world and draws every number from it; what is arguable is
said to be unclear.
"""

from __future__ import annotations

from training.generators.author_e.sites import site
from training.generators.author_e.world import OLD, TEXT, TYPES, Page, World


def staging(world: World) -> None:
    """Sites and their staging hosts; other clients of the agency, which share its licence and login
    pages.
    """
    r, agency = world.random, world.name("io")
    for _ in range(r.randint(4, 12)):
        live = world.host(www=True)
        pages = site(world, world.between(15, 400))
        world.place(live, pages)
        copy = r.choice(
            [
                f"{r.choice(('staging', 'dev', 'test', 'preview'))}.{live[4:]}",
                f"{live[4:].split('.')[0]}.{agency}",
            ]
        )
        world.place(copy, pages, change=r.uniform(0.1, 0.7), cover=r.uniform(0.6, 1))
        world.replicas("staging", (live, copy))
    for _ in range(r.randint(2, 12)):
        client = f"{world.label()}.{agency}"
        world.place(client, site(world, world.between(5, 40)))
        world.put(client, "/wp-login.php", f"{agency} login", "Log in")
        world.put(client, "/imprint", f"{agency} imprint", "Imprint")


def docs(world: World) -> None:
    """Documentation in several versions on one host, a mirror of it, and an old host of the first
    version.
    """
    r = world.random
    for _ in range(r.randint(1, 5)):
        name, label = world.name("org"), world.label()
        host, mirror = f"docs.{name}", f"mirror{r.randint(1, 9)}.{label}.edu"
        old = f"{name.split('.')[0]}.{r.choice(('readthedocs.io', 'github.io'))}"
        versions = ["1.0", "1.1", "2.0", "2.1"][: r.randint(2, 4)] + ["stable"] * r.randint(0, 1)
        topics = [
            f"{topic}.html"
            for topic in (
                "index",
                "genindex",
                "search",
                *(world.slug(2) for _ in range(r.randint(10, 60))),
            )
        ]
        changed, cover = r.uniform(0.2, 0.8), r.uniform(0.5, 1)
        for version in versions:
            for topic in topics:
                base = (
                    "newest" if version == "stable" else version if r.random() < changed else "1.0"
                )
                page = Page(
                    f"/en/{version}/{topic}",
                    f"{name} {base} {topic}",
                    f"{topic[:-5]} — {name} {version} documentation",
                    None,
                    ("/en/",),
                )
                world.add(host, page)
                if version != "stable" and r.random() < cover:
                    world.add(mirror, page)
                if version == "1.0" and r.random() < 0.9:
                    world.add(old, page, when=OLD)
        world.replicas("mirror", (host, mirror))
        world.unclear += [(host, old), (mirror, old)]


def moved(world: World) -> None:
    """Sites that moved to another domain, and expired ones that were restored elsewhere, with posts
    of the new owner.
    """
    r = world.random
    for cause in ["moved"] * r.randint(3, 9) + ["restored"] * r.randint(2, 6):
        pages = site(world, world.between(12, 500))
        old, new = world.host(), world.host()
        world.place(old, pages, cover=r.uniform(0.5, 1), when=OLD)
        world.place(new, pages, cover=r.uniform(0.5, 1), change=r.uniform(0.1, 0.8))
        extra = max(2, int(len(pages) * r.uniform(0, 0.6)))
        world.place(new, site(world, extra, "blog")[1:])
        world.replicas(cause, (old, new))


def prefix(world: World) -> None:
    """Sites that stand in a folder of another host; it is arguable where that host has pages of its
    own.
    """
    r = world.random
    for _ in range(r.randint(4, 10)):
        pages = site(world, world.between(15, 250))
        original, other = world.host(), world.host()
        world.place(original, pages)
        world.place(
            other,
            pages,
            prefix=r.choice(
                (f"/backup/{original}", f"/~{world.word()}", f"/{world.word()}", "/old")
            ),
            cover=r.uniform(0.6, 1),
        )
        if r.random() < 0.5:
            world.replicas("prefix", (original, other))
        else:
            world.place(other, site(world, world.between(5, 250)))
            world.unclear.append((original, other))


def dynamic(world: World) -> None:
    """Copies most of whose pages differ at each fetch, and mobile hosts."""
    r = world.random
    for _ in range(r.randint(4, 14)):
        pages = site(world, world.between(8, 600))
        hosts = world.host(), world.host()
        change, cover = r.uniform(0.3, 0.97), r.uniform(0.7, 1)
        world.place(hosts[0], pages, cover=cover)
        world.place(hosts[1], pages, cover=cover, change=change)
        world.replicas("dynamic", hosts)
    for _ in range(r.randint(2, 6)):
        pages, host = site(world, world.between(15, 250)), world.host(www=True)
        mobile = f"{r.choice(('m', 'mobile', 'amp'))}.{host[4:]}"
        world.place(host, pages)
        world.place(mobile, pages, cover=r.uniform(0.6, 1), change=r.uniform(0.3, 0.9))
        world.replicas("mobile", (host, mobile))


def mirrors(world: World) -> None:
    """Mirrors of one archive of software, each crawled in part; it is arguable whether hosts that
    mirror more are copies too.
    """
    r = world.random
    authors = r.sample(world.words, r.randint(30, 130))
    root = f"/{world.word().upper()}"
    files = [
        Page(f"{root}/id/{a[0].upper()}/{a}/README{k}.txt", f"{root} {a}{k}", "", None, (), TEXT)
        for a in authors
        for k in range(r.randint(1, 4))
    ]
    files = [
        Page(f"{root}/index.html", f"{root} index", "Index"),
        Page(f"{root}/README", f"{root} readme", "", None, (), TEXT),
        *files,
    ]
    cover, same_home = r.uniform(0.15, 0.9), r.random()
    pure, general = [], []
    for _ in range(r.randint(4, 14)):
        pure.append(host := f"{r.choice(('mirror', 'ftp', root[1:].lower()))}.{world.name('org')}")
        world.put(
            host, "/", f"{root} top" if r.random() < same_home else f"top of {host}", "Mirror"
        )
        world.place(host, files, cover=cover, keep_first=False)
    for _ in range(r.randint(1, 6)):
        general.append(host := f"ftp.{world.name('edu')}")
        world.place(host, site(world, world.between(40, 200), "static"))
        world.place(host, files, cover=cover, prefix="/pub", keep_first=False)
    world.replicas("mirror", pure)
    world.unclear += [general, *((a, b) for a in general for b in pure)]


def cdn(world: World) -> None:
    """Hosts of one company's files, and unrelated static hosts that have the same open-source
    scripts.
    """
    world.all_types = True
    r = world.random
    for _ in range(r.randint(2, 6)):
        domain = world.name("com")
        endings = r.choices(("jpg", "png", "js", "css"), k=world.between(40, 400))
        files = [
            Page(
                f"/{r.choice(('img', 'css', 'js', 'media'))}/{world.slug(2)}.{e}",
                f"{domain} {k}",
                "",
                None,
                (),
                TYPES[e],
            )
            for k, e in enumerate(endings)
        ]
        hosts = [f"static{k}.{domain}" for k in range(1, r.randint(2, 4))] + [
            f"d{r.getrandbits(48):012x}.cloudfront.net"
        ]
        cover = r.uniform(0.25, 1)
        for host in hosts:
            world.place(host, files, cover=cover)
        world.replicas("cdn", hosts)
    libraries = [
        f"/libs/{name}/{number}/{name}.min.js"
        for name in r.sample(world.words, r.randint(4, 9))
        for number in ("1.0", "2.0", "3.0", "3.1")
    ]
    for _ in range(r.randint(5, 30)):
        host = f"static.{world.host(www=False)}"
        for path in r.sample(libraries, r.randint(3, 16)):
            world.put(host, path, path, "", TYPES["js"])
        for k in range(r.randint(2, 40)):
            world.put(host, f"/img/{k}.png", f"{host} {k}", "", TYPES["png"])


def budget(world: World) -> None:
    """Every host was crawled to three pages or few more."""
    r = world.random
    most, near = r.choice((3, 3, 3, 4, 6)), r.random()
    for _ in range(r.randint(15, 50)):
        pages = site(world, world.between(8, 300))
        hosts = [world.host() for _ in range(r.choice((2, 2, 2, 3)))]
        for host in hosts:
            first = pages[: most + 1] if r.random() < near else pages
            world.place(host, first, most=most)
        world.replicas("budget", hosts)
    for _ in range(r.randint(5, 30)):
        host = world.host()
        world.put(host, "/", "server: it works", "It works")
        world.place(host, site(world, r.randint(4, 12))[1:], most=most - 1)
    world.limit(most)


def homeonly(world: World) -> None:
    """Nothing was crawled but home pages: copies of a few, default pages of many."""
    r = world.random
    for host, captures in list(world.crawled.items()):
        home = {url: capture for url, capture in captures.items() if url.endswith(f"//{host}/")}
        if home:
            world.crawled[host] = home
        else:
            del world.crawled[host]
    for _ in range(r.randint(8, 40)):
        hosts = [world.host() for _ in range(r.choice((2, 2, 2, 3, 5)))]
        for host in hosts:
            world.put(host, "/", f"home of {hosts[0]}", world.title())
        world.replicas("home", hosts)
    for kind in ("welcome", "it works", "panel default", "parked", "for sale")[: r.randint(2, 5)]:
        for _ in range(world.between(10, 60)):
            world.put(world.host(), "/", f"server: {kind}", kind.title())


def uncopied(_: World) -> None:
    """Nothing is copied but what the background has under www and without."""
