"""Ordinary unrelated sites: heavy-tailed sizes, shared boilerplate, dynamic pages, traps, empty
hosts.
"""

import math

from training.generators.author_f import names
from training.generators.author_f.model import UNCLEAR, Page, Site, World

EMPTY = {  # template: (title, status)
    "apache-works": ("It works!", 200),
    "nginx-welcome": ("Welcome to nginx!", 200),
    "cpanel-default": ("Default Web Site Page", 200),
    "iis": ("IIS Windows Server", 200),
    "coming-soon": ("Coming soon", 200),
    "suspended": ("Account Suspended", 200),
    "forbidden": ("403 Forbidden", 403),
    "unavailable": ("503 Service Unavailable", 503),
    "index-of": ("Index of /", 200),
    "parked-static": ("This domain is parked", 200),
}
KINDS = ("static", "numbered", "wordpress", "forum", "wiki", "shop", "gallery", "business")
WEIGHTS = (6, 4, 6, 1.5, 1.5, 2.5, 1, 5)


def heavy(
    world: World, median: float | None = None, sigma: float = 1.1, low: int = 1, high: int = 900
) -> int:
    """A heavy-tailed site size."""
    size = math.exp(world.rng.gauss(math.log(median or world.scale), sigma))
    return max(low, min(high, round(size)))


def item(world: World, path: str, title: str | None = None, kind: str = "html", **more) -> Page:
    """A page with content of its own."""
    return Page(
        path, world.uid(), title or names.phrase(world.rng), kind, fixed=kind != "html", **more
    )


def boiler(path: str, root: str, title: str | None, kind: str = "html", **more) -> Page:
    """A page whose bytes are those of a product, a library or a provider."""
    return Page(path, root, title, kind, fixed=True, boiler=True, **more)


def month(world: World, path: str, title: str, noisy: float) -> Page:
    """A calendar's page of a month, another at each fetch with that chance."""
    return Page(path, world.uid(), title, noisy=world.chance(noisy), boiler=True)


def static(world: World, size: int) -> list[Page]:
    """Hand-made tree of .html pages and documents."""
    ext = world.rng.choice((".html", ".html", ".htm", "/", "", ".php", ".aspx"))
    sections = world.rng.sample(names.SECTIONS, world.n(2, 6))
    pages = []
    for _ in range(size):
        title = names.phrase(world.rng)
        folder = "/" + (world.rng.choice(sections) + "/" if world.chance(0.7) else "")
        if world.chance(0.09):
            pages.append(item(world, f"{folder}{names.slug(title)}.pdf", title, "pdf"))
        elif world.chance(0.03):
            pages.append(item(world, f"{folder}{names.slug(title)}.txt", None, "txt"))
        else:
            pages.append(item(world, folder + names.slug(title) + ext, title))
    return pages


def numbered(world: World, size: int) -> list[Page]:
    """Scripts with numeric ids: the same paths exist on many unrelated hosts."""
    form = world.rng.choice(
        (
            "/article.php?id={}",
            "/news/{}",
            "/node/{}",
            "/index.php?page={}",
            "/p{}.htm",
            "/index.php?option=com_content&id={}",
            "/item/{}.html",
            "/download/{}",
        )
    )
    start, step = world.n(1, 400), world.n(1, 3)
    return [item(world, form.format(start + step * i)) for i in range(size)]


