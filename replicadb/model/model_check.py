"""Whether the arrays of a model fit together: a checksum shows accidents, not who wrote the file.

Invariant: a model that passes leads to no place outside of an array, so that what is made of
a forged one is wrong scores at worst.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from replicadb.model.shared_items import CONTENTS, ITEM_KINDS

TYPES = {
    "i8": "weight exclusive_weight asset_weight path_weight2 page_path_weight2 tail_weight"
    " title_weight target_weight identifier_weight first second third fourth partner_total"
    " corrected_total name_start"
    " candidate_start partner_start corrected_start start posting_start label_start target_start"
    " identifier_start page_start item_bounds common_bounds",
    "i4": "n_urls n_contents n_borrowed n_sections language_pages spoken_pages candidate_strength",
    "u8": "item_hash common_hash single near near_content directed",
    "u4": "root kept family edition candidate_other item_weight item_exclusive partner_other"
    " corrected_other item posting label target identifier page_path page_tail page_numbered"
    " page_content page_length page_title page_bare_title single_host",
    "u2": "partner_weight corrected_weight page_flags language fifth page_language",
    "u1": "name_bytes has item_flags filter",
    "f4": "linked canonical family_agreement",
}
"""Names of arrays by their type, NumPy's kind and bytes."""
PER_HOST = (
    "n_urls",
    "n_contents",
    "n_borrowed",
    "weight",
    "exclusive_weight",
    "asset_weight",
    "path_weight2",
    "page_path_weight2",
    "tail_weight",
    "n_sections",
    "root",
    "kept",
    "family",
    "edition",
    "family_agreement",
    "title_weight",
    "target_weight",
    "identifier_weight",
    "has",
    "language",
    "language_pages",
    "spoken_pages",
    "partner_total",
    "corrected_total",
)
STARTS = {
    "name_start": ("name_bytes",),
    "candidate_start": ("candidate_other", "candidate_strength"),
    "partner_start": ("partner_other", "partner_weight"),
    "corrected_start": ("corrected_other", "corrected_weight"),
    "start": ("item", "first", "second", "third"),
    "label_start": ("label",),
    "target_start": ("target",),
    "identifier_start": ("identifier",),
    "page_start": (),
}
"""Where each host's rows begin in other arrays."""
HOSTS = ("kept", "candidate_other", "partner_other", "corrected_other", "posting", "single_host")
"""Arrays of places of hosts."""
ITEMS = ("item", "label")
ALIKE = (
    ("item_hash", "item_weight", "item_flags"),
    ("single", "single_host"),
    ("near", "near_content"),
    ("directed", "linked", "canonical"),
)
ASCII = 127
LARGEST = 2**64
"""What no whole number of a header reaches."""
SORTED = ("single", "near", "directed")
PAGES = (
    "page_path",
    "page_tail",
    "page_numbered",
    "page_content",
    "page_length",
    "page_title",
    "page_bare_title",
    "page_language",
    "page_flags",
)
"""A column of zeros is empty."""


def problem_of(arrays: dict[str, np.ndarray], whole: bool) -> str | None:
    """Why the arrays are no model's; None where they are.

    Args:
        whole: go through all values, too, rather than sizes and ends alone.
    """
    try:
        return next(_problems(arrays, whole), None)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _problems(arrays: dict[str, np.ndarray], whole: bool) -> Iterator[str]:
    for kind, names in TYPES.items():
        for name in names.split():
            if arrays[name].ndim != 1 or arrays[name].dtype.str[1:] != kind:
                yield f"{name} is of another type"
    n, items = len(arrays["weight"]), len(arrays["item_hash"])
    contents = int(arrays["item_bounds"][CONTENTS + 1])
    for name in PER_HOST:
        if len(arrays[name]) != n:
            yield f"{name} has {len(arrays[name]):,} values for {n:,} hosts"
    for group in ALIKE:
        if len({len(arrays[name]) for name in group}) > 1:
            yield f"{' and '.join(group)} are not equally long"
    starts = {**STARTS, "posting_start": ("posting",)}
    for name, of in starts.items():
        yield from _bounds(arrays, name, of, contents if name == "posting_start" else n, whole)
    yield from _bounds(arrays, "item_bounds", ("item_hash",), len(ITEM_KINDS), True)
    yield from _bounds(arrays, "common_bounds", ("common_hash",), len(ITEM_KINDS), True)
    if len(arrays["item_exclusive"]) != contents:
        yield "item_exclusive is not as long as there are contents"
    if len(arrays["filter"]) != 2 * len(arrays["item"]) + 1:
        yield "the filter is not that of the items"
    for name in PAGES:
        if len(arrays[name]) not in (0, arrays["page_start"][-1]):
            yield f"{name} is not as long as there are pages"
    for name in ("fourth", "fifth"):
        if len(arrays[name]) not in (0, len(arrays["item"])):
            yield f"{name} is not as long as there are items of hosts"
    if whole:
        yield from _values(arrays, n, items)


def _bounds(
    arrays: dict[str, np.ndarray], name: str, of: tuple[str, ...], n: int, whole: bool
) -> Iterator[str]:
    start = arrays[name]
    if len(start) != n + 1:
        yield f"{name} has {len(start):,} bounds for {n:,}"
    elif start[0] or any(start[-1] != len(arrays[other]) for other in of):
        yield f"{name} does not end where {' and '.join(of)} do"
    elif whole and (np.diff(start) < 0).any():
        yield f"{name} falls"


def _values(arrays: dict[str, np.ndarray], n: int, items: int) -> Iterator[str]:
    for names, most in ((HOSTS, n), (ITEMS, items)):
        for name in names:
            if len(arrays[name]) and arrays[name].max() >= most:
                yield f"{name} leads beyond {most:,}"
    if len(arrays["name_bytes"]) and arrays["name_bytes"].max() > ASCII:
        yield "name_bytes are no names of hosts"
    for name in SORTED:
        if (arrays[name][1:] < arrays[name][:-1]).any():
            yield f"{name} is not in order"
    for name in ("linked", "canonical"):
        if not np.isfinite(arrays[name]).all():
            yield f"{name} is not finite"


def finite(value: Any, depth: int = 0) -> bool:
    """Whether every number of a JSON value is finite, and none lies very deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return depth < 20 and all(finite(one, depth + 1) for one in value)
    if isinstance(value, int):  # JSON's have no bound; beyond this one it is no number of arrays
        return abs(value) < LARGEST
    return not isinstance(value, float) or math.isfinite(value)
