-- Steps that must be run alone, slots for projects that have nothing running, and queue positions within a project.

-- 1 if a worker may run the step only while it runs nothing else, because a process died with it.
ALTER TABLE steps ADD COLUMN alone BIGINT NOT NULL DEFAULT 0;

-- 1 if the process that runs the current attempt has run other steps at the same time.
ALTER TABLE steps ADD COLUMN shared BIGINT NOT NULL DEFAULT 0;

-- Finds out whether a project has a running step.
CREATE INDEX steps_running ON steps (project_id) WHERE status = 'in_progress';

-- A job's position in the queue counts only the jobs of its project.
DROP INDEX jobs_queued;
CREATE INDEX jobs_queued ON jobs (project_id, id) WHERE status = 'queued';
