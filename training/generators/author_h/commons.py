"""Documents that unrelated hosts share, from default server pages to syndicated articles."""

from __future__ import annotations

import random

from training.generators.author_h.draw import between, heavy, tail, word
from training.generators.author_h.engines import slug
from training.generators.author_h.model import DocAt, Part, Recipe, Site

FILES = {
    "blog": """/hello-world/ /sample-page/ /readme.html /wp-login.php /?p=1 /author/admin/
/category/uncategorized/ /wp-admin/install.php /xmlrpc.php""",
    "ids": """/index.php?option=com_user&view=login /INSTALL.html /administrator/ /user/login
/user/register /index.php?option=com_content&view=article&id=5 /faq.php /ucp.php?mode=terms""",
    "shop": """/policies/refund-policy /checkout/cart /customer/account/login /cart /admin
/index.php?route=account/login /terms-and-conditions-of-use""",
    "static": "/index.html /icons/ /cgi-bin/ /manual/ /_vti_inf.html /usage/ /404.html",
    "manual": "/help-doc.html /genindex.html /license.html /allclasses-frame.html /copyright.html",
    "wiki": """/wiki/Help:Contents /index.php/Special:UserLogin /wiki/Main_Page
/index.php?title=Help:Editing /wiki/Project:General_disclaimer""",
    "news": "/rss-help/ /newsletter/ /cookies/ /weather/ /horoscope/ /tv/ /jobs/",
    "market": "/captcha /login /wait /queue.html /pgp.html /rules /tor-check",
    "kit": "/ /index.html /error.php",
}
LEGAL = """/privacy /terms /license.html /gpl.html /imprint /disclaimer.html /cookies
/legal/terms.html /privacy-policy/ /agb.html /copyright.htm /licenses/gpl-3.0.html /dmca
/terms-of-service/ /accessibility /creative-commons.html""".split()
STRAY = """/index.html /test.html /phpinfo.php /info.php /blank.html /counter.html /home.html
/robots.html /webmail/ /forum/ /awstats/ /en/ /old/ /tmp/ /login/
/cgi-sys/defaultwebpage.cgi""".split()


class Commons:
    """The pools of shared documents of one crawl."""

    def __init__(self, rng: random.Random, recipe: Recipe) -> None:
        """Draw the documents and how popular they are."""
        self.rng, self.recipe = rng, recipe
        self.servers = self._pool(rng.randint(15, 60))
        self.parking = [
            [(path, word(rng)) for path in ("/", "/lander", "/privacy.html", "/listing")]
            for _ in range(rng.randint(6, 40))
        ]
        self.walls = self._pool(rng.randint(3, 9))
        self.releases = {
            engine: [
                [(path, word(rng)) for path in paths.split()] for _ in range(rng.randint(4, 25))
            ]
            for engine, paths in FILES.items()
        }
        self.terms = self._pool(rng.randint(40, 400))
        self.empties = self._pool(rng.randint(8, 40))
        self.articles = self._pool(recipe.articles)
        self.bend = rng.uniform(0.7, 1.5)
        self.manuals = [self._manual() for _ in range(rng.randint(12, 60))]

    def _pool(self, count: int) -> list[int]:
        return [word(self.rng) for _ in range(count)]

    def _manual(self) -> Site:
        rng = self.rng
        size = tail(rng, 8, 250, 0.8)
        return Site(
            word(rng), "manual", size, "manual", max(2, size // 9), 1.0, 900.0, 1e6, 0.0, 6000, 1e6
        )

    def draw(self, pool: list[int]) -> int:
        """Draw a document of a pool; few are drawn very often."""
        return pool[heavy(self.rng, len(pool), self.bend)]

    def manual(self) -> Part:
        """Draw a manual in one of its releases, and where a host keeps it."""
        rng = self.rng
        site = self.manuals[heavy(rng, len(self.manuals), self.bend)]
        number = heavy(rng, 8)
        folder = rng.choice(("/manual", "/docs", "/doc", "/documentation", "/api", "/javadoc"))
        if rng.random() < 0.4:
            folder += f"/{slug(site.seed, 1)}"
        return Part(
            site,
            rewrite="prefix",
            prefix=folder,
            edition=number,
            edited=0.0 if number == 0 else 0.25 + site.seed % 50 / 100,
            cover=1.0 if rng.random() < 0.6 else rng.uniform(0.2, 1.0),
            salt=word(rng),
            embed=0.0 if rng.random() < 0.8 else rng.random(),
        )

    def extras(self, engine: str) -> list[DocAt]:
        """Draw the shared documents of one host, no path twice."""
        rng, recipe, found = self.rng, self.recipe, {}
        if rng.random() < recipe.engine_files:
            release = self.releases[engine][heavy(rng, len(self.releases[engine]))]
            found.update(rng.sample(release, rng.randint(1, len(release))))
        if rng.random() < recipe.legal:
            for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
                found[rng.choice(LEGAL)] = self.draw(self.terms)
        if rng.random() < recipe.strays:
            content = self.draw(self.empties)
            for path in rng.sample(STRAY, rng.choice((1, 1, 2, 4))):
                found[path] = content
        if rng.random() < min(0.9, recipe.syndicated):
            count = tail(rng, 1, 80, 1.3 / max(1.0, recipe.syndicated))
            own = rng.random() < 0.5  # names articles by its own scheme
            for _ in range(count):
                content = self.draw(self.articles)
                code = content if not own else content ^ word(rng)
                found[f"/{rng.choice(STORIES)}/{slug(code, 3)}-{code % 9973}"] = content
        return list(found.items())

    def dead(self) -> list[DocAt]:
        """Draw what a parked domain or an unused server shows."""
        rng = self.rng
        if rng.random() < 0.5:
            found = [("/", self.draw(self.servers))]
            if rng.random() < 0.3:
                found += [(path, self.draw(self.empties)) for path in rng.sample(STRAY, 2)]
            return found
        lot = self.parking[heavy(rng, len(self.parking))]
        count = rng.choice((1, 1, 1, 2, 3, 4))
        if rng.random() < 0.3:  # the domain is written into the page
            return [(path, word(rng)) for path, _ in lot[:1]] + lot[1:count]
        return lot[:count]

    def delay(self) -> float:
        """Draw the seconds between two requests to a host."""
        return between(self.rng, 0.5, 60)


STORIES = "news articles story press wire item".split()
