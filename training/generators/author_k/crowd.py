"""Unrelated hosts, and the ways in which they resemble each other all the same."""

from __future__ import annotations

from training.generators.author_k.copies import CHANGES, Change, copied, placed, relabelled
from training.generators.author_k.names import STAGES
from training.generators.author_k.sites import Page, Site
from training.generators.author_k.web import Web

PARTS = ("blog.", "shop.", "forum.", "mail.", "help.", "docs.", "jobs.", "wiki.", "img.", "my.")
MENU = ("/about", "/services", "/prices", "/references", "/contact", "/gallery", "/news", "/jobs")


def crowd(web: Web, count: int) -> None:
    """Open about that many unrelated hosts of the open web."""
    end = len(web.hosts) + count
    while len(web.hosts) < end:
        form = web.dice.unit()
        if form < 0.80:
            host = web.open(web.site())
            if web.dice.chance(0.05):
                web.redirecting(host)
        elif form < 0.90:
            departments(web)
        elif form < 0.95:
            web.open(web.commons.default_site())
        elif form < 0.985:
            agency(web, min(web.dice.whole(4, 14), end - len(web.hosts)))
        elif form < 0.992:
            half_configured(web)
        elif form < 0.996:
            parking(web, min(web.dice.whole(2, 30), end - len(web.hosts)))
        else:
            branches(web, min(web.dice.whole(2, 6), end - len(web.hosts)))


def departments(web: Web) -> None:
    """Hosts of one domain with different sites."""
    first = web.open(web.site())
    bare = first.removeprefix("www.")
    for part in web.dice.some(PARTS, web.dice.pick((1, 1, 2, 3))):
        web.open(web.site(name=bare.split(".")[0]), web.names.free(part + bare))


def agency(web: Web, clients: int) -> None:
    """Sites of the clients of one agency: the same paths and a few of the same pages."""
    dice = web.dice
    ending = dice.pick(("", "/", ".html", ".php"))
    menu = dice.some(MENU, dice.whole(4, 8))
    menu += ["/" + "-".join(web.names.topic()) for _ in range(dice.whole(0, 3))]
    legal = [
        Page(f"/{name}{ending}", web.builder.key(), name.title(), dice.size(6000, 0.6, 40000))
        for name in dice.some(("cookies", "gdpr", "terms", "imprint"), dice.whole(1, 2))
    ]
    address = web.address()
    for _ in range(clients):
        site = web.builder.site(dice.size(5, 0.8, 60), "office")
        size = dice.whole(3000, 30000)
        own = [
            Page(path + ending, web.builder.key(), f"{path[1:].title()} - {site.name}", size)
            for path in menu
            if dice.chance(0.85)
        ]
        shared = [page for page in legal if dice.chance(0.4)]
        site.pages = site.pages[:1] + own + shared + site.pages[1:]
        web.open(site, address=address if dice.chance(0.7) else None)


def half_configured(web: Web) -> None:
    """A site, and its other name with only the default page of the server."""
    host = web.open(web.site())
    web.open(web.commons.default_site(), web.names.alias(host, "www_bare"))


def branches(web: Web, count: int) -> None:
    """Sites of local agents of one company: all the same but for the name and the contact."""
    site = web.builder.site(web.dice.whole(6, 30), "office")
    hosts = []
    for _ in range(max(1, count)):
        own = relabelled(web.builder, site, web.dice.between(0.2, 0.9))
        hosts.append(web.open(own))
    web.gold.cross(hosts, hosts, "unclear", "branch")


def parking(web: Web, count: int) -> None:
    """Domains that one company parks or one owner offers."""
    dice = web.dice
    forms = ("{h} is for sale", "Buy {h}", "{h}", "This domain is parked", "Domain parked", "")
    form = dice.pick(forms)
    named = "{h}" in form or dice.chance(0.3)
    versions = [web.builder.key() for _ in range(dice.whole(1, 8))]
    address = web.address()
    length = dice.whole(600, 30000)
    hosts = []
    for _ in range(count):
        host = web.names.domain()
        title = form.format(h=host.removeprefix("www."))
        page = Page("/", dice.early(versions, 1.5), title, length, changing=dice.chance(0.1))
        site = Site("", "en", [page], absolute=named, jitter=30)
        for _ in range(dice.pick((0, 0, 0, 1, 1, 2, 4))):
            site.pages.append(page._replace(path=f"/{'-'.join(web.names.topic(1, 2))}"))
        hosts.append(web.open(site, host, address))
    if count <= 6:
        web.gold.cross(hosts, hosts, "unclear", "portfolio")


def partial(web: Web, site: Site, host: str) -> None:
    """A site of its own that took over a part of the site of the host."""
    own = web.site(least=6)
    share = web.dice.between(0.05, 0.3)
    taken = web.dice.some(site.pages[1:], max(1, int(len(site.pages) * share)))
    have = {page.path for page in own.pages}
    folder = web.dice.pick(("", "", "/archive", "/old", "/" + web.names.word()))
    own.pages += [page for page in placed(taken, folder) if page.path not in have]
    web.gold.cross([web.open(own)], web.gold.relatives(host), "unclear", "partial")


def yearly(web: Web, site: Site, host: str) -> None:
    """The site of the next year, as a fair or a conference has it, under a name of its own."""
    label, dot, rest = host.removeprefix("www.").partition(".")
    hosts = [host]
    for year in range(web.dice.whole(2016, 2022), 2024)[: web.dice.pick((1, 1, 2, 3))]:
        later = copied(web.builder, site, CHANGES["edition"])
        hosts.append(web.open(later, web.names.free(f"{label}{year}{dot}{rest}")))
    web.gold.cross(hosts, hosts, "near-replica", "year")


def phone(web: Web, site: Site, host: str) -> None:
    """A phone edition of the site: the same paths and titles, other bytes."""
    small = copied(web.builder, site, Change(missing=0.4))
    small.pages = [
        page._replace(key=web.builder.key(), length=int(page.length * 0.4)) for page in small.pages
    ]
    bare = host.removeprefix("www.")
    other = web.open(small, web.names.free(web.dice.pick(("m.", "mobile.", "amp.")) + bare))
    web.gold.relate(other, host, "unclear", "phone")


def redesign(web: Web, site: Site, host: str) -> None:
    """A new design of the site that is tried out: nothing but a few titles is the same."""
    trial = copied(web.builder, site, Change(missing=0.6))
    trial.pages = [page._replace(key=web.builder.key()) for page in trial.pages]
    web.builder.extend(trial, web.dice.whole(2, 12), "flat_blog")
    bare = host.removeprefix("www.")
    other = web.open(trial, web.names.free(web.dice.pick(STAGES) + bare))
    web.gold.relate(other, host, "unclear", "redesign")
