"""Contents that many unrelated hosts have: error pages, default pages, licences, manuals."""

from __future__ import annotations

from typing import NamedTuple

from training.generators.author_k.copies import placed
from training.generators.author_k.dice import Dice
from training.generators.author_k.names import HEX
from training.generators.author_k.sites import HTML, Builder, Page, Site


class Shared(NamedTuple):
    """A kind of shared content."""

    path: str
    """Where it is found; {r} is a random part."""
    title: str
    variants: int
    """How many versions of it are in use."""
    weight: float
    mime: str = HTML
    status: int = 200


ERRORS = (
    Shared("/{r}", "404 Not Found", 40, 6, status=404),
    Shared("/{r}/", "403 Forbidden", 30, 3, status=403),
    Shared("/{r}.html", "Page not found", 20, 2, status=404),
    Shared("/", "503 Service Temporarily Unavailable", 12, 0.6, status=503),
)
PAGES = (
    Shared("/readme.html", "WordPress › ReadMe", 25, 2),
    Shared("/manual/", "Apache HTTP Server Documentation", 12, 0.6),
    Shared("/manual/license.html", "The Apache License, Version 2.0", 3, 0.4),
    Shared("/LICENSE.html", "GNU General Public License", 4, 0.5),
    Shared("/webmail/", "Webmail Login", 20, 1.5),
    Shared("/phpmyadmin/", "phpMyAdmin", 15, 0.6),
    Shared("/cgi-sys/suspendedpage.cgi", "Account Suspended", 4, 0.7),
    Shared("/icons/", "Index of /icons", 8, 0.5),
    Shared("/cookies.html", "Cookies", 15, 1.2),
    Shared("/privacy.html", "Privacy Policy", 25, 1.5),
    Shared("/terms.html", "Terms and Conditions", 20, 1),
    Shared("/{r}.php", "", 1, 1.2),
    Shared("/login", "Sign in", 20, 1.0),
    Shared("/tinymce/license.html", "TinyMCE License", 4, 0.3),
    Shared("/javascript-required.html", "Please enable JavaScript", 10, 1.0),
)
FILES = (
    Shared("/robots.txt", "", 40, 5, mime="text/plain"),
    Shared("/favicon.ico", "", 20, 2, mime="image/x-icon"),
    Shared("/js/jquery.min.js", "", 25, 4, mime="application/javascript"),
    Shared("/css/bootstrap.min.css", "", 15, 3, mime="text/css"),
    Shared("/license.txt", "", 8, 1.5, mime="text/plain"),
    Shared("/images/spacer.gif", "", 3, 1.5, mime="image/gif"),
)
DEFAULTS = (
    Shared("/", "Welcome to nginx!", 2, 3),
    Shared("/", "Apache2 Ubuntu Default Page: It works", 3, 3),
    Shared("/", "Apache2 Debian Default Page: It works", 3, 2),
    Shared("/", "IIS Windows Server", 2, 2),
    Shared("/", "Test Page for the Apache HTTP Server", 4, 2),
    Shared("/", "Domain Default page", 4, 1.5),
    Shared("/", "Index of /", 3, 2),
    Shared("/", "Under construction", 15, 3),
    Shared("/", "Coming Soon", 15, 3),
    Shared("/", "Default Web Site Page", 4, 2),
    Shared("/", "Just a moment...", 5, 1),
    Shared("/", "Account Suspended", 3, 1),
    Shared("/", "Redirecting...", 6, 1),
    Shared("/", "", 2, 2.5),
)
INSTALL = ("/", "/hello-world/", "/sample-page/", "/wp-login.php", "/feed/", "/category/general/")
"""Pages of a blog that was installed and then left alone."""
BUNDLES = ("/manual", "/docs", "/javadoc", "/ckeditor/samples", "/doc", "/examples", "/guide")
"""Where servers have the manuals of the software that came with them."""


class Commons:
    """The shared contents of a crawl."""

    def __init__(self, dice: Dice, builder: Builder, files: bool) -> None:
        self.dice = dice
        self.builder = builder
        self.files = files
        self._made: dict[tuple[str, str, int], Page] = {}
        self._installs = [
            [Page(path, builder.key(), "My Blog", dice.whole(4000, 30000)) for path in INSTALL]
            for _ in range(6)
        ]
        self._bundles = [
            placed(builder.site(dice.whole(8, 60), "docs").pages, folder)
            for folder in BUNDLES
            for _ in range(2)
        ]

    def page(self, kinds: tuple[Shared, ...]) -> Page:
        """One shared content, at the path where a host has it."""
        dice = self.dice
        kind = dice.weighted({kind: kind.weight for kind in kinds})
        variant = dice.early(range(kind.variants), 2.0)
        at = (kind.path, kind.title, variant)
        if at not in self._made:
            length = 0 if not kind.title and kind.mime == HTML else dice.size(2500, 1.2, 90000)
            made = Page(kind.path, self.builder.key(), kind.title, length, kind.mime, kind.status)
            self._made[at] = made
        made = self._made[at]
        if "{r}" not in made.path:
            return made
        random = self.builder.names.word()
        if dice.chance(0.5):
            random += dice.letters(HEX, 4)
        return made._replace(path=made.path.replace("{r}", random))

    def add(self, site: Site, share: float) -> None:
        """Give a site some shared contents, in that share of the sites."""
        dice = self.dice
        pages: list[Page] = []
        if dice.chance(share):
            dead = self.page(ERRORS)
            pages += [
                dead._replace(path=f"/{'-'.join(self.builder.names.topic())}")
                for _ in range(dice.pick((0, 0, 1, 2, len(site.pages) // 5 + 1)))
            ]
            few = dice.whole(0 if pages else 1, 1 + len(site.pages) // 50)
            pages += [self.page(PAGES) for _ in range(few)]
        if self.files and dice.chance(min(1.0, share * 3)):
            pages += [self.page(FILES) for _ in range(dice.whole(1, 3))]
        if dice.chance(share * 0.1):
            bundle = dice.early(self._bundles)
            pages += dice.some(bundle, dice.whole(2, len(bundle)))
        have = {page.path for page in site.pages}
        for page in pages:
            if page.path not in have:
                have.add(page.path)
                site.pages.insert(dice.whole(1, len(site.pages)), page)

    def default_site(self) -> Site:
        """A host without a site: what its server or its software shows everywhere."""
        form = self.dice.unit()
        if form < 0.12:
            return Site("", "en", self.dice.early(self._installs))
        if form < 0.16:
            return Site("", "en", [self.page(DEFAULTS), *self.dice.early(self._bundles)])
        page = self.page(DEFAULTS)
        site = Site("", "en", [page])
        for _ in range(self.dice.pick((0, 0, 0, 1, 2))):
            other = self.page(ERRORS) if self.dice.chance(0.5) else page
            random = f"/{self.dice.letters(HEX, 6)}.html"
            site.pages.append(page._replace(path=random) if other.path == "/" else other)
        return site
