"""Every number that decides in detection: its value, unit and source. Those of other stages stand
in :mod:`replicadb.stage_constants` and :mod:`replicadb.page_constants`. What stands elsewhere
bounds memory or time, or belongs to one formula or to a published learner (RIPPER, decision tree).

A :class:`Settings` is immutable; the settings of each run are written to the ``runs`` table.
:class:`Constants` are the numbers that no option changes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, get_args

from replicadb.changeable import Changeable as Changeable
from replicadb.changeable import is_number, plain_number, several
from replicadb.changeable import setting as setting
from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean

Method = Literal["robust", "paper", "thesis"]
Candidates = Literal["content", "path", "either"]
Discretise = Literal["frequency", "width", "mdl"]
Cut = Literal["own", "projected", "global"]
Schedule = Literal["batch", "pattern", "example"]
Aggregate = Literal["pareto", "pu", "nu"]
Negatives = Literal["content-and-path", "content"]
Evidence = Literal["all", "five"]
Clusters = Literal["exact", "simhash", "minhash", "rp", "rp+hm", "mwo"]
Site = Literal["host", "domain", "host+1"]
KEEP = ("https", "links", "contents", "urls", "domain", "www", "bare", "oldest", "short")
PAIR_KINDS = ("replica", "partial", "version", "translation", "thin")  # of --kinds

URL_MAX_BYTES = 65_536  # bytes; a longer URL is rejected (browsers and servers stop far earlier)
HOST_MAX_BYTES = 253  # bytes; DNS has no longer name (RFC 1035, section 2.3.4)
REJECT_TEXT_MAX = 2_000  # characters of a rejected URL that `rejects` keeps
WEIGHT_SCALE = 2**20  # sums that order pairs are over round(w * scale), docs/method.md#integer-sums
PAGE_TYPES = (
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/markdown",
    "application/pdf",
)  # every other type is an asset
NO_FILES = (
    "text/dns",
    "application/warc-fields",
    "application/http",
    "message/http",
)  # what crawlers write about their own work: no files of a site


@dataclass(frozen=True)
class Settings(Changeable):
    """What one ``detect`` runs with. Field metadata gives each one's unit and source.

    Raises:
        UsageError: a value outside of its range or choices (checked on creation).
    """

    method: Method = setting(
        "robust",
        "choice",
        "docs/method.md#configurations: paper and thesis are as published; robust is ours",
    )
    candidates: Candidates = setting(
        None,
        "choice",
        "paper section 4.1.1 (content), thesis 3.3.1 (either); None: the method's",
    )
    min_shared: int = setting(1, "shared dup-clusters", "paper section 4.1.1: one is enough")
    max_cluster_hosts: int = setting(
        None,
        "hosts; 0 is no cap",
        "ours: parking and default pages make no pairs; None: 1,000 under robust, else no cap",
    )
    max_pairs: int = setting(
        20_000_000,
        "pairs before distinct; 0 is no cap",
        "cost before work, docs/method.md#promise-4",
    )
    path_max_hosts: int = setting(
        100, "hosts having a path", "docs/method.md#fullpath: paths with df > 100 are left out"
    )
    negatives: Negatives = setting(
        "content-and-path", "choice", "paper section 3.3; content alone: section 4.1.1"
    )
    max_negatives: int = setting(
        800_000, "pairs", "paper section 4.1.1; or half the candidates, whichever is less"
    )
    discretise: Discretise | None = setting(
        None,
        "choice",
        "paper section 3.1 (mdl), thesis 2.3.1 (no labels: frequency, width); None: the method's",
    )
    bins: int = setting(
        5,
        "bins a feature besides zero's and NULL's",
        "docs/method.md#discretisation: of frequency and width; mdl says itself how many",
    )
    max_patterns: int = setting(10_000, "distinct patterns", "docs/method.md#discretisation")
    cut: Cut = setting("own", "choice", "docs/method.md#cut-readings")
    alpha: float = setting(0.5, "alpha(x, -)", "thesis Table 4.1: the global threshold")
    schedule: Schedule | None = setting(
        None,
        "choice",
        "paper Algorithm 2, docs/method.md#schedules; None: example, pattern on large crawls",
    )
    aggregate: Aggregate = setting("pareto", "choice", "paper section 3.5")
    min_support: int = setting(1, "examples", "docs/method.md#rules")
    first: int | None = setting(
        None,
        "pairs",
        "paper Algorithms 3 and 4: n, the candidates that are called replicas; None: ours, those"
        " with both scores above 1/2",
    )
    prior_strength: float = setting(
        30.0, "obvious replicas", "method robust: about as many move a weight by one"
    )
    max_wrong: float = setting(
        0.03,
        "share",
        "docs/robust.md#flags: of flagged pairs that are expected to be wrong, at most",
    )
    min_probability: float | None = setting(
        None,
        "probability",
        "docs/robust.md#flags: from it on every pair is flagged, whatever max_wrong is; None:"
        " max_wrong decides",
    )
    files_probability: float = setting(
        0.94,
        "probability",
        "docs/robust.md#flags: where hosts have files, none below; unrelated sites share themes",
    )
    kinds: str = setting("replica,partial", "kinds with commas, or all", "docs/robust.md#kinds")
    evidence: Evidence = setting(
        "all",
        "choice",
        "method robust: all that was loaded, or the five features of paper section 3.1 alone",
    )
    seed: int = setting(0, "", "sampling of obvious non-replicas")
    clusters: Clusters | None = setting(
        None,
        "page method",
        "what counts as one content: a near-duplicate cluster; none: a fingerprint, paper section"
        " 4.1.1; None: minhash where method robust finds pages loaded with content, else none",
    )
    assets: bool | None = setting(
        None,
        "choice",
        "docs/robust.md#assets: whether files that are no pages are evidence; None: under method"
        " robust alone, since paper section 4.1 knows pages alone",
    )
    reference: str | None = setting(
        None, "label of a load", "only new hosts against those of that load; None: all against all"
    )
    keep: str = setting(
        "links,contents,urls,domain,short",
        "criteria or host names, with commas",
        "docs/drops.md#host-to-keep: which host of a group stays; the first that tells two apart"
        " decides",
    )

    @property
    def reads_assets(self) -> bool:
        """Whether files that are no pages are compared."""
        return self.method == "robust" if self.assets is None else self.assets

    @property
    def published(self) -> bool:
        """Whether the method is a published one: it learns from obvious cases, on patterns."""
        return self.method != "robust"

    def with_changes(self, **changes: Any) -> Self:
        """A copy with the given fields replaced; those given as None keep their value, and those
        that followed from the method follow from the new one.
        """
        copy = super().with_changes(**changes)
        if copy.method == self.method:
            return copy
        followed: dict[str, Any] = {
            name: None
            for name, of_method in BY_METHOD.items()
            if changes.get(name) is None and getattr(self, name) == of_method.get(self.method)
        }
        return replace(copy, **followed)

    def __post_init__(self) -> None:
        for name, of_method in BY_METHOD.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, of_method.get(self.method))
        for name, values in OLD_VALUES.items():
            object.__setattr__(self, name, values.get(value := getattr(self, name), value))
        object.__setattr__(self, "kinds", several("kinds", self.kinds, PAIR_KINDS))
        for item in fields(self):
            value = plain_number(getattr(self, item.name))
            object.__setattr__(self, item.name, value)
            choices = CHOICES.get(item.name)
            if choices and value not in choices and not (value is None and item.default is None):
                text, listed = f"{value!r}{did_you_mean(value, choices)}", ", ".join(choices)
                raise UsageError(f"{item.name} cannot be {text}; choose one of: {listed}")
            whole = isinstance(item.default, int) or item.name in WHOLE
            if whole and value is not None and (type(value) is not int or value < 0):
                raise UsageError(f"{item.name} must be a whole number of 0 or more, not {value!r}")
        if self.min_shared < 1 or self.bins < 1 or self.min_support < 1 or self.path_max_hosts < 2:
            least = "min_shared, bins and min_support must be at least 1, path_max_hosts at least 2"
            raise UsageError(least)
        for name in ("max_wrong", "min_probability", "files_probability"):
            if not ((p := getattr(self, name)) is None or (is_number(p) and 0 < p <= 1)):
                raise UsageError(f"{name} lies above 0 and at most at 1, and is not {p!r}")
        if not (is_number(self.prior_strength) and self.prior_strength > 0):
            raise UsageError(f"prior_strength lies above 0, and is not {self.prior_strength!r}")
        kept = self.keep if isinstance(self.keep, list | tuple) else str(self.keep).split(",")
        object.__setattr__(self, "keep", ",".join(map(str, kept)))
        for name in self.keep.split(","):
            if name not in KEEP and ("." not in name or "@" in name):
                meant = f"{name!r}{did_you_mean(name, KEEP)}"
                raise UsageError(f"keep cannot be {meant}; choose: {', '.join(KEEP)}, or a host")
        if not (is_number(self.alpha) and 0 < self.alpha < 1):
            raise UsageError(f"alpha must lie between 0 and 1, not {self.alpha!r}")


@dataclass(frozen=True)
class Constants:
    """Numbers that decide and are no options. All but the first are of method robust: the prior was
    learned with them.
    """

    most_examples: int = setting(
        200_000,
        "unlabelled candidates",
        "docs/method.md#schedules: up to as many, labels turn one example at a time where no"
        " schedule is given; that takes a minute or two, and of a million perhaps an hour",
    )

    pseudo_counts: tuple[float, float] = setting(
        (10.0, 990.0),
        "replicas and others",
        "docs/robust.md#class-prior: assumed before any pair is seen: one replica in a hundred, as"
        " if 1,000 candidates had said so. Large crawls decide for themselves; a small one cannot"
        " make half of its pairs replicas",
    )
    pseudo_counts_likely: tuple[float, float] = setting(
        (1.0, 9.0),
        "replicas and others",
        "docs/robust.md#class-prior: the same of the near candidates, one in ten",
    )
    pseudo_counts_named: tuple[float, float] = setting(
        (9.0, 1.0),
        "replicas and others",
        "docs/robust.md#prior-adjustment: the same of obvious replicas, nine in ten",
    )
    likely: float = setting(
        -3.0,
        "log odds",
        "docs/robust.md#class-prior: strength of a near candidate; of the replicas that taught the"
        " prior, one in a thousand lies below",
    )
    hardly_known: float = setting(
        4.0,
        "times the fewest replicas",
        "docs/robust.md#calibration: from which the most replicas are so many that `detect` says"
        " so and asks for answers",
    )
    few_obvious: int = setting(
        5,
        "obvious replicas",
        "docs/robust.md#prior-adjustment: with fewer nothing but answers to review corrects the"
        " prior, and a warning says so",
    )
    learn_from: int = setting(
        250_000,
        "candidates",
        "docs/robust.md#prior-adjustment: tables are adjusted on as many, beside all obvious"
        " replicas; where there are more, on those of a sample of hosts",
    )
    mostly_files: float = setting(
        0.5,
        "share",
        "docs/robust.md#robust-evidence: of the candidates whose two hosts both have assets; above"
        " it the prior `files` is used",
    )
    most_addresses: int = setting(
        50,
        "addresses",
        "docs/method.md#ip: of a host that are compared at most, those that the fewest hosts have",
    )
    close_percent: int = setting(
        3,
        "percent of the longer",
        "docs/robust.md#robust-evidence: lengths that differ by no more are close",
    )
    quantiles: int = setting(
        24,
        "bins",
        "docs/robust.md#paths-only: of each of the five features, for either class, when they learn"
        " from content",
    )
    rounds: int = setting(200, "trees", "docs/robust.md#paths-only: for the five features")
    ridge: float = setting(
        2.0,
        "examples",
        "docs/robust.md#paths-only: of average outcome, which each leaf is assumed to have beside"
        " its own",
    )
    possible: float = setting(
        0.001,
        "probability",
        "docs/robust.md#collective: from which a candidate is corrected; below it none became a"
        " replica",
    )
    most_possible: int = setting(
        2_000_000,
        "candidates",
        "docs/robust.md#collective: the likeliest, where more would be corrected",
    )
    neighbour: float = setting(
        0.05,
        "probability",
        "docs/robust.md#collective: from which one host counts as the other's neighbour",
    )
    max_neighbours: int = setting(
        64, "hosts", "docs/robust.md#collective: of a host with more neighbours a sample is read"
    )
    min_common: int = setting(
        16,
        "hosts",
        "docs/robust.md#collective: shared neighbours (expected) from which they are weighed by"
        " corrected log odds, not by local evidence alone",
    )
    conflicting: float = setting(
        -0.3,
        "correlation",
        "docs/robust.md#collective: of the weights that min_common shared neighbours or more have"
        " with either host; below it they are no evidence for the pair",
    )
    most_decoys: int = setting(
        300_000,
        "pairs",
        "docs/robust.md#decoys: where more would come, those of a sample of hosts are made",
    )
    most_above: float = setting(
        4.0,
        "times the candidates above chance",
        "docs/robust.md#decoys: an estimate above it has run away; farms may have 3.7",
    )
    wrong_of_few: float = setting(
        0.5,
        "pairs",
        "docs/robust.md#flags: as many wrong flags may always be expected, whatever their share;"
        " else small crawls would have no flags",
    )
    least_flag: float = setting(
        0.8, "probability", "docs/robust.md#flags: no pair less likely is flagged by max_wrong"
    )
    may_be: float = setting(
        0.2, "probability", "docs/robust.md#thin: from here a pair may be a replica"
    )
    several_shared: int = setting(
        3,
        "shared contents",
        "docs/robust.md#decoys: a likely pair that shares as many is no decoy",
    )
    mostly_shared: float = setting(
        0.6,
        "containment",
        "docs/robust.md#decoys: of copies that share several contents and so much one is dealt",
    )
    partly_shared: float = setting(0.3, "containment", "docs/robust.md#decoys: of likely copies")
    max_passes: int = setting(
        12,
        "passes",
        "docs/robust.md#collective: at most; after three to six nearly always nothing changes",
    )


CONSTANTS = Constants()

OLD_VALUES = {"evidence": {"content": "all", "paths": "five"}}
"""What values were called that older runs are remembered by."""
BY_METHOD: dict[str, dict[str, Any]] = {
    "candidates": {"robust": "content", "paper": "content", "thesis": "either"},
    "max_cluster_hosts": {"robust": 1000, "paper": 0, "thesis": 0},
    "discretise": {"paper": "mdl", "thesis": "frequency"},
}
"""What a setting is under each method where it was not given."""
WHOLE = ("max_cluster_hosts", "first")
"""Whole numbers that have no default of their own."""

CHOICES: dict[str, tuple[str, ...]] = {
    "method": get_args(Method),
    "clusters": get_args(Clusters),
    "candidates": get_args(Candidates),
    "negatives": get_args(Negatives),
    "evidence": get_args(Evidence),
    "discretise": get_args(Discretise),
    "cut": get_args(Cut),
    "schedule": get_args(Schedule),
    "aggregate": get_args(Aggregate),
}
