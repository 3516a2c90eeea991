"""Numbers that decide of pages and URLs and are no options: rewrite rules, page methods, page
pairs.

Each has its value, unit and source; docs/reference/settings.md lists them. Those of
:data:`replicadb.constant_tables.TABLES` are read when they are needed, so that a file of settings
may change them.
"""

from __future__ import annotations

from dataclasses import dataclass

from replicadb.settings import setting


@dataclass(frozen=True)
class Rewrite:
    """Numbers of the rewrite rules."""

    fan_out: int = setting(
        10,
        "forms",
        "docs/method.md#rewrite-rules: of one content on one host that are paired; Dasgupta et al."
        " 2008: a fan-out of about ten",
    )
    min_hosts: int = setting(
        3, "hosts", "docs/method.md#rewrite-rules: that must ask for a rule of any host"
    )
    longest: int = setting(2_000, "bytes", "ours: of a path that is learned from")
    most_parameters: int = setting(50, "parameters", "ours: of a URL that is learned from")
    most_candidates: int = setting(200, "candidates", "ours: of one kind on one host")
    most_together: int = setting(
        5,
        "candidates",
        "ours: of several parameters that go together, on one host; each is tried on every URL"
        " with one of them",
    )
    most_anywhere: int = setting(
        20_000,
        "candidates",
        "ours: of one kind on any host, where URLs that have its name are found by it",
    )
    many_values: int = setting(
        5, "values", "ours: of a parameter, at which a content speaks for two"
    )
    most_rounds: int = setting(
        4, "rounds", "ours: of learning, each on URLs in the form that the rules so far give"
    )
    most_dropped: int = setting(
        8,
        "times",
        "ours: that sites may lose one rule because it errs with others; then they lose all that"
        " do something there",
    )
    most_blamed: int = setting(60, "URLs", "ours: of a site that rules are blamed by")
    most_changes: int = setting(
        12,
        "passes",
        "ours: over a URL, each of which makes its form smaller; a URL made to need more is left"
        " as it is",
    )


@dataclass(frozen=True)
class PageMethods:
    """Numbers of the page methods that are no options, or hold where an option is left out."""

    minhash_threshold: float = setting(
        0.8, "estimated Jaccard", "ours: minhash without `threshold`"
    )
    minhash_recall: float = setting(
        0.95,
        "probability",
        "ours: minhash: that a pair at the threshold agrees in a band, at least",
    )
    mwo_threshold: float = setting(
        0.6,
        "t",
        "mwo without `threshold`: on generated pages (seeds 921 to 923) the filters cost recall"
        " above it, and precision falls below it; the paper has 0.5, for the few pages of one"
        " query",
    )
    fan_out: int = setting(
        100,
        "pages",
        "ours: a key that more pages have is written as a star around its least URL: n - 1 pairs in"
        " place of n (n - 1) / 2",
    )
    small_component: int = setting(
        64,
        "unequal pages",
        "where matches tie, the centre of a cluster of up to as many is the least URL, of a"
        " larger one the lowest hash: a long chain is cut at many places at once (Luby 1986)",
    )


@dataclass(frozen=True)
class PagePairs:
    """Numbers of the classifier for pairs of pages: its signals, labels and validation."""

    cut_bytes: int = setting(
        16_384, "bytes", "ours: of a text that are compressed: half of DEFLATE's window"
    )
    top_terms: int = setting(
        100,
        "terms",
        "docs/method.md#page-signals: of highest tf-idf, that the tf-idf distance compares",
    )
    counted_pages: int = setting(5_000, "pages", "ours: that document frequencies are counted in")
    snippet_reach: int = setting(40, "terms", "ours: shown to either side of a word of the query")
    snippet_longest: int = setting(400, "terms", "ours: of a snippet; a result page shows about 30")
    duplicate_from: float = setting(
        0.5, "probability", "ours: from which a pair is called a duplicate"
    )
    largest_share: float = setting(
        0.5,
        "share",
        "ours: of all pairs in one group that shares pages; above it folds by group would be no"
        " folds, and `auto` splits at random",
    )
    of_a_kind: int = setting(
        800, "pairs", "docs/method.md#page-labels: of each kind, without labels"
    )
    most_equal: int = setting(
        60,
        "pairs",
        "docs/method.md#page-labels: found by equal texts. So their distances are 0, and many of"
        " them would teach nothing else",
    )
    content_pages: int = setting(
        20, "pages", "docs/method.md#page-labels: that may have one content for it to teach"
    )
    edited_pages: int = setting(
        1_200, "pages", "docs/method.md#page-labels: that are copied and edited"
    )
    other_share: float = setting(
        0.4, "share of copies", "docs/method.md#page-labels: whose edits make another page"
    )
    stub_share: float = setting(
        0.25,
        "share of copies",
        "docs/method.md#page-labels: where pages are rendered, fetched as a stub that only a"
        " browser shows",
    )
    text_seen: int = setting(
        1 << 16, "characters", "ours: of a page's text that edits and queries read"
    )
    fewest_blocks: int = setting(
        6,
        "blocks",
        "ours: of a page whose order an edit may change; with fewer, long lines are cut",
    )
    long_line: int = setting(
        400, "characters", "ours: of a page's lines, on average, above which they are cut into runs"
    )
    run: int = setting(15, "words", "ours: such a run")


REWRITE, PAGE_METHODS, PAGE_PAIRS = Rewrite(), PageMethods(), PagePairs()
