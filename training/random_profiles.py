"""Crawls of random kinds: every rate of the generator drawn from a wide range.

What method robust knows beforehand is learned from such crawls (``make_prior.py``), rather than
from the named profiles that it is measured on, so that it has to hold for kinds of crawl that
nobody thought of ("domain randomisation").
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replicadb.synthetic.crawl.generate import PROFILES, Profile


def random_profile(rng: np.random.Generator) -> Profile:
    """Rates of an ordinary web crawl, each drawn on its own."""
    few = rng.random() < 0.4
    coverage = (
        (_even(rng, 0.3, 0.8), 1.0)
        if rng.random() < 0.4
        else (_even(rng, 0.03, 0.3), _even(rng, 0.3, 1.0))
    )
    median, dynamic, edited = _log(rng, 8, 100), _even(rng, 0, 0.2), _even(rng, 0, 0.15)
    affiliate, syndicated = _even(rng, 0.02, 0.3), _even(rng, 0.05, 0.3)
    kinds = [name for name, _ in PROFILES["ordinary"].kinds]
    return Profile(
        replicated=_log(rng, 0.02, 0.3),
        kinds=tuple(zip(kinds, rng.dirichlet(np.full(len(kinds), 1.2)).tolist(), strict=True)),
        alias=0.0 if few else _even(rng, 0, 0.1),
        farm_limit=int(_log(rng, 5, 150)),
        obvious=int(_log(rng, 2, 60)) if few else None,
        noisy_obvious=_even(rng, 0, 0.1),
        size=(median, median * _log(rng, 1.5, 5)),
        replicated_size=_log(rng, 0.8, 3),
        coverage=coverage,
        coverage_power=_log(rng, 0.5, 1.5),
        stub=_even(rng, 0, 0.1),
        varied=_even(rng, 0, 0.5),
        varied_pages=_even(rng, 0, 0.2),
        most_varied=int(_log(rng, 1, 30)),
        empty=_even(rng, 0, 0.2),
        dynamic=(dynamic, dynamic + _even(rng, 0, 0.5)),
        home_dynamic=_even(rng, 0.05, 0.9),
        edits=(0.0, edited),
        moved=_even(rng, 0, 0.5),
        prefixed=_even(rng, 0, 0.4),
        template=_even(rng, 0, 0.9),
        template_group=_group(rng, 2, 20, 15),
        template_paths=(_whole(rng, 3, 25), _whole(rng, 26, 100)),
        numbered=_even(rng, 0, 0.8),
        soft404=_even(rng, 0, 0.3),
        affiliate=_even(rng, 0, 0.6),
        affiliate_group=_group(rng, 2, 6, 12),
        affiliate_section=12.0,
        affiliate_share=(affiliate, affiliate + _even(rng, 0.1, 0.62)),
        syndicated=_even(rng, 0, 0.3),
        syndicated_group=(3, int(_log(rng, 8, 100))),
        syndicated_share=(syndicated, syndicated + _even(rng, 0.1, 0.5)),
        scripts=_even(rng, 0, 0.4),
        scripts_group=(3, int(_log(rng, 10, 100))),
        shared_hosting=_even(rng, 0, 0.9),
        hosting_group=(2, int(_log(rng, 10, 500))),
        no_address=_even(rng, 0, 0.3),
        subdomains=_even(rng, 0, 0.1),
        parked=_even(rng, 0, 0.2),
        parked_group=(_whole(rng, 3, 20), int(_log(rng, 21, 200))),
        isolated=_even(rng, 0, 0.5) if rng.random() < 0.3 else 0.0,
        honest_lengths=bool(rng.random() < 0.6),
    )


def random_farms(rng: np.random.Generator) -> Profile:
    """Rates of a web crawl in which farms and franchises are large, and their sites as small as
    others.
    """
    profile = random_profile(rng)
    kinds = dict(profile.kinds)
    kinds["farm"] += _even(rng, 0.5, 3)
    kinds["franchise"] += _even(rng, 0, 1)
    whole = sum(kinds.values())
    return replace(
        profile,
        kinds=tuple((name, share / whole) for name, share in kinds.items()),
        replicated=_log(rng, 0.1, 0.5),
        farm_limit=int(_log(rng, 20, 250)),
        farm_one_in=8,
        farm_pages=6,
        replicated_size=_log(rng, 0.3, 2),
    )


def random_themes(rng: np.random.Generator) -> Profile:
    """Rates of static sites with every file type."""
    themes = PROFILES["themes"]
    median = _log(rng, 4, 40)
    kinds = [name for name, _ in themes.kinds]
    return replace(
        themes,
        replicated=_log(rng, 0.04, 0.3),
        kinds=tuple(zip(kinds, rng.dirichlet(np.full(len(kinds), 1.2)).tolist(), strict=True)),
        obvious=int(_log(rng, 1, 30)),
        hosted=_even(rng, 0, 1),
        size=(median, median * _log(rng, 1.5, 5)),
        replicated_size=_log(rng, 0.7, 2),
        coverage=(_even(rng, 0.3, 0.95), 1.0),
        stub=_even(rng, 0, 0.06),
        dynamic=(0.0, _even(rng, 0, 0.2)),
        home_dynamic=_even(rng, 0, 0.4),
        edits=(0.0, _even(rng, 0, 0.2)),
        prefixed=_even(rng, 0, 0.8),
        template=_even(rng, 0.4, 1),
        template_group=_group(rng, 2, 8, 20),
        scripts=_even(rng, 0, 0.3),
        translation=_even(rng, 0, 0.2),
        started_from=_even(rng, 0, 0.3),
        honest_lengths=bool(rng.random() < 0.7),
        begun=_even(rng, 0, 0.5),
    )


def _even(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _log(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _whole(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high))


def _group(rng: np.random.Generator, low: int, high: int, most: float) -> tuple[int, int]:
    """Sizes of groups: the smallest, and up to ``most`` times that."""
    smallest = _whole(rng, low, high)
    return smallest, int(smallest * _log(rng, 2, most))
