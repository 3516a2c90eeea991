"""New sites and host names of generated pages; no name comes twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replicadb.synthetic.pages.language import Language
from replicadb.synthetic.pages.page_sites import Site, make_site


class NewSites:
    """New sites and hosts; names never repeat."""

    def __init__(self, seed: int, spoken: Sequence[Language]) -> None:
        self.rng = np.random.default_rng([seed, 22])
        self.latin = [word for word in spoken[0].words.tolist() if word.isascii()]
        self.made = 0
        self.archives = [self.site(spoken[0]) for _ in range(3)]

    def host(self) -> str:
        """A host name that no other call returns."""
        self.made += 1
        first, second = self.rng.integers(len(self.latin), size=2)
        suffix = self.rng.choice(["com", "org", "net", "info", "co.uk", "de"])
        return f"www.{self.latin[first]}{self.latin[second]}{self.made}.{suffix}"

    def site(self, language: Language, most: int = 1000) -> Site:
        """A site of a look of its own; 10 to 120 links in its menu, but at most so many, and at
        least 5.
        """
        heavy = int(self.rng.choice([10, 26, 60], p=[0.4, 0.45, 0.15]))
        return make_site(
            self.rng, language, self.host(), max(min(int(heavy * (1 + self.rng.random())), most), 5)
        )

    def archive(self) -> Site:
        """One of a few archives."""
        return self.archives[int(self.rng.integers(len(self.archives)))]
