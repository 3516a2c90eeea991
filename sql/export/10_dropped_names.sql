-- Dropped names: the host names of the sites to drop, each with the one to keep, for lists.
--
-- A site may have several host names (load --site domain), and a host name several sites (host+1).
-- A list names a host name only where all of its sites go. A name that a format cannot express is
-- left out and reported, never changed.
-- keep_name = the name of the kept site that most of its pages have, or most of its files where it
-- has no page. Where that site has several names, lists that write one (says_kept) have the name at
-- which most pages of the dropped name stand at their paths. unplaced = there is none.
-- keep_site = the kept site, which lines of evidence name: what they count is of whole sites.
-- address = an IP address. What only the kept host's name lacks counts for these lists alone.
-- alone = every host with the same SURT key goes: www and the bare name have one. only_kept = all
-- hosts that HTTrack takes for this one go for one host, or are that one. moved = most of its pages
-- that the kept site has, too, stand at other paths or names there. other_port = the kept name is
-- known at other ports than those of the schemes alone; common_port = the two names have a port in
-- common and half of the pages of the dropped one stand there.
-- Source: docs/how-to/lists.md.
--
-- reads: chosen_hosts (rows of flagged_hosts), hosts, origins, named_ports, urls, page_urls,
--   near_contents_now, same_content, members
-- writes: named_ports (a temporary view), dropped_names, name_places, listed
-- parameters: needs (plain, named, key, folded, alone, annotated, printable, any), says_kept,
--   same_paths, keeps_port

-- name: surt_name
-- A host name as Common Crawl's host index has it: labels turned round, no www or www2 before a
-- domain. Source: commoncrawl/cc-index-annotations, README; PyPI: surt.
CREATE OR REPLACE TEMP MACRO surt_name(name) AS
    array_to_string(
        list_reverse(string_split(regexp_replace(name, '^www[0-9]*\.([^.]+\.)', '\1'), '.')), ','
    );

-- name: httrack_name
-- A host name as HTTrack compares it, unless it is run with --keep-www-prefix. Source: HTTrack,
-- htslib.c, jump_normalized_const.
CREATE OR REPLACE TEMP MACRO httrack_name(name) AS regexp_replace(name, '^www[0-9-]*\.', '');

-- name: plain_name
-- Whether a name has no character that may mean something to a tool.
CREATE OR REPLACE TEMP MACRO plain_name(name) AS
    regexp_full_match(name, '[a-z0-9_-]+(\.[a-z0-9_-]+)*');

-- name: port_of
-- The port that an origin says behind its name; - for that of its scheme.
CREATE OR REPLACE TEMP MACRO port_of(origin) AS
    coalesce(nullif(regexp_extract(origin, ':(\d+)$', 1), ''), '-');

-- name: named_ports
-- The host names of every site, each with its ports.
CREATE OR REPLACE TEMP VIEW named_ports AS
SELECT host_id, host_name, list_distinct(array_agg(port_of(origin))) AS ports
FROM origins
GROUP BY host_id, host_name;

-- name: dropped_names
CREATE TEMP TABLE dropped_names AS
WITH sites AS (
    SELECT c.*, d.host_id, k.host_id AS keep_id
    FROM chosen_hosts AS c
    JOIN hosts AS d ON d.host = c.host
    JOIN hosts AS k ON k.host = c.canonical_host
),
homes AS (
    SELECT
        u.host_id,
        coalesce(
            mode(o.host_name ORDER BY o.host_name) FILTER (u.asset IS NOT true),
            mode(o.host_name ORDER BY o.host_name)
        ) AS name
    FROM urls AS u
    JOIN origins AS o USING (origin_id)
    WHERE u.host_id IN (SELECT keep_id FROM sites)
    GROUP BY u.host_id
),
staying AS (
    SELECT DISTINCT host_name FROM named_ports ANTI JOIN sites USING (host_id)
)
SELECT
    s.host_id,
    s.keep_id,
    n.host_name AS name,
    h.name AS keep_name,
    s.canonical_host AS keep_site,
    s.probability,
    s.group_id,
    s.why,
    s.rank,
    n.host_name NOT IN (FROM staying)
    AND NOT contains(s.host || s.canonical_host, '/') AS whole,
    regexp_full_match(n.host_name, '[!-~]+') AS printable,
    regexp_full_match(h.name, '[!-~]+') AS keep_printable,
    plain_name(n.host_name) AS plain,
    plain_name(h.name) AS keep_plain,
    regexp_full_match(n.host_name, '[0-9.]+|\[.*\]') AS address,
    false AS moved,
    false AS unplaced,
    NOT list_contains(k.ports, '-') AS other_port,
    list_has_any(n.ports, k.ports) AS common_port
FROM sites AS s
JOIN named_ports AS n USING (host_id)
JOIN homes AS h ON h.host_id = s.keep_id
JOIN named_ports AS k ON k.host_id = s.keep_id AND k.host_name = h.name;

-- name: several_names
-- Whether a kept site has several names.
SELECT count(*) > 0
FROM (
    SELECT host_id
    FROM named_ports
    WHERE host_id IN (SELECT keep_id FROM dropped_names)
    GROUP BY host_id
    HAVING count(*) > 1
);

