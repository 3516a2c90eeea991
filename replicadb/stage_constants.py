"""Numbers that decide in one stage of detection or names alone and are no options: drops, kinds,
calibration, labels, lookups of the model, copies, aliases. Those of the ranking stand in
:mod:`replicadb.settings`, those of pages and URLs in :mod:`replicadb.page_constants`.

Each has its value, unit and source; docs/reference/settings.md lists them. Those of
:data:`replicadb.constant_tables.TABLES` are read when they are needed, so that a file of settings
may change them.
"""

from __future__ import annotations

from dataclasses import dataclass

from replicadb.settings import setting


@dataclass(frozen=True)
class Drops:
    """Numbers of the list of hosts to drop."""

    least_probability: float = setting(
        0.95, "probability", "docs/drops.md#drops: of a drop, or --min-probability if lower"
    )
    least_elsewhere: float = setting(
        0.5,
        "share of a host's pages",
        "docs/drops.md#drops: that stand at the host to keep, or may; below it, held back",
    )
    least_known: float = setting(
        0.3, "share of what may stand there", "docs/drops.md#drops: known to; below it, held back"
    )
    sure_probability: float = setting(
        0.999, "probability", "docs/drops.md#drops: of a drop that is asked less about"
    )
    many_pages: int = setting(
        30, "pages", "docs/drops.md#drops: of a host of which more must be known to stand there"
    )
    known_of_many: float = setting(
        0.65, "share of what may stand there", "docs/drops.md#drops: known to, of so many pages"
    )
    few_contents: int = setting(
        8, "contents", "docs/drops.md#drops: of a host with nothing of its own, below it"
    )
    many_hosts: int = setting(
        6, "hosts", "docs/drops.md#drops: that have most of those contents, at least"
    )
    own_of_branch: float = setting(
        0.1, "share of pages", "docs/drops.md#drops: of a branch's own, above it, and one page more"
    )
    own_of_larger: float = setting(
        0.2, "share of contents", "docs/drops.md#drops: of its own, with which no part replaces it"
    )
    most_unlike: float = setting(
        0.05,
        "share of the pages at paths of both",
        "docs/drops.md#drops: that are unlike; above it, and one page more, a drop is held back",
    )
    same_words: float = setting(
        0.5, "share of words", "docs/drops.md#drops: of a page's own that stand there, at least"
    )
    least_words: int = setting(5, "words", "docs/drops.md#drops: of its own, to go by them")
    most_rounds: int = setting(8, "rounds", "ours: of groups made anew without pairs held back")
    most_dropped: float = setting(
        0.5,
        "share of hosts or URLs",
        "docs/drops.md#guard: of the crawl, or a large part of it, that `export` drops unasked",
    )
    large_part: int = setting(
        100, "hosts", "docs/drops.md#guard: of a part, from which its share is looked at"
    )
    worth_telling: int = setting(10, "hosts", "docs/drops.md#guard: of a part named, or lost")


@dataclass(frozen=True)
class Kinds:
    """Numbers by which a pair looks like a translation, a version or a partial copy."""

    same_places: float = setting(
        0.4,
        "path_overlap or tail_overlap",
        "docs/robust.md#kinds: of translations and versions, at least",
    )
    translated_contents: float = setting(
        0.5, "containment", "docs/robust.md#kinds: of translations, below it"
    )
    translated_titles: float = setting(
        0.25, "title_agreement", "docs/robust.md#kinds: of translations, below it"
    )
    translated_title_overlap: float = setting(
        0.35, "title_overlap", "docs/robust.md#kinds: of translations, below it"
    )
    translated_language: float = setting(
        0.3,
        "same_language",
        "docs/robust.md#languages: of translations, below it, whatever their titles",
    )
    version_contents: float = setting(
        0.3, "containment", "docs/robust.md#kinds: of versions, below it"
    )
    version_titles: float = setting(
        0.8, "title_agreement", "docs/robust.md#kinds: of versions, below it, or the next"
    )
    version_title_overlap: float = setting(
        0.8, "title_overlap", "docs/robust.md#kinds: of versions, below it, or the one before"
    )
    version_sizes: float = setting(
        0.4,
        "size_agreement",
        "docs/robust.md#kinds: of versions, below it: pages that differ by a date are of one"
        " length, and where one page alone is compared that makes 0.4",
    )
    other_contents: float = setting(
        0.05,
        "containment",
        "docs/robust.md#kinds: of versions whose titles nobody knows, below it",
    )
    partial_contents: float = setting(
        0.5, "containment", "docs/robust.md#kinds: of partial copies, at least"
    )
    partial_share: float = setting(
        0.5, "resemblance / containment", "docs/robust.md#kinds: of partial copies, below it"
    )
    country_sites: int = setting(
        4,
        "suffixes of countries",
        "docs/robust.md#country-sites: under which one name stands, at least",
    )
    thin_pages: int = setting(
        5, "distinct pages", "docs/robust.md#thin: of pairs too thin to judge, below it"
    )
    thin_names: float = setting(
        0.5, "nmatch", "docs/robust.md#thin: names less alike than that support no thin pair"
    )
    common_evidence: float = setting(
        0.03, "exclusive_evidence", "docs/robust.md#thin: of what many hosts have, below it"
    )
    common_pages: int = setting(
        15, "distinct pages", "docs/robust.md#thin: of hosts that share what many have, below it"
    )
    common_contents: float = setting(
        0.2, "containment", "docs/robust.md#thin: of hosts that share what many have, at least"
    )
    common_share: float = setting(
        0.9, "plain_resemblance", "docs/robust.md#thin: of such hosts, below it"
    )


