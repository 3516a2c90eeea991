"""The crawler: which pages of a host it takes, when, and what it is served."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from training.generators.author_h.commons import Commons
from training.generators.author_h.draw import (
    STEP,
    Reals,
    Words,
    between,
    keyed,
    mix,
    traits,
    uniforms,
    word,
)
from training.generators.author_h.engines import path_of, renamed
from training.generators.author_h.model import Host, Part, Recipe, World

FIXED = ("static", "manual", "kit")
OTHER = (
    ("/robots.txt", "text/plain"),
    ("/favicon.ico", "image/x-icon"),
    ("/logo.png", "image/png"),
)


@dataclass
class Log:
    """What was fetched, a column each."""

    url: list[str] = field(default_factory=list)
    host: list[int] = field(default_factory=list)
    ip: list[str] = field(default_factory=list)
    mime: list[str] = field(default_factory=list)
    brand: list[str] = field(default_factory=list)
    key: list[Words] = field(default_factory=list)
    base: list[Words] = field(default_factory=list)
    time: list[Reals] = field(default_factory=list)


def there(part: Part, recipe: Recipe, time: float) -> Words:
    """Give the pages of a part that exist at a time, in the order of the site."""
    site = part.site
    pages = np.arange(min(site.size, 6) if recipe.policy == "home" else site.size, dtype=np.uint64)
    now = part.frozen if part.frozen is not None else time - part.lag
    end = recipe.window + recipe.gap * recipe.visits[1]
    birth, death = traits(site.seed, pages, (1, 2))
    born = end - birth * (site.age + end)
    died = born - np.log1p(-death) * site.life
    kept = (born <= now) & (now < died)
    if part.cover < 1:
        unit = pages % np.uint64(site.sections) if part.by_section else pages
        kept &= uniforms(part.salt, unit, 3) < part.cover
    kept[0] = True
    return pages[kept]


def contents(part: Part, pages: Words, times: Reals, nonce: int) -> tuple[Words, Words]:
    """Give what the pages hold at the times they are fetched, and which document each is."""
    site = part.site
    fixed = site.engine in FIXED
    now = times - part.lag if part.frozen is None else np.full(len(pages), part.frozen)
    front = (pages <= np.uint64(site.sections)) & (not fixed)
    calm, phase, pace, naming, restless = traits(site.seed, pages, (4, 5, 6, 9, 10))
    still = calm < site.static * np.where(front, 0.5, 1)
    tau = site.tau * (0.02 - np.log1p(-pace)) * np.where(front, 0.1, 1)
    change = np.where(still, 0, np.floor(now / tau + phase) + 2**20).astype(np.uint64)
    template = (np.floor(now / site.template + 0.37) + 2**20).astype(np.uint64)
    base = keyed(site.seed, pages, 7)
    if part.edition:
        edited = uniforms(part.edition, pages, 8) < part.edited
        base = np.where(edited, base + np.uint64(part.edition * 0x5851F42D4C957F2D % 2**64), base)
    key = mix(base + change * np.uint64(0xA24BAED4963EE407) + template * np.uint64(STEP))
    if part.embed:
        named = naming < part.embed
        key = np.where(named, mix(key + np.uint64(part.salt)), key)
    live = restless < site.nonce
    if part.frozen is None:
        once = keyed(nonce, pages ^ times.view(np.uint64), 11)
    else:
        once = keyed(part.salt, pages, 11)
    return np.where(live, mix(key + once), key), base


class Crawler:
    """Visits the hosts of a world and keeps the log."""

    def __init__(self, world: World, commons: Commons) -> None:
        """Draw how polite the crawler is."""
        self.world, self.rng, self.recipe = world, world.rng, world.recipe
        self.commons, self.log = commons, Log()
        self.other = "mime" in world.recipe.columns
        self.fraction = between(self.rng, *self.recipe.budget) / 100

    def run(self) -> Log:
        """Visit every host as often as the recipe has it."""
        rng, recipe = self.rng, self.recipe
        for number, host in enumerate(self.world.hosts):
            count = rng.randint(*recipe.visits)
            start = rng.uniform(0, recipe.window)
            visits = sorted(rng.sample(range(recipe.visits[1]), count))
            times = [start + visit * recipe.gap for visit in visits]
            if recipe.policy == "home":  # the same few pages each time
                self._visit(number, host, times)
            else:
                for time in times:
                    self._visit(number, host, [time])
        return self.log

    def _limit(self, found: int, reach: float) -> int:
        rng, recipe = self.rng, self.recipe
        if recipe.policy == "home":
            return 1 if rng.random() < 0.75 else rng.randint(2, 4)
        if recipe.policy == "sample":
            share = min(1.0, self.fraction * reach)
            spread = math.sqrt(found * share * (1 - share))
            return max(0, round(rng.gauss(found * share, spread)))
        return max(1, round(between(rng, *recipe.budget) * reach))

    def _visit(self, number: int, host: Host, starts: list[float]) -> None:
        rng, recipe = self.rng, self.recipe
        seed, scores, owners, lists = word(rng), [], [], []
        for which, part in enumerate(host.parts):
            pages = there(part, recipe, starts[0])
            luck = uniforms(seed + which, pages, 12)
            if recipe.policy in ("sample", "random"):
                score = luck
            else:
                score = np.log1p(pages) - recipe.jitter * np.log(-np.log(luck + 1e-12) + 1e-12)
                score[0] = -99 if which == 0 else score[0] + 1.5
            scores.append(score)
            lists.append(pages)
            owners.append(np.full(len(pages), which))
        size = host.parts[0].site.size if host.parts else 1
        extra = [math.log1p(rng.random() * size) for _ in host.extras]
        if recipe.policy in ("sample", "random"):
            extra = [rng.random() for _ in host.extras]
        scores.append(np.array(extra, dtype=np.float64))
        lists.append(np.arange(len(extra), dtype=np.uint64))
        owners.append(np.full(len(extra), -1))
        score = np.concatenate(scores)
        order = np.argsort(score, kind="stable")[: self._limit(len(score), host.reach)]
        delays = np.arange(len(order)) * (self.commons.delay() / 86400)
        times = np.concatenate([start + delays for start in starts])
        owner, page = np.concatenate(owners)[order], np.concatenate(lists)[order]
        many = len(starts)
        rounds = np.repeat(np.arange(many), len(order))
        self._fetch(number, host, np.tile(owner, many), np.tile(page, many), times, rounds)

    def _fetch(
        self, number: int, host: Host, owner: Reals, page: Words, times: Reals, rounds: Reals
    ) -> None:
        rng, nonce = self.rng, word(self.rng)
        seen: set[tuple[str, int]] = set()
        for which in range(-1, len(host.parts)):
            chosen = owner == which
            if not chosen.any():
                continue
            pages, when = page[chosen], times[chosen]
            if which < 0:
                paths = [host.extras[i][0] for i in pages.tolist()]
                key = base = np.array([host.extras[i][1] for i in pages.tolist()], dtype=np.uint64)
                brands = [""] * len(paths)
            else:
                part = host.parts[which]
                paths = [renamed(path_of(part.site, i), part) for i in pages.tolist()]
                key, base = contents(part, pages, when, nonce)
                if part.site.session:
                    paths = [
                        f"{p}{'&' if '?' in p else '?'}sid={word(rng):x}" if p != "/" else p
                        for p in paths
                    ]
                brands = [part.site.brand] * len(paths)
            visits = zip(paths, rounds[chosen].tolist(), strict=True)
            fresh = [i for i, p in enumerate(visits) if not (p in seen or seen.add(p))]
            if host.blocked:
                key = base = np.full(len(paths), host.blocked, dtype=np.uint64)
                brands = [""] * len(paths)
            self._note(
                number, host, [paths[i] for i in fresh], key[fresh], base[fresh], when[fresh]
            )
            self.log.brand.extend(brands[i] for i in fresh)
            self.log.mime.extend(["text/html"] * len(fresh))
        if self.other and len(page) and rng.random() < 0.15:
            path, mime = rng.choice(OTHER)
            one = np.array([self.commons.draw(self.commons.empties) + 1], dtype=np.uint64)
            self._note(number, host, [path], one, one, times[:1])
            self.log.brand.append("")
            self.log.mime.append(mime)

    def _note(
        self, number: int, host: Host, paths: list[str], key: Words, base: Words, when: Reals
    ) -> None:
        log, count = self.log, len(paths)
        start = f"{'https' if host.secure else 'http'}://{host.name}"
        log.url.extend(start + path for path in paths)
        log.host.extend([number] * count)
        if len(host.ips) == 1:
            log.ip.extend(host.ips * count)
        else:
            log.ip.extend(self.rng.choices(host.ips, k=count))
        log.key.append(key)
        log.base.append(base)
        log.time.append(when)