-- name: name_places
-- Where a kept site has several names: how many pages of each dropped name stand at their paths at
-- each of them. Thousands of wildcard names may have one page, and which of them it stands at says
-- little then. It counts for the name of the kept site and for the first others by alphabet, 20 at
-- most, so that there are no more than 20 rows for a page.
CREATE TEMP TABLE name_places AS
WITH several AS (
    SELECT host_id
    FROM named_ports
    WHERE $says_kept AND host_id IN (SELECT keep_id FROM dropped_names)
    GROUP BY host_id
    HAVING count(*) > 1
),
there AS (
    SELECT DISTINCT
        u.host_id,
        o.host_name,
        u.path,
        coalesce(n.fingerprint_kind, u.fingerprint_kind) AS kind,
        coalesce(n.fingerprint, u.fingerprint) AS content
    FROM page_urls AS u
    JOIN several USING (host_id)
    JOIN origins AS o USING (origin_id)
    LEFT JOIN near_contents_now AS n USING (url_id)
),
few_of_each AS (
    SELECT t.*
    FROM there AS t
    JOIN (SELECT DISTINCT keep_id, keep_name FROM dropped_names) AS h ON h.keep_id = t.host_id
    QUALIFY row_number() OVER (
        PARTITION BY t.host_id, t.path, t.kind, t.content
        ORDER BY t.host_name = h.keep_name DESC, t.host_name
    ) <= 20
)
SELECT s.host_id, s.keep_id, s.host_name AS name, t.host_name AS keep_name, count(*) AS pages
FROM same_content AS s
JOIN few_of_each AS t
    ON t.host_id = s.keep_id AND t.path = s.path AND t.kind = s.kind AND t.content = s.content
WHERE s.same_path
GROUP BY ALL;

-- name: nearest_names
-- Of a kept site with several names the one for each dropped name.
UPDATE dropped_names AS d
SET
    keep_name = coalesce(b.keep_name, d.keep_name),
    unplaced = b.keep_name IS NULL,
    keep_printable = regexp_full_match(coalesce(b.keep_name, d.keep_name), '[!-~]+'),
    keep_plain = plain_name(coalesce(b.keep_name, d.keep_name)),
    other_port = coalesce(b.other_port, d.other_port),
    common_port = coalesce(b.common_port, d.common_port)
FROM (
    WITH several AS (
        SELECT host_id FROM named_ports GROUP BY host_id HAVING count(*) > 1
    )
    SELECT
        x.host_id,
        x.name,
        f.keep_name,
        NOT list_contains(k.ports, '-') AS other_port,
        list_has_any(n.ports, k.ports) AS common_port
    FROM dropped_names AS x
    JOIN several AS v ON v.host_id = x.keep_id
    JOIN named_ports AS n ON n.host_id = x.host_id AND n.host_name = x.name
    LEFT JOIN name_places AS f
        ON f.host_id = x.host_id AND f.keep_id = x.keep_id AND f.name = x.name
    LEFT JOIN named_ports AS k ON k.host_id = x.keep_id AND k.host_name = f.keep_name
    QUALIFY row_number() OVER (
        PARTITION BY x.host_id, x.name
        ORDER BY f.pages DESC NULLS LAST, f.keep_name = x.keep_name DESC, f.keep_name
    ) = 1
) AS b
WHERE b.host_id = d.host_id AND b.name = d.name;

-- name: moved
-- Fewer than half of them at the same path: as of a host that stands in a folder of another.
UPDATE dropped_names AS d SET moved = true
FROM (
    SELECT s.host_id, s.host_name AS name
    FROM same_content AS s
    JOIN dropped_names AS x ON x.host_id = s.host_id AND x.name = s.host_name
    LEFT JOIN name_places AS p
        ON p.host_id = x.host_id AND p.name = x.name AND p.keep_name = x.keep_name
    WHERE s.same_content_at IS NOT NULL
    GROUP BY s.host_id, s.host_name
    HAVING coalesce(max(p.pages), count(*) FILTER (s.same_path)) * 2 < count(*)
) AS m
WHERE m.host_id = d.host_id AND m.name = d.name;

-- name: at_other_ports
-- Of a dropped name with several ports more than half of the pages at ports that the kept name has
-- not: where a list keeps the port they would be sent to where nobody answers.
UPDATE dropped_names AS d SET common_port = false
FROM (
    WITH placed AS (
        SELECT host_id, host_name, origin_id, port_of(origin) AS port FROM origins
    ),
    of_kept AS (
        SELECT DISTINCT host_id, host_name, port FROM placed
    ),
    several AS (
        SELECT host_id, host_name
        FROM placed
        SEMI JOIN dropped_names USING (host_id)
        GROUP BY host_id, host_name
        HAVING count(DISTINCT port) > 1
    )
    SELECT x.host_id, x.name
    FROM dropped_names AS x
    JOIN several AS s ON s.host_id = x.host_id AND s.host_name = x.name
    JOIN placed AS o ON o.host_id = x.host_id AND o.host_name = x.name
    JOIN page_urls AS u ON u.origin_id = o.origin_id AND u.host_id = o.host_id
    LEFT JOIN of_kept AS k
        ON k.host_id = x.keep_id AND k.host_name = x.keep_name AND k.port = o.port
    GROUP BY x.host_id, x.name
    HAVING count(k.port) * 2 < count(*)
) AS b
WHERE b.host_id = d.host_id AND b.name = d.name;

