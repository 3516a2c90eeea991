-- Edition names: names by which two hosts of one registered domain say that they are versions of a
-- site, or its languages or countries; and domains that say so by a year.
--
-- Only the labels that one of the two has and the other has not are read. So v2.docs.example.org
-- and docs.example.org differ by v2, and de.example.org and fr.example.org by de and fr.
-- Source: docs/drops.md#drops.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: version_number
-- Of a label: v2, v1-4, docs-v3, release-2, 4-2, 5x, or a year from 1990 on. Another number alone
-- is none, since mirrors and farms are numbered.
CREATE OR REPLACE TEMP MACRO version_number(label) AS
    regexp_matches(label, '(^|[-_])(v(er|ersion)?|rel(ease)?)[-_]?[0-9]+([-_][0-9]+)*([-_]|$)')
    OR regexp_full_match(label, '[0-9]+([-_][0-9]+){1,2}|[0-9]+x|199[0-9]|20[0-3][0-9]');

-- name: version_word
CREATE OR REPLACE TEMP MACRO version_word(label) AS regexp_matches(
    label, '(^|[-_])(latest|stable|current|next|nightly|lts|legacy|previous)([-_]|$)'
);

-- name: language_label
-- Two letters, or a locale as in pt-br, es-419 and zh-hant: a language or a country.
CREATE OR REPLACE TEMP MACRO language_label(label) AS regexp_full_match(
    label, '[a-z]{2}([-_](latn|cyrl|arab|han[st]))?([-_]([a-z]{2}|[0-9]{3}))?'
);

-- name: labels_before
-- The labels of a name that stand before its registered domain, 1.2 as 1-2; NULL where it is no
-- name of that.
CREATE OR REPLACE TEMP MACRO labels_before(host, domain) AS CASE
    WHEN host = domain THEN []::VARCHAR[]
    WHEN ends_with(host, '.' || domain)
        THEN string_split(
            regexp_replace(
                left(host, length(host) - length(domain) - 1), '([0-9])\.([0-9])', '\1-\2', 'g'
            ),
            '.'
        )
END;

-- name: labels_without
CREATE OR REPLACE TEMP MACRO labels_without(labels, others) AS
    list_filter(labels, lambda label: NOT list_contains(others, label));

-- name: kinds_of_labels
-- What labels say, as a number to be added to that of another name's: 16 a version's number, 4 a
-- language or country, 1 a version's word. So of the sum the bits 16 and 32 say that one of the two
-- has a number, 8 that both have a language, 2 that both have a word.
CREATE OR REPLACE TEMP MACRO kinds_of_labels(labels) AS coalesce(
    list_bit_or(list_transform(
        labels,
        lambda label: 16 * version_number(label)::INTEGER
            + 4 * language_label(label)::INTEGER
            + version_word(label)::INTEGER
    )),
    0
);

-- name: edition_labels
-- Whether the labels of two names of one registered domain say so; false where one is no such name.
CREATE OR REPLACE TEMP MACRO edition_labels(one, other) AS
    (
        kinds_of_labels(labels_without(one, other)) + kinds_of_labels(labels_without(other, one))
    ) & (32 + 16 + 8 + 2) > 0;

-- name: edition_of
-- The label by which a name says which version or language it is; NULL where it has none.
CREATE OR REPLACE TEMP MACRO edition_of(labels) AS list_filter(
    labels,
    lambda label: version_number(label) OR version_word(label) OR language_label(label)
)[1];

-- name: undated
-- A registered domain without the year at the end of its first label.
CREATE OR REPLACE TEMP MACRO undated(domain) AS
    regexp_replace(domain, '^([^.]+?)[-_]?(199[0-9]|20[0-3][0-9])\.', '\1.');

-- name: edition_domains
-- Whether two registered domains differ by a year alone: meeting2019.org, meeting-2020.org and
-- meeting.org.
CREATE OR REPLACE TEMP MACRO edition_domains(one, other) AS
    coalesce(one <> other AND undated(one) = undated(other), false);
