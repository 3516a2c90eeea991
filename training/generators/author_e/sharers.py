"""Look-alikes that have pages of a third party or of their owner in common, and others of their
own.

Invariant: no two hosts of a scenario are copies of each other: who drops one loses pages
that the other lacks.
"""

from __future__ import annotations

from training.generators.author_e.sites import site
from training.generators.author_e.world import PDF, TYPES, Page, World

TONGUES = ("com", "de", "fr", "es", "it", "nl")
SHOPS = ("com", "co.uk", "com.au", "de", "ca")


def _translations(world: World, file_pages: list[Page], base: str) -> None:
    """One site in several languages: other texts at the same paths, and the same files."""
    r = world.random
    pages, address = site(world, world.between(15, 70), boilerplate=False), world.new_ip()
    for ending in r.sample(TONGUES, r.randint(2, 5)):
        host = f"www.{base}.{ending}"
        world.ips[host] = address
        for page in pages:
            length = int(6000 * r.uniform(0.9, 1.15)) + len(page.path) * 90
            world.add(
                host,
                page._replace(
                    content=f"{page.content} in {ending}",
                    title=f"{page.title} {ending}",
                    length=length,
                ),
            )
        for page in file_pages:
            world.add(host, page)


def translations_pdf(world: World) -> None:
    """Translations with the same data sheets."""
    r = world.random
    for _ in range(r.randint(1, 6)):
        base = world.label()
        folder = f"/{world.word()}"
        _translations(
            world,
            [
                Page(f"{folder}/datasheet-{k}.pdf", f"{base} {k}", "", None, (), PDF)
                for k in range(r.randint(3, 25))
            ],
            base,
        )


def translations_images(world: World) -> None:
    """Translations with the same pictures and style sheet."""
    world.all_types = True
    r = world.random
    for _ in range(r.randint(1, 6)):
        base = world.label()
        pictures = [
            Page(f"/img/{world.word()}{k}.jpg", f"{base} {k}", "", None, (), TYPES["jpg"])
            for k in range(world.between(15, 150))
        ]
        _translations(
            world,
            [
                *pictures,
                Page("/css/framework.min.css", "framework 3.3.7", "", None, (), TYPES["css"]),
            ],
            base,
        )


def franchise(world: World) -> None:
    """Branches of one brand, and one shop in several countries: most pages name the branch or its
    prices, the others are the same.
    """
    r, brand = world.random, world.label()
    pages, same = site(world, world.between(20, 70), "wp", boilerplate=False), r.uniform(0.15, 0.45)
    equal = [r.random() < same for _ in pages]
    for number in range(r.randint(5, 25)):
        host = f"www.{brand}-{world.word()}{number}.com"
        for page, alike in zip(pages, equal, strict=True):
            world.add(
                host,
                page
                if alike
                else page._replace(
                    content=f"{page.content} of {host}", title=f"{page.title} {host[4:-4]}"
                ),
            )
        for k in range(r.randint(3, 15)):
            world.put(host, f"/reviews/{r.randint(1, 10**5)}/", f"{host} review {k}")
    for _ in range(r.randint(1, 5)):
        base = world.label()
        pages, same = (
            site(world, world.between(30, 150), "shop", boilerplate=False),
            r.uniform(0.1, 0.35),
        )
        equal = [r.random() < same for _ in pages]
        for ending in r.sample(SHOPS, r.randint(2, 4)):
            for page, alike in zip(pages, equal, strict=True):
                world.add(
                    f"www.{base}.{ending}",
                    page if alike else page._replace(content=f"{page.content} in {ending}"),
                )


def newswire(world: World) -> None:
    """Newspapers that print the same agency's stories beside their own."""
    r = world.random
    wire = [world.slug(4) for _ in range(r.randint(100, 400))]
    folders = [f"/{word}" for word in r.sample(world.words, 3)]
    for number in range(r.randint(8, 45)):
        host = f"www.daily{world.host('com', www=False)}"
        folder = r.choice(folders)
        for story in r.sample(wire, r.randint(30, 90)):
            world.put(
                host,
                f"{folder}/{story}{'' if number % 2 else '.html'}",
                f"wire {story}",
                story.replace("-", " ").title(),
            )
        world.place(host, site(world, r.randint(40, 160), "blog"))


