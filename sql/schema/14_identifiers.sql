-- Schema: what pages say of who runs them, and their languages.
--
-- No row alone is evidence of a copy: one owner has many sites. What it weighs in a crawl, decided
-- pairs teach (docs/robust.md#identifiers).
--
-- reads: none
-- writes: identifiers, page_languages
-- parameters: none

-- name: identifiers
CREATE TABLE IF NOT EXISTS internal.identifiers (
    source_id INTEGER,
    host_id   INTEGER,
    kind      VARCHAR,
    value     VARCHAR,
    pages     INTEGER
);
-- name: identifiers_comment
COMMENT ON TABLE identifiers IS
    'What the pages of a source say of who runs them, by host: analytics and advertising accounts, '
    'mail addresses, wallets, names of servers; and their language. The view site_identifiers '
    'shows it with how many hosts have each.';
-- name: identifiers_kind_comment
COMMENT ON COLUMN identifiers.kind IS 'analytics, ads, mail, wallet, server, tls or language.';
-- name: identifiers_value_comment
COMMENT ON COLUMN identifiers.value IS
    'The account without the number of its property, the address in lower case, the header, the '
    'language as its two or three letters.';
-- name: identifiers_pages_comment
COMMENT ON COLUMN identifiers.pages IS 'Pages of the host in this source that say it.';

-- name: page_languages
CREATE TABLE IF NOT EXISTS internal.page_languages (
    source_id INTEGER,
    url_id    BIGINT,
    language  VARCHAR
);
-- name: page_languages_comment
COMMENT ON TABLE page_languages IS
    'The language of captures (urls or superseded) that say one: of the root element, of the '
    'header, or of a table''s column. Of host by host the sums stand in identifiers.';
-- name: page_languages_language_comment
COMMENT ON COLUMN page_languages.language IS 'Its two or three letters.';
