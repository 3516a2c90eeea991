-- Comments of views: every view and its columns described in the file itself.
--
-- SELECT * FROM descriptions lists them.
-- Each says the definition, the unit, the source (paper = "Website replica detection with distant
-- supervision", 2017; thesis = the master's thesis behind it) and what NULL means; no word on NULL
-- means it does not occur.
--
-- reads: candidate_pairs, canonical_urls, copies, descriptions, flagged_hosts, given_decisions,
--   held_hosts, inter_site_duplicates, intra_site_duplicates, mass_copies, near_duplicates,
--   obvious_replicas, page_matches, page_urls, pages, pair_patterns, replica_groups, replicas,
--   rule_supports, skipped_clusters, start_here
-- writes: none
-- parameters: none

-- name: page_urls
COMMENT ON VIEW page_urls IS
    'The rows of urls that are pages, without other files: what pages shows, by number.';

-- name: pages
COMMENT ON VIEW pages IS
    'Every known page once, at its newest capture, with host and URL spelled out; no pictures, '
    'styles, scripts or other files, unless loaded with --all-types.';
COMMENT ON COLUMN pages.url IS
    'The URL in WHATWG normal form: origin, path and query; no fragment.';
COMMENT ON COLUMN pages.host IS
    'The site it counts to: the host name, or what load --site says (registrable domain; host and '
    'first path segment).';
COMMENT ON COLUMN pages.path IS
    'Path with its query, from the slash on; under --site host+1 what follows the site''s '
    'segment.';
COMMENT ON COLUMN pages.fingerprint IS
    'Content digest in one normal form (lower-case hex where it is a digest). NULL = content '
    'unknown.';
COMMENT ON COLUMN pages.fingerprint_kind IS
    'Algorithm of the fingerprint (sha1, md5, sha256, ...; other = not recognised); only equal '
    'kinds are compared. NULL = content unknown.';
COMMENT ON COLUMN pages.fetched_at IS 'Time of the capture, UTC. NULL = not recorded.';
COMMENT ON COLUMN pages.status IS 'HTTP status. NULL = not recorded.';
COMMENT ON COLUMN pages.mime IS
    'Media type, lower case, without parameters; where none is recorded, that of a file by its '
    'name (a.png). NULL = not known.';
COMMENT ON COLUMN pages.length IS
    'Length in bytes as the source records it: of the payload, or of the record. NULL = not '
    'recorded.';
COMMENT ON COLUMN pages.title IS
    'Title of the page, blanks collapsed, cut to 300 characters. NULL = not recorded.';
COMMENT ON COLUMN pages.user_id IS 'Your own id, from load --id-column. NULL = none given.';
COMMENT ON COLUMN pages.source IS 'The file that it was loaded from.';

-- name: candidate_pairs
COMMENT ON VIEW candidate_pairs IS
    'Pairs of hosts that share a dup-cluster (paper section 4.1.1; or a path, by detect '
    '--candidates), with their features; no opinion yet. Method robust weighs the columns from '
    'evidence on, method paper the five of paper section 3.1.';
COMMENT ON COLUMN candidate_pairs.host_a IS 'The host whose name comes first in byte order.';
COMMENT ON COLUMN candidate_pairs.host_b IS 'The host whose name comes second in byte order.';
COMMENT ON COLUMN candidate_pairs.obvious IS
    'True for an obvious replica, known by its names alone (see obvious_replicas); such pairs '
    'teach the rest.';
-- fill: replicadb.detection.evidence_sql.comments(candidate_pairs)

-- name: replicas
COMMENT ON VIEW replicas IS
    'Every candidate pair in its place, the likeliest replica first: ORDER BY rank. WHERE flagged '
    'leaves those that replicadb itself takes for replicas. A pair that a person decided on has '
    'what they decided; where it was no candidate, NULL stands for all that was not measured.';
COMMENT ON COLUMN replicas.rank IS
    'Place among all candidate pairs, 1 = the likeliest replica: by dominates, then strength, '
    'shared evidence times containment, shared, ndist, names; total, never random (paper section '
    '3.5).';
COMMENT ON COLUMN replicas.host_a IS 'The host whose name comes first in byte order.';
COMMENT ON COLUMN replicas.host_b IS 'The host whose name comes second in byte order.';
COMMENT ON COLUMN replicas.score IS
    'Share of all candidate pairs that this one dominates, 0 to below 1; pairs that tie have one '
    'score. A place in this database, no probability.';
COMMENT ON COLUMN replicas.pu_score IS
    'Method paper: likelihood alpha(x,+) = 1 - alpha(x,-) learned from obvious replicas and '
    'unlabelled pairs, 0 to 1 (paper section 3.2, Eq. 5; section 3.3). NULL = method robust.';
COMMENT ON COLUMN replicas.nu_score IS
    'Method paper: the same likelihood learned from obvious non-replicas and unlabelled pairs, 0 '
    'to 1 (paper section 3.3). NULL = method robust.';
COMMENT ON COLUMN replicas.dominates IS
    'How many candidate pairs this one dominates: method paper, at least as high in both scores '
    'and higher in one (paper section 3.5); method robust, lower in strength.';
COMMENT ON COLUMN replicas.frontier IS
    'True where no candidate pair dominates this one (paper section 3.5); method robust: the '
    'highest strength.';
COMMENT ON COLUMN replicas.flagged IS
    'replicadb''s own decision that the two are replicas: method robust, one of the likeliest of '
    'which a share of max_wrong is expected to be wrong, or probability of at least '
    'min_probability where that was asked for; published methods, both scores above 1/2, or the '
    'first n.';
COMMENT ON COLUMN replicas.kind IS
    'What a pair that may be a replica (probability of 0.2, or flagged) looks like: thin, names '
    'little alike and under five known pages (of both in the mean) or a few that many hosts have; '
    'by the pages at the same places translation, their titles or languages differ; version, their '
    'titles are much the same and their contents and lengths differ; partial, one host has half of '
    'its contents from the other, which has twice as much; replica, none of these. A look and no '
    'probability: without titles and languages there are no translations, without lengths no '
    'versions, and a replica made anew in other lengths looks like a version. NULL = less likely.';
COMMENT ON COLUMN replicas.obvious IS
    'True for an obvious replica, known by its names alone (see obvious_replicas); such pairs '
    'teach the rest.';
-- fill: replicadb.detection.evidence_sql.comments(replicas)
COMMENT ON COLUMN replicas.strength IS
    'What the pair is ranked by: method robust, the sum of its evidence''s contributions in log '
    'odds and of what relational evidence adds (see evidence_of); method paper, the mean of the '
    'two likelihoods that were aggregated.';
COMMENT ON COLUMN replicas.probability IS
    'Method robust: estimated probability that the two are replicas, 0 to 1; as good as the crawl '
    'resembles those that the prior was learned from. NULL = published methods.';

-- name: copies
COMMENT ON VIEW copies IS
    'The view replicas both ways round, for questions of one host: WHERE host = ... ORDER BY rank.';
COMMENT ON COLUMN copies.host IS 'The host that is asked about.';
COMMENT ON COLUMN copies.copy IS 'The other host of the pair; which of the two copies is not said.';
COMMENT ON COLUMN copies.rank IS 'As in replicas; each pair has it twice.';
COMMENT ON COLUMN copies.probability IS 'As in replicas. NULL = published methods.';
COMMENT ON COLUMN copies.flagged IS 'As in replicas: replicadb takes the two for replicas.';
COMMENT ON COLUMN copies.kind IS 'As in replicas. NULL = hardly a copy.';
COMMENT ON COLUMN copies.obvious IS 'As in replicas: the names say so.';
COMMENT ON COLUMN copies.shared IS 'As in replicas: dup-clusters in common.';
COMMENT ON COLUMN copies.containment IS
    'As in replicas: share of the smaller host''s content that the other has.';
COMMENT ON COLUMN copies.agreement IS
    'As in replicas: share of equal paths at which both have equal content.';

-- name: start_here
COMMENT ON VIEW start_here IS
    'Where to begin: questions, each with a query to paste; put a host for HOST and OTHER.';
COMMENT ON COLUMN start_here.place IS 'Place in the list.';
COMMENT ON COLUMN start_here.question IS 'What one asks.';
COMMENT ON COLUMN start_here.query IS 'The query that answers it.';

-- name: replica_groups
COMMENT ON VIEW replica_groups IS
    'Groups of replicas, each with the host to keep. Every other member is itself flagged as a '
    'copy of that host; no chain of weak links joins two groups.';
COMMENT ON COLUMN replica_groups.canonical_host IS
    'The host to keep: of those that all others of the group are copies of, the one that canonical '
    'links and redirects lead to, then the first by --keep.';
COMMENT ON COLUMN replica_groups.probability IS
    'Method robust: that of the weakest member, the lowest of the pairs (kept host, dropped host). '
    'NULL = published methods.';
COMMENT ON COLUMN replica_groups.group_id IS
    'Number of the group in this detection, from 1; another detection numbers anew.';
COMMENT ON COLUMN replica_groups.hosts IS 'Members, the kept host among them.';
COMMENT ON COLUMN replica_groups.urls IS 'URLs of all members, the kept host''s among them.';
COMMENT ON COLUMN replica_groups.members IS
    'All hosts of the group in byte order, the kept one among them.';
COMMENT ON COLUMN replica_groups.min_score IS
    'The lowest score of the pairs (kept host, dropped host), as in replicas: a place, no '
    'probability.';

-- name: flagged_hosts
COMMENT ON VIEW flagged_hosts IS
    'The hosts to drop, each with the host to keep in its place; the likeliest come first.';
COMMENT ON COLUMN flagged_hosts.host IS 'The host to drop.';
COMMENT ON COLUMN flagged_hosts.canonical_host IS
    'The host to keep, of which it is a flagged copy.';
COMMENT ON COLUMN flagged_hosts.probability IS
    'Method robust: estimated probability that the two are replicas, 0 to 1, as in replicas. '
    'NULL = published methods.';
COMMENT ON COLUMN flagged_hosts.group_id IS 'Its group in replica_groups.';
COMMENT ON COLUMN flagged_hosts.why IS
    'What the two have in common, in words: that a person decided so, URLs whose content the kept '
    'host has, at the same paths (agreement of 0.8 or more), names, address, redirects and '
    'canonical links, titles (half of them), copies in common (relational evidence). What each '
    'adds: evidence_of(host, canonical_host).';
COMMENT ON COLUMN flagged_hosts.kept_because IS
    'What tells the host to keep from this one: canonical links or redirects, else a criterion of '
    '--keep.';
COMMENT ON COLUMN flagged_hosts.pages IS 'Pages of the dropped host.';
COMMENT ON COLUMN flagged_hosts.elsewhere IS
    'Those that stand at the host to keep, too: the same content anywhere, or a page at the same '
    'path with alike title, length or words.';
COMMENT ON COLUMN flagged_hosts.not_compared IS
    'Those at whose path the host to keep has another content, where no title, length or word says '
    'whether it is the same page.';
COMMENT ON COLUMN flagged_hosts.urls IS 'URLs of the dropped host: what leaving it out saves.';
COMMENT ON COLUMN flagged_hosts.duplicate_urls IS
    'Those of its URLs whose content the kept host has too, at any path; the rest was changed, or '
    'not crawled on one of the two.';
COMMENT ON COLUMN flagged_hosts.rank IS
    'Place of the pair among all candidate pairs, as in replicas; 1 = the likeliest.';
COMMENT ON COLUMN flagged_hosts.score IS
    'Score of the pair, as in replicas: a place, no probability. Earlier name of what rank says '
    'more plainly, kept for one more version.';

-- name: given_decisions
COMMENT ON VIEW given_decisions IS
    'What people decided of pairs and hosts (replicadb label, review), with what the evidence '
    'alone says of a pair.';
COMMENT ON COLUMN given_decisions.host_a IS
    'The host whose name comes first in byte order, or the host that is pinned.';
COMMENT ON COLUMN given_decisions.host_b IS 'The other. NULL = it is about one host.';
COMMENT ON COLUMN given_decisions.label IS
    'Of a pair: replica or no replica. Of a host: keep, it is never dropped and is the host to '
    'keep of its group; never, it is never flagged.';
COMMENT ON COLUMN given_decisions.note IS 'Why, in the words of whoever decided. NULL = none.';
COMMENT ON COLUMN given_decisions.source IS 'Who said so: a file, or who it names; review, label.';
COMMENT ON COLUMN given_decisions.decided_at IS 'When it was decided, UTC.';
COMMENT ON COLUMN given_decisions.bound IS
    'Whether it binds: not where a host is not loaded, or the last detection says otherwise, since '
    'the decision is younger or the host is never to be flagged.';
COMMENT ON COLUMN given_decisions.by_evidence IS
    'Method robust: probability that the evidence alone gives. NULL = no pair, no candidate, not '
    'bound, or published methods.';

-- name: held_hosts
COMMENT ON VIEW held_hosts IS
    'Hosts that are flagged copies and stay nevertheless: to drop them is not safe. Look at them '
    'before you drop more.';
COMMENT ON COLUMN held_hosts.host IS 'The host that would be dropped.';
COMMENT ON COLUMN held_hosts.canonical_host IS 'The host that would be kept in its place.';
COMMENT ON COLUMN held_hosts.probability IS
    'Method robust: estimated probability that the two are replicas, 0 to 1, as in replicas. '
    'NULL = published methods.';
COMMENT ON COLUMN held_hosts.why IS
    'What holds the drop back: the pair is not likely enough (below 0.95, or --min-probability), '
    'less than half of its pages stand at the other, too few are known to, pages at the same paths '
    'differ in content and title, its pages are in another language, the names say branches of a '
    'brand, it has nothing but a few pages that many hosts have, the pair is of a kind that is not '
    'flagged (a translation, a version, too thin to judge: pages_to_fetch says what to fetch), or '
    'a decision says so.';
COMMENT ON COLUMN held_hosts.pages IS 'Pages of the host. NULL = not measured.';
COMMENT ON COLUMN held_hosts.elsewhere IS
    'Those that stand at the other host, too. NULL = not measured.';
COMMENT ON COLUMN held_hosts.not_compared IS
    'Those of which nobody knows, as in flagged_hosts. NULL = not measured.';
COMMENT ON COLUMN held_hosts.unlike IS
    'Those at whose path the other has an unlike page: another title, or length where no title '
    'tells, and another content where both are known. NULL = not measured.';
COMMENT ON COLUMN held_hosts.rank IS
    'Place of the pair among all candidate pairs, as in replicas; 1 = the likeliest.';
COMMENT ON COLUMN held_hosts.score IS 'Score of the pair, as in replicas: a place, no probability.';

-- name: obvious_replicas
COMMENT ON VIEW obvious_replicas IS
    'The candidate pairs whose names alone say that they are replicas (paper section 3.3): the '
    'positive labels that teach the rest. Found by names, not flagged: see replicas.flagged.';
COMMENT ON COLUMN obvious_replicas.host_a IS 'The host whose name comes first in byte order.';
COMMENT ON COLUMN obvious_replicas.host_b IS 'The host whose name comes second in byte order.';
COMMENT ON COLUMN obvious_replicas.why IS
    'www = one is the other with www. before it; suffix = they differ only in their public suffix '
    '(.com and .net); www and suffix = in both.';

-- name: inter_site_duplicates
COMMENT ON VIEW inter_site_duplicates IS
    'Content on two or more hosts (paper section 4.1.1): one row per dup-cluster and host in it.';
COMMENT ON COLUMN inter_site_duplicates.cluster_id IS
    'The dup-cluster: all URLs with one fingerprint.';
COMMENT ON COLUMN inter_site_duplicates.hosts IS 'Hosts in the dup-cluster.';
COMMENT ON COLUMN inter_site_duplicates.urls IS 'URLs in the dup-cluster, on all of its hosts.';
COMMENT ON COLUMN inter_site_duplicates.fingerprint IS
    'The content''s fingerprint; of near duplicates, which have several, the least URL of their '
    'cluster.';
COMMENT ON COLUMN inter_site_duplicates.host IS 'One of the hosts in it.';
COMMENT ON COLUMN inter_site_duplicates.urls_of_host IS 'URLs of the dup-cluster on that host.';
COMMENT ON COLUMN inter_site_duplicates.path IS
    'The smallest path (byte order) at which that host has the content.';

-- name: intra_site_duplicates
COMMENT ON VIEW intra_site_duplicates IS
    'Content at two or more URLs of one host (paper section 4.1.1): one row per dup-cluster and '
    'host.';
COMMENT ON COLUMN intra_site_duplicates.cluster_id IS
    'The dup-cluster: all URLs with one fingerprint, on this host and others.';
COMMENT ON COLUMN intra_site_duplicates.host IS 'The host.';
COMMENT ON COLUMN intra_site_duplicates.urls IS
    'URLs of this host that have the content; all but one are spare. (Of this host alone, unlike '
    'inter_site_duplicates.urls.)';
COMMENT ON COLUMN intra_site_duplicates.fingerprint IS
    'The content''s fingerprint; of near duplicates, which have several, the least URL of their '
    'cluster.';
COMMENT ON COLUMN intra_site_duplicates.path IS
    'The smallest path (byte order) at which the host has the content.';

-- name: skipped_clusters
COMMENT ON VIEW skipped_clusters IS
    'Content on more than max_cluster_hosts hosts (parking pages, default server pages, empty '
    'bodies): it makes no candidate pairs. Empty when there is none, or no cap.';
COMMENT ON COLUMN skipped_clusters.cluster_id IS 'The dup-cluster: all URLs with one fingerprint.';
COMMENT ON COLUMN skipped_clusters.fingerprint IS
    'The content''s fingerprint; of near duplicates the least URL of their cluster.';
COMMENT ON COLUMN skipped_clusters.hosts IS 'Hosts that have it.';
COMMENT ON COLUMN skipped_clusters.urls IS 'URLs that have it.';
COMMENT ON COLUMN skipped_clusters.pairs IS
    'Pairs of hosts that it would have made: hosts * (hosts - 1) / 2.';
COMMENT ON COLUMN skipped_clusters.example_path IS
    'The smallest path (byte order) at which a host has it.';

-- name: mass_copies
COMMENT ON VIEW mass_copies IS
    'Hosts that share half of their pages and three at least with one host, all of them in '
    'skipped_clusters: likely copies of one site. These pages make no pairs, so a host is in the '
    'ranking, in groups and in lists only if it shares others.';
COMMENT ON COLUMN mass_copies.like_host IS
    'Of the hosts that have most pages in skipped_clusters (of equal ones the first in byte order) '
    'that of most of the host''s pages there.';
COMMENT ON COLUMN mass_copies.host IS 'A host that has the same.';
COMMENT ON COLUMN mass_copies.shared IS 'Such pages that both have.';
COMMENT ON COLUMN mass_copies.pages IS 'The host''s distinct pages.';

-- name: rule_supports
COMMENT ON VIEW rule_supports IS
    'The rule pool of method paper (empty with another) before learning (paper section 3.2, Eq. '
    '4): every antecedent, a non-empty set of (feature, bin) items, with how many examples of '
    'each label have it. Table cuts gives the bins'' bounds.';
COMMENT ON COLUMN rule_supports.ndist IS
    'Bin of ndist in the antecedent. NULL = the feature is not in it.';
COMMENT ON COLUMN rule_supports.nmatch IS
    'Bin of nmatch in the antecedent. NULL = the feature is not in it.';
COMMENT ON COLUMN rule_supports.ip4 IS
    'Bin of ip4 in the antecedent; bin 0 = address unknown. NULL = the feature is not in it.';
COMMENT ON COLUMN rule_supports.ip3 IS
    'Bin of ip3 in the antecedent; bin 0 = address unknown. NULL = the feature is not in it.';
COMMENT ON COLUMN rule_supports.fullpath IS
    'Bin of fullpath in the antecedent. NULL = the feature is not in it.';
COMMENT ON COLUMN rule_supports.obvious_replicas IS 'Support among obvious replicas, in examples.';
COMMENT ON COLUMN rule_supports.unlabelled IS
    'Support among unlabelled candidate pairs, in examples.';
COMMENT ON COLUMN rule_supports.obvious_non_replicas IS
    'Support among sampled obvious non-replicas, in examples.';
COMMENT ON COLUMN rule_supports.pu_confidence IS
    'Confidence theta of the rule {antecedent -> +} on PU data, unlabelled pairs taken as '
    'negative: obvious_replicas / (obvious_replicas + unlabelled), 0 to 1 (paper Def. 3.1). NULL = '
    'no PU example has the antecedent.';
COMMENT ON COLUMN rule_supports.nu_confidence IS
    'Confidence theta of the rule {antecedent -> -} on NU data, unlabelled pairs taken as '
    'positive: obvious_non_replicas / (obvious_non_replicas + unlabelled), 0 to 1 (paper '
    'Def. 3.1). NULL = no NU example has the antecedent.';

-- name: pair_patterns
COMMENT ON VIEW pair_patterns IS 'The pattern of each example: which row of patterns has its bins.';
COMMENT ON COLUMN pair_patterns.a_id IS
    'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN pair_patterns.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN pair_patterns.label IS
    '1 = obvious replica, 0 = unlabelled candidate, -1 = sampled obvious non-replica.';
COMMENT ON COLUMN pair_patterns.pattern_id IS 'Its row of patterns.';

-- name: descriptions
COMMENT ON VIEW descriptions IS
    'What every table, view, column and macro in this file is; what a person wants first comes '
    'first.';
COMMENT ON COLUMN descriptions.kind IS 'table, view, column or macro.';
COMMENT ON COLUMN descriptions.name IS
    'Name of the table, view or macro; for a column, of what it belongs to.';
COMMENT ON COLUMN descriptions.column_name IS 'Name of the column. NULL = the row is on no column.';
COMMENT ON COLUMN descriptions.schema_name IS
    'main; details for what stands behind the replicas, history for what was run, page_level for '
    'single pages, internal for what is not meant for people. But for main it is part of the '
    'name: details.candidate_pairs.';
COMMENT ON COLUMN descriptions.comment IS 'Definition, unit, source, and what NULL means.';

-- name: page_matches
COMMENT ON VIEW page_matches IS
    'Pairs of pages that a page method (replicadb fingerprint) holds to be near duplicates.';
COMMENT ON COLUMN page_matches.url_a IS 'One page.';
COMMENT ON COLUMN page_matches.url_b IS 'The other.';
COMMENT ON COLUMN page_matches.method IS 'exact, simhash, minhash, rp, rp+hm or mwo.';
COMMENT ON COLUMN page_matches.score IS
    'How alike, 0 to 1: MWO, estimated Jaccard, 1 - bits / 64, 1 - largest difference; 1 for '
    'equal digests.';

-- name: near_duplicates
COMMENT ON VIEW near_duplicates IS 'Clusters of near duplicates, a page a row, by method.';
COMMENT ON COLUMN near_duplicates.method IS 'The page method.';
COMMENT ON COLUMN near_duplicates.cluster_id IS 'Number of the cluster among those of its method.';
COMMENT ON COLUMN near_duplicates.url IS 'The page.';
COMMENT ON COLUMN near_duplicates.centre_url IS 'The page that the cluster stands around.';
COMMENT ON COLUMN near_duplicates.score IS 'Score of the match with the centre; 1 for the centre.';

-- name: canonical_urls
COMMENT ON VIEW canonical_urls IS
    'Every URL with the form that the rewrite rules give it (replicadb rewrite learn); itself '
    'where no rule is for it.';
COMMENT ON COLUMN canonical_urls.url IS 'The URL.';
COMMENT ON COLUMN canonical_urls.canonical IS
    'Its canonical form: URLs of one form are one page, says what was learned.';
COMMENT ON COLUMN canonical_urls.host IS 'The site it counts to.';
COMMENT ON COLUMN canonical_urls.fingerprint IS 'Its content. NULL = unknown.';
