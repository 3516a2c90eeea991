-- Schema: everything that a load writes, and the bookkeeping of runs and stages.
--
-- A *site* is what --site says (a host name unless told otherwise) and is called `host` throughout.
-- A URL is origin || path: the origin holds scheme, host and port (and the first path segment under
-- --site host+1), the path holds the query string. Strings that repeat are interned as integers.
-- NULL in urls: fingerprint = content unknown; fetched_at, status, mime, length, title = not
-- recorded.
--
-- reads: none
-- writes: meta, loads, sources, skips, rejects, hosts, origins, urls, superseded, revisits,
--   host_ips, named_ips, links, outlinks, link_skips, page_contents, terms, page_terms,
--   page_fields, anchors, rendered_pages, render_problems, runs, stages
-- parameters: none

-- name: meta
CREATE TABLE internal.meta (key VARCHAR PRIMARY KEY, value VARCHAR);
-- name: meta_comment
COMMENT ON TABLE meta IS
    'What made this file: application, schema_version, created_by, site (what counts as one '
    'site); last_... = the highest id given out, which never comes back.';

-- name: loads
CREATE TABLE history.loads (load_id INTEGER PRIMARY KEY, name VARCHAR UNIQUE, loaded_at TIMESTAMP);
-- name: loads_comment
COMMENT ON TABLE loads IS
    'One row per load, by its label. `replicadb unload DB NAME` takes one out again.';

-- name: sources
CREATE TABLE main.sources (
    source_id INTEGER PRIMARY KEY,
    load_id   INTEGER,
    source    VARCHAR,
    format    VARCHAR,
    sha256    VARCHAR,
    bytes     BIGINT,
    loaded_at TIMESTAMP,
    seconds   DOUBLE,
    read      BIGINT,
    kept      BIGINT,
    replaced  BIGINT,
    skipped   BIGINT,
    rejected  BIGINT
);
-- name: sources_comment
COMMENT ON TABLE sources IS
    'One row per source file. read = kept + replaced + skipped + rejected. sha256 of the file '
    'recognises it when it comes again.';

-- name: skips
CREATE TABLE main.skips (source_id INTEGER, reason VARCHAR, n BIGINT);
-- name: skips_comment
COMMENT ON TABLE skips IS
    'How many rows of a source were left out on purpose, by reason (status, media type, redirect, '
    'excluded host).';

-- name: rejects
CREATE TABLE main.rejects (source_id INTEGER, position BIGINT, url VARCHAR, reason VARCHAR);
-- name: rejects_comment
COMMENT ON TABLE rejects IS
    'Rows that could not be used: the number of the record or line in its source, the URL as it '
    'stood there (cut to 2,000 characters), and why.';

-- name: hosts
CREATE TABLE main.hosts (
    host_id INTEGER,
    host    VARCHAR,
    domain  VARCHAR,
    suffix  VARCHAR,
    name    VARCHAR
);
-- name: hosts_comment
COMMENT ON TABLE hosts IS
    'Every site with at least one URL. domain = registrable domain, suffix = public suffix (ICANN '
    'part of the list, else the last label; NULL for an IP address or a bare suffix), name = host '
    'without its suffix.';

-- name: origins
CREATE TABLE internal.origins (
    origin_id INTEGER,
    origin    VARCHAR,
    host_name VARCHAR,
    host_id   INTEGER
);
-- name: origins_comment
COMMENT ON TABLE origins IS
    'Scheme, host and port as they begin a URL; host_name is the host in it, host_id the site it '
    'counts to.';

-- name: urls
CREATE TABLE internal.urls (
    url_id           BIGINT,
    host_id          INTEGER,
    origin_id        INTEGER,
    path             VARCHAR,
    fingerprint_kind VARCHAR,
    fingerprint      VARCHAR,
    fetched_at       TIMESTAMP,
    status           SMALLINT,
    mime             VARCHAR,
    length           BIGINT,
    source_id        INTEGER,
    user_id          VARCHAR,
    title            VARCHAR,
    path_hash        UBIGINT,
    tail_hash        UBIGINT,
    segment_hash     UBIGINT,
    content_hash     UBIGINT,
    title_hash       UBIGINT,
    asset            BOOLEAN
);
-- name: urls_comment
COMMENT ON TABLE urls IS
    'Every known URL once, at its newest capture. The view pages shows it with host and URL '
    'spelled out. Whoever changes a row by hand has to make its hashes anew, which detection '
    'compares.';
