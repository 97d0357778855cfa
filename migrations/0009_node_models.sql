-- Which models each node has installed, so that the console can show them for every node. An older program that records
-- its nodes without them is shown without models.
ALTER TABLE nodes ADD COLUMN installed_models TEXT NOT NULL DEFAULT '[]';
