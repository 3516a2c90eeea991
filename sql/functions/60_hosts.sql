-- Hosts: what a pair counts for by its hosts, and which host is a registered domain.
--
-- Source: docs/robust.md#class-prior, docs/drops.md#host-to-keep.
-- NULL of NULL, unless it is said.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: host_share
-- What a pair counts for whose hosts are in n_a and n_b pairs: then each host counts for about as
-- much as any other, and a farm of a hundred hosts is no hundred examples.
CREATE OR REPLACE TEMP MACRO host_share(n_a, n_b) AS 1 / sqrt(n_a * n_b);

-- name: is_registered
-- Whether a host is its registered domain, with or without www; false where that is not known.
CREATE OR REPLACE TEMP MACRO is_registered(host_name, domain) AS
    coalesce(split_part(host_name, '/', 1) IN (domain, 'www.' || domain), false);
