"""The catalogue of evidence: a row for each column of pair_features (of names and networks:
``evidence_of_names.py``; of links, titles, owners, languages and changed pages:
``evidence_of_links.py``).

Made from it (``evidence_sql.py``): the columns of pair_features and non_replicas
(sql/schema/22_pairs), the SELECT list that fills them (sql/detect/40_pair_features), the
descriptions of those columns and of those of the views candidate_pairs and replicas
(sql/schema/60_view_comments). Methods, model and training go by the lists at the end.

A new piece of evidence begins with a row here; docs/internals.md walks through all that goes with
it. It is weighed once training has learned a weight for it. Formulas: docs/method.md#features (the
paper's five) and docs/robust.md#robust-evidence.

Shares are of few pages on small hosts. So each is drawn to "nothing shared" by about one page, and
agreement and alignment to one half: small and large hosts stand on one scale. plain_resemblance
alone is as it is: a page that many have is worth little by idf, so a whole mirror of ten such would
be drawn far. Pages and assets (pictures, scripts, fonts) are kept apart, since unrelated sites on
one theme share their assets.
"""

from __future__ import annotations

from replicadb.detection.evidence_of_links import LINKS_AND_TITLES
from replicadb.detection.evidence_of_names import OF_NAMES_AND_NETWORKS, ON_NETWORK
from replicadb.detection.piece import ROBUST, Piece

