-- Results, rewrite rules: one URL for each page of a host.
--
-- Filled and made anew by replicadb rewrite learn, empty until then.
-- NULL = any host, or any section.
--
-- reads: none
-- writes: rewrite_rules, rewrites
-- parameters: none

-- name: rewrite_rules
CREATE TABLE internal.rewrite_rules (
    rule_id      INTEGER,
    context      VARCHAR,
    rule         VARCHAR,
    kind         VARCHAR,
    host         VARCHAR,
    section      VARCHAR,
    name         VARCHAR,
    value        VARCHAR,
    position     INTEGER,
    support      BIGINT,
    matches      BIGINT,
    errors       BIGINT,
    test_matches BIGINT,
    test_errors  BIGINT,
    hosts        BIGINT
);
COMMENT ON TABLE rewrite_rules IS
    'What replicadb rewrite learn found: rules that give each page of a host one URL (Dasgupta et '
    'al. 2008).';
COMMENT ON COLUMN rewrite_rules.context IS
    'Where the rule holds, to read: host/section, * for any.';
COMMENT ON COLUMN rewrite_rules.rule IS 'What it does, to read.';
COMMENT ON COLUMN rewrite_rules.kind IS
    'Kind of transformation (replicadb/rewrite/rewrite_rules.py, KINDS).';
COMMENT ON COLUMN rewrite_rules.host IS 'Host, with its port where it has one. NULL = any.';
COMMENT ON COLUMN rewrite_rules.section IS 'First segment of the path. NULL = any.';
COMMENT ON COLUMN rewrite_rules.name IS
    'What it is about: a parameter, segment, type, suffix or extension; empty for kinds without.';
COMMENT ON COLUMN rewrite_rules.value IS
    'What is put there instead, or the one value of the parameter that is dropped; empty for '
    'none.';
COMMENT ON COLUMN rewrite_rules.position IS 'Of a segment, from 1; 0 = kinds without.';
COMMENT ON COLUMN rewrite_rules.support IS 'Different contents that it brings together.';
COMMENT ON COLUMN rewrite_rules.matches IS
    'URLs that it gives a form that another known URL has, or is given.';
COMMENT ON COLUMN rewrite_rules.errors IS
    'Those of them whose content differs from that of the other.';
COMMENT ON COLUMN rewrite_rules.test_matches IS
    'Matches in the parts of the contents that were left out when the rule was learned (ten-fold '
    'cross-validation).';
COMMENT ON COLUMN rewrite_rules.test_errors IS 'Errors among those.';
COMMENT ON COLUMN rewrite_rules.hosts IS 'Hosts in which contents speak for it.';

-- name: rewrites
CREATE TABLE internal.rewrites (url_id BIGINT, canonical VARCHAR);
COMMENT ON TABLE rewrites IS
    'URLs that the rewrite rules change, with the form that they give them; the view '
    'canonical_urls has all.';
COMMENT ON COLUMN rewrites.url_id IS 'The URL (urls.url_id).';
COMMENT ON COLUMN rewrites.canonical IS 'Its canonical form.';
