-- Comments of macros: what each answers, and its columns.
--
-- SELECT * FROM descriptions lists them. A host that is not there is an error with the nearest
-- names (internal.host_named).
-- Each says the definition, the unit, the source (paper = "Website replica detection with distant
-- supervision", 2017; thesis = the master's thesis behind it) and what NULL means; no word on NULL
-- means it does not occur.
--
-- reads: evidence_of, pages_to_fetch, projected_training_set, shared_pages
-- writes: none
-- parameters: none

-- name: evidence_of
COMMENT ON MACRO TABLE evidence_of IS  -- noqa: PRS
    'evidence_of(a, b), two hosts in any order: why method robust ranks a candidate pair as '
    'it does. Columns: feature; value (NULL = unknown); low, high = bounds of its bin; '
    'contribution in log odds, with half of what it adds together with each other feature; '
    'shared_neighbours, where relational evidence counts, is a row like them (value = overlap of '
    'their neighbours). Their sum and a constant (log_odds_constant in the table settings) are the '
    'strength of the pair.';

-- name: shared_pages
COMMENT ON MACRO TABLE shared_pages IS
    'shared_pages(a, b), two hosts in any order: the pages and files of hosts a and b with equal '
    'content, as the last detect compared it, each URL with one of the other host at most: that at '
    'its path, else the next by path. Columns: url_a, url_b; fingerprint of url_a; '
    'same_path = both stand at one path with query; hosts_with_it = hosts that have the content '
    '(2 = these alone), as of the last detect (1 = it did not compare it: loaded after it, or a '
    'file where files were no evidence); near = the two differ and are near duplicates (detect '
    '--clusters); file = it is a file other than a page (picture, style, script, font).';

-- name: pages_to_fetch
COMMENT ON MACRO TABLE pages_to_fetch IS
    'pages_to_fetch(a, b), two host names in any order: what to fetch to know whether they are '
    'replicas, where their crawl is too thin to say: pages of known content that the one has at a '
    'path where the other has none. Columns: url = the URL to fetch, each once; compare_with = the '
    'known page of the other host, of several at that path the one that fewest hosts have; '
    'hosts_with_it = hosts known to have its content, those of fewest first, since they tell most.';

-- name: projected_training_set
COMMENT ON MACRO TABLE projected_training_set IS
    'projected_training_set(a, b), two hosts in any order: the examples that share a bin '
    'with the pair a, b, as in paper section 3.2, Table 1. Columns: host_a, host_b; ndist, '
    'nmatch, ip4, ip3, fullpath = the bin where it is the pair''s own, NULL = it differs and was '
    'projected away; label = 1 obvious replica, 0 unlabelled, -1 obvious non-replica. Empty when '
    'a, b is no example.';
