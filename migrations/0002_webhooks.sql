-- Webhook delivery, and the holder of an idempotency key.

-- Identifies the request that reserved the key. A request that lost the key cannot store an answer under it.
ALTER TABLE idempotency_keys ADD COLUMN holder TEXT;

-- For a day after a rotation, the previous secret signs too. `failing_since_ms` is the first failure since the last success.
ALTER TABLE endpoints ADD COLUMN previous_secret TEXT;
ALTER TABLE endpoints ADD COLUMN previous_until_ms BIGINT;
ALTER TABLE endpoints ADD COLUMN failing_since_ms BIGINT;
ALTER TABLE endpoints ADD COLUMN disabled_because TEXT;

-- A lane is the queue of one receiver: an endpoint's id, or the project and the origin of a job's `webhook_url`.
-- `claim` is the fencing number of the current claim. `tries` counts the attempts since the delivery was last restarted.
ALTER TABLE deliveries ADD COLUMN lane TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN claim BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
UPDATE deliveries SET lane = COALESCE(endpoint_id, project_id || ' ' || url);
DROP INDEX deliveries_due;
CREATE INDEX deliveries_waiting ON deliveries (lane, next_attempt_ms, id) WHERE status = 'pending';

-- The first kilobyte of the receiver's response.
ALTER TABLE delivery_attempts ADD COLUMN answer TEXT;

ALTER TABLE secrets ADD COLUMN previous_sealed TEXT;
ALTER TABLE secrets ADD COLUMN previous_until_ms BIGINT;
