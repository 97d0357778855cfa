-- Prepaid balances, what is held of them for work under way, limits of projects, and a queue that is fair between them.
-- `_e10` are whole ten-billionths of a dollar, the last digit that is counted: SQL compares and adds those exactly.

-- A project without a row, or with no `balance_e10`, may spend without limit. The checks are the last net: no balance
-- falls below what is held of it, and none below zero.
CREATE TABLE balances (
    project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id),
    balance_e10 BIGINT CHECK (balance_e10 >= 0),
    held_e10 BIGINT NOT NULL CHECK (held_e10 >= 0),
    CHECK (balance_e10 >= held_e10)
);

-- What is still held for a job's unfinished steps; empty where nothing was held when it was made.
ALTER TABLE jobs ADD COLUMN hold_e10 BIGINT CHECK (hold_e10 >= 0);

-- What is held for synchronous calls, which have no job. A call renews its lease; what a dead process held is given back.
CREATE TABLE holds (
    request_id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    amount_e10 BIGINT NOT NULL CHECK (amount_e10 >= 0),
    lease_until_ms BIGINT NOT NULL
);
CREATE INDEX holds_by_lease ON holds (lease_until_ms);

-- 1 where the amount was added to or taken from the balance: a balance is less the sum of these.
ALTER TABLE ledger ADD COLUMN from_balance BIGINT NOT NULL DEFAULT 0;

ALTER TABLE projects DROP COLUMN balance_usd;
ALTER TABLE projects ADD COLUMN requests_per_minute BIGINT;
ALTER TABLE projects ADD COLUMN concurrent_transcriptions BIGINT;

-- The queue is walked project by project, so its index starts with the project.
ALTER TABLE steps ADD COLUMN project_id TEXT NOT NULL DEFAULT '';
UPDATE steps SET project_id = (SELECT jobs.project_id FROM jobs WHERE jobs.id = steps.job_id);
DROP INDEX steps_queued;
CREATE INDEX steps_queued ON steps (project_id, job_id, ordinal) WHERE status = 'queued';
