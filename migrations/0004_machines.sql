-- More than one node: which older programs can run on a newer schema, and tasks that one node does for all.

-- The oldest program, by the number of migrations it knows, that can run on this schema. A migration that removes
-- something sets it; migrations that only add leave it at 0.
ALTER TABLE schema_migrations ADD COLUMN oldest BIGINT NOT NULL DEFAULT 0;

-- Tasks that one node does for all nodes: the node that advances `due_ms` does the task.
CREATE TABLE chores (
    name TEXT NOT NULL PRIMARY KEY,
    due_ms BIGINT NOT NULL
);

-- Values that all nodes share, such as which master key is in use: the first node sets a value, the others read it.
CREATE TABLE agreements (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
