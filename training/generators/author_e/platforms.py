"""Look-alikes by software or provider: shells, walls, tenants, calendars, fresh installs, numbered
pages, archives.

Invariant: strangers are no copies; of untouched installs, and of what only holds others'
pages, nobody can say.
"""

from __future__ import annotations

from training.generators.author_e.sites import site
from training.generators.author_e.world import Page, World

FORMS = (
    "/index.php?id={}",
    "/node/{}",
    "/?p={}",
    "/viewtopic.php?t={}",
    "/article/{}.html",
    "/page/{}/",
    "/content/view/{}",
)


def spa(world: World) -> None:
    """Applications whose every address gives one shell, some of them a framework's
    untouched one.
    """
    r = world.random
    shells, untouched = (
        [f"shell of framework {k}" for k in range(r.randint(1, 3))],
        r.uniform(0.2, 0.8),
    )
    folders = r.sample(world.words, 4)
    for _ in range(r.randint(8, 40)):
        host = world.host()
        shell = r.choice(shells) if r.random() < untouched else f"shell of {host}"
        paths = ["/", "/login", "/about", "/pricing"][: r.randint(1, 4)]
        paths += [
            f"/{r.choice(folders)}/{r.randint(1, 10**6)}" for _ in range(world.size(3, 400, 3.5))
        ]
        for path in paths:
            world.put(host, path, shell, "App")
        for path in ("/terms.html", "/help.html", "/docs.html")[: r.randint(0, 3)]:
            world.put(host, path, f"{host}{path}")
    for _ in range(r.randint(1, 4)):
        domain = world.host(www=False)
        pages = [
            Page(path, f"shell of {domain}", "App")
            for path in ("/", *(f"/p/{k}" for k in range(world.between(10, 120))))
        ]
        world.place(domain, pages)
        world.place(f"www.{domain}", pages, cover=r.uniform(0.5, 1))
        world.replicas("alias", (domain, f"www.{domain}"))


def walls(world: World) -> None:
    """Strangers of which the crawler got a provider's notice, a challenge, or a wall of consent at
    most addresses.
    """
    r = world.random
    for kind in ("suspended", "parked", "for sale")[: r.randint(1, 3)]:
        for _ in range(world.between(9, 50)):
            host, own = world.host(), r.choice((0, 0, 0, 0.1))
            for page in site(world, world.size(1, 60), boilerplate=False):
                world.add(
                    host,
                    page
                    if r.random() < own
                    else page._replace(content=f"wall {kind}", title="Account suspended", links=()),
                )
    for _ in range(r.randint(10, 60)):
        host, hidden = world.host(), r.choice((0.2, 0.5, 0.9))
        for page in site(world, world.size(4, 150, 3)):
            world.add(
                host,
                page._replace(content="wall challenge", title="Just a moment...", links=())
                if r.random() < hidden
                else page,
            )
    consents, hidden = [f"wall consent {k}" for k in range(r.randint(1, 3))], r.uniform(0.85, 0.98)
    for _ in range(r.randint(6, 30)):
        host, consent = world.host(), r.choice(consents)
        for k, page in enumerate(site(world, world.size(6, 200, 3.5), "blog")):
            known = k >= 2 and r.random() >= hidden
            world.add(
                host,
                page
                if known
                else page._replace(content=consent, title="Before you continue", links=()),
            )


def tenants(world: World) -> None:
    """Blogs under one platform's domain, and tenants of a helpdesk under their own: shared help,
    own home page and posts.
    """
    r = world.random
    domain, address = world.name("com"), world.new_ip()
    help_ = [
        Page(f"/{word}", f"{domain} {word}", "Help", None, ("/login",))
        for word in ("login", "terms", *r.sample(world.words, r.randint(2, 8)))
    ]
    for number in range(r.randint(20, 130)):
        host = f"{world.word()}{number}.{domain}"
        world.ips[host] = address
        world.place(host, site(world, world.size(2, 100, 1.5), "blog"))
        world.place(host, help_, cover=0.7, keep_first=False)
    folder = f"/{world.word()}"
    vendor = [
        Page(f"{folder}/{word}", f"vendor {word}", f"Support {word}", None, ("/login",))
        for word in r.sample(world.words, r.randint(4, 12))
    ]
    for _ in range(r.randint(8, 45)):
        host = f"{r.choice(('support', 'help'))}.{world.host(www=False)}"
        world.put(host, "/", f"home of {host}", f"Help center {host}")
        world.place(host, vendor, cover=r.uniform(0.6, 1), keep_first=False)
        for k in range(r.randint(2, 8)):
            world.put(host, f"{folder}/articles/{r.randint(1, 10**6)}", f"{host} {k}")


