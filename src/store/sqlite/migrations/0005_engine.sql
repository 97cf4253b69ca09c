CREATE TABLE `mail_cursors` (
	`mailbox` text PRIMARY KEY NOT NULL,
	`uid_validity` text NOT NULL,
	`uid` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `mail_received` (
	`workspace_id` text NOT NULL,
	`message_id` text NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `message_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `sends` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`enrollment_id` text NOT NULL,
	`sequence_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`step` integer NOT NULL,
	`message_id` text NOT NULL,
	`address` text NOT NULL,
	`subject` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`last_attempt_at` integer NOT NULL,
	`lease_until` integer,
	`detail` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`enrollment_id`) REFERENCES `enrollments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sends_step` ON `sends` (`enrollment_id`,`step`);--> statement-breakpoint
CREATE INDEX `sends_message` ON `sends` (`message_id`);--> statement-breakpoint
CREATE INDEX `sends_workspace` ON `sends` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sends_status` ON `sends` (`workspace_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sends_attempts` ON `sends` (`workspace_id`,`last_attempt_at`);--> statement-breakpoint
CREATE INDEX `sends_leases` ON `sends` (`lease_until`) WHERE status = 'sending';--> statement-breakpoint
DROP INDEX `enrollments_due`;--> statement-breakpoint
ALTER TABLE `enrollments` ADD `held_detail` text;--> statement-breakpoint
ALTER TABLE `enrollments` ADD `postponed_reason` text;--> statement-breakpoint
ALTER TABLE `enrollments` ADD `ended_reason` text;--> statement-breakpoint
CREATE INDEX `enrollments_postponed` ON `enrollments` (`workspace_id`) WHERE postponed_reason IS NOT NULL;--> statement-breakpoint
CREATE INDEX `enrollments_due` ON `enrollments` (`sequence_id`,`due_at`) WHERE status = 'active' AND held_reason IS NULL;--> statement-breakpoint
ALTER TABLE `sequences` ADD `socialnet_account_id` text;--> statement-breakpoint
CREATE INDEX `sequences_active` ON `sequences` (`id`,`workspace_id`) WHERE status = 'active';--> statement-breakpoint
CREATE INDEX `approval_contacts_contact` ON `approval_contacts` (`contact_id`,`approval_id`);