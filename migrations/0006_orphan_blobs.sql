-- Blobs that no row names, and when a task was last done.

-- When the sweeper first and last found the blob without a row. A week after it was first found, the blob is deleted.
CREATE TABLE orphan_blobs (
    blob_key TEXT NOT NULL PRIMARY KEY,
    first_seen_ms BIGINT NOT NULL,
    last_seen_ms BIGINT NOT NULL
);

-- NULL until the task is done for the first time.
ALTER TABLE chores ADD COLUMN done_ms BIGINT;
