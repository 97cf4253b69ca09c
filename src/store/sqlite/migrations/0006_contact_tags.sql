-- The tags of live contacts, kept with every insert, change of tags, archiving and revival.
CREATE TRIGGER contacts_tagged_insert AFTER INSERT ON contacts
	WHEN NEW.tags IS NOT NULL AND NEW.archived_at IS NULL BEGIN
	INSERT OR IGNORE INTO contact_tags (workspace_id, tag, created_at, contact_id)
		SELECT NEW.workspace_id, value, NEW.created_at, NEW.id FROM json_each(NEW.tags);
END;
--> statement-breakpoint
CREATE TRIGGER contacts_tagged_update AFTER UPDATE OF tags, archived_at ON contacts
	WHEN OLD.tags IS NOT NEW.tags OR (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL) BEGIN
	DELETE FROM contact_tags WHERE workspace_id = OLD.workspace_id AND created_at = OLD.created_at
		AND contact_id = OLD.id AND tag IN (SELECT value FROM json_each(OLD.tags));
	INSERT OR IGNORE INTO contact_tags (workspace_id, tag, created_at, contact_id)
		SELECT NEW.workspace_id, value, NEW.created_at, NEW.id FROM json_each(NEW.tags) WHERE NEW.archived_at IS NULL;
END;
--> statement-breakpoint
INSERT OR IGNORE INTO contact_tags (workspace_id, tag, created_at, contact_id)
	SELECT c.workspace_id, t.value, c.created_at, c.id FROM contacts c, json_each(c.tags) t
	WHERE c.archived_at IS NULL AND c.tags IS NOT NULL;
