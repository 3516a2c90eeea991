"""Generators of crawls with known replicas, one package an author.

They differ by author, not by subject: each author imagined the whole web anew, having read none of
the others, and the subjects (shops, manuals, farms ...) are the names of the scenarios. Author A is
the project's own ``replicadb synth`` (``replicadb/synthetic/crawl``). Authors b, c, e and f teach
the prior beside it, and g as thin crawls. Authors d, h, i, j and k are held
out: they judge and teach nothing.
"""

from __future__ import annotations

from types import ModuleType

from training.generators import (
    author_b,
    author_c,
    author_d_heldout,
    author_e,
    author_f,
    author_g,
    author_h,
    author_i,
    author_j,
    author_k,
)

AUTHORS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        author_b,
        author_c,
        author_d_heldout,
        author_e,
        author_f,
        author_g,
        author_h,
        author_i,
        author_j,
        author_k,
    )
}
HELD_OUT = "author_d_heldout"
