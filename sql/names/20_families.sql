-- Families: patterns *.D whose hosts are copies of one host, with exceptions, and what such a rule
-- does to hosts that it was not learned from.
--
-- A host stands below each name D between its registrable domain and itself. So no pattern reaches
-- into a public suffix, and each host has a few rows. keep_id = the host that a dropped host is
-- dropped for. Hosts are dealt into $folds folds by their names; held_fold = $folds holds none out.
-- Source: docs/drops.md#families.
-- NULL keep_id = the host is no copy that is dropped.
--
-- reads: hosts, members, host_stats, origins, family_hosts, family_rules
-- writes: family_hosts, family_rules
-- parameters: most_labels, min_hosts, max_error, folds

-- name: cost
-- Rows of family_hosts, before they are made.
SELECT count(*) AS hosts, coalesce(sum(len(labels) - len(own)), 0)::BIGINT AS places
FROM (
    SELECT string_split(host, '.') AS labels, string_split(domain, '.') AS own
    FROM hosts
    WHERE domain IS NOT NULL
)
WHERE len(labels) BETWEEN len(own) + 1 AND $most_labels;

-- name: family_hosts
CREATE TEMP TABLE family_hosts AS
WITH labelled AS (
    SELECT
        h.host_id,
        h.host,
        string_split(h.host, '.') AS labels,
        len(string_split(h.domain, '.')) AS own,
        m.canonical_id AS keep_id,
        m.probability,
        coalesce(m.pages, s.n_urls) AS pages
    FROM hosts AS h
    LEFT JOIN members AS m ON m.host_id = h.host_id AND m.canonical_id <> m.host_id
    LEFT JOIN host_stats AS s ON s.host_id = h.host_id
    WHERE h.domain IS NOT NULL
)
SELECT
    l.host_id,
    l.host,
    array_to_string(l.labels[len(l.labels) - k + 1:], '.') AS below,
    (hash64(l.host) % $folds)::INTEGER AS fold,
    l.keep_id,
    l.probability,
    coalesce(l.pages, 0) AS pages
FROM labelled AS l, unnest(range(l.own, len(l.labels))) AS t(k)
WHERE len(l.labels) <= $most_labels;

-- name: family_rules
-- What is learned below each name, from all hosts and from all but one fold of them, with
-- what it does to the rest: a host that is no copy of the rule's host is wrongly taken for one.
CREATE TEMP TABLE family_rules AS
WITH folds AS (
    SELECT unnest(range($folds + 1)) AS held_fold
),
totals AS (
    SELECT
        h.below,
        f.held_fold,
        count(*) FILTER (h.fold <> f.held_fold) AS n,
        count(*) FILTER (h.fold = f.held_fold) AS n_held
    FROM family_hosts AS h, folds AS f
    GROUP BY ALL
),
copies AS (
    SELECT
        h.below,
        f.held_fold,
        h.keep_id,
        count(*) FILTER (h.fold <> f.held_fold) AS k,
        count(*) FILTER (h.fold = f.held_fold) AS k_held
    FROM family_hosts AS h, folds AS f
    WHERE h.keep_id IS NOT NULL
    GROUP BY h.below, f.held_fold, h.keep_id
    QUALIFY row_number() OVER (
        PARTITION BY h.below, f.held_fold ORDER BY k DESC, h.keep_id
    ) = 1
),
weighed AS (
    SELECT
        c.below,
        c.held_fold,
        c.keep_id,
        c.k,
        t.n - coalesce(x.fold <> c.held_fold, false)::INTEGER AS n,
        t.n_held - coalesce(x.fold = c.held_fold, false)::INTEGER AS n_held,
        c.k_held
    FROM copies AS c
    JOIN totals AS t USING (below, held_fold)
    LEFT JOIN family_hosts AS x ON x.host_id = c.keep_id AND x.below = c.below
)
SELECT below, held_fold, keep_id, n, k, n_held, n_held - k_held AS wrong
FROM weighed
WHERE k >= $min_hosts AND n - k <= $max_error * n + 1e-9;

-- name: as_narrow
-- Rules that have no copy but those of a rule that stands below them, and that one's own name,
-- which its lists give, too: they would only reach further.
DELETE FROM family_rules
WHERE below IN (
    SELECT w.below
    FROM (
        SELECT
            below,
            keep_id,
            k,
            unnest(names_above(below)) AS wider
        FROM family_rules
        WHERE held_fold = $folds
    ) AS r
    JOIN family_rules AS w ON w.below = r.wider AND w.keep_id = r.keep_id
    LEFT JOIN family_hosts AS bare
        ON bare.host = r.below AND bare.below = w.below AND bare.keep_id = r.keep_id
    WHERE w.held_fold = $folds AND w.k = r.k + (bare.host_id IS NOT NULL)::INTEGER
);