PAPER = ("paper", "paths")
FILES = ("files",)
PAGES = ("pages",)
OF_FILES = "asset_containment"
"""Evidence that only crawls of every file type are weighed by, where unrelated hosts on one theme
share nearly all of their files.
"""
FILES_ALONE = "neither host has a page"
EVIDENCE: tuple[Piece, ...] = (
    Piece(
        name="shared",
        group="size",
        phrase="contents in common: {:,.0f}",
        definition=(
            "Dup-clusters in which both hosts stand, those on more than max_cluster_hosts hosts "
            "left out."
        ),
        sql="shared",
        type="INTEGER",
    ),
    Piece(
        name="ndist",
        group="names",
        phrase="names differ by {:,.0f} characters",
        definition=(
            "Levenshtein distance of the host names in characters, 255 at most (paper section 3.1)."
        ),
        sql="ndist",
        used_by=PAPER,
        type="UTINYINT",
    ),
    Piece(
        name="nmatch",
        group="names",
        phrase="likeness of the parts of their names: {:.2f}",
        definition=(
            "Cosine of the host names' term vectors, 0 to 1; terms are the dot-separated segments "
            "(and the folder of a site under --site host+1), w(t) = ln(len t) / (1 + ln df(t)), "
            "df = hosts having t (paper section 3.1, Eq. 1). A zero norm gives 0."
        ),
        sql="nmatch",
        used_by=PAPER,
    ),
    Piece(
        name="ip4",
        group="addresses",
        phrase="one address, few others have it: {:.2f}",
        definition=(
            "1 / (|G| - 1), G = the smallest group of hosts on one IP address that holds both, 0 "
            "to 1; 1 = they alone have it, 0 = no address in common (paper section 3.1, Eq. 2)."
        ),
        sql="CASE WHEN ip_group > 1 THEN 1 / (ip_group - 1) ELSE ip_group END",
        null="no address known for one of them",
        used_by=PAPER,
    ),
    Piece(
        name="ip3",
        group="addresses",
        phrase="one network, few others have it: {:.2f}",
        definition=(
            "As ip4, over the first three octets of the address (IPv6: the /64) (paper section "
            "3.1, Eq. 2)."
        ),
        sql=ON_NETWORK,
        null="no address known for one of them",
        used_by=PAPER,
    ),
    Piece(
        name="fullpath",
        group="paths",
        phrase="likeness of all their paths: {:.2f}",
        definition=(
            "Cosine of the hosts' path vectors, 0 to 1; w(t) = 1 + ln(maxdf / df(t)), df = hosts "
            "having path t; paths on more than path_max_hosts (100) hosts are left out (paper "
            "section 3.1, Eq. 3). A zero norm gives 0."
        ),
        sql="coalesce(path_weight2 / nullif(path_norm, 0), 0)",
        used_by=PAPER,
    ),
    Piece(
        name="similarity",
        group="size",
        phrase="likeness of their dup-clusters: {:.2f}",
        definition=(
            "Jaccard similarity of the sets of dup-clusters that the two hosts stand in, 0 to 1, "
            "to five digits (paper section 4.1.1); one on more than max_cluster_hosts hosts counts "
            "as not shared; not used for a decision."
        ),
        sql="round(shared / nullif(clusters, 0), 5)",
        null="neither host is in a dup-cluster",
    ),
    Piece(
        name="evidence",
        group="contents",
        phrase="shared content, rarer counts more: {:,.2f}",
        definition=(
            "Shared content by idf, w = 1 + ln(hosts / hosts having it), summed, in units of one "
            "page that these two hosts alone have."
        ),
        sql="weight / $two",
        used_by=ROBUST,
    ),
    Piece(
        name="containment",
        group="contents",
        phrase="share of the smaller host's content that the other has: {:.2f}",
        definition=(
            "Share of the smaller host's content, by idf, that the other has too; 0 to 1, drawn to "
            "0 by one page."
        ),
        sql="weight / (lesser + $own)",
        used_by=ROBUST,
    ),
    Piece(
        name="resemblance",
        group="contents",
        phrase="share of all their content that both have: {:.2f}",
        definition=(
            "Share of the two hosts' content taken together, by idf, that both have; 0 to 1, drawn "
            "to 0 by one page."
        ),
        sql="weight / (both_weights - weight + $own)",
        used_by=ROBUST,
    ),
    Piece(
        name="exclusive_evidence",
        group="contents",
        phrase="shared content that few others have: {:,.2f} pages",
        definition=(
            "Shared content by inverse pair frequency, 1 / (hosts having it - 1), summed; 1 = one "
            "page that these two hosts alone have, or ten that eleven hosts have."
        ),
        sql="exclusive_weight / $scale",
        used_by=ROBUST,
    ),
    Piece(
        name="exclusive_containment",
        group="contents",
        phrase="share of the smaller host's own content that the other has: {:.2f}",
        definition=(
            "Share of the smaller host's content, by inverse pair frequency, that the other has "
            "too; 0 to 1, drawn to 0 by one page. Low where hosts share what many have, each "
            "beside pages of its own."
        ),
        sql="exclusive_weight / (lesser_exclusive + $scale)",
        used_by=ROBUST,
    ),
    Piece(
        name="exclusive_resemblance",
        group="contents",
        phrase="share of all their own content that both have: {:.2f}",
        definition=(
            "Share of the two hosts' content taken together, by inverse pair frequency, that both "
            "have; 0 to 1, drawn to 0 by one page."
        ),
        sql="exclusive_weight / (both_exclusive - exclusive_weight + $scale)",
        used_by=ROBUST,
    ),
    Piece(
        name="path_overlap",
        group="paths",
        phrase="likeness of their pages' paths: {:.2f}",
        definition=(
            "fullpath, drawn to 0 by one path, so that small hosts stand on the scale of large "
            "ones; 0 to 1."
        ),
        sql=(
            "CASE WHEN NOT files_alone "
            "THEN coalesce(page_path_weight2 / (page_path_norm + $path2), 0) END"
        ),
        null=FILES_ALONE,
        used_by=ROBUST,
    ),
    Piece(
        name="agreement",
        group="paths",
        phrase="same content where paths are the same: {:.2f} (0.5 = unknown)",
        definition=(
            "Contents shared at equal paths, as a share of those plus the paths that both hosts "
            "have (on at most path_max_hosts hosts, and the home page) with unequal content; 0 to "
            "1, drawn to 1/2 by two paths: 0.5 = nothing known. Low for siblings of one template, "
            "high for replicas."
        ),
        sql="(n_same_path + 1) / (n_same_path + coalesce(n_unequal, 0) + unequal_root + 2)",
        used_by=ROBUST,
    ),
    Piece(
        name="alignment",
        group="paths",
        phrase="shared content at the same last path segment: {:.2f} (0.5 = unknown)",
        definition=(
            "Of the shared content, by idf, the share that stands at paths with the same last "
            "segment and query; 0 to 1, drawn to 1/2 by half a page. Survives a moved prefix."
        ),
        sql="(same_tail + $own / 4) / (weight + $own / 2)",
        used_by=ROBUST,
    ),
    Piece(
        name="reach",
        group="sections",
        phrase="sections of a host with shared content, the higher: {:.2f}",
        definition=(
            "Share of a host's sections (first path segments, counted up to 64) in which content "
            "is shared, the higher of the two hosts; 0 to 1, drawn to 0 by half a section."
        ),
        sql="greatest(reach_a, reach_b)",
        null=FILES_ALONE,
        used_by=ROBUST,
    ),
    Piece(
        name="reach_both",
        group="sections",
        phrase="sections of a host with shared content, the lower: {:.2f}",
        definition="As reach, the lower of the two hosts.",
        sql="least(reach_a, reach_b)",
        null=FILES_ALONE,
        used_by=ROBUST,
    ),
    Piece(
        name="borrowed",
        group="own pages",
        phrase="share of a host's pages that any other host has, the higher: {:.2f}",
        definition=(
            "Share of a host's pages that any other host has too (drawn to 0 by one page), the "
            "higher of the two hosts."
        ),
        sql="CASE WHEN weight > 0 THEN greatest(borrowed_a, borrowed_b) END",
        null="no page in common",
        used_by=ROBUST,
    ),
    Piece(
        name="borrowed_both",
        group="own pages",
        phrase="share of a host's pages that any other host has, the lower: {:.2f}",
        definition="As borrowed, the lower of the two hosts.",
        sql="CASE WHEN weight > 0 THEN least(borrowed_a, borrowed_b) END",
        null="no page in common",
        used_by=ROBUST,
    ),
    Piece(
        name="known_pages",
        group="own pages",
        phrase="distinct pages known of a host, of both in the mean: {:,.0f}",
        definition=(
            "Distinct pages (contents) known of a host, the mean of both rounded down; of two "
            "hosts with one page in common those of the host with fewer. With few of them a page "
            "in common may be chance."
        ),
        sql=(
            "CASE WHEN weight > 0 AND n_pages > 1 THEN floor((a_n_contents + b_n_contents) / 2) "
            "WHEN weight > 0 THEN least(a_n_contents, b_n_contents) END"
        ),
        null="no page in common",
        used_by=PAGES,
    ),
    *OF_NAMES_AND_NETWORKS,
    Piece(
        name="plain_resemblance",
        group="contents",
        phrase="share of all their content that both have, whole hosts compared: {:.2f}",
        definition=(
            "As resemblance, but not drawn to 0: 1 = every page known of either host is known of "
            "both. Only of hosts with five known pages and more."
        ),
        sql=(
            "CASE WHEN weight > 0 AND least(a_n_contents, b_n_contents) >= 5 "
            "THEN weight / (both_weights - weight) END"
        ),
        null="no page in common, or fewer than five known pages of a host",
        used_by=PAGES,
    ),
    Piece(
        name="tail_overlap",
        group="paths",
        phrase="share of last path segments, common ones apart, that the other has, too: {:.2f}",
        definition=(
            "Share of the smaller host's tails (last path segments of pages, by idf; small numbers "
            "in them as 0) that the other has too, 0 to 1: what a copy moved under a prefix keeps."
        ),
        sql="CASE WHEN NOT files_alone THEN coalesce(tail_weight / (lesser_tails + $own), 0) END",
        null=FILES_ALONE,
        used_by=ROBUST,
    ),
    Piece(
        name="asset_evidence",
        group="assets",
        phrase="pictures, scripts and the like that few others have: {:,.2f}",
        definition=(
            "Shared assets (pictures, scripts, fonts: no pages) by inverse pair frequency; 1 = one "
            "that these two hosts alone have."
        ),
        sql="CASE WHEN lesser_assets > 0 THEN asset_weight / $scale END",
        null="a host has none",
        used_by=FILES,
    ),
    Piece(
        name="asset_containment",
        group="assets",
        phrase="share of the lesser's pictures, scripts and the like: {:.2f}",
        definition=(
            "Share of the assets (pictures, scripts, fonts: no pages) of the host with fewer, by "
            "inverse pair frequency, that the other has too."
        ),
        sql="CASE WHEN lesser_assets > 0 THEN asset_weight / (lesser_assets + $scale) END",
        null="a host has none",
        used_by=FILES,
    ),
    Piece(
        name="asset_resemblance",
        group="assets",
        phrase="share of all their pictures, scripts and the like: {:.2f}",
        definition=(
            "Share of the two hosts' assets taken together, by inverse pair frequency, that both "
            "have."
        ),
        sql=(
            "CASE WHEN lesser_assets > 0 THEN asset_weight / (both_assets - asset_weight + $scale) "
            "END"
        ),
        null="a host has none",
        used_by=FILES,
    ),
    *LINKS_AND_TITLES,
)


def weighed_by(who: str) -> tuple[str, ...]:
    """The columns that method ``paper`` or a prior (``paths``, ``pages``, ``files``) weighs."""
    return tuple(piece.name for piece in EVIDENCE if who in piece.used_by)


def about(*groups: str) -> tuple[str, ...]:
    """The columns of these groups."""
    return tuple(piece.name for piece in EVIDENCE if piece.group in groups)


PAPER_FEATURES = weighed_by("paper")
"""The paper's five (section 3.1)."""
BESIDE_CONTENT = tuple(piece.name for piece in EVIDENCE if piece.beside)
"""Evidence that finds replicas without any fingerprint."""
