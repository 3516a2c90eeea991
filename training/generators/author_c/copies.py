"""Replicas of a site: at what hosts and paths they stand, and what of their pages has changed.

Invariant: all copies of a group are made from its source, and what is drawn for the group
holds for each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

from training.generators.author_c.paths import paths
from training.generators.author_c.sites import crawl, fill
from training.generators.author_c.world import (
    ENDINGS,
    ENGLISH,
    PLATFORMS,
    SCHEMES,
    Content,
    Site,
    World,
    pair,
)
from training.generators.common import HTML, stripped

SUBDOMAINS = ("mirror", "old", "beta", "m", "dev", "web2", "staging", "new")
FORMS = ("drop", "add", "slash", "wget", "index", "php", "lower", "drop")


@dataclass(frozen=True)
class Habits:
    """How a crawl's replicas are made."""

    names: dict[str, float]  # how likely each way of naming a copy is
    coverage: tuple[float, float]  # the share crawled of partial copies
    dynamic: tuple[float, float]  # the share of pages that differ in dynamic copies
    farm: float  # about how many copies a farm has


@dataclass
class Group:
    """What the copies of a source have in common."""

    kind: str
    changes: set[str]  # ways in which they differ from the source
    source: Site
    html: list[str]  # paths of the source's pages
    dynamic: set[str]  # those whose bytes differ at every fetch
    ages: dict[str, list[float]]  # when those pages of a source that goes on have changed
    stale: bool
    hosting: str
    naming: str | None
    prefix: str | None
    versions: dict[tuple[str, int], Content] = field(
        default_factory=dict
    )  # by path and number of changes missed


@dataclass
class Copy:
    """What is drawn for one copy."""

    site: Site
    prefix: str
    form: Callable[[str], str]
    age: float
    stretch: float  # what a recoded page's length is multiplied by
    texts: bool  # whether other text files are recoded, too
    renamed: set[str]  # paths of the pages that tell the copy's own name
    lost: float


def add_group(world: World, kind: str, source: Site, habits: Habits) -> None:
    """Put copies of a source into the crawl, as the kind says."""
    r = world.random
    changes = (
        set(r.sample(["partial", "prefix", "stale", "dynamic", "urlform"], r.randint(2, 3)))
        if kind == "mix"
        else {kind}
    )
    copies = (
        min(39, 4 + world.few(habits.farm))
        if kind == "farm"
        else r.choice((1, 1, 1, 1, 1, 2, 2, 3))
    )
    source.grouped = True
    group, sites = _group(world, kind, changes, source, habits), [source]
    partial = "partial" in changes
    for _ in range(copies):
        copy = _copy(world, group, habits)
        _add_pages(world, group, copy)
        _add_own(world, group, copy)
        if partial:
            share = r.uniform(*habits.coverage)
        else:
            share = 1.0 if r.random() < 0.6 else r.uniform(0.7, 1.0)
        crawl(world, copy.site, share)
        sites.append(copy.site)
    if not source.crawled:
        crawl(world, source, r.uniform(*habits.coverage) if partial else 1.0)
    world.causes.update((pair(one.host, other.host), kind) for one, other in combinations(sites, 2))
    world.groups.append([site.host for site in sites])


def _group(world: World, kind: str, changes: set[str], source: Site, habits: Habits) -> Group:
    r, farm = world.random, kind == "farm"
    html = [path for path, page in source.pages.items() if page.content.mime == HTML]
    dynamic: set[str] = set()
    ages: dict[str, list[float]] = {}
    if "dynamic" in changes or (farm and r.random() < 0.3):
        share = r.uniform(*habits.dynamic)
        dynamic = {path for path in html if r.random() < share}
    stale = "stale" in changes or (farm and r.random() < 0.4)
    if stale:
        rate = r.uniform(0.3, 1.6)
        ages = {path: [r.random() for _ in range(int(r.expovariate(1 / rate)))] for path in html}
    hosting = world.weighted(world.hosting)
    naming = r.choice(list(habits.names)) if farm else None
    prefix = f"/{world.slug(1, 2)}" if r.random() < 0.3 else None
    return Group(kind, changes, source, html, dynamic, ages, stale, hosting, naming, prefix)


