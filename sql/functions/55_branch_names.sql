-- Branch names: names by which hosts of several registered domains say that they are branches of
-- one brand, as bath-herald.com, york-herald.com and leeds-herald.com do.
--
-- Two names are read without their suffix, www, hyphens and dots. They have six letters and digits
-- or more in common at their end, or at their beginning where nothing stands before the registered
-- domain. What is left of each is a word of three letters or more, and another one.
-- Source: docs/drops.md#drops.
-- NULL = no such names.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: letters_of
-- Of hosts.name: news.bath-herald of www.news.bath-herald.com is newsbathherald.
CREATE OR REPLACE TEMP MACRO letters_of(name) AS
    regexp_replace(regexp_replace(name, '^www[0-9]*\.', ''), '[^a-z0-9]', '', 'g');

-- name: below_domain
-- Whether labels other than www stand before the registered domain.
CREATE OR REPLACE TEMP MACRO below_domain(name) AS
    contains(regexp_replace(name, '^www[0-9]*\.', ''), '.');

-- name: common_start
-- How many characters two texts have in common at their beginning.
CREATE OR REPLACE TEMP MACRO common_start(one, other) AS len(list_filter(
    generate_series(1, least(length(one), length(other))),
    lambda n: left(one, n) = left(other, n)
));

-- name: two_words
CREATE OR REPLACE TEMP MACRO two_words(one, other) AS CASE
    WHEN regexp_full_match(one, '[a-z]{3,}') AND regexp_full_match(other, '[a-z]{3,}')
        THEN [one, other]
END;

-- name: words_after
-- What follows the common beginning of two texts, if that is long enough. A macro puts its argument
-- down wherever it is named; as a lambda's, how much they have in common is worked out once.
CREATE OR REPLACE TEMP MACRO words_after(one, other) AS list_transform(
    [common_start(one, other)],
    lambda n: CASE WHEN n >= 6 THEN two_words(substr(one, n + 1), substr(other, n + 1)) END
)[1];

-- name: words_of_branches
-- The word of either, by hosts.name.
CREATE OR REPLACE TEMP MACRO words_of_branches(one, other) AS coalesce(
    list_transform(
        words_after(reverse(letters_of(one)), reverse(letters_of(other))),
        lambda word: reverse(word)
    ),
    CASE
        WHEN NOT below_domain(one) AND NOT below_domain(other)
            THEN words_after(letters_of(one), letters_of(other))
    END
);
