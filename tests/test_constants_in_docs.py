"""The pages say the numbers that the code has: each sentence here is made from the constants, and
stands in its page.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from replicadb.evaluation import normpaths
from replicadb.evaluation.methods import bharat
from replicadb.learning import calibration, chance_null, crossing, prior, second_view
from replicadb.learning.calibration import INTERVAL_ERRORS
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.page_constants import PAGE_METHODS, PAGE_PAIRS, REWRITE
from replicadb.review import review
from replicadb.settings import CONSTANTS, WEIGHT_SCALE, Settings
from replicadb.stage_constants import (
    ALIASES,
    CALIBRATION,
    COPIES,
    DROPS,
    KIND_NUMBERS,
    LABELS,
    MODEL,
)
from replicadb.web import site_identifiers

DOCS = Path(__file__).parents[1] / "docs"
NUMBERS = dict(enumerate("none one two three four five six seven eight nine ten".split()))
NUMBERS |= {12: "twelve", 15: "fifteen", 20: "twenty", 100: "a hundred"}
SHARES = {
    0.05: "a twentieth",
    0.1: "a tenth",
    0.25: "a quarter",
    0.3: "three tenths",
    0.4: "two fifths",
    0.5: "half",
    0.6: "three fifths",
}


def number(n: float) -> str:
    """A whole number in words; KeyError: the page needs other words, and so does this list."""
    return NUMBERS[int(n)]


def plain(x: float) -> str:
    """A number as pages write it: .6 for 0.6, 2.5."""
    return f"{x:g}".removeprefix("0")


DEFAULTS, PAGE_DEFAULTS = Settings(), PageOptions()
HEADING = crossing.SHAPE
METHOD = [
    # what is compared
    f"paths on more than {DEFAULTS.path_max_hosts} hosts are left out (`path_max_hosts`)",
    f"There are {number(DEFAULTS.bins)} bins a feature (`bins`)",
    f"at most {DEFAULTS.max_patterns:,} (`max_patterns`)",
    f"a weight `w` stands as `round(w · 2^{WEIGHT_SCALE.bit_length() - 1})` (`WEIGHT_SCALE`)",
    f"There are {DEFAULTS.max_negatives:,} (the paper's number)",
    f"`min_support`, {DEFAULTS.min_support} unless set",
    f"`pattern` beyond {CONSTANTS.most_examples:,} unlabelled candidates",
    f"Lists of more than {normpaths.LONGEST_LIST:,} hosts are skipped",
    f"Terms on more than {bharat.MOST_HOSTS} hosts are left out",
]
DROPPING = [
    # drops and what export says
    f"Its probability is below {DROPS.least_probability}, or below `--min-probability`",
    f"Less than {SHARES[DROPS.least_elsewhere]} of the pages of the host to drop",
    f"It has {DROPS.many_pages} pages or more, its probability is below {DROPS.sure_probability},"
    f" and less than {plain(DROPS.known_of_many)} of the pages that stand there or may are known",
    f"the same contents, less than {DROPS.few_contents}, but for one at most; half of these stand"
    f" on {DROPS.many_hosts} hosts or more",
    f"not alike (`nmatch` below {plain(KIND_NUMBERS.thin_names)}), and the probability is below"
    f" {DROPS.sure_probability}",
    f"more than {SHARES[DROPS.own_of_branch]} of its pages and one more have contents",
    f"more than {SHARES[DROPS.most_unlike]} are *unlike*",
    f"lengths that differ by more than {CONSTANTS.close_percent} %",
    f"{number(DROPS.most_rounds)} times at most",
    f"a list that drops more than {SHARES[DROPS.most_dropped]} of the hosts of the crawl",
    f"{DROPS.large_part} hosts or more. `--max-drop-share` sets the share",
    f"among those of {number(DROPS.worth_telling)} hosts or more",
    # names
    f"Up to {number(ALIASES.most_folded)} of them are compared each with each",
    f"k ~ BetaBinomial(n; {ALIASES.one_agree:g}, {ALIASES.one_differ:g})",
    f"k ~ BetaBinomial(n; {ALIASES.other_agree:g}, {ALIASES.other_differ:g})",
    f"with {number(ALIASES.pseudo_count)} pairs of each assumed",
    f"From {plain(ALIASES.certain)} on the two names are one site, up to"
    f" {plain(round(1 - ALIASES.certain, 9))} they are two",
    f"at least {number(ALIASES.min_hosts)} of them are (`--min-hosts`)",
    f"at most {SHARES[ALIASES.max_error]} of the hosts below D are no copies of it",
    f"dealt into {number(ALIASES.folds)} parts by their names",
    f"Names of more than {number(ALIASES.most_labels)} labels are passed over",
    # what people decided
    f"how far their places lie apart, {plain(CALIBRATION.least_error)} units at the least",
    f"and its ln is taken to err by {plain(LABELS.turn)}",
    f"One label in {'fifty' if LABELS.slips == 0.02 else LABELS.slips} is taken to be a slip",
    f"The curve moves by {LABELS.reach:g} units at most",
    f"the {review.MOST:,} pairs nearest to one half",
    f"in a batch of {number(review.BATCH)} pairs",
]
ROBUST = [
    f"the share of one length within {CONSTANTS.close_percent} %",
    f"those of strength {CONSTANTS.likely:g} or more",
    f"Two hosts that share {number(CONSTANTS.several_shared)} contents or more are no decoy",
    f"where these are {SHARES[CONSTANTS.mostly_shared]} of a host: a farm",
    f"the pairs of a sample of hosts are made, {CONSTANTS.most_decoys:,} or so",
    f"For each strength from {chance_null.LOWEST:g} on, take the candidates",
    f"subtract the decoys and {SHARES[chance_null.ERROR]} of them",
    f"An estimate of more than {number(CONSTANTS.most_above)} times as many has run away",
    f"nor for {calibration.FEWEST * CONSTANTS.most_above:g} candidates or fewer",
    f"counts {CALIBRATION.most_counted} / sqrt(n_a n_b), where {CALIBRATION.most_counted} stands",
    f"the slope of the [curve](#calibration) is {CALIBRATION.steepest}",
    f"Of the pairs that the curve says are {plain(calibration.PROMISED)} likely and more,"
    f" {SHARES[round(1 - calibration.PROMISED, 9)]} may be no replicas",
    f"them less {number(chance_null.ERRORS)} standard deviations of their count"
    f" ({chance_null.ERRORS:g} sqrt(n); of a sample",
    f"where two hosts share {number(CONSTANTS.several_shared)} contents or more, and these are"
    f" {SHARES[CONSTANTS.mostly_shared]} of a host, what both have",
    f"a curve of slope {CALIBRATION.steepest} expects {INTERVAL_ERRORS} standard deviations above",
    f"that of the place and {CALIBRATION.place_error} together",
    f"Where it is {number(CONSTANTS.hardly_known)} times the fewest and more",
    f"Strengths from {crossing.USUAL.lowest:g} to {crossing.HIGHEST:g} are counted in bins of a"
    f" {SHARES[crossing.WIDTH]}",
    f"candidates of strengths from {crossing.BEGIN_FROM:g} to {crossing.BEGIN_TO:g} are asked",
    f"is above {plain(crossing.AGREEING)}, each pair weighed as it is counted",
    f"above {plain(crossing.AGREEING_PAGES)} on crawls of pages alone",
    f"from {plain(CONSTANTS.partly_shared)} of a host on",
    f"strengths are counted from {crossing.FURTHER.lowest:g} on",
    f"b by {crossing.FURTHER.error[1]} and c by {plain(crossing.FURTHER.error[2])}",
    f"Others may rise by {plain(crossing.FURTHER.rise)} a unit at most",
    f"For each place from {crossing.PLACES[0]:g} to {crossing.PLACES[-1]:g}",
    f"b {plain(HEADING[1])}, c {plain(HEADING[2])}, e {plain(HEADING[3])}, f {plain(HEADING[4])}",
    f"has the variance {crossing.DISPERSION:g} m + ({plain(crossing.CLUSTERED)} m)^2",
    f"With places that are normal around {CALIBRATION.typical}",
    f"standard deviation {CALIBRATION.spread:g}",
    f"logistic curves of slope {CALIBRATION.steepest}",
    f"slope = {CALIBRATION.steepest} / sqrt(1 + pi {CALIBRATION.steepest}^2 (error^2 +"
    f" {plain(CALIBRATION.least_error)}^2) / 8)",
    f"divided by {second_view.DISPERSION:g} + {plain(second_view.CLUSTERED)}^2 n for n pairs",
    f"The bins go down to {crossing.SEEN_FROM:g}",
    f"standard deviation {plain(second_view.DRIFTS[0])} a unit of strength for replicas and"
    f" {plain(second_view.DRIFTS[1])} for others",
    f"at it, or {second_view.FARTHEST[1]:g} above it",
    f"or fewer than {number(second_view.FEWEST)} pairs are alike",
    f"no more than {number(CALIBRATION.most_by_prior)} times as many replicas are expected",
    f"fewer than {number(KIND_NUMBERS.thin_pages)} known pages and names that are little alike"
    f" (`nmatch` under {plain(KIND_NUMBERS.thin_names)})",
    f"at a probability of {CONSTANTS.may_be} and more that are not flagged",
    f"a pair that may be a replica (probability of {plain(CONSTANTS.may_be)},",
    f"fewer than {number(KIND_NUMBERS.common_pages)} known pages that share a few pages",
    f"(`exclusive_evidence` under {plain(KIND_NUMBERS.common_evidence)}, `containment`"
    f" {plain(KIND_NUMBERS.common_contents)} and more)",
    f"(`plain_resemblance` {plain(KIND_NUMBERS.common_share)} and more)",
    f"| `translation` | {SHARES[KIND_NUMBERS.same_places]} and more | under a"
    f" {SHARES[KIND_NUMBERS.translated_contents]} | differ: under"
    f" {SHARES[KIND_NUMBERS.translated_titles]}",
    f"| `version` | {SHARES[KIND_NUMBERS.same_places]} and more | under"
    f" {SHARES[KIND_NUMBERS.version_contents]} | much the same | known, and under"
    f" {SHARES[KIND_NUMBERS.version_sizes]} alike |",
    f"`size_agreement` is {plain(KIND_NUMBERS.version_sizes)}",
    f"at `max_wrong` ({DEFAULTS.max_wrong})",
    f"No pair below {CONSTANTS.least_flag} is flagged",
    f"Less than {SHARES[CONSTANTS.wrong_of_few]} a wrong flag may always be expected",
    f"`files_probability` ({DEFAULTS.files_probability})",
    f"By five features alone pairs are flagged from {CONSTANTS.least_flag} on",
    # neighbours
    f"each by its probability, from {CONSTANTS.neighbour} on",
    f"Where two hosts share {CONSTANTS.min_common} neighbours or more",
    f"until nothing changes: {CONSTANTS.max_passes} passes at most",
    f"is below {CONSTANTS.conflicting}. There neighbours do not speak",
    f"Only pairs of probability {CONSTANTS.possible} or more by their own evidence",
    f"the {number(CONSTANTS.most_possible / 1_000_000)} million likeliest at most",
    f"Of a host with more than {CONSTANTS.max_neighbours} neighbours a sample is used",
    # identifiers
    f"A page gives {site_identifiers.MOST_OF_A_KIND} values of a kind at most, and a value has"
    f" {site_identifiers.MOST_LENGTH} characters at most",
]
PAGES_AND_URLS = [
    f"(a fan-out of about {number(REWRITE.fan_out)})",
    f"where {number(REWRITE.min_hosts)} ask for a rule",
    f"of the {PAGE_PAIRS.top_terms} top terms",
]
PAGES = {
    "method.md": METHOD + PAGES_AND_URLS,
    "drops.md": DROPPING,
    "robust.md": ROBUST,
    "limits.md": [
        f"a pair needs {number(KIND_NUMBERS.thin_pages)} known pages of either host in the mean",
        f"With fewer than {number(CONSTANTS.few_obvious)}, nothing in the crawl corrects",
        f"below probability {DEFAULTS.files_probability} is flagged",
    ],
    "model.md": [f"scores the {MODEL.most_retrieved:,} known hosts that share most"],
    "pages.md": [
        f"differ in at most `--bits` {PAGE_DEFAULTS.bits} (0 to 8)",
        f"at least {PAGE_METHODS.minhash_threshold} (`--threshold`)",
        f"overlap by `--threshold` {PAGE_METHODS.mwo_threshold} or more",
        f"The default {PAGE_METHODS.mwo_threshold} of `mwo` (the paper: 0.5)",
    ],
    "rewrite.md": [
        f"the {number(REWRITE.fan_out)} shortest are compared",
        f"at {number(REWRITE.many_values)} or more values of it",
        f"A transformation that {number(REWRITE.min_hosts)} hosts ask for",
        f"in up to {number(REWRITE.most_rounds)} rounds",
    ],
    "tutorial.md": [
        f"while no more than {DEFAULTS.max_wrong} of the flags are expected to be wrong",
        f"No pair below {CONSTANTS.least_flag} is flagged",
        f"pairs of which fewer than {number(KIND_NUMBERS.thin_pages)} pages are known of either"
        " host",
    ],
    "how-to/clone-hunter.md": [
        f"have a probability of {COPIES.likely} and of {COPIES.possible} at least",
        f"at least {number(COPIES.kit_pages)} of your pages and {COPIES.kit_share:.0%}".replace(
            "%", " %"
        ),
        f"dropped only from probability {DROPS.least_probability} on",
    ],
}
SENTENCES = [(page, sentence) for page, sentences in PAGES.items() for sentence in sentences]


@cache
def text_of(page: str) -> str:
    """A page in one line."""
    return re.sub(r"\s+", " ", (DOCS / page).read_text("utf-8"))


@pytest.mark.parametrize(("page", "sentence"), SENTENCES)
def test_a_page_says_the_number_of_the_code(page, sentence):
    assert re.sub(r"\s+", " ", sentence) in text_of(page)


def test_few_known_pages_take_what_the_method_says():
    """-3 with one known page, -2 with two, -1 with three or four, 0 from five on."""
    known = prior.load("pages")
    column = list(known.cuts).index("known_pages")
    assert list(known.cuts["known_pages"]) == [1, 2, KIND_NUMBERS.thin_pages - 1]
    assert list(known.tables.single[column]) == [0, -3, -2, -1, 0]
    assert "-3 with one known page, -2 with two, -1 with three or four, 0 from five on" in text_of(
        "robust.md"
    )
