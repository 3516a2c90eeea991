-- Addresses from --hosts files, given to the sites that have pages; made anew whenever sites came
-- or went.
--
-- So it does not matter whether the crawl or the file with its addresses was loaded first.
-- Source: docs/method.md#ip. NULL: none; a row has an address.
--
-- reads: sources, named_ips, origins
-- writes: host_ips
-- parameters: none

-- name: forget
DELETE FROM host_ips
WHERE source_id IN (SELECT source_id FROM sources WHERE format = 'hosts');

-- name: give
INSERT INTO host_ips
SELECT DISTINCT o.host_id, n.ip, n.net, n.source_id
FROM named_ips AS n
JOIN origins AS o USING (host_name);
