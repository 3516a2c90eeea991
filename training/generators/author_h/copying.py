"""How copies come about, from the alias in the name system to the phishing kit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from training.generators.author_h.draw import pick, tail, word
from training.generators.author_h.engines import renamed
from training.generators.author_h.model import Host, Part
from training.generators.author_h.origin import Origin


@dataclass(frozen=True)
class Way:
    """One way of copying a site."""

    names: str
    """Relations that the name may have, separated by spaces."""
    ip: str = "far"
    rewrites: dict[str, float] = field(default_factory=lambda: {"same": 1.0})
    clean: float = 0.7
    """Chance that no page names its host."""
    embed: tuple[float, float] = (1.0, 4.0)
    stale: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Chance to be a snapshot, and its least and greatest age in days."""
    lag: float = 0.0
    cover: tuple[float, float] = (1.0, 1.0)
    edited: tuple[float, float] = (0.0, 0.0)
    own: float = 0.0
    """Chance to have pages of its own."""
    doubt: bool = False


OFFLINE = {"flat": 0.6, "prefix": 0.25, "same": 0.15}
WAYS = {
    "www-alias": Way("www", "same", clean=0.85, embed=(1, 8)),
    "dns-alias": Way("tld hyphen sub random", "same", clean=0.6),
    "rsync-mirror": Way(
        "mirror", rewrites={"same": 0.6, "prefix": 0.4}, clean=0.85, embed=(1, 9), lag=7,
        cover=(0.7, 1), own=0.3,
    ),
    "httrack": Way(
        "random mirror", "far", OFFLINE, 0.2, (2.5, 1.5), (1, 3, 250), cover=(0.35, 1), own=0.3
    ),
    "staging": Way("stage", "near", clean=0.4, embed=(1, 3), stale=(0.6, 1, 120)),
    "domain-move": Way(
        "tld random hyphen", "near", {"same": 0.85, "lower": 0.15}, 0.4, (1, 2), (0.5, 5, 200),
        cover=(0.7, 1), own=0.2,
    ),
    "scraper": Way(
        "random", "far", {"slug": 0.5, "same": 0.5}, 0.15, (4, 1.5), (0.7, 1, 90),
        cover=(0.3, 0.9), own=0.5,
    ),
    "proxy-clone": Way("random bait tld", "far", clean=0.3, embed=(2, 2)),
    "white-label": Way(
        "random", "same", clean=0, embed=(5, 1.5), cover=(0.5, 1), own=0.3, doubt=True
    ),
    "translation": Way("nation tld", "near", edited=(0.8, 0.99), clean=0.5, own=0.3),
    "other-year": Way(
        "mirror stage random", "far", {"same": 0.5, "prefix": 0.3, "flat": 0.2}, 0.6, (1, 3),
        (1, 250, 2500),
    ),
    "version": Way("sub service stage", "near", edited=(0.15, 0.8), clean=0.6),
    "onion-mirror": Way("random", "same", clean=0.5, embed=(1, 3)),
    "onion-clone": Way("random", "far", clean=0.15, embed=(2, 2), stale=(0.3, 1, 120),
                       cover=(0.5, 1)),
    "farm": Way("random", "near", clean=0.35, embed=(2, 2.5), cover=(0.5, 1)),
    "phishing-kit": Way("bait random", "far", clean=0.5, embed=(1, 3)),
}  # fmt: skip
NEAR = ("translation", "other-year", "version")


def copied(origin: Origin, model: Host, founder: Host, cause: str) -> Host:
    """Add a copy of a host to the world and to the founder's family."""
    rng, way = origin.rng, WAYS[cause]
    label = founder.parts[0].site.brand if founder.parts else founder.domain.partition(".")[0]
    relation = rng.choice(way.names.split())
    if relation == "www" and founder.name.startswith("www."):
        relation = "sub"
    name, domain = origin.names.like(relation, founder.domain, label)
    rewrite = pick(rng, way.rewrites)
    prefix = ""
    if rewrite == "slug":
        prefix = f"{word(rng):x}"
    elif rewrite in ("prefix", "flat"):
        folder = founder.domain.split(".")[0][:20]
        prefix = rng.choice((f"/{founder.name}", f"/pub/{folder}", "/mirror", f"/{folder}", ""))
        rewrite = "same" if rewrite == "prefix" and not prefix else rewrite
    age = rng.uniform(*way.stale[1:]) if rng.random() < way.stale[0] else None
    change = {
        "frozen": None if age is None else -age,
        "lag": rng.uniform(0, way.lag),
        "salt": word(rng),
        "embed": 0.0 if rng.random() < way.clean else rng.betavariate(*way.embed),
        "cover": rng.uniform(*way.cover),
        "by_section": rng.random() < 0.6,
        "edited": rng.uniform(*way.edited),
        "edition": rng.randint(1, 10**6) if cause in NEAR else 0,
        "brand": label if rng.random() < 0.5 else domain.partition(".")[0],
    }
    parts = [_view(part, change, rewrite, prefix) for part in model.parts]
    moved = Part(parts[0].site, rewrite, prefix) if parts else None
    extras = [(renamed(p, moved) if moved else p, c) for p, c in model.extras]
    if rng.random() < way.own:
        folder = "/own" if rng.random() < 0.5 else "/local"
        size = rng.randint(2, 25)
        parts.append(Part(origin.site("", size), rewrite="prefix", prefix=folder))
    ips = origin.hosting.related(way.ip, model.ips)
    made = origin.add(name, domain, ips, parts, extras=list(dict(extras).items()))
    made.family = origin.world.new_family(founder)
    made.tag = change["edition"] if cause in NEAR else model.tag
    made.cause, made.doubt = cause, way.doubt or bool(parts and parts[0].cover < 0.25)
    return made