-- name: urls_asset_comment
COMMENT ON COLUMN urls.asset IS
    'A file that is no page by its media type: a picture, style, script, font. Evidence for '
    'method robust; in no view and no count of pages. false of every URL loaded with --all-types.';
-- name: urls_fingerprint_comment
COMMENT ON COLUMN urls.fingerprint IS
    'Content digest in one normal form: lower-case hex where it is a digest (base32 decoded, '
    'algorithm prefix in fingerprint_kind). NULL = unknown.';

-- name: superseded
CREATE TABLE internal.superseded AS SELECT * FROM urls LIMIT 0;
-- name: superseded_comment
COMMENT ON TABLE superseded IS
    'Captures of a URL that a newer one replaced; kept so that a load can be taken out again '
    'exactly.';

-- name: revisits
CREATE TABLE internal.revisits (
    url_id           BIGINT,
    source_id        INTEGER,
    revisit_of       VARCHAR,
    fingerprint_kind VARCHAR,
    fingerprint      VARCHAR,
    mime             VARCHAR,
    title            VARCHAR,
    all_types        BOOLEAN,
    length           BIGINT
);
-- name: revisits_comment
COMMENT ON TABLE revisits IS
    'Captures (urls or superseded) that repeat another one, with what their own file says of them. '
    'What is NULL here they borrow from what they repeat, as long as that is loaded.';

-- name: host_ips
CREATE TABLE internal.host_ips (host_id INTEGER, ip VARCHAR, net VARCHAR, source_id INTEGER);
-- name: host_ips_comment
COMMENT ON TABLE host_ips IS
    'Addresses seen for a site; net = first three octets (IPv4) or the /64 (IPv6).';

-- name: named_ips
CREATE TABLE internal.named_ips (source_id INTEGER, host_name VARCHAR, ip VARCHAR, net VARCHAR);
-- name: named_ips_comment
COMMENT ON TABLE named_ips IS
    'Addresses from --hosts files by host name, also of hosts that have no page here (yet); '
    'host_ips holds those of sites.';

-- name: links
CREATE TABLE internal.links (
    source_id INTEGER,
    from_host VARCHAR,
    from_url  VARCHAR,
    to_host   VARCHAR,
    to_url    VARCHAR,
    kind      VARCHAR
);
-- name: links_comment
COMMENT ON TABLE links IS
    'From one URL to another that is said to be the same page: redirects and canonical links. The '
    'hosts are sites, as --site has them; either may have no page here.';

-- name: outlinks
-- A row for each page and link would be twenty times the crawl; what hosts link to, and how often,
-- is enough.
CREATE TABLE internal.outlinks (
    source_id INTEGER,
    host_id   INTEGER,
    to_host   VARCHAR,
    origin    VARCHAR,
    path      VARCHAR,
    pages     INTEGER
);
-- name: outlinks_comment
COMMENT ON TABLE outlinks IS
    'Where a site''s pages link to: each target URL (origin || path) once for a source and a '
    'site. Two sources with captures of one page both count it; within a source only a page''s '
    'newest capture does.';

-- name: link_skips
CREATE TABLE internal.link_skips (source_id INTEGER, kind VARCHAR, reason VARCHAR, n BIGINT);
-- name: link_skips_comment
COMMENT ON TABLE link_skips IS
    'How many links of a source were left out, by reason. Links found = the sum of outlinks.pages '
    'and of n for kind link.';

