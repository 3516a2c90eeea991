"""What a careful person would want to know of a detection, and what to do about it.

Invariant: a note is one line that names the option which changes what it is about; once that was
done, the note is not said again.
"""

from __future__ import annotations

import json
from typing import Any

from replicadb.counted import counted, few
from replicadb.decisions import decision_store
from replicadb.detection.blocking import old_hosts
from replicadb.detection.drops import HELD, UNLIKELY
from replicadb.detection.evidence import OF_FILES
from replicadb.detection.kinds import LOOKS_LIKE
from replicadb.detection.stage import stale
from replicadb.learning.calibration import least_probability
from replicadb.near_duplicates.loaded_contents import came_unclustered, has_contents
from replicadb.settings import CONSTANTS, KEEP, Settings
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store.database import Database
from replicadb.store.run_log import nothing_loaded
from replicadb.store.site_spellings import spellings_in

FEW = 5
"""Replicas that are as good as none where it is asked whether their number is known."""
AGREEING = 0.9
"""Of the contents at equal paths of mirrors so many are the same, drawn to one half, at least."""
LOW = 0.05
"""A threshold of minhash that finds texts of which a third of the words changed here and there: of
runs of five words they have .17 in common, (1 - 1/3)^5 or so, which is a resemblance of .08.
"""
MASS_COPIES = """SELECT count(*)
    FROM details.mass_copies
    JOIN hosts USING (host)
    WHERE host_id NOT IN (SELECT unnest([a_id, b_id]) FROM decided)"""
"""Those of which nobody has decided."""


def notes_of(db: Database, settings: Settings, counts: dict[str, Any]) -> list[str]:
    """The notes of a detection that has just been done.

    Args:
        counts: what its stages counted.
    """
    found = [*_nothing_to_compare(db, settings, counts), *_skipped(db, counts)]
    if "schedule" in counts and settings.schedule is None and counts["schedule"] != "example":
        found.append(
            "labels turned one pattern at a time, not one example at a time as in the paper: more"
            f" than {CONSTANTS.most_examples:,} candidates are unlabelled; --schedule example may"
            " take an hour a million"
        )
    if settings.method != "robust" and settings.first is None and counts["candidate_pairs"]:
        found.append(
            "flagged are pairs whose two likelihoods both pass one half, which is ours: the"
            f" {settings.method} flags the first n and leaves n open; --first N flags so many"
        )
    if counts.get("new_hosts") == 0:
        found.append(
            f"every host stands in {settings.reference}, too, so nothing was compared; without"
            " --reference all hosts are"
        )
    found += _of_the_reference(db, settings, counts)
    if counts.get("warning"):
        found.append(counts["warning"])
    hardly_known = _hardly_known(db, counts)
    found += _text_unread(db, counts, bool(hardly_known)) + hardly_known
    if left_out := counts.get("left_out"):
        n_out = sum(left_out.values())
        are, they = ("is", "it looks") if n_out == 1 else ("are", "they look")
        named = ", ".join(f"{n:,} {LOOKS_LIKE[kind]}" for kind, n in left_out.items())
        found.append(
            f"{counted(n_out, 'pair')} as likely as flagged ones {are} not flagged for what"
            f" {they} like: {named}; --kinds all flags them, too{_to_fetch(db, left_out)}"
        )
    found += _may_be_editions(db, settings) + _may_be_country_sites(db, settings)
    if counts.get("held_back"):
        found.append(
            f"{_stay(counts['held_back'])} is not safe; see:"
            f' replicadb sql {db.path} "FROM held_hosts"{_less_likely(db)}'
        )
    found += _not_loaded(db, settings) + _which_is_oldest(db, settings)
    found += decision_store.contradictions(db)
    found += _other_flags(db, settings, counts) + _bounds_of_flags(db, settings)
    unbounded = settings.method == "robust" and settings.min_probability is None
    compared = unbounded and counts["candidate_pairs"] and not counts.get("left_out")
    if compared and not counts["flagged_pairs"]:
        found.append(
            "no pair is likely enough to be flagged; the likeliest are the first of the view"
            " replicas; --min-probability flags more, with more of them wrong"
            f"{_lower(db, settings)}"
        )
    return found


