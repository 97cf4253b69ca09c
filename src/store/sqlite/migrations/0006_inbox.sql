CREATE TABLE `conversations` (
	`contact_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`status` text NOT NULL,
	`unread` integer NOT NULL,
	`assignee_id` text,
	`snoozed_until` integer,
	`mark` text,
	`last_reply_id` text NOT NULL,
	`last_reply_type` text NOT NULL,
	`last_reply_at` integer NOT NULL,
	`subject` text,
	`excerpt` text,
	`email_from` text,
	`email_subject` text,
	`email_message_id` text,
	`email_thread` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `conversations_list` ON `conversations` (`workspace_id`,`status`,`unread`,`last_reply_at`,`contact_id`);--> statement-breakpoint
CREATE TABLE `email_answers` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`status` text NOT NULL,
	`address` text NOT NULL,
	`subject` text NOT NULL,
	`body` text NOT NULL,
	`in_reply_to` text,
	`thread` text NOT NULL,
	`planned_by` text NOT NULL,
	`planned_by_id` text NOT NULL,
	`approved_by` text,
	`approved_at` integer,
	`approved_hash` text,
	`due_at` integer,
	`note` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `email_answers_contact` ON `email_answers` (`contact_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `email_answers_status` ON `email_answers` (`workspace_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `email_answers_due` ON `email_answers` (`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
-- Answers to replies are sends without a sequence. SQLite can't drop NOT NULL, so the table is copied, with its triggers.
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_sends` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`enrollment_id` text,
	`sequence_id` text,
	`contact_id` text NOT NULL,
	`step` integer,
	`message_id` text NOT NULL,
	`address` text NOT NULL,
	`address_key` text NOT NULL,
	`subject` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`last_attempt_at` integer NOT NULL,
	`lease_until` integer,
	`leased_by` text,
	`detail` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`answer_id` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`enrollment_id`) REFERENCES `enrollments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`answer_id`) REFERENCES `email_answers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_sends`("id", "workspace_id", "enrollment_id", "sequence_id", "contact_id", "step", "message_id", "address", "address_key", "subject", "status", "attempts", "last_attempt_at", "lease_until", "leased_by", "detail", "created_at", "updated_at") SELECT "id", "workspace_id", "enrollment_id", "sequence_id", "contact_id", "step", "message_id", "address", "address_key", "subject", "status", "attempts", "last_attempt_at", "lease_until", "leased_by", "detail", "created_at", "updated_at" FROM `sends`;--> statement-breakpoint
DROP TABLE `sends`;--> statement-breakpoint
ALTER TABLE `__new_sends` RENAME TO `sends`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `sends_step` ON `sends` (`enrollment_id`,`step`);--> statement-breakpoint
CREATE UNIQUE INDEX `sends_answer` ON `sends` (`answer_id`) WHERE answer_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `sends_message` ON `sends` (`message_id`);--> statement-breakpoint
CREATE INDEX `sends_address` ON `sends` (`workspace_id`,`address_key`,`contact_id`);--> statement-breakpoint
CREATE INDEX `sends_workspace` ON `sends` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sends_status` ON `sends` (`workspace_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sends_sequence` ON `sends` (`workspace_id`,`sequence_id`,`created_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `sends_attempts` ON `sends` (`workspace_id`,`last_attempt_at`);--> statement-breakpoint
CREATE INDEX `sends_leases` ON `sends` (`lease_until`) WHERE status IN ('queued', 'sending');--> statement-breakpoint
CREATE TRIGGER sends_counted_insert AFTER INSERT ON sends BEGIN
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'sends', coalesce(NEW.sequence_id, ''), NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER sends_counted_update AFTER UPDATE OF status ON sends WHEN OLD.status <> NEW.status BEGIN
	UPDATE list_counts SET total = total - 1
		WHERE workspace_id = OLD.workspace_id AND list = 'sends' AND part = coalesce(OLD.sequence_id, '')
			AND status = OLD.status;
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'sends', coalesce(NEW.sequence_id, ''), NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
-- Contacts who have replied before are in the Inbox, as read.
INSERT INTO conversations (contact_id, workspace_id, status, unread, last_reply_id, last_reply_type, last_reply_at, subject,
	excerpt, email_subject, updated_at)
SELECT a.contact_id, a.workspace_id, 'open', 0, a.id, a.type, a.created_at, a.subject, substr(a.body, 1, 300),
	CASE WHEN a.type = 'email_reply' THEN a.subject END, a.created_at
FROM activities a
WHERE a.seq IN (
	SELECT max(seq) FROM activities
	WHERE type IN ('email_reply', 'socialnet_reply', 'socialnet_message_received') GROUP BY contact_id);
