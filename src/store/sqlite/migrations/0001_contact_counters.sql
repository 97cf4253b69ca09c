-- Live contacts by block of 1,024 and by source, kept with every insert, archiving and revival.
CREATE TRIGGER contacts_counted_insert AFTER INSERT ON contacts WHEN NEW.archived_at IS NULL BEGIN
	INSERT INTO contact_blocks (workspace_id, block, live) VALUES (NEW.workspace_id, NEW.seq >> 10, 1)
		ON CONFLICT (workspace_id, block) DO UPDATE SET live = live + 1;
	INSERT INTO contact_sources (workspace_id, source, live) VALUES (NEW.workspace_id, NEW.source, 1)
		ON CONFLICT (workspace_id, source) DO UPDATE SET live = live + 1;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_counted_archive AFTER UPDATE OF archived_at ON contacts
	WHEN (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL) BEGIN
	UPDATE contact_blocks SET live = live + iif(NEW.archived_at IS NULL, 1, -1)
		WHERE workspace_id = NEW.workspace_id AND block = NEW.seq >> 10;
	UPDATE contact_sources SET live = live + iif(NEW.archived_at IS NULL, 1, -1)
		WHERE workspace_id = NEW.workspace_id AND source = NEW.source;
END;
