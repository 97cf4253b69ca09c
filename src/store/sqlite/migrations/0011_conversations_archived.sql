DROP INDEX `conversations_list`;--> statement-breakpoint
ALTER TABLE `conversations` ADD `archived` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `conversations_listed` ON `conversations` (`workspace_id`,`archived`,`status`,`unread`,`last_reply_at`,`contact_id`,`snoozed_until`,`assignee_id`);
--> statement-breakpoint
UPDATE conversations SET archived = 1 WHERE contact_id IN (SELECT id FROM contacts WHERE archived_at IS NOT NULL);
