-- Given decisions: what a person has decided of pairs and hosts, for ever.
--
-- Keyed by the names of hosts, not by their numbers: a host that is unloaded and comes back is the
-- same. Nothing but `replicadb label` and `review` writes here: loads, unloads, detections and
-- newer versions leave these tables as they are.
-- NULL note = none was given.
--
-- reads: none
-- writes: decisions, pins, unused_decisions
-- parameters: none

-- name: decisions
CREATE TABLE IF NOT EXISTS internal.decisions (
    host_a     VARCHAR,
    host_b     VARCHAR,
    replica    BOOLEAN,
    note       VARCHAR,
    source     VARCHAR,
    decided_at TIMESTAMP
);
-- name: decisions_comments
COMMENT ON TABLE internal.decisions IS
    'Pairs of hosts that a person has decided on, each once; they bind every detection. The view '
    'given_decisions shows what becomes of them.';
COMMENT ON COLUMN internal.decisions.host_a IS 'The host whose name comes first in byte order.';
COMMENT ON COLUMN internal.decisions.host_b IS 'The host whose name comes second.';
COMMENT ON COLUMN internal.decisions.replica IS 'Whether the two are replicas.';
COMMENT ON COLUMN internal.decisions.note IS 'Why, in the words of whoever decided. NULL = none.';
COMMENT ON COLUMN internal.decisions.source IS 'Who said so: a file, or who it names; review.';
COMMENT ON COLUMN internal.decisions.decided_at IS 'When it was decided, UTC.';

-- name: pins
CREATE TABLE IF NOT EXISTS internal.pins (
    host       VARCHAR,
    pin        VARCHAR,
    note       VARCHAR,
    source     VARCHAR,
    decided_at TIMESTAMP
);
-- name: pins_comments
COMMENT ON TABLE internal.pins IS
    'Hosts that a person has decided on, each once: keep (never dropped, and the host to keep of '
    'its group) or never (never flagged).';
COMMENT ON COLUMN internal.pins.host IS 'The host.';
COMMENT ON COLUMN internal.pins.pin IS 'keep or never.';
COMMENT ON COLUMN internal.pins.note IS 'Why. NULL = no reason was given.';
COMMENT ON COLUMN internal.pins.source IS 'Who said so: a file, or who it names; label.';
COMMENT ON COLUMN internal.pins.decided_at IS 'When it was decided, UTC.';

-- name: unused_decisions
CREATE TABLE IF NOT EXISTS internal.unused_decisions (
    source   VARCHAR,
    position BIGINT,
    host_a   VARCHAR,
    host_b   VARCHAR,
    label    VARCHAR,
    note     VARCHAR,
    reason   VARCHAR
);
-- name: unused_decisions_comments
COMMENT ON TABLE internal.unused_decisions IS
    'Rows of files of decisions that could not be used, as they stood there. A file that is given '
    'again has its rows anew.';
COMMENT ON COLUMN internal.unused_decisions.source IS 'The file.';
COMMENT ON COLUMN internal.unused_decisions.position IS 'Number of the row in it, from 1.';
COMMENT ON COLUMN internal.unused_decisions.host_a IS 'As it stood there. NULL = nothing did.';
COMMENT ON COLUMN internal.unused_decisions.host_b IS 'As it stood there. NULL = nothing did.';
COMMENT ON COLUMN internal.unused_decisions.label IS 'As it stood there. NULL = nothing did.';
COMMENT ON COLUMN internal.unused_decisions.note IS 'As it stood there. NULL = nothing did.';
COMMENT ON COLUMN internal.unused_decisions.reason IS 'Why the row could not be used.';
