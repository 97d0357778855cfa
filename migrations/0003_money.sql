-- Prepaid balances, the holds on them for running work, limits of projects, and a step queue that is fair between
-- projects. `_e10` amounts are whole ten-billionths of a dollar, the smallest unit in use: SQL adds and compares them exactly.

-- A project without a row, or whose `balance_e10` is NULL, can spend without limit. The checks are the last safeguard: a
-- balance never falls below the amount held on it, and never below zero.
CREATE TABLE balances (
    project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id),
    balance_e10 BIGINT CHECK (balance_e10 >= 0),
    held_e10 BIGINT NOT NULL CHECK (held_e10 >= 0),
    CHECK (balance_e10 >= held_e10)
);

-- The amount held for the job's unfinished steps; NULL if nothing was held when the job was created.
ALTER TABLE jobs ADD COLUMN hold_e10 BIGINT CHECK (hold_e10 >= 0);

-- Holds of synchronous calls, which have no job. A call renews its lease; the hold of a dead process is released.
CREATE TABLE holds (
    request_id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    amount_e10 BIGINT NOT NULL CHECK (amount_e10 >= 0),
    lease_until_ms BIGINT NOT NULL
);
CREATE INDEX holds_by_lease ON holds (lease_until_ms);

-- 1 if the amount was charged to the balance. The balance equals minus the sum of these entries.
ALTER TABLE ledger ADD COLUMN from_balance BIGINT NOT NULL DEFAULT 0;

ALTER TABLE projects DROP COLUMN balance_usd;
ALTER TABLE projects ADD COLUMN requests_per_minute BIGINT;
ALTER TABLE projects ADD COLUMN concurrent_transcriptions BIGINT;

-- Steps are claimed project by project, so the index of queued steps begins with the project.
ALTER TABLE steps ADD COLUMN project_id TEXT NOT NULL DEFAULT '';
UPDATE steps SET project_id = (SELECT jobs.project_id FROM jobs WHERE jobs.id = steps.job_id);
DROP INDEX steps_queued;
CREATE INDEX steps_queued ON steps (project_id, job_id, ordinal) WHERE status = 'queued';
