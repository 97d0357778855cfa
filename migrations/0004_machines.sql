-- More than one machine: what a newer schema asks of older programs, and chores that one node does for all.

-- The oldest program, by the number of migrations it knows, that can run on this schema. A migration that takes
-- something away names it; those that only add leave it at 0.
ALTER TABLE schema_migrations ADD COLUMN oldest BIGINT NOT NULL DEFAULT 0;

-- Chores that one node does for all: whoever moves `due_ms` on does it.
CREATE TABLE chores (
    name TEXT NOT NULL PRIMARY KEY,
    due_ms BIGINT NOT NULL
);

-- What all nodes must agree on, such as which master key is in use: the first says it, the others are told.
CREATE TABLE agreements (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
