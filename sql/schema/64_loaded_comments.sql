-- Comments of loaded tables: the columns that a load, fingerprint or render fills.
--
-- SELECT * FROM descriptions lists them. Tables that detect makes anew are described where they are
-- made (sql/schema/20_compared to sql/schema/28_rewrites).
-- Each says the definition, the unit, the source (paper = "Website replica detection with distant
-- supervision", 2017; thesis = the master's thesis behind it) and what NULL means; no word on NULL
-- means it does not occur.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: bookkeeping
COMMENT ON COLUMN meta.key IS 'Name of the fact.';
COMMENT ON COLUMN meta.value IS 'The fact as text.';
COMMENT ON COLUMN loads.load_id IS 'Number of the load; never given twice.';
COMMENT ON COLUMN loads.name IS 'Label, from load --label or the file''s name; what unload takes.';
COMMENT ON COLUMN loads.loaded_at IS 'When the load began, UTC.';
COMMENT ON COLUMN sources.source IS 'Path of the file as it was given; - is standard input.';
COMMENT ON COLUMN sources.format IS 'Format as recognised, or as --format says.';
COMMENT ON COLUMN sources.sha256 IS
    'SHA-256 of the file''s bytes, hex; recognises it when it comes again.';
COMMENT ON COLUMN sources.bytes IS 'Size of the file in bytes, as it lies there.';
COMMENT ON COLUMN sources.loaded_at IS 'When it was loaded, UTC.';
COMMENT ON COLUMN sources.seconds IS 'How long that took.';
COMMENT ON COLUMN sources.read IS 'Rows or records read = kept + replaced + skipped + rejected.';
COMMENT ON COLUMN sources.kept IS 'URLs that were new to the database.';
COMMENT ON COLUMN sources.replaced IS
    'Captures of a URL that was there already, whichever of the two captures won.';
COMMENT ON COLUMN sources.skipped IS 'Left out on purpose; reasons in skips.';
COMMENT ON COLUMN sources.rejected IS 'Could not be used; each in rejects.';
COMMENT ON COLUMN skips.reason IS 'Why: redirect, status ..., type ..., excluded host.';
COMMENT ON COLUMN skips.n IS 'How many rows.';
COMMENT ON COLUMN rejects.position IS
    'Number of the record or line in its source, from 1. In a CSV the header is the first, and '
    'blank lines are not counted.';
COMMENT ON COLUMN rejects.url IS
    'The URL as it stood there, cut to 2,000 characters. NULL = there was none.';
COMMENT ON COLUMN rejects.reason IS 'Why it could not be used.';
COMMENT ON COLUMN runs.command IS 'load, unload or detect.';
COMMENT ON COLUMN runs.started_at IS 'When it began, UTC.';
COMMENT ON COLUMN runs.seconds IS 'How long it took.';
COMMENT ON COLUMN runs.version IS 'Version of replicadb.';
COMMENT ON COLUMN runs.duckdb IS 'Version of DuckDB.';
COMMENT ON COLUMN runs.settings IS 'The settings it ran with, as a JSON object.';
COMMENT ON COLUMN runs.counts IS 'What it found or did, as a JSON object.';
COMMENT ON COLUMN stages.stage IS 'Name of the stage, as in sql/.';
COMMENT ON COLUMN stages.key IS
    'SHA-256 of data, settings and the stages before; unchanged = nothing to do.';
COMMENT ON COLUMN stages.finished_at IS 'When it was done.';
COMMENT ON COLUMN stages.seconds IS 'How long it took.';
COMMENT ON COLUMN stages.rows IS 'Rows in the first of the tables that it fills.';

-- name: crawl
COMMENT ON COLUMN hosts.host IS
    'The site: a host name in IDNA ASCII form, or what load --site says.';
COMMENT ON COLUMN hosts.domain IS
    'Registrable domain by the whole public suffix list. NULL = an IP address, or a bare suffix.';
COMMENT ON COLUMN hosts.suffix IS
    'Public suffix by the ICANN part of the list. NULL = an IP address, or a bare suffix.';
COMMENT ON COLUMN hosts.name IS
    'The host without its suffix. NULL = an IP address, or a bare suffix.';
COMMENT ON COLUMN origins.origin IS
    'Scheme, host and port (where not the default); under --site host+1 the first path segment '
    'too.';
COMMENT ON COLUMN origins.host_name IS 'The host name in it.';
COMMENT ON COLUMN origins.host_id IS 'The site that it counts to.';
COMMENT ON COLUMN urls.url_id IS 'Number of the URL''s capture; never given twice.';
COMMENT ON COLUMN urls.path IS 'Path with its query, behind the origin.';
COMMENT ON COLUMN urls.fingerprint_kind IS
    'Algorithm of the fingerprint (sha1, md5, sha256, ...; other = not recognised). NULL = '
    'content unknown.';
COMMENT ON COLUMN urls.fetched_at IS 'Time of the capture, UTC. NULL = not recorded.';
COMMENT ON COLUMN urls.status IS 'HTTP status. NULL = not recorded.';
COMMENT ON COLUMN urls.mime IS
    'Media type, lower case, without parameters; where none is recorded, that of a file by its '
    'name (a.png). NULL = not known.';
COMMENT ON COLUMN urls.length IS 'Length in bytes as the source records it. NULL = not recorded.';
COMMENT ON COLUMN urls.title IS
    'Title of the page, blanks collapsed, cut to 300 characters. NULL = not recorded.';
COMMENT ON COLUMN urls.path_hash IS
    'Half of the MD5 of the path: what detection compares, as the hashes below, worked out when '
    'the URL is loaded.';
COMMENT ON COLUMN urls.tail_hash IS
    'The same of its tail: last segment with query, small numbers as 0.';
COMMENT ON COLUMN urls.segment_hash IS
    'The same of its last segment. NULL = no small numbers in it, as the tail.';
COMMENT ON COLUMN urls.content_hash IS 'The same of kind and fingerprint. NULL = content unknown.';
COMMENT ON COLUMN urls.title_hash IS 'The same of the title in lower case. NULL = not recorded.';
COMMENT ON COLUMN urls.source_id IS 'The source of the capture.';
COMMENT ON COLUMN urls.user_id IS 'Your own id, from load --id-column. NULL = none given.';
COMMENT ON COLUMN revisits.revisit_of IS
    'The URL that it names as repeated, else its own. NULL = its media type says what it is.';
COMMENT ON COLUMN revisits.fingerprint_kind IS
    'Kind of its digest by its own file. NULL = not known there.';
COMMENT ON COLUMN revisits.fingerprint IS
    'Its digest by its own file, as in urls. NULL = not known there.';
COMMENT ON COLUMN revisits.mime IS 'Its media type by its own file. NULL = not known there.';
COMMENT ON COLUMN revisits.title IS 'Its title by its own file. NULL = not known there.';
COMMENT ON COLUMN revisits.all_types IS
    'Whether it was loaded with --all-types, so that no type makes it an asset.';
COMMENT ON COLUMN revisits.length IS
    'Length of what it repeats in its own file, in bytes. NULL = not known there.';
COMMENT ON COLUMN host_ips.ip IS 'IPv4 or IPv6 address in normal form.';
COMMENT ON COLUMN host_ips.net IS 'Its first three octets (IPv4) or its /64 (IPv6).';
COMMENT ON COLUMN host_ips.source_id IS 'The source that says so.';
COMMENT ON COLUMN named_ips.host_name IS 'Host name as in the --hosts file, in IDNA ASCII form.';
COMMENT ON COLUMN named_ips.ip IS 'IPv4 or IPv6 address in normal form.';
COMMENT ON COLUMN named_ips.net IS 'Its first three octets (IPv4) or its /64 (IPv6).';
COMMENT ON COLUMN links.from_host IS
    'The site of the URL that redirects, or of the page with the canonical link.';
COMMENT ON COLUMN links.from_url IS 'The URL that redirects, or the page.';
COMMENT ON COLUMN links.to_host IS 'The site that the target counts to, or would.';
COMMENT ON COLUMN links.to_url IS 'The target in the normal form of URLs.';
COMMENT ON COLUMN links.kind IS
    'redirect: an HTTP status of 301, 302, 303, 307 or 308; canonical: rel=canonical of a page '
    'that is kept, also to itself.';
COMMENT ON COLUMN outlinks.to_host IS
    'The site that the target counts to, or would; that of host_id itself for links inside a '
    'site.';
COMMENT ON COLUMN outlinks.origin IS 'Origin of the target, as in origins.';
COMMENT ON COLUMN outlinks.path IS 'Path of the target with its query, as in urls.';
COMMENT ON COLUMN outlinks.pages IS
    'Pages of this site in this source that link there; the same link again on a page does not '
    'count.';
COMMENT ON COLUMN link_skips.kind IS 'link, canonical or redirect.';
COMMENT ON COLUMN link_skips.reason IS
    'Why it was left out: no http URL, a page that is not kept, or on its page before.';
COMMENT ON COLUMN link_skips.n IS 'How many.';

-- name: page_contents
COMMENT ON COLUMN page_contents.title IS 'Title as the page has it, blanks collapsed. NULL = none.';
COMMENT ON COLUMN page_contents.keywords IS 'Content of meta keywords. NULL = none.';
COMMENT ON COLUMN page_contents.description IS 'Content of meta description. NULL = none.';
COMMENT ON COLUMN page_contents.headings IS 'Headings (h1 to h6), one a line. NULL = none.';
COMMENT ON COLUMN page_contents.text IS 'Visible text, blocks as lines, cut to 64 KB.';
COMMENT ON COLUMN page_contents.main_text IS
    'The same without what stands around the content (menus, footers), by resiliparse. NULL = as '
    'text.';
COMMENT ON COLUMN page_contents.body IS
    'The first 16 KB of the decoded markup, scripts and styles emptied, for compression '
    'distances. NULL = the source had text alone.';
COMMENT ON COLUMN page_contents.length IS 'Bytes of the decoded body.';
COMMENT ON COLUMN page_contents.raw_digest IS
    'SHA-1 of the body, decoded from chunks and compression.';
COMMENT ON COLUMN page_contents.text_digest IS 'SHA-1 of the whole visible text.';
COMMENT ON COLUMN page_contents.normal_digest IS
    'SHA-1 of the visible text with digits, dates and white space folded. NULL = no letter in it.';
COMMENT ON COLUMN terms.term IS 'The term, in lower case, at most 40 characters.';
COMMENT ON COLUMN page_terms.field IS 'Where it stands: page_fields.field.';
COMMENT ON COLUMN page_terms.n IS 'How many times.';
COMMENT ON COLUMN page_fields.field IS 'Number of the field.';
COMMENT ON COLUMN page_fields.name IS
    'url, title, heading, keywords, description, anchor_own (text of links to the same site), '
    'anchor_other or text.';
COMMENT ON COLUMN page_fields.weight IS 'Weight of a term there (Das et al. 2012, Table 1).';
COMMENT ON COLUMN anchors.to_url IS 'The target, in normal form without fragment.';
COMMENT ON COLUMN anchors.anchor IS 'Text of the link, cut to 200 characters. NULL = none.';
COMMENT ON COLUMN rendered_pages.final_url IS
    'Where meta refresh and scripts led; the URL itself where nowhere else.';
COMMENT ON COLUMN rendered_pages.title IS 'Title after rendering. NULL = none.';
COMMENT ON COLUMN rendered_pages.text IS 'Visible text after rendering, frames included.';
COMMENT ON COLUMN rendered_pages.body IS
    'The first 16 KB of the markup after rendering, scripts and styles emptied, frames grafted '
    'in.';
COMMENT ON COLUMN rendered_pages.length IS 'Bytes of the markup after rendering.';
COMMENT ON COLUMN rendered_pages.frames IS 'Frames grafted in.';
COMMENT ON COLUMN rendered_pages.redirects IS
    'Redirects by meta refresh or script that were followed.';
COMMENT ON COLUMN rendered_pages.missing IS 'Requests that the archive could not answer.';
COMMENT ON COLUMN render_problems.rendered IS
    'Whether the page is in rendered_pages all the same, as it stood.';
COMMENT ON COLUMN render_problems.reason IS 'What was wrong.';