@dataclass(frozen=True)
class Calibration:
    """Numbers of the curve from match weights to probabilities."""

    typical: float = setting(
        2.25,
        "units of match weight",
        "docs/robust.md#calibration: where replicas begin, as a rule",
    )
    spread: float = setting(
        2.0,
        "standard deviation, units of match weight",
        "docs/robust.md#calibration: by which crawls differ from that",
    )
    steepest: float = setting(
        2.5,
        "log odds a unit of match weight",
        "docs/robust.md#calibration: the slope, if the place were known",
    )
    most_counted: int = setting(
        30, "candidates", "docs/robust.md#calibration: of a host, that count whole"
    )
    least_error: float = setting(
        0.6,
        "standard deviation, units of match weight",
        "docs/robust.md#calibration: by which the place errs where the counts are clear",
    )
    place_error: float = setting(
        1.0,
        "standard deviation, units of match weight",
        "docs/robust.md#calibration: by which the place errs beside its own error, where it is"
        " asked between which numbers the replicas lie",
    )
    most_by_prior: float = setting(
        3.0,
        "times the class prior's estimate",
        "docs/robust.md#calibration: more replicas are never expected",
    )


@dataclass(frozen=True)
class Labels:
    """Numbers by which what people decided teaches the calibration."""

    reach: float = setting(
        6.0,
        "units of match weight",
        "docs/drops.md#decided: by which what people decided moves the curve at most",
    )
    turn: float = setting(
        0.5, "ln of the slope", "docs/drops.md#decided: by which the slope of a curve errs"
    )
    slips: float = setting(
        0.02,
        "share of labels",
        "docs/drops.md#decided: that may be slips of whoever decided",
    )


@dataclass(frozen=True)
class Model:
    """Numbers of the model file's lookups."""

    most_retrieved: int = setting(
        1000,
        "hosts",
        "ours: `lookup` without `most`: of those that share content, the ones that share most",
    )


@dataclass(frozen=True)
class Copies:
    """Numbers of ``copies-of`` and ``recheck``."""

    likely: float = setting(0.5, "probability", "ours: from which an unflagged one is likely")
    possible: float = setting(0.2, "probability", "ours: from which it is called possible")
    kit_pages: int = setting(3, "pages", "ours: that stand in a folder at least for it to be a kit")
    kit_share: float = setting(0.3, "share of a site's pages", "ours: that stand there at least")
    most_urls: int = setting(
        4, "URLs", "ours: of a host with one content that are compared in search of a folder"
    )
    rare_hosts: int = setting(
        20,
        "hosts",
        "ours: that have an account, address or wallet at most for copies-of to name them",
    )
    most_related: int = setting(
        50, "hosts", "ours: that copies-of names for sharing one, beside copies"
    )
    most_hosts: int = setting(500, "hosts", "ours: whose copies are sought together")
    most_candidates: int = setting(50_000, "candidate pairs", "ours: of these hosts, about")
    most_found: int = setting(
        1_000_000, "candidate pairs", "ours: that are looked up at once, about; 0.1 GB in memory"
    )
    recheck_days: int = setting(
        70,
        "days",
        "Fetterly et al. (2003): how long clusters of near-duplicates hold; then a look is due",
    )
    recheck_pages: int = setting(3, "URLs", "ours: of a host to fetch first for that")


@dataclass(frozen=True)
class Aliases:
    """Numbers of ``aliases``, ``families`` and ``wildcards``."""

    one_agree: float = setting(
        9.0,
        "shape",
        "ours: Beta distribution of the share of equal paths at which two names of one site agree;"
        " wider than in five generated crawls (mean .99), as real pages change between captures",
    )
    one_differ: float = setting(1.0, "shape", "ours: its second shape")
    other_agree: float = setting(
        0.3,
        "shape",
        "ours: the same of two sites; in those crawls other hosts agree at .15 to .42 of their"
        " equal paths, a tenth of them at all",
    )
    other_differ: float = setting(1.2, "shape", "ours: its second shape")
    pseudo_count: float = setting(
        2.0, "pairs", "ours: of one site, and as many of two, that are assumed for each rule"
    )
    certain: float = setting(
        0.9, "probability", "ours: from which names are called one site; its rest, two"
    )
    most_folded: int = setting(
        8, "names", "ours: that fold together and are compared each with each, which is 28 pairs"
    )
    folds: int = setting(
        5, "parts", "ours: that hosts are dealt into; each is held out once to see how families do"
    )
    most_labels: int = setting(
        12, "labels", "ours: of a host name that families are looked for above"
    )
    min_hosts: int = setting(
        5,
        "hosts",
        "ours: copies below a name from which it is a family, or alike hosts from which it is a"
        " wildcard, two at least",
    )
    max_error: float = setting(0.1, "share", "ours: of its hosts that may be no copies, at most")
    agree_share: float = setting(
        0.9,
        "share",
        "ours: of a host's pages at paths that another host below a name has, from which it answers"
        " as they do; of three pages all, and of ten one may have changed",
    )
    compared_share: float = setting(
        0.8,
        "share",
        "ours: of the pages below a name, those at paths of several hosts, at least; else too"
        " little is known of it",
    )
    least_contents: int = setting(
        3,
        "contents",
        "ours: that several hosts below a name have at one path, at least; one default page on all"
        " says that they are empty, and not that they are one",
    )
    max_pages: int = setting(200_000_000, "pages", "ours: more are not read at equal paths unasked")


CALIBRATION = Calibration()
ALIASES, COPIES, DROPS, KIND_NUMBERS, LABELS = Aliases(), Copies(), Drops(), Kinds(), Labels()
MODEL = Model()
