-- Webhooks that are delivered, and idempotency keys that know their holder.

-- Whoever reserved a key and lost it must not settle it for the one who has it now.
ALTER TABLE idempotency_keys ADD COLUMN holder TEXT;

-- For a day after a rotation the previous secret signs too. `failing_since_ms` is the first failure since the last success.
ALTER TABLE endpoints ADD COLUMN previous_secret TEXT;
ALTER TABLE endpoints ADD COLUMN previous_until_ms BIGINT;
ALTER TABLE endpoints ADD COLUMN failing_since_ms BIGINT;
ALTER TABLE endpoints ADD COLUMN disabled_because TEXT;

-- Deliveries to one receiver wait in one lane: an endpoint's id, or the project and the origin of a job's own address.
-- `claim` fences what a lost claim says; `tries` counts from the last time that the delivery was started afresh.
ALTER TABLE deliveries ADD COLUMN lane TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN claim BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
UPDATE deliveries SET lane = COALESCE(endpoint_id, project_id || ' ' || url);
DROP INDEX deliveries_due;
CREATE INDEX deliveries_waiting ON deliveries (lane, next_attempt_ms, id) WHERE status = 'pending';

-- The first kilobyte of what the receiver answered.
ALTER TABLE delivery_attempts ADD COLUMN answer TEXT;

ALTER TABLE secrets ADD COLUMN previous_sealed TEXT;
ALTER TABLE secrets ADD COLUMN previous_until_ms BIGINT;
