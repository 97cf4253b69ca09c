CREATE TABLE `record_words` (
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`word` text NOT NULL,
	`record_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `kind`, `word`, `record_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `record_words_record` ON `record_words` (`record_id`,`kind`,`word`);--> statement-breakpoint
CREATE TABLE `words_due` (
	`kind` text NOT NULL,
	`record_id` text NOT NULL,
	PRIMARY KEY(`kind`, `record_id`)
) STRICT;
--> statement-breakpoint
DROP INDEX `contacts_company_name`;
--> statement-breakpoint
-- New contacts are those after the last one of the index. A contact whose words changed is indexed again.
CREATE TRIGGER contacts_words_changed AFTER UPDATE OF first_name, last_name, company, email ON contacts
	WHEN OLD.first_name IS NOT NEW.first_name OR OLD.last_name IS NOT NEW.last_name
		OR OLD.company IS NOT NEW.company OR OLD.email IS NOT NEW.email BEGIN
	INSERT OR IGNORE INTO words_due (kind, record_id) VALUES ('contact', NEW.id);
END;
--> statement-breakpoint
-- The words of contacts by `seq`, each behind eight characters of its workspace's id. They are split before they are
-- inserted. Words of one and two letters have lists of their own, so that they need not be merged from many.
CREATE VIRTUAL TABLE contact_words USING fts5(
	words, content = '', contentless_delete = 1, detail = none, prefix = '9 10', tokenize = 'ascii'
);
--> statement-breakpoint
-- Segments are merged when there are eight of a size, not four: it takes a tenth less to add a contact.
INSERT INTO contact_words (contact_words, rank) VALUES ('automerge', 8);
--> statement-breakpoint
-- What was there before is indexed by the chore `index_words`.
INSERT INTO words_due (kind, record_id)
	SELECT 'account', id FROM accounts UNION ALL SELECT 'deal', id FROM deals
	UNION ALL SELECT 'sequence', id FROM sequences UNION ALL SELECT 'post', id FROM social_posts;
