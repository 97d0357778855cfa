-- The web console: who is signed in, which nodes are alive, and what the console adds to jobs and models.

-- Keys of operators. They open the console and the operator API, never `/v1`.
CREATE TABLE operator_keys (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    hint TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT
);

-- A session belongs to an API key (a user of that key's project), to an operator key, or to neither (an operator who
-- signed in with a link).
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    api_key_id TEXT REFERENCES api_keys (id) ON DELETE CASCADE,
    operator_key_id TEXT REFERENCES operator_keys (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    CHECK (api_key_id IS NULL OR operator_key_id IS NULL)
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Links with which an operator signs in once.
CREATE TABLE sign_in_links (
    hash TEXT NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

-- Every running process writes `seen_ms` at short intervals.
CREATE TABLE nodes (
    id TEXT NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    version TEXT NOT NULL,
    host TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL,
    loaded_models TEXT NOT NULL
);

-- Work on the models of one node. `progress` and `error` are what the console shows.
CREATE TABLE model_tasks (
    id TEXT NOT NULL PRIMARY KEY,
    node_id TEXT NOT NULL,
    model TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('pull', 'verify', 'remove')),
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
    cancelled BIGINT NOT NULL DEFAULT 0,
    done_bytes BIGINT NOT NULL,
    total_bytes BIGINT NOT NULL,
    file TEXT,
    error TEXT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX model_tasks_open ON model_tasks (node_id, id) WHERE status IN ('queued', 'running');

-- Names for the speakers of a job, for display only.
CREATE TABLE speaker_names (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    names TEXT NOT NULL
);

-- The shape of a recording as it is drawn.
CREATE TABLE audio_peaks (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    peaks TEXT NOT NULL
);

-- An analysis that starts when a transcription has completed. `request` is emptied when it was submitted or has failed.
CREATE TABLE follow_ups (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    request TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'submitted', 'failed')),
    error TEXT
);
CREATE INDEX follow_ups_waiting ON follow_ups (job_id) WHERE status = 'waiting';

-- Which analyses used the recording of a job.
CREATE TABLE analyses_of (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    analysis_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    PRIMARY KEY (job_id, analysis_id)
);
CREATE INDEX analyses_of_by_analysis ON analyses_of (analysis_id);

-- For lists of the jobs of all projects by status. Completed jobs are found without an index, because most jobs are.
CREATE INDEX jobs_not_completed ON jobs (status, id) WHERE status IN ('in_progress', 'cancelling', 'failed', 'cancelled');