def may_be_older(files: int, example: str) -> str:
    """That hosts of some files may have been captured earlier than is known."""
    return (
        f"an older replicadb loaded {counted(files, 'file')}, such as {example}: what a newer"
        " capture of the same file replaced is not known, and hosts may have been captured earlier;"
        " load it again with --force, then detect"
    )


def _which_is_oldest(db: Database, settings: Settings) -> list[str]:
    """That --keep oldest goes by dates that may be too late."""
    if "oldest" not in settings.keep.split(","):
        return []
    db.run_once("functions/70_earlier_captures")
    ((n, example),) = db.rows("SELECT count(*), min(source) FROM files_without_earlier()")
    return [f"--keep oldest: {may_be_older(n, example)}"] if n else []


def _of_the_reference(db: Database, settings: Settings, counts: dict[str, Any]) -> list[str]:
    """That flagged pairs, decided ones, drop no host: of two old hosts, or of two new ones."""
    if settings.reference is None or not counts.get("decided_pairs"):
        return []
    with db.temporary():
        old_hosts(db, settings.reference)
        ((old, new),) = db.rows(
            """SELECT
                count(*) FILTER (x.host_id IS NOT NULL AND y.host_id IS NOT NULL),
                count(*) FILTER (x.host_id IS NULL AND y.host_id IS NULL)
            FROM decided
            JOIN ranking USING (a_id, b_id)
            LEFT JOIN old_hosts AS x ON x.host_id = a_id
            LEFT JOIN old_hosts AS y ON y.host_id = b_id
            WHERE flagged"""
        )
    of = {
        f"of {settings.reference}, of which no host is dropped": old,
        f"that {settings.reference} has not, for which no host is dropped": new,
    }
    return [
        f"{counted(n, 'flagged pair')} {'is' if n == 1 else 'are'} so by decision and of two hosts"
        f" {which}; without --reference one of the two may be"
        for which, n in of.items()
        if n
    ]


def _may_be_editions(db: Database, settings: Settings) -> list[str]:
    """That flagged pairs may be translations or versions, where nothing known would tell."""
    if settings.method != "robust":
        return []
    n = db.value(
        """SELECT count(*) FROM ranking JOIN pair_features AS f USING (a_id, b_id)
        WHERE flagged AND greatest(f.path_overlap, f.tail_overlap) >= $places
            AND f.containment < $contents AND f.title_agreement IS NULL
            AND f.title_overlap IS NULL AND f.size_agreement IS NULL""",
        {"places": KIND_NUMBERS.same_places, "contents": KIND_NUMBERS.translated_contents},
    )
    if not n:
        return []
    return [
        f"{counted(n, 'flagged pair')} with the same paths and mostly other contents may be"
        " of translations or versions of one site: titles or lengths would tell (load --column"
        " title=NAME, --column length=NAME)"
    ]


def _may_be_country_sites(db: Database, settings: Settings) -> list[str]:
    """That flagged pairs may be a brand's sites for several countries: brand.de and brand.fr, or
    de.brand.com and fr.brand.com, with other contents at some equal paths, of which no more is
    known. Mirrors of which some pages change are counted, too.
    """
    if settings.method != "robust":
        return []
    n = db.value(
        r"""WITH named AS (
            SELECT host_id, domain, regexp_extract(
                left(host, length(host) - length(domain)), '^(www\.)?([a-z]{2})\.$', 2
            ) AS label
            FROM hosts
        )
        SELECT count(*) FROM ranking JOIN pair_features AS f USING (a_id, b_id)
        JOIN named AS x ON x.host_id = a_id
        JOIN named AS y ON y.host_id = b_id
        WHERE flagged AND (f.countries_agree IS NOT NULL OR (
            x.domain = y.domain AND x.label <> '' AND y.label <> '' AND x.label <> y.label
            AND f.agreement < $agreeing AND f.size_agreement IS NULL
            AND f.title_agreement IS NULL AND f.title_overlap IS NULL))""",
        {"agreeing": AGREEING},
    )
    if not n:
        return []
    return [
        f"{counted(n, 'flagged pair')} of one name in several countries (.de and .fr, de. and"
        " fr.) with other contents at some equal paths may be mirrors of which some pages change,"
        " or a brand's sites for these countries, which the expected wrong flags do not count:"
        " titles or lengths would tell (load --column title=NAME, --column length=NAME)"
    ]