-- name: listed
CREATE TEMP TABLE listed AS
WITH staying AS (
    SELECT DISTINCT host_name AS name
    FROM origins
    WHERE host_name NOT IN (SELECT name FROM dropped_names)
),
kept_keys AS (
    SELECT DISTINCT surt_name(name) AS key FROM staying
),
kept_folds AS (
    SELECT httrack_name(name) AS fold, min(name) AS first, max(name) AS last
    FROM staying
    GROUP BY fold
),
keyed AS (
    SELECT
        d.*,
        surt_name(d.name) NOT IN (FROM kept_keys) AS alone,
        coalesce(f.first = d.keep_name AND f.last = d.keep_name, true)
        AND min(d.keep_name) OVER folded = max(d.keep_name) OVER folded AS only_kept
    FROM dropped_names AS d
    LEFT JOIN kept_folds AS f ON f.fold = httrack_name(d.name)
    WINDOW folded AS (PARTITION BY httrack_name(d.name))
)
FROM keyed
WHERE
    NOT (
        $same_paths
        AND (moved OR unplaced OR if($keeps_port, NOT common_port, other_port))
    )
    AND (NOT $says_kept OR if($needs = 'printable', keep_printable, keep_plain))
    AND CASE $needs
        WHEN 'any' THEN true
        WHEN 'alone' THEN alone
        WHEN 'printable' THEN whole AND printable
        WHEN 'named' THEN whole AND plain AND NOT address
        WHEN 'key' THEN whole AND plain AND NOT address AND alone
        WHEN 'folded' THEN whole AND plain AND only_kept
        ELSE whole AND plain
    END;

-- name: left_out
-- Names that the format cannot say, by reason, with an example.
SELECT
    CASE
        WHEN $needs = 'alone' THEN 'a key that a host which stays has, too'
        WHEN NOT whole THEN 'part of a host, or of one with other sites that stay'
        WHEN NOT if($needs = 'printable', printable, plain)
            THEN 'characters that mean something else there'
        WHEN $says_kept AND NOT if($needs = 'printable', keep_printable, keep_plain)
            THEN 'the kept host has characters that mean something else there'
        WHEN $same_paths AND unplaced
            THEN 'none of its pages stands at its path at one of several names of the kept site'
        WHEN $same_paths AND moved
            THEN 'its pages stand at other paths of the kept host, where a redirect would miss them'
        WHEN $same_paths AND if($keeps_port, NOT common_port, other_port)
            THEN 'the kept host answers at another port, which the list does not say'
        WHEN $needs = 'folded'
            THEN 'taken for another host there, as www with and without number fold'
        WHEN address THEN 'an address'
        ELSE 'a key that a host which stays has, too'
    END AS reason,
    count(*) AS n,
    min(if(starts_with(reason, 'the kept host'), keep_name || ' for ' || name, name)) AS example
FROM dropped_names
ANTI JOIN listed USING (host_id, name)
GROUP BY reason
UNION ALL
SELECT
    'of the drops alone (replica_drop is false): a host that stays has the key, too',
    count(*) AS n,
    min(name)
FROM listed
WHERE $needs = 'annotated' AND NOT alone
HAVING n > 0
ORDER BY reason;

-- name: listed_hosts
SELECT DISTINCT d.host, k.host AS canonical_host
FROM listed AS l
JOIN hosts AS d ON d.host_id = l.host_id
JOIN hosts AS k ON k.host_id = l.keep_id;

-- name: saved
-- Pages of the sites that a list drops, and of all; bytes of those whose length is known.
SELECT
    count(*) FILTER (l.host_id IS NOT NULL) AS urls,
    count(*) AS of_urls,
    coalesce(sum(u.length) FILTER (l.host_id IS NOT NULL), 0)::BIGINT AS bytes,
    coalesce(sum(u.length), 0)::BIGINT AS of_bytes,
    count(u.length) AS of_known
FROM page_urls AS u
LEFT JOIN (
    SELECT DISTINCT host_id FROM listed WHERE $needs <> 'annotated' OR alone
) AS l USING (host_id);

-- name: lost
-- Pages of the sites that a list drops that stand nowhere else, by the last detection. NULL = it
-- did not measure all of these sites beside the host that is kept for them.
SELECT CASE WHEN bool_and(m.pages IS NOT NULL) THEN sum(m.pages - m.elsewhere)::BIGINT END
FROM (
    SELECT DISTINCT host_id, keep_id FROM listed WHERE $needs <> 'annotated' OR alone
) AS l
LEFT JOIN members AS m ON m.host_id = l.host_id AND m.canonical_id = l.keep_id;