def calendar(world: World) -> None:
    """Sites whose calendar says of nearly every day that there is nothing."""
    r = world.random
    folder, years, empty = (
        f"/{world.word()}",
        range(2027 - r.randint(2, 7), 2027),
        r.uniform(0.7, 0.98),
    )
    for _ in range(r.randint(4, 16)):
        host = world.place(world.host("org"), site(world, r.randint(5, 40), "wp"))
        cover = r.uniform(0.3, 0.9)
        for day in (
            f"{year}-{month:02d}-{day:02d}"
            for year in years
            for month in range(1, 13)
            for day in (1, 8, 15, 22)
        ):
            if r.random() < cover:
                world.put(
                    host,
                    f"{folder}/{day}/",
                    "no events" if r.random() < empty else f"{host} {day}",
                    "Events",
                )


def installs(world: World) -> None:
    """Small sites of a builder with its terms and cookie pages, and untouched installs of a blog
    system.
    """
    r = world.random
    own = r.choice((1, 1, 2, 3))
    for _ in range(r.randint(15, 70)):
        host = world.host()
        for path in ("/", "/about", "/contact")[:own]:
            world.put(host, path, f"{host}{path}")
        for path in ("/terms", "/cookies", "/privacy", "/404")[: r.randint(1, 4)]:
            world.put(host, path, f"builder {path}", f"Builder {path[1:]}")
    fresh = [world.host() for _ in range(r.randint(5, 45))]
    for host in fresh:
        for path in (
            "/",
            "/hello-world/",
            "/sample-page/",
            "/category/uncategorized/",
            "/author/admin/",
        ):
            world.put(host, path, f"untouched blog {path}", "Just another site")
    world.unclear.append(fresh)


def numbered(world: World) -> None:
    """Unrelated sites whose pages are numbered alike, with a page or two of their software in
    common; some under several names.
    """
    r = world.random
    forms, shared, same_number = r.sample(FORMS, r.randint(1, 2)), r.randint(1, 2), r.random() < 0.5
    aliased, start = r.uniform(0, 0.6), r.choice((1, 1, 1, 10, 100))
    for _ in range(r.randint(3, 25)):
        domain, form, count = world.host(www=False), r.choice(forms), world.between(8, 150)
        numbers = [
            start + 2 + k if same_number else start + r.randrange(count) for k in range(shared)
        ]
        pages = [Page("/", f"home of {domain}", domain)]
        for k in range(start, start + count):
            content = f"software {numbers.index(k)}" if k in numbers else f"{domain} {k}"
            pages.append(
                Page(form.format(k), content, world.title(), None, ("/", form.format(k + 1)))
            )
        hosts = [domain]
        if r.random() < aliased:
            hosts += [
                f"{name}.{domain}" for name in r.sample(("www", "m", "old", "web"), r.randint(1, 3))
            ]
        cover = r.uniform(0.5, 1)
        for host in hosts:
            world.place(host, pages, cover=cover)
        world.replicas("names", hosts)


def archives(world: World) -> None:
    """An archive, a proxy and shorteners, which hold pages of many others; among themselves they
    are arguable.
    """
    r = world.random
    archive, proxy, short, shorter = (
        f"{label}{world.name(ending)}"
        for label, ending in (("web.", "org"), ("", "org"), ("", "io"), ("", "com"))
    )
    folder, half = r.choice(("/web/2026/", "/save/")), r.uniform(0.2, 0.7)
    known = list(world.crawled)
    for host in r.sample(known, min(len(known), r.randint(40, 400))):
        for url, capture in list(world.crawled[host].items())[: r.choice((1, 3, 10, 60))]:
            page = Page(folder + url, capture.content, None, None, (), capture.mime)
            world.add(archive, page)
            if r.random() < half:
                world.add(proxy, page._replace(path=f"/?u={url}"))
    captures = [(url, capture) for host in known for url, capture in world.crawled[host].items()]
    few = r.sample(captures, min(len(captures), r.randint(20, 600)))
    for shortener in (short, shorter):
        for _, capture in few:
            if r.random() < 0.5:
                world.put(
                    shortener, f"/{r.getrandbits(32):08x}", capture.content, mime=capture.mime
                )
    world.unclear.append((archive, proxy, short, shorter))
