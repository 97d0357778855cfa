-- The SHA-256 of each migration's text, in hex. It is compared at every start, so that an edited migration is noticed.
-- NULL where an older program applied the migration; the next start fills it in.
ALTER TABLE schema_migrations ADD COLUMN checksum TEXT;