def wordpress(world: World, size: int) -> list[Page]:
    """A WordPress site with the files every installation has."""
    flat = world.chance(0.4)
    pages = []
    for _ in range(size):
        title = names.phrase(world.rng, 3, 7)
        prefix = "/" if flat else f"/{world.n(2008, 2023)}/{world.n(1, 12):02d}/"
        pages.append(item(world, f"{prefix}{names.slug(title)}/", title))
    version = world.n(1, 25)
    extras = [
        boiler("/readme.html", f"wp-readme-{version}", "WordPress › ReadMe"),
        boiler("/license.txt", f"wp-license-{version // 5}", None, "txt"),
        boiler("/wp-login.php", f"wp-login-{version}", "Log In", noisy=True),
        boiler("/sample-page/", "wp-sample", "Sample Page"),
        boiler("/hello-world/", "wp-hello", "Hello world!"),
        boiler("/xmlrpc.php", "wp-xmlrpc", None, "txt", status=405),
    ]
    feeds = [
        Page(
            f"/category/{names.word(world.rng)}/", world.uid(), "Category", noisy=True, boiler=True
        )
        for _ in range(size // 8)
    ]
    return pages + world.rng.sample(extras, world.n(0, 4)) + feeds


def forum(world: World, size: int) -> list[Page]:
    """phpBB: numbered topics, dynamic pages, the default FAQ."""
    start = world.n(1, 50)
    pages = [
        item(world, f"/viewtopic.php?t={start + i}", noisy=world.chance(0.6)) for i in range(size)
    ]
    pages += [
        Page(f"/viewforum.php?f={i}", world.uid(), names.phrase(world.rng, 1, 3), noisy=True)
        for i in range(1, world.n(2, 6))
    ]
    version = world.n(1, 6)
    return [
        *pages,
        boiler("/faq.php", f"phpbb-faq-{version}", "Frequently Asked Questions"),
        boiler("/ucp.php?mode=terms", f"phpbb-terms-{version}", "Terms of use"),
        boiler("/ucp.php?mode=register", f"phpbb-register-{version}", "Register", noisy=True),
    ]


def wiki(world: World, size: int) -> list[Page]:
    """MediaWiki articles, special pages and the default help."""
    form = world.rng.choice(("/wiki/{}", "/index.php/{}", "/index.php?title={}", "/w/{}"))
    pages = []
    for _ in range(size):
        title = names.phrase(world.rng, 1, 3)
        pages.append(item(world, form.format(title.replace(" ", "_")), title))
    return pages + [
        boiler(form.format(name), f"mw-{name}", name, noisy=name.startswith("Special"))
        for name in (
            "Special:RecentChanges",
            "Special:UserLogin",
            "Help:Contents",
            "Project:General_disclaimer",
        )
    ]


def shop(world: World, size: int) -> list[Page]:
    """Products with pictures, carts, terms of the platform."""
    form = world.rng.choice(
        ("/product/{}-{}", "/p/{}-{}.html", "/shop/{}_{}.htm", "/index.php?product={}&pid={}")
    )
    pages = []
    for i in range(size):
        title = names.phrase(world.rng, 2, 4)
        pages.append(item(world, form.format(names.slug(title), 100 + i), title))
        if world.all_types and world.chance(0.5):
            pages.append(item(world, f"/images/{names.slug(title)}.jpg", None, "img"))
    platform = world.n(1, 4)
    return [
        *pages,
        boiler("/cart", f"shop-cart-{platform}", "Your cart"),
        boiler("/login", f"shop-login-{platform}", "Login", noisy=True),
        boiler("/shipping", f"shop-shipping-{platform}", "Shipping"),
    ]


def gallery(world: World, size: int) -> list[Page]:
    """Albums of camera-numbered pictures."""
    albums = [names.word(world.rng) for _ in range(max(1, size // 12))]
    pages = []
    for i in range(size):
        album = albums[i * len(albums) // size]
        if world.all_types:
            pages.append(item(world, f"/albums/{album}/IMG_{100 + i:04d}.JPG", None, "img"))
        if not world.all_types or world.chance(0.3):
            pages.append(item(world, f"/albums/{album}/{i}.html", f"{album} {i}"))
    return pages


def business(world: World, size: int) -> list[Page]:
    """The five pages a small firm has; the size given is a hint only."""
    ext = world.rng.choice(("", "", ".html", ".php"))
    menu = world.rng.sample(
        ("about", "services", "contact", "impressum", "team", "references"),
        min(4, world.n(0, size)),
    )
    return [item(world, f"/{name}{ext}", name.capitalize()) for name in menu]


MAKERS = {
    "static": static,
    "numbered": numbered,
    "wordpress": wordpress,
    "forum": forum,
    "wiki": wiki,
    "shop": shop,
    "gallery": gallery,
    "business": business,
}


LIBRARIES = (
    "jquery-1.12.js",
    "jquery-3.6.js",
    "bootstrap.css",
    "fontawesome.css",
    "lightbox.js",
    "analytics.js",
    "normalize.css",
)


def decorate(world: World, pages: list[Page]) -> None:
    """Things sites share without being copies: libraries, legal texts, syndicated items; and
    calendar traps.
    """
    content = len(pages)
    if world.all_types:
        pages += [
            boiler(f"/assets/{name}", "lib-" + name, None, name.rpartition(".")[2])
            for name in world.rng.sample(LIBRARIES, world.n(0, 4))
        ]
        pages += [item(world, "/style.css", None, "css"), item(world, "/logo.png", None, "img")]
    if world.chance(0.2):
        root = f"legal-{int(14 * world.rng.random() ** 2)}"
        pages.append(
            boiler(
                world.rng.choice(("/privacy.html", "/privacy", "/terms.html", "/agb")),
                root,
                "Privacy policy",
            )
        )
    if world.chance(0.18) and content > 7:
        for root, title, same in world.rng.sample(
            world.wire, min(len(world.wire), world.n(1, max(1, content // 9)))
        ):
            pages.append(
                Page(
                    f"/{world.rng.choice(names.SECTIONS)}/{names.slug(title)}",
                    root,
                    title,
                    fixed=same,
                )
            )
    if world.chance(0.03):
        pages += [
            month(world, f"/calendar?month={2000 + i // 12}-{i % 12 + 1:02d}", "Calendar", 0.5)
            for i in range(world.n(12, 80))
        ]
    if world.chance(0.03):
        root = world.uid("soft404") if world.chance(0.7) else f"soft404-{world.n(1, 5)}"
        pages += [
            boiler(f"/{names.slug(names.phrase(world.rng))}", root, "Page not found")
            for _ in range(world.n(2, 25))
        ]


def make(
    world: World, kind: str | None = None, size: int | None = None, host: str | None = None
) -> Site:
    """An ordinary site with content of its own, added to the crawl."""
    kind = kind or world.rng.choices(KINDS, WEIGHTS)[0]
    host = world.claim(host) if host else world.new_host()
    brand = names.phrase(world.rng, 1, 2)
    pages = MAKERS[kind](world, size or heavy(world))
    decorate(world, pages)
    home = Page(
        "/",
        world.uid(),
        world.rng.choice((brand, brand, "Home", "Welcome to " + brand)),
        noisy=world.chance(0.2),
    )
    pages = list({page.path: page for page in [home, *pages]}.values())
    noise = world.rng.choices((0, world.u(0, 0.3), world.u(0.5, 1), 1), (5, 2, 1, 1))[0]
    for page in pages:
        if page.kind == "html" and not page.boiler:
            page.noisy = page.noisy or world.chance(noise)
        if page.kind == "html" and not page.boiler and not page.fixed and world.chance(0.03):
            page.title = world.rng.choice((*names.GENERIC, None))
    return world.add(
        Site(
            host,
            pages,
            world.uid("skin"),
            brand,
            world.new_ip(),
            world.rng.choice(("http", "https")),
            draw_coverage(world),
            world.u(0.15, 1),
            session=world.rng.choice(("PHPSESSID", "sid", "s")) if world.chance(0.03) else None,
        )
    )


def draw_coverage(world: World) -> float:
    """What share of a site the crawler reached."""
    return 1.0 if world.evidence and world.chance(0.25) else world.u(*world.coverage)


def parked(world: World, host: str | None = None) -> Site:
    """A parking lander: own name in its pages, the provider's legal pages beside."""
    host = world.claim(host) if host else world.new_host()
    lander = world.n(1, 6)
    pages = [Page("/", world.uid(), host, noisy=world.chance(0.6), boiler=True)]
    pages += [
        boiler(f"/{name}", f"park-{lander}-{name}", name)
        for name in world.rng.sample(
            ("privacy.html", "contact", "px.js?ch=1", "search_caf.php", "terms"), world.n(0, 3)
        )
    ]
    return world.add(
        Site(host, pages, f"park-{lander}", host, world.rng.choice(world.ips[:5]), "http")
    )


def empty(world: World) -> Site:
    """A host that shows nothing but a server's default page."""
    names_ = list(EMPTY)
    template = names_[int(len(names_) * world.rng.random() ** 1.5)]
    title, status = EMPTY[template]
    return world.add(
        Site(
            world.new_host(),
            [boiler("/", "empty-" + template, title, status=status)],
            "",
            "",
            world.new_ip(),
            world.rng.choice(("http", "https")),
            empty=template,
        )
    )


def fill(world: World, hosts: int) -> None:
    """Ordinary hosts up to the wanted number; pairs of the same bare default page are left open."""
    share_empty, share_parked = world.u(0.005, 0.04), world.u(0.005, 0.05)
    while len(world.sites) < hosts:
        if world.chance(share_empty):
            empty(world)
        elif world.chance(share_parked):
            parked(world)
        else:
            make(world)
    groups: dict[str, list[Site]] = {}
    for site in world.sites:
        if site.empty:
            groups.setdefault(site.empty, []).append(site)
    for template, group in groups.items():
        for i, one in enumerate(group):
            for two in group[i + 1 :]:
                world.label(one, two, UNCLEAR, f"nothing but the default page {template}")