def affiliates(world: World) -> None:
    """Shops that offer parts of the same feed, with pages of their own."""
    r = world.random
    feed = [
        Page(
            f"/product/{r.randint(10**4, 10**6)}", f"feed {k}", f"Product {k}", None, ("/cart", "/")
        )
        for k in range(world.between(100, 500))
    ]
    own = r.randint(10, 60)
    for _ in range(r.randint(6, 32)):
        host = world.host("com")
        world.place(host, feed, cover=r.uniform(0.3, 0.85), keep_first=False)
        for path in (
            "/",
            "/about",
            "/cart",
            "/terms",
            *(f"/c/{world.slug(2)}" for _ in range(r.randint(own // 2, own))),
        ):
            world.put(host, path, f"{host}{path}")


def listings(world: World) -> None:
    """Estate agents with the listings of one service at the same paths, and a few pages of their
    own.
    """
    r = world.random
    for service in range(r.randint(1, 3)):
        folder, cover, own = world.word(), r.uniform(0.5, 0.95), r.randint(5, 25)
        feed = [
            Page(
                f"/{folder}/{r.randint(10**5, 10**6)}",
                f"listing {service} {k}",
                f"Listing {k}",
                None,
                ("/", "/contact"),
            )
            for k in range(world.between(40, 200))
        ]
        for _ in range(r.randint(3, 25)):
            host = world.host("com")
            world.place(host, feed, cover=cover, keep_first=False)
            for path in (
                "/",
                "/about",
                "/contact",
                "/team",
                "/privacy",
                *(f"/blog/{world.slug(2)}" for _ in range(own - 5)),
            ):
                world.put(host, path, f"{host}{path}")


def resellers(world: World) -> None:
    """Makers and their resellers, who have the maker's data sheets and few pages of their own."""
    r = world.random
    for _ in range(r.randint(2, 7)):
        maker = world.host()
        sheets = [
            Page(f"/pdf/{world.word()}-{k}.pdf", f"{maker} {k}", "", None, (), PDF)
            for k in range(r.randint(8, 30))
        ]
        world.place(maker, site(world, r.randint(25, 90)))
        world.place(maker, sheets)
        for _ in range(r.randint(2, 5)):
            host = world.place(world.host(), site(world, r.randint(4, 20)))
            world.place(
                host,
                sheets,
                cover=r.uniform(0.5, 1),
                prefix=r.choice(("", "/docs")),
                keep_first=False,
            )


def manuals(world: World) -> None:
    """Installed manuals of a server, and help pages of a code host that many run; beside them each
    has its own.
    """
    r = world.random
    topics = r.sample(world.words, r.randint(50, 120))
    manual = [
        Page(
            f"/manual/{'mod_' * (k % 2)}{topic}.html",
            f"manual {topic}",
            f"{topic} - Server manual",
            None,
            ("/manual/",),
        )
        for k, topic in enumerate(topics)
    ]
    manual += [
        Page(
            f"/manual/howto/{topic}.html",
            f"manual how to {topic}",
            f"How to {topic}",
            None,
            ("/manual/",),
        )
        for topic in topics
    ]
    for _ in range(r.randint(2, 20)):
        host = world.place(
            world.host(), site(world, world.size(3, 60, 2, 1), "static", boilerplate=False)
        )
        world.place(host, manual, cover=r.choice((0.2, 0.6, 0.95, 1)))
    topics, kept = r.sample(world.words, r.randint(40, 120)), r.choice((0.3, 0.6, 0.9))
    pages = [
        Page(path, f"code host {path}", "Sign in", None, ("/help",))
        for path in ("/users/sign_in", "/explore", "/users/password/new")
    ]
    pages += [
        Page(
            f"/help/{topic}",
            f"code host help {topic}",
            f"{topic} · Help",
            None,
            ("/help", "/explore"),
        )
        for topic in topics
    ]
    for _ in range(r.randint(2, 15)):
        host = f"{r.choice(('git', 'gitlab', 'code'))}.{world.host(www=False)}"
        world.place(host, pages, cover=kept, keep_first=False)
        for k in range(r.randint(4, 80)):
            world.put(host, f"/{world.word()}/{world.word()}{k}", f"{host} {k}")


def shared_page(world: World) -> None:
    """Small strangers with one page in common: a poem, an empty page, an agency's imprint, a
    provider's home page under construction.
    """
    r = world.random
    for _ in range(r.randint(5, 40)):
        small, hosts = r.choice((2, 3, 5, 10)), (world.host(), world.host())
        path = "/poem.html" if r.random() < 0.5 else ""
        for host in hosts:
            world.place(host, site(world, small, boilerplate=False))
            world.put(host, path or f"/p{r.randint(1, 99)}", f"poem on {hosts[0]}", "If")
    for _ in range(r.randint(1, 4)):
        host = world.place(world.host(), site(world, r.randint(2, 6), boilerplate=False))
        world.put(host, f"/{world.word()}", "", "")
    for number in range(r.randint(2, 8)):
        small, home = r.randint(2, 6), r.random() < 0.5
        for _ in range(r.randint(2, 5)):
            host = world.place(world.host(), site(world, small + home, boilerplate=False)[home:])
            world.put(
                host,
                "/" if home else "/imprint",
                f"agency {number}",
                "Coming soon" if home else "Imprint",
            )
