"""The glossary: the words of the field that the documents use, and what is meant by them here.

A term that is a column of evidence is not defined here: its definition is the catalogue's
(``detection/evidence.py``), which also fills the columns' comments and the tables of the reference.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from replicadb.cli.markdown import MADE_BY, paragraph
from replicadb.detection.evidence import EVIDENCE, PAPER_FEATURES


class Term(NamedTuple):
    """A word, the section that has more of it (page#anchor, of docs/), and what it means."""

    name: str
    section: str
    definition: str


COLUMNS = {
    "agreement": "robust.md#robust-evidence",
    "alignment": "robust.md#robust-evidence",
    "containment": "robust.md#robust-evidence",
    "fullpath": "method.md#fullpath",
    "ip3": "method.md#ip",
    "ip4": "method.md#ip",
    "ndist": "method.md#ndist",
    "nmatch": "method.md#nmatch",
    "resemblance": "robust.md#robust-evidence",
    "similarity": "method.md#similarity",
}
"""Evidence that the documents name, and the sections that have more of it."""


def terms() -> list[Term]:
    """Every term in alphabetical order."""
    written = [
        Term(name, f"{page or 'method'}.md#{anchor}", " ".join(text.split()))
        for name, page, anchor, text in re.findall(
            r"^(\S.*) (\w*)#(\S+)\n((?: .*\n)+)", WORDS, re.M
        )
    ]
    columns = [
        Term(
            piece.name,
            COLUMNS[piece.name],
            f"{'Feature' if piece.name in PAPER_FEATURES else 'Evidence'}: {piece.definition}",
        )
        for piece in EVIDENCE
        if piece.name in COLUMNS
    ]
    return sorted(written + columns, key=lambda term: term.name.casefold())


def glossary_page() -> str:
    """Every term with its section and its definition, as Markdown."""
    lines = [
        paragraph(f"- [**{name}**](../{section}): {definition}", "  ")
        for name, section, definition in terms()
    ]
    about = (
        f"{MADE_BY} The field's words as this project uses them: of record linkage, information"
        " retrieval, web archives and the source papers. Each leads to the section that has"
        " more."
    )
    return "\n\n".join(["# Glossary", paragraph(about), "\n".join(lines)]) + "\n"


WORDS = """
additive model robust#additive-model
    Tables of weights for single pieces of evidence and pairs of them; a score is their sum.
alias drops#aliases
    A name of a host that rules fold with another name: www, a number, a mobile prefix, a port.
antecedent #rules
    The left side of a rule: a non-empty set of features, each with its bin.
asset robust#assets
    A content that is no page by its media type: picture, script, style sheet, font.
AUC #metrics
    Area under the ROC curve: how probably a replica ranks above a non-replica.
bag of words #projection
    A page as its terms with their counts, the order left out.
best entropy cut #cut
    The threshold on α, one for each example, whose two sides have the least entropy.
biased SVM #biased-svm
    A baseline: a support vector machine that takes unlabelled pairs as cheap negatives.
bin #discretisation
    An interval of a feature's values; NULL has a bin of its own.
blocking #candidates
    Record linkage: comparing only records that share a key. Here: hosts that share content.
break-even point #collision
    Where precision and recall are equal.
calibration robust#calibration
    How well probabilities agree with how often they come true; the curve that gives them.
candidate pair #candidates
    Two hosts that share a dup-cluster (or a path), and so are compared.
canonical form #rewrite-rules
    The one URL that rewrite rules give to all URLs of a page.
canonical host drops#groups
    The host of a group that one keeps; the others are dropped as its copies.
canonical link robust#robust-evidence
    A page's own statement (`rel=canonical`) at which URL it belongs.
capture #promise-1
    One fetch of a URL, as an archive or a capture index has it.
class prior robust#class-prior
    The share of replicas among the candidates of a crawl, estimated without labels.
confidence #rules
    Of a rule X → l: the share of the examples with X that have label l.
conflicting neighbours robust#collective
    Neighbours of which each of two hosts is sure where the other doubts.
content #candidates
    What stands for a page in comparisons: its fingerprint, or its cluster of near duplicates.
cross-validation #cross-validation
    Judging each example by a learner that has not seen it.
CUBE #algorithm-1
    `GROUP BY CUBE`: counts by every subset of columns; so all supports are one statement.
decision drops#decided
    What a person said of a pair, by `label` or `review`; it binds flags and groups.
decoy robust#decoys
    A pair that shares contents by chance alone, since they were dealt out to hosts anew.
demand-driven rules #rules
    Rules of which only those vote that hold for the example at hand; lazy classification.
df #notation
    Document frequency: how many hosts (or pages) have a term, a path or a content.
discretisation #discretisation
    Turning values into bins.
distant supervision #labels
    Learning from labels that a rule of thumb gives, not a person.
distillation robust#paths-only
    Teaching a model the probabilities of another that saw more.
dom #ranking
    How many candidates a candidate dominates.
domain randomisation robust#additive-model
    Learning from generated data of random kinds, so that real data is one kind more.
dominance #ranking
    At least as high on both scores, and higher on one.
drop drops#drops
    Leaving a host out for the host kept in its place.
dup-cluster #candidates
    The URLs that have one fingerprint, when there are two or more.
DUST #rewrite-rules
    Different URLs with similar text: duplicates inside a site.
EM #em
    Expectation-maximisation: here, labels that move until none does any more.
entropy #eq-6
    How mixed the labels of a list are: 0 for one label only.
estimated replicas robust#calibration
    How many candidates are replicas: the sum of all probabilities, with the numbers between which
    the true one lay eight times in ten, on generated crawls.
evidence robust#robust-evidence
    What supports that a pair is a replica pair, or contradicts it; a column of `pair_features`.
false-positive rate #metrics
    The share of non-replicas that are flagged. Also: FPR.
family drops#families
    All hosts below one name, where nearly all of them are copies of one host.
farm robust#class-prior
    Many hosts that somebody made alike, to be found or linked to. Two of them may share little.
feature #features
    One of the paper's five numbers of a pair: ndist, nmatch, ip4, ip3, fullpath.
fingerprint #candidates
    A digest of a page's content: equal fingerprints, equal content.
flag robust#flags
    The decision that a pair is a replica pair.
frontier #ranking
    The candidates that no other dominates; the Pareto frontier.
gold #metrics
    Pairs that are known to be replicas, or not; what `evaluate` judges by.
group drops#groups
    Hosts that are replicas of one canonical host: a star cluster.
held back drops#drops
    Of a drop: not made, though the pair is flagged, since the host would lose too much.
host #candidates
    The name in a URL; by default a site is a host.
hyperlink map #hyperlink-map
    A page's signature of what it links to, by iteration over links. Also: HM.
identifier robust#identifiers
    What a page says of who runs it: accounts, mail addresses, wallets. Weighs nothing until answers
    to review teach it.
idf robust#robust-evidence
    Inverse document frequency: the rarer, the more weight.
incremental robust#incremental
    Keeping, after a further load, what it left as it was.
inter-site duplicates #candidates
    URLs with one content on different hosts.
intra-site duplicates #candidates
    URLs with one content on one host.
inverse pair frequency robust#robust-evidence
    1 / (df - 1): of the pairs that a host makes by a content, each one's part. Contents have it
    in the columns `exclusive_…`.
Jaccard coefficient #similarity
    The size of the intersection of two sets over that of their union.
kind robust#kinds
    What a likely pair looks like: replica, partial copy, version, translation, or thin.
label #labels
    What an example is taken for: replica (+) or not (-).
label transition #em
    A move of an unlabelled example from one label to the other.
likelihood ratio robust#additive-model
    How much likelier evidence is for a replica than for another pair.
likelihood α #eq-5
    How likely an example is negative, or positive, by the rules inside it (Eq. 5).
local evidence robust#collective
    A pair's own evidence, neighbours left out.
log odds robust#additive-model
    ln(p / (1 - p)); 0 is even odds.
look-alikes #causes
    Hosts that share content and are no replicas: affiliates, themes, default pages.
match #rewrite-rules
    Of a rewrite rule: a URL whose new form another known URL has.
match weight robust#additive-model
    Record linkage: log odds that evidence adds. Here: strength.
mcd #mcd
    Modified normalised compression distance: how far two texts are apart for a compressor.
MDL #discretisation
    Minimum description length: cut only where the cut pays for its own description.
MinHash #minhash
    Signatures whose share of equal rows estimates the Jaccard coefficient of shingle sets.
model robust#additive-model
    What a detection learned, in one file; it scores hosts that a crawler has just met.
MWO #mwo
    Minimum weight overlapping: the sum over terms of the smaller normalised weight.
named run #stages
    A detection of which a copy is kept under a name (`detect --name`), to compare others with.
near candidate robust#class-prior
    A pair strong enough that it may be a replica; the share of replicas is of these.
near duplicates #pages
    Pages that are nearly the same, by one of six methods.
neighbour robust#collective
    A host that another is probably a replica of.
new host robust#incremental
    A host that the database does not know: scored by a model, or against a reference load.
NormPaths #normpaths
    A baseline: pages shared at equal paths, by how few hosts have them (Eq. 8).
NU data #labels
    Obvious non-replicas, and unlabelled pairs that start positive.
obvious non-replica #labels
    A random pair of hosts that shares no content and no path.
obvious replica #labels
    A candidate that its names give away: www, another public suffix, or both.
overlap robust#collective
    The share of neighbours that both hosts have, of those that either has.
own cut #cut-readings
    The best entropy cut where each example is scored by its own rules.
pairs above chance robust#decoys
    By how many the candidates of some strength and more exceed the decoys, where they do so most. A
    count of its own and no bound: there may be fewer replicas or more.
pass robust#collective
    One round of EM, or of relational evidence.
path #candidates
    What stands behind the host in a URL, query string included.
pattern #patterns
    A combination of bins, with how many examples have it.
positional filter #mwo-filters
    Leaves a pair out where too few terms follow a shared one.
pin drops#decided
    What a person said of a host: `keep` (never dropped) or `never` (never flagged).
posterior probability robust#flags
    How probably a pair is a replica pair, evidence and class prior taken together.
precision #metrics
    Of what is flagged, the share that is right: TP / (TP + FP).
prefix filter #mwo-filters
    Compares only pages that share one of their rarest terms.
prior robust#additive-model
    What is known of evidence before a crawl is seen; learned from generated crawls.
prior adjustment robust#prior-adjustment
    Correcting the prior by the crawl's obvious replicas.
projected cut #cut-readings
    The best entropy cut where all examples are scored by x's rules.
projected training set #algorithm-1
    The training set with only those items that one example has.
pseudo-counts robust#class-prior
    Examples that are assumed before any is seen, so that few cannot decide all.
PU data #labels
    Obvious replicas, and unlabelled pairs that start negative.
public suffix #labels
    The end of a name under which people register: `com`, `co.uk`, `gov.br`.
random projection #projection
    A page's bag of words as a short vector. Also: RP.
recall #metrics
    Of all replicas, the share that is found. Also: true-positive rate, TPR.
reduction ratio #reduction-ratio
    The share of duplicate URLs that removing replicas removes. Also: RR.
reference load drops#groups
    A load whose hosts are the old ones: only new hosts are compared with them.
registered domain #candidates
    A public suffix with one label before it: what one registers.
reject #promise-1
    A row that could not be used, kept with its position and reason.
relational evidence robust#collective
    What a pair's neighbours say of it; collective classification.
rendered body #rendered-bodies
    A page as a browser shows it, scripts run and frames filled in.
replica #causes
    A host that is perceptibly the same site as another.
replica detection rate #rdr
    Mean reciprocal rank of one replica among k other pairs. Also: RDR.
retrieved candidate #candidates
    A known host that a model looks up for a new one, since both share content.
rewrite rule #rewrite-rules
    A context and a transformation that makes URLs of one page equal.
RIPPER #page-classifier
    A learner of a short ordered list of rules.
rule #rules
    X → l: where X holds, vote for label l with its confidence.
score #ranking
    The share of candidates ranked below a pair. In Eq. 4: the mean of the rules' confidences.
section robust#robust-evidence
    The first segment of a path.
shingle #minhash
    A run of w terms of a text.
signal #page-signals
    A number that says how far two pages are apart in one respect.
SimHash #simhash
    64 bits of a page of which few differ between near duplicates.
site #candidates
    What counts as one: a host, a registered domain, or a host and its first segment.
snippet #page-signals
    The visible text around the words of a query.
stacked model robust#collective
    A classifier on top of what another says of the neighbours.
stage #stages
    A step of a detection: one transaction, remembered by a key.
star cluster drops#groups
    A group in which each member is tied to the centre itself.
strength robust#additive-model
    The log odds of a pair at equal mass of replicas and others; a match weight.
superseded #promise-1
    Of a URL's captures one that a newer one replaced; it is kept for `unload`.
support #rules
    How many examples have an antecedent.
tail robust#robust-evidence
    The last segment of a path with its query, small numbers in it as 0.
tf-idf #page-signals
    A term's count times its idf.
thin pair robust#thin
    A pair with too few known pages to judge, and with names that are little alike.
threshold robust#flags
    The probability (or similarity) from which something is flagged.
unlabelled #labels
    A candidate that its names do not give away.
upper bound #upper-bound
    What the same learner reaches with the true labels.
WARC, WAT, WACZ, ARC, CDX #stages
    Formats of web archives and of their indexes.
wildcard drops#wildcards
    A name below which hosts answer as one site, whatever they are called.
Wilcoxon signed-rank test #cross-validation
    Whether paired differences are more than chance.
"""
"""A line with the term and the section (the page, where it is not the method, and the anchor), then
the definition, indented.
"""
