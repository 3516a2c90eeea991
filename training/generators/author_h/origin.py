"""Hosts that are nobody's copy, and the reasons why they share contents all the same."""

from __future__ import annotations

from dataclasses import replace

from training.generators.author_h import names
from training.generators.author_h.commons import Commons
from training.generators.author_h.draw import between, heavy, pick, tail, word
from training.generators.author_h.hosting import Hosting
from training.generators.author_h.model import Host, Part, Site, World


class Origin:
    """Makes the ordinary hosts of a crawl."""

    def __init__(self, world: World) -> None:
        """Draw the surroundings: hosting, shared documents, platforms."""
        self.world, self.rng, self.recipe = world, world.rng, world.recipe
        self.commons = Commons(self.rng, self.recipe)
        self.hosting = Hosting(self.rng)
        self.names = names.Names(self.rng, self.recipe.endings, self.recipe.onion)
        self.platforms = [
            (self.names.domain(names.brand(self.rng)), self.hosting.any())
            for _ in range(self.rng.randint(2, 9))
        ]
        self.platform_pages = [
            self.commons.extras("blog")
            + [(f"/{w}", word(self.rng)) for w in ("help", "tos", "abuse")]
            for _ in self.platforms
        ]

    def site(self, engine: str = "", size: int = 0) -> Site:
        """Draw a site."""
        rng, recipe = self.rng, self.recipe
        engine = engine or pick(rng, recipe.engines)
        size = size or max(1, min(1500, int(rng.lognormvariate(0, recipe.spread) * recipe.size)))
        fixed = engine in ("static", "manual", "kit")
        template = (
            between(rng, 0.3, 12) if rng.random() < recipe.restless else between(rng, 90, 3e3)
        )
        return Site(
            word(rng),
            engine,
            size,
            names.brand(rng),
            max(1, min(40, round(size**0.6 * rng.uniform(0.3, 1)))),
            rng.betavariate(8, 1) if fixed else rng.betavariate(4, 1.5),
            between(rng, 2, 600),
            1e6 if fixed and rng.random() < 0.8 else template,
            rng.betavariate(*recipe.nonce) * (recipe.settled if fixed else 1),
            between(rng, 60, 5000),
            between(rng, 300, 30000),
            engine in ("ids", "shop") and rng.random() < 0.04,
        )

    def add(
        self, name: str, domain: str, ips: list[str], parts: list[Part], **more: object
    ) -> Host:
        """Put a host into the world."""
        rng = self.rng
        secure = rng.random() < 0.6
        host = Host(name, domain, ips, parts, secure=secure, **more)
        host.reach = rng.lognormvariate(0, 0.5)
        if rng.random() < self.recipe.blocking:
            host.blocked = self.commons.draw(self.commons.walls)
        self.world.hosts.append(host)
        return host

    def ordinary(self, engine: str = "", size: int = 0) -> Host:
        """Add a host with a site of its own."""
        rng, recipe = self.rng, self.recipe
        site = self.site(engine, size)
        extras = self.commons.extras(site.engine)
        if recipe.platform and rng.random() < recipe.platform:
            number = heavy(rng, len(self.platforms))
            domain, ips = self.platforms[number]
            name = self.names.fresh(f"{site.brand}.{domain}")
            pages = self.platform_pages[number]
            extras = list(dict([*extras, *rng.sample(pages, rng.randint(0, len(pages)))]).items())
            domain = name
        else:
            domain = self.names.domain(site.brand)
            name, ips = self.names.www(domain), self.hosting.any()
        parts = [Part(site, brand=site.brand)]
        if rng.random() < recipe.manuals:
            parts.append(self.commons.manual())
        return self.add(name, domain, ips, parts, extras=extras)

    def dead(self) -> None:
        """Add a parked domain or an unused server, at times beside a live namesake."""
        rng = self.rng
        label = names.brand(rng)
        if self.world.hosts and rng.random() < 0.4:
            other = rng.choice(self.world.hosts)
            label = other.domain.partition(".")[0] if not self.recipe.onion else label
        domain = self.names.domain(label)
        self.add(self.names.www(domain), domain, self.hosting.any(), [], extras=self.commons.dead())

    def sibling(self) -> None:
        """Add another service of an owner, or another owner of the same label elsewhere."""
        rng = self.rng
        owner = rng.choice(self.world.hosts)
        label = owner.domain.partition(".")[0]
        site = replace(self.site(), brand=label)
        same = rng.random() < 0.6
        relation = rng.choice(("service", "nation", "sub")) if same else "tld"
        name, domain = self.names.like(relation, owner.domain, label)
        ips = self.hosting.related("near" if same else "far", owner.ips)
        extras = self.commons.extras(site.engine)
        if same and owner.extras:
            shared = rng.sample(owner.extras, rng.randint(1, min(6, len(owner.extras))))
            extras = list(dict([*extras, *shared]).items())
        self.add(name, domain, ips, [Part(site, brand=label)], extras=extras)

    def network(self) -> None:
        """Add sites of one owner that differ but for the small print and some pages."""
        rng = self.rng
        engine = pick(rng, self.recipe.engines)
        kept = [(f"/{w}", word(rng)) for w in rng.sample(PRINT, rng.randint(2, 9))]
        ips = self.hosting.any()
        for _ in range(tail(rng, 4, 60, 1.1)):
            host = self.ordinary(engine)
            host.ips = self.hosting.related("near", ips)
            taken = rng.sample(kept, rng.randint(1, len(kept)))
            host.extras = list(dict([*host.extras, *taken]).items())

    def chain(self) -> None:
        """Add local papers that print the same agency reports at the same addresses."""
        rng = self.rng
        wire = self.site("news", tail(rng, 20, 400, 1.2))
        wire = replace(wire, template=1e6, static=rng.uniform(0.7, 1))
        share, ips = rng.uniform(0.05, 0.75), self.hosting.any()
        embed = rng.choice((0.0, rng.random() * 0.8))
        members = []
        for _ in range(tail(rng, 3, 25, 1.2)):
            own = max(3, int(wire.size * (1 - share) / share * rng.lognormvariate(0, 0.3)))
            host = self.ordinary("news", min(own, 900))
            host.parts.append(
                Part(wire, cover=rng.uniform(0.5, 1), embed=embed, salt=word(rng), prefix="/wire",
                     rewrite=rng.choice(("same", "prefix")))
            )  # fmt: skip
            host.ips = self.hosting.related("near", ips)
            members.append(host)
        if share > 0.35:
            self.world.debated.append(("news-chain", members))

    def manual_host(self) -> None:
        """Add hosts that hold hardly more than one and the same manual."""
        rng = self.rng
        manual, members = self.commons.manual(), []
        for _ in range(tail(rng, 2, 14, 1.3)):
            host = self.ordinary("static", rng.randint(1, 6))
            prefix = manual.prefix if rng.random() < 0.6 else rng.choice(("/man", "/help", "/doc"))
            cover = rng.uniform(0.3, 1)
            host.parts.append(replace(manual, prefix=prefix, salt=word(rng), cover=cover))
            members.append(host)
        self.world.debated.append(("manual-only", members))


PRINT = "imprint terms privacy about partners jobs newsletter cookies payment delivery".split()