-- name: widest
-- Rules that stand below another rule say nothing new, or are among its exceptions.
DELETE FROM family_rules
WHERE below IN (
    SELECT r.below
    FROM (
        SELECT
            below,
            unnest(names_above(below)) AS wider
        FROM family_rules
    ) AS r
    JOIN family_rules AS w ON w.below = r.wider AND w.held_fold = $folds
);

-- name: rules
-- www_apart = names that differ by www alone, as HTTrack folds it (htslib.c,
-- jump_normalized_const), go to several hosts. ports_apart = copies that have no port in common
-- with the kept host; other_port = that is known at other ports than those of the schemes alone.
WITH tried AS (
    SELECT below, sum(n_held)::BIGINT AS held_out, sum(wrong)::BIGINT AS wrong
    FROM family_rules
    WHERE held_fold < $folds
    GROUP BY below
),
ends AS (
    SELECT h.below, h.host, if(h.keep_id = r.keep_id, r.keep_id, h.host_id) AS goes
    FROM family_hosts AS h
    JOIN family_rules AS r ON r.below = h.below AND r.held_fold = $folds
    UNION ALL
    SELECT r.below, d.host, if(m.canonical_id = r.keep_id, r.keep_id, d.host_id)
    FROM family_rules AS r
    JOIN hosts AS d ON d.host = r.below
    LEFT JOIN members AS m ON m.host_id = d.host_id
    WHERE r.held_fold = $folds
),
clashing AS (
    SELECT below
    FROM ends
    GROUP BY below, regexp_replace(host, '^www[0-9-]*\.', '')
    HAVING min(goes) <> max(goes)
),
ports AS (
    SELECT
        host_id,
        list_distinct(array_agg(coalesce(nullif(regexp_extract(origin, ':(\d+)$', 1), ''), '-')))
            AS ports
    FROM origins
    GROUP BY host_id
),
answers AS (
    SELECT
        r.below,
        list(e.host ORDER BY e.host) FILTER (NOT list_has_any(c.ports, k.ports)) AS ports_apart,
        bool_or(NOT list_contains(k.ports, '-')) AS other_port
    FROM family_rules AS r
    JOIN ends AS e ON e.below = r.below AND e.goes = r.keep_id
    JOIN hosts AS h ON h.host = e.host
    JOIN ports AS c ON c.host_id = h.host_id
    JOIN ports AS k ON k.host_id = r.keep_id
    WHERE r.held_fold = $folds
    GROUP BY r.below
)
SELECT
    '*.' || r.below AS pattern,
    k.host AS keep,
    r.n AS hosts,
    r.k AS copies,
    coalesce(t.held_out, 0) AS held_out,
    coalesce(t.wrong, 0) AS wrong,
    (
        SELECT sum(1 - h.probability)
        FROM family_hosts AS h
        WHERE h.below = r.below AND h.keep_id = r.keep_id
    ) AS expected_wrong,
    (
        SELECT sum(h.pages)::BIGINT
        FROM family_hosts AS h
        WHERE h.below = r.below AND h.keep_id = r.keep_id
    ) AS pages,
    (
        SELECT list(h.host ORDER BY h.host)
        FROM family_hosts AS h
        WHERE h.below = r.below AND h.keep_id IS DISTINCT FROM r.keep_id
    ) AS exceptions,
    coalesce(b.canonical_id = r.keep_id AND b.canonical_id <> b.host_id, false) AS bare_is_copy,
    r.below IN (FROM clashing) AS www_apart,
    a.ports_apart,
    coalesce(a.other_port, false) AS other_port
FROM family_rules AS r
JOIN hosts AS k ON k.host_id = r.keep_id
LEFT JOIN tried AS t USING (below)
LEFT JOIN hosts AS d ON d.host = r.below
LEFT JOIN members AS b ON b.host_id = d.host_id
LEFT JOIN answers AS a ON a.below = r.below
WHERE r.held_fold = $folds
ORDER BY copies DESC, pattern;

-- name: overall
-- Of all that was learned without a fold: hosts held out, and those wrongly taken for copies.
SELECT coalesce(sum(n_held), 0)::BIGINT AS held_out, coalesce(sum(wrong), 0)::BIGINT AS wrong
FROM family_rules
WHERE held_fold < $folds;