-- name: page_contents
-- What the page methods need of a page, not the page: docs/method.md#pages. Filled by load
-- --content. Long texts by zstd: left to choose, DuckDB takes three times as long for files half as
-- large again.
CREATE TABLE internal.page_contents (  -- noqa: PRS
    url_id        BIGINT,
    source_id     INTEGER,
    title         VARCHAR,
    keywords      VARCHAR,
    description   VARCHAR,
    headings      VARCHAR,
    text          VARCHAR USING COMPRESSION zstd,
    main_text     VARCHAR USING COMPRESSION zstd,
    body          VARCHAR USING COMPRESSION zstd,
    length        BIGINT,
    raw_digest    VARCHAR,
    text_digest   VARCHAR,
    normal_digest VARCHAR
);
-- name: page_contents_comment
COMMENT ON TABLE page_contents IS
    'One row per capture (urls or superseded) whose content was loaded with --content: what the '
    'page methods need of it.';

-- name: terms
CREATE TABLE internal.terms (term_id INTEGER, term VARCHAR);
-- name: terms_comment
COMMENT ON TABLE terms IS
    'Every term of a page loaded with --content, in lower case: a word, or two or three '
    'neighbouring characters where a script writes none apart.';

-- name: page_terms
CREATE TABLE internal.page_terms (url_id BIGINT, field UTINYINT, term_id INTEGER, n INTEGER);
-- name: page_terms_comment
COMMENT ON TABLE page_terms IS
    'How often a term stands in a field of a page; page_fields names the fields.';

-- name: page_fields
CREATE TABLE internal.page_fields (field UTINYINT, name VARCHAR, weight DOUBLE);
-- name: page_fields_comment
COMMENT ON TABLE page_fields IS
    'The fields of a page that terms stand in, with the weights of Das, Mathew and Vijayaraghavan '
    '(2012), Table 1.';
-- name: page_fields_rows
INSERT INTO page_fields VALUES
    (1, 'url', 2),
    (2, 'title', 2),
    (3, 'heading', 2),
    (4, 'keywords', 3),
    (5, 'description', 3),
    (6, 'anchor_own', 1),
    (7, 'anchor_other', 0.5),
    (8, 'text', 1);

-- name: anchors
CREATE TABLE internal.anchors (url_id BIGINT, to_url VARCHAR, anchor VARCHAR);
-- name: anchors_comment
COMMENT ON TABLE anchors IS
    'Where a page loaded with --content links to (normal form, without fragment), with the text '
    'of the link.';

-- name: rendered_pages
CREATE TABLE internal.rendered_pages (
    url_id    BIGINT,
    final_url VARCHAR,
    title     VARCHAR,
    text      VARCHAR,
    body      VARCHAR,
    length    BIGINT,
    frames    INTEGER,
    redirects INTEGER,
    missing   INTEGER
);
-- name: rendered_pages_comment
COMMENT ON TABLE rendered_pages IS
    'Pages as a browser shows them (replicadb pages render): after script and redirects, frames '
    'grafted in.';

-- name: render_problems
CREATE TABLE internal.render_problems (url_id BIGINT, rendered BOOLEAN, reason VARCHAR);
-- name: render_problems_comment
COMMENT ON TABLE render_problems IS
    'Pages that a browser could not show, and those that never came to rest and are in '
    'rendered_pages as they stood.';

-- name: runs
CREATE TABLE history.runs (
    run_id      INTEGER,
    command     VARCHAR,
    started_at  TIMESTAMP,
    seconds     DOUBLE,
    version     VARCHAR,
    duckdb      VARCHAR,
    settings    JSON,
    counts      JSON
);
-- name: runs_comment
COMMENT ON TABLE runs IS 'Every load, unload and detect with its settings, counts and versions.';

-- name: stages
CREATE TABLE internal.stages (
    stage       VARCHAR,
    key         VARCHAR,
    finished_at TIMESTAMP,
    seconds     DOUBLE,
    rows        BIGINT
);
-- name: stages_comment
COMMENT ON TABLE stages IS
    'The finished stages of detect. key identifies data and settings; a stage whose key is '
    'unchanged is not run again.';
