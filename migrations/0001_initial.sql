-- Everything that Auris stores. Columns are TEXT or BIGINT, so that SQLite and PostgreSQL store the same values. Times are
-- Unix seconds (`_at`) or milliseconds (`_ms`), amounts are decimal text. JSON columns are text: no statement reads inside
-- them.

CREATE TABLE projects (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    balance_usd TEXT,
    created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    hint TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT
);
CREATE INDEX api_keys_by_project ON api_keys (project_id, id);

-- Columns that change often are in other tables than large ones: SQLite rewrites the whole row on every update.
CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    operation TEXT NOT NULL CHECK (operation IN ('transcription', 'analysis')),
    status TEXT NOT NULL CHECK (status IN ('queued', 'in_progress', 'cancelling', 'completed', 'failed', 'cancelled')),
    version BIGINT NOT NULL,
    event_seq BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    completed_at BIGINT,
    expires_at BIGINT NOT NULL,
    result_deleted_at BIGINT,
    percent BIGINT NOT NULL CHECK (percent BETWEEN 0 AND 100),
    completed_steps BIGINT NOT NULL,
    total_steps BIGINT NOT NULL,
    current_steps TEXT NOT NULL,
    audio_processed_ms BIGINT,
    audio_total_ms BIGINT,
    failure_policy TEXT NOT NULL,
    max_cost_usd TEXT,
    webhook_url TEXT,
    error TEXT,
    usage TEXT,
    metadata TEXT NOT NULL,
    CHECK (percent < 100 OR status = 'completed'),
    CHECK ((completed_at IS NULL) = (status IN ('queued', 'in_progress', 'cancelling')))
);
CREATE INDEX jobs_by_project ON jobs (project_id, id);
CREATE INDEX jobs_queued ON jobs (id) WHERE status = 'queued';
CREATE INDEX jobs_with_content ON jobs (expires_at) WHERE result_deleted_at IS NULL;
CREATE INDEX jobs_without_content ON jobs (expires_at) WHERE result_deleted_at IS NOT NULL;

CREATE TABLE job_requests (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    request TEXT NOT NULL
);

-- `light` comes before `result`, so that listing jobs does not read the large column.
CREATE TABLE job_results (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    light TEXT NOT NULL,
    result TEXT NOT NULL
);

CREATE TABLE steps (
    id TEXT NOT NULL PRIMARY KEY,
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    ordinal BIGINT NOT NULL,
    step_key TEXT NOT NULL,
    capability TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('blocked', 'queued', 'in_progress', 'completed', 'failed', 'cancelled', 'skipped')),
    requested_model TEXT,
    resolved_model TEXT,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    completed_at BIGINT,
    attempt BIGINT NOT NULL,
    losses BIGINT NOT NULL,
    worker TEXT,
    lease_until_ms BIGINT,
    error TEXT,
    usage TEXT,
    needs TEXT NOT NULL,
    rates TEXT NOT NULL,
    cost_bound TEXT NOT NULL,
    spec TEXT NOT NULL,
    UNIQUE (job_id, ordinal),
    CHECK (status = 'in_progress' OR (worker IS NULL AND lease_until_ms IS NULL)),
    CHECK ((completed_at IS NULL) = (status IN ('blocked', 'queued', 'in_progress')))
);
CREATE INDEX steps_queued ON steps (job_id, ordinal) WHERE status = 'queued';
CREATE INDEX steps_leased ON steps (lease_until_ms) WHERE status = 'in_progress';
CREATE INDEX steps_held ON steps (worker) WHERE status = 'in_progress';

CREATE TABLE step_outputs (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    ordinal BIGINT NOT NULL,
    output TEXT NOT NULL,
    response TEXT NOT NULL,
    PRIMARY KEY (job_id, ordinal)
);

CREATE TABLE events (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    step_id TEXT,
    data TEXT NOT NULL,
    PRIMARY KEY (job_id, sequence)
);

CREATE TABLE artifacts (
    id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL,
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'deleted', 'expired')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    blob_key TEXT NOT NULL
);
CREATE INDEX artifacts_by_job ON artifacts (job_id, id);

-- `status`, `content_type` and `body` are NULL while the first request is still running.
-- `job_id` is set if the stored body may contain a job's content; the body is replaced when that content is deleted.
CREATE TABLE idempotency_keys (
    project_id TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status BIGINT,
    content_type TEXT,
    body TEXT,
    lease_until_ms BIGINT,
    expires_ms BIGINT NOT NULL,
    job_id TEXT,
    PRIMARY KEY (project_id, method, path, idempotency_key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_ms);
CREATE INDEX idempotency_keys_by_job ON idempotency_keys (job_id) WHERE job_id IS NOT NULL;

CREATE TABLE endpoints (
    id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    url TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
    sealed_secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX endpoints_by_project ON endpoints (project_id, id);

CREATE TABLE deliveries (
    id TEXT NOT NULL PRIMARY KEY,
    event_id TEXT NOT NULL,
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    endpoint_id TEXT,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts BIGINT NOT NULL,
    next_attempt_ms BIGINT NOT NULL,
    lease_until_ms BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX deliveries_due ON deliveries (next_attempt_ms) WHERE status = 'pending';
CREATE INDEX deliveries_by_project ON deliveries (project_id, id);
CREATE INDEX deliveries_by_job ON deliveries (job_id);

CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    attempt BIGINT NOT NULL,
    started_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    PRIMARY KEY (delivery_id, attempt)
);

-- Ledger entries outlive their jobs, so they have no foreign keys.
CREATE TABLE ledger (
    id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL,
    job_id TEXT,
    step_id TEXT UNIQUE,
    request_id TEXT UNIQUE,
    model TEXT NOT NULL,
    kind TEXT NOT NULL,
    audio_seconds BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    characters BIGINT NOT NULL,
    amount TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX ledger_by_project ON ledger (project_id, id);

CREATE TABLE secrets (
    name TEXT NOT NULL PRIMARY KEY,
    sealed TEXT NOT NULL
);