def _view(part: Part, change: dict[str, object], rewrite: str, prefix: str) -> Part:
    kept = dict(change)
    if kept["embed"] == 0 and part.embed > 0:  # what the model's pages name, the copy's name too
        kept.update(embed=part.embed, salt=part.salt)
    if part.edition and not kept["edition"]:
        kept.update(edition=part.edition, edited=part.edited)
    if part.frozen is not None:  # no copy is newer than its model
        age = kept["frozen"]
        kept["frozen"] = part.frozen if age is None else min(part.frozen, age)
    kept["cover"] = part.cover * kept["cover"]
    if part.rewrite != "same":
        folders = ("prefix", "flat")
        nested = prefix if rewrite in folders and part.rewrite in folders else ""
        rewrite, prefix = part.rewrite, nested + part.prefix
    return replace(part, rewrite=rewrite, prefix=prefix, **kept)


def family(origin: Origin, room: int) -> int:
    """Copy some host once or more, and say how many copies were made."""
    rng, recipe = origin.rng, origin.recipe
    founder = rng.choice(origin.world.hosts)
    for _ in range(50):
        if founder.parts and founder.family < 0 and founder.parts[0].site.size > 2:
            break
        founder = rng.choice(origin.world.hosts)
    else:
        founder = origin.ordinary()
    count = min(room, tail(rng, 1, recipe.largest, recipe.group))
    cause, members = pick(rng, recipe.mechanisms), [founder]
    for _ in range(count):
        model = founder if rng.random() < 0.8 else rng.choice(members)
        members.append(copied(origin, model, founder, cause))
        if rng.random() < 0.4:
            cause = pick(rng, recipe.mechanisms)
    return count


def farm(origin: Origin, count: int) -> None:
    """Add a farm: one site under many names, of which the crawler takes parts."""
    rng = origin.rng
    founder = origin.ordinary("", tail(rng, 15, 600, 0.9))
    founder.blocked, founder.cause = 0, "farm"
    reach = rng.uniform(0.15, 1.2)
    members = [founder]
    for _ in range(count - 1):
        made = copied(origin, founder, founder, "farm")
        made.reach = reach * rng.lognormvariate(0, 0.8)
        members.append(made)


def kit(origin: Origin) -> None:
    """Add a phishing kit on domains of its own and in folders of broken-into hosts."""
    rng, world = origin.rng, origin.world
    brand = rng.choice([h for h in world.hosts if h.parts])
    first = origin.ordinary("kit", rng.randint(3, 14))
    label = brand.domain.partition(".")[0]
    name, domain = origin.names.like("bait", brand.domain, label)
    first.name, first.domain, first.extras = name, domain, []
    site = replace(first.parts[0].site, brand=label, template=1e6)
    first.parts = [replace(first.parts[0], site=site)]
    members = [first]
    for _ in range(tail(rng, 1, 40, 0.8)):
        made = copied(origin, first, first, "phishing-kit")
        if rng.random() < 0.4:  # in a folder on its own domain
            folder = f"/{word(rng):016x}"[: rng.randint(4, 17)]
            made.parts = [replace(p, rewrite="prefix", prefix=folder) for p in made.parts]
        members.append(made)
    world.new_family(first)
    victims = [h for h in rng.sample(world.hosts, min(len(world.hosts), 12)) if h.family < 0]
    victims = victims[: rng.randint(0, 6)]
    for host in victims:
        folder = f"/wp-content/{rng.choice(('plugins', 'uploads', 'x'))}/{word(rng) % 999}"
        host.parts.append(replace(first.parts[0], rewrite="prefix", prefix=folder))
    for host in victims:
        world.debated.append(("kit-on-victim", [host, first]))
        world.debated.extend(("kit-on-victim", [host, made]) for made in members[1:])
    if len(victims) > 1:
        world.debated.append(("kit-on-victim", victims))