def _copy(world: World, group: Group, habits: Habits) -> Copy:
    """A copy without pages."""
    r = world.random
    site = _site(world, group, habits)
    prefix = _prefix(world, group) if "prefix" in group.changes else ""
    form = in_form(r.choice(FORMS) if "urlform" in group.changes else "")
    age = r.random() * 0.8
    stretch, texts = (
        1 + r.choice((r.uniform(-0.03, 0.05), r.uniform(0.005, 0.03))),
        r.random() < 0.3,
    )
    renamed: set[str] = set()
    if group.kind == "scam" or (group.kind == "farm" and r.random() < 0.25):
        renamed = set(r.sample(group.html, min(len(group.html) // 2, r.randint(1, 4))))
        if len(group.html) > 2:
            renamed.add("/")
        site.name = world.name().title()
    return Copy(
        site, prefix, form, age, stretch, texts, renamed, r.uniform(0, 0.2) if group.stale else 0
    )


def _site(world: World, group: Group, habits: Habits) -> Site:
    """A host and an address for a copy."""
    r, source = world.random, group.source
    naming = group.naming or world.weighted(habits.names)
    if group.kind == "scam":
        naming = r.choice(("like", "suffix", "other", "like"))
    site = Site(_host(world, source.host, naming), source.name, r.choice(SCHEMES), source.ip)
    near, anywhere = world.near(source.ip), world.ip(site.host)
    if site.host.endswith(tuple(PLATFORMS)):
        site.ip = world.ip(site.host)
    elif group.hosting != "same":
        site.ip = near if group.hosting == "near" else anywhere
    site.translation = source.translation
    world.sites.append(site)
    return site


def _host(world: World, host: str, naming: str) -> str:
    """A host for a copy of what that host has; any where the one that is meant is taken."""
    r, domain = world.random, stripped(host)
    name = domain.split(".")[0]
    if naming == "www":
        return world.host(domain if host != domain else f"www.{host}")
    if naming == "suffix":
        return world.host(f"{name}.{r.choice(ENDINGS)}")
    if naming == "sub":
        return world.host(f"{r.choice(SUBDOMAINS)}.{domain}")
    if naming == "like":
        place = r.randrange(len(name))
        mistyped = name[:place] + r.choice("abcdeilo10") + name[place + 1 :]
        like = r.choice(
            (
                mistyped,
                f"{name}-{r.choice(ENGLISH)}",
                f"{name}{r.randint(1, 9)}",
                f"{r.choice(ENGLISH)}{name}",
            )
        )
        return world.host(f"{like}.{r.choice(ENDINGS)}")
    return world.host(platform=r.choice(PLATFORMS) if naming == "platform" else None)


def _prefix(world: World, group: Group) -> str:
    """A folder that a copy stands in."""
    host = group.source.host
    return group.prefix or world.random.choice(
        (
            f"/{world.slug(1, 2)}",
            f"/mirror/{host}",
            f"/~{world.word()}",
            f"/pub/{world.word()}/{world.word()}",
            f"/{host.split('.')[-2]}",
            f"/sites/{world.word()}/html",
        )
    )


def in_form(form: str) -> Callable[[str], str]:
    """Gives a path another form."""

    def formed(path: str) -> str:
        path, _, query = path.partition("?")
        folder, is_html, no_ending = (
            path.endswith("/"),
            path.endswith((".html", ".htm")),
            "." not in path.rsplit("/", 1)[-1],
        )
        if form == "wget" and query:
            return f"{path}%3F{query.replace('=', '%3D')}.html"
        if form == "drop" and is_html:
            path = path.rsplit(".", 1)[0]
            path = path.removesuffix("index") if path.endswith("/index") else path
        elif form == "php" and is_html:
            path = path.rsplit(".", 1)[0] + ".php"
        elif form == "add" and no_ending:
            path += "index.html" if folder else ".html"
        elif form == "index" and folder:
            path += "index.html"
        elif form == "slash" and no_ending and path != "/":
            path = path.rstrip("/") if folder else f"{path}/"
        elif form == "lower":
            path = path.lower().replace("_", "-")
        return f"{path}?{query}" if query else path

    return formed


def _add_pages(world: World, group: Group, copy: Copy) -> None:
    """The source's pages, as the copy has them."""
    for path, (content, base) in group.source.pages.items():
        if copy.lost and world.random.random() < copy.lost:
            continue
        copy.site.add(
            copy.prefix + copy.form(path),
            _changed(world, group, copy, path, content),
            copy.prefix + base,
        )


def _changed(world: World, group: Group, copy: Copy, path: str, content: Content) -> Content:
    """What has become of a page: recoded, another at every fetch, renamed, an older version, or the
    same.
    """
    html, source, hosts = content.mime == HTML, group.source, (group.source.host, copy.site.host)
    if "recoded" in group.changes and (html or (copy.texts and content.mime.startswith("text/"))):
        content = world.variant(content, 6)
        return content._replace(length=max(40, int(content.length * copy.stretch)))
    if path in group.dynamic:
        return world.variant(content, 60, hosts if world.random.random() < 0.5 else None)
    if html and path in copy.renamed:
        return world.variant(
            content,
            300,
            hosts,
            content.title and content.title.replace(source.name, copy.site.name),
        )
    missed = sum(age > copy.age for age in group.ages.get(path, ()))
    if not missed:
        return content
    if (path, missed) not in group.versions:
        group.versions[path, missed] = world.variant(content, 800)
    return group.versions[path, missed]


def _add_own(world: World, group: Group, copy: Copy) -> None:
    """Some pages of the copy's own; where both have a path, they stay if the copy is in a folder of
    another site, and give way otherwise.
    """
    r, site, source = world.random, copy.site, group.source
    if copy.prefix and r.random() < 0.6:
        most = len(source.pages) // 12
    elif r.random() < 0.3:
        most = len(source.pages) // 8
    else:
        return
    count = r.randint(1, max(1, most))
    copied, site.pages = site.pages, {}
    if copy.prefix and r.random() < 0.6:
        site.name = world.name().title()
    own = paths(world, r.choice(("static", "wp")), count)
    fill(world, site, own, [f"{source.root}/"] if r.random() < 0.4 else [], twice=False)
    for path, page in copied.items():
        if path not in site.pages or not copy.prefix:
            site.pages[path] = page