def _other_flags(db: Database, settings: Settings, counts: dict[str, Any]) -> list[str]:
    """That far more or fewer pairs are flagged than by the last detection with the same settings,
    where answers taught.
    """
    if not db.value("SELECT EXISTS (FROM decisions WHERE source IN ('review', 'check'))"):
        return []
    last = db.rows(
        "SELECT settings, counts FROM runs WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1"
    )
    if not last or json.loads(last[0][0]) != json.loads(json.dumps(settings.as_dict())):
        return []
    before, now = json.loads(last[0][1]).get("flagged_pairs"), counts.get("flagged_pairs")
    if before is None or now is None or max(before, now) < FEW or 2 * abs(now - before) <= before:
        return []
    return [
        f"the last detection flagged {counted(before, 'pair')}, this one {now:,}: answers teach"
        f" what evidence is worth; look whether they are right: replicadb label {db.path} --list"
    ]


def _bounds_of_flags(db: Database, settings: Settings) -> list[str]:
    """That --max-wrong was raised, or lowered, and does not decide: less likely pairs are not
    flagged, and half a wrong flag may always be expected.
    """
    usual, asked = Settings().max_wrong, settings.max_wrong
    if settings.method != "robust" or settings.min_probability is not None or asked == usual:
        return []
    features = set(db.column("SELECT DISTINCT feature FROM evidence_weights"))
    least = settings.files_probability if OF_FILES in features else CONSTANTS.least_flag
    weights = db.arrays("SELECT probability, n FROM pattern_scores ORDER BY score_id")
    chance = weights["probability"].astype(float)
    first = least_probability(chance, weights["n"], asked, 0 if asked > usual else least)
    if asked > usual:
        line = (
            f"no pair below a probability of {least:g} is flagged, so --max-wrong {asked:g} flags"
            " no more; --min-probability flags less likely pairs"
        )
        return [] if first >= least else [line]
    n, wrong = weights["n"][chance >= first], 1 - chance[chance >= first]
    line = (
        f"half a wrong flag may always be expected, so --max-wrong {asked:g} flags no fewer;"
        " --min-probability flags only pairs from a probability on"
    )
    return [line] if "evidence" in features and (wrong * n).sum() > asked * n.sum() else []


def _not_loaded(db: Database, settings: Settings) -> list[str]:
    """Hosts that ``--keep`` names and that are not here, with the nearest name of the first."""
    meant = spellings_in(db)
    forms = {name: meant(name) for name in settings.keep.split(",") if name not in KEEP}
    asked = {form for each in forms.values() for form in each}
    here = set(
        db.column("SELECT host FROM hosts WHERE host IN (FROM unnest($asked))", {"asked": [*asked]})
        if asked
        else ()
    )
    missing = [name for name, each in forms.items() if here.isdisjoint(each)]
    if not missing:
        return []
    are = "host that it names is" if len(missing) == 1 else "hosts that it names are"
    return [
        f"--keep: {len(missing):,} {are} not loaded: {few(missing)}"
        f"{decision_store.nearest_name(db, missing[0])}"
    ]


def _lower(db: Database, settings: Settings) -> str:
    """How to find texts that were changed more, where near duplicates by minhash are compared and
    its threshold can still be lowered.
    """
    tried = """SELECT coalesce(min(json_extract_string(options, 'threshold')::DOUBLE), 1)
        FROM fingerprints WHERE method = 'minhash'"""
    if settings.clusters != "minhash" or db.value(tried) <= LOW:
        return ""
    return (
        f"; texts that were changed more: replicadb fingerprint {db.path} --page-method minhash"
        f" --threshold 0.4 (or {LOW}, where words changed here and there), then replicadb detect"
        f" {db.path}"
    )


def stale_note(db: Database) -> str | None:
    """What to do where loads or decisions came or went since the last detection; None where none
    did.
    """
    since = stale(db)
    if since is None:
        return None
    if empty := nothing_loaded(db):
        return empty
    later = (
        ", and near duplicates among pages that came are not known yet"
        if came_unclustered(db)
        else ""
    )
    return (
        f"{since} since the last detection{later}; bring it up to date: replicadb detect {db.path}"
    )


def _hardly_known(db: Database, counts: dict[str, Any]) -> list[str]:
    """That answers are wanted, where the number of replicas is hardly known without them."""
    most = counts.get("estimated_at_most", 0)
    fewest = max(counts.get("estimated_at_least", 0), FEW)
    if most < CONSTANTS.hardly_known * fewest:
        return []
    return [
        f"how many replicas there are is hardly known: {counts['estimated_at_least']:,} to"
        f" {most:,} pairs; answers tell, and more can be flagged by them: replicadb review"
        f" {db.path}"
    ]


def _text_unread(db: Database, counts: dict[str, Any], hardly_known: bool) -> list[str]:
    """That archives hold the text of pages, where it was not read and copies whose pages were
    changed may have been missed for it: some look like versions or translations, or nobody knows
    how many there are.
    """
    changed = {"translation", "version"} & counts.get("left_out", {}).keys()
    if not (changed or hardly_known) or has_contents(db):
        return []
    if not db.value("SELECT EXISTS (FROM sources WHERE format = 'warc' AND kept > 0)"):
        return []
    return [
        "the text of pages was not read, by which copies are found whose every page was changed:"
        f" replicadb load {db.path} SOURCE --content --links --force (some 500 pages a second),"
        f" then replicadb detect {db.path}"
    ]


def _to_fetch(db: Database, left_out: dict[str, int]) -> str:
    """How to learn more of pairs too thin to judge, where there are any."""
    if "thin" not in left_out:
        return ""
    return (
        "; what to fetch of two that are too thin:"
        f" replicadb sql {db.path} \"FROM pages_to_fetch('HOST_A', 'HOST_B')\""
    )


def _nothing_to_compare(db: Database, settings: Settings, counts: dict[str, Any]) -> list[str]:
    if counts["dup_clusters"] or settings.candidates != "content":
        return []
    by_path = (
        f"replicadb detect {db.path} --candidates path compares hosts by their paths alone (as"
        " quick, and knows less: unrelated sites of one software have paths in common)"
    )
    if has_contents(db):
        if settings.clusters is not None:
            return [
                f"no two pages are equal or near duplicates by {settings.clusters}"
                f"{_lower(db, settings)}; {by_path}"
            ]
        return [
            "no two pages are equal to the byte; for near duplicates: replicadb fingerprint"
            f" {db.path} --page-method minhash (some 3,000 pages a second), then replicadb detect"
            f" {db.path} --clusters minhash"
        ]
    text = (
        f"replicadb load {db.path} SOURCE --content --force reads the text of pages (some 500 a"
        " second; in a table --column content=NAME names it) to compare near duplicates"
    )
    if db.value("SELECT count(*) FROM urls WHERE fingerprint IS NOT NULL"):
        return [f"no two pages have equal fingerprints; {text}; {by_path}"]
    return [
        "no page has a fingerprint, so no content was compared; --column fingerprint=NAME names a"
        f" table's column of digests at load; {text}; {by_path}"
    ]


def _stay(n: int) -> str:
    if n == 1:
        return "1 host stays though a likely copy, since dropping it"
    return f"{n:,} hosts stay though likely copies, since dropping them"


def _less_likely(db: Database) -> str:
    """How hosts go that stay because they are not likely enough, where there are any."""
    if not db.value("SELECT EXISTS (FROM held WHERE why = $why)", {"why": HELD[UNLIKELY]}):
        return ""
    return "; --min-probability lets less likely go"


def _skipped(db: Database, counts: dict[str, Any]) -> list[str]:
    """That contents on too many hosts made no pairs, and which hosts have little else."""
    if not counts.get("skipped_clusters"):
        return []
    found = [
        f"{counted(counts['skipped_clusters'], 'dup-cluster stands', 'dup-clusters stand')} on too"
        " many hosts to make pairs"
        f' (parking or default pages?); see: replicadb sql {db.path} "SELECT * FROM'
        ' details.skipped_clusters ORDER BY pairs DESC"; --max-cluster-hosts says how many are too'
        " many"
    ]
    if counts["skipped_clusters"] >= CONSTANTS.several_shared and (n := db.value(MASS_COPIES)):
        found.append(
            f"of {counted(n, 'host')} half of the pages or more stand on too many hosts to make"
            " pairs: likely copies of one site, or of a few, which no ranking or list has for these"
            f' pages; see: replicadb sql {db.path} "FROM details.mass_copies"; decided by label,'
            " they are in both"
        )
    return found
