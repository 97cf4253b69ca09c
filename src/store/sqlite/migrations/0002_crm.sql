CREATE TABLE `activities` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`type` text NOT NULL,
	`subject` text,
	`body` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `activities_contact` ON `activities` (`contact_id`,`seq`);--> statement-breakpoint
CREATE TABLE `suppressions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text NOT NULL,
	`reason` text NOT NULL,
	`source` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `suppressions_email` ON `suppressions` (`workspace_id`,`email`);--> statement-breakpoint
CREATE TABLE `approval_contacts` (
	`approval_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`copy_hash` text NOT NULL,
	PRIMARY KEY(`approval_id`, `contact_id`),
	FOREIGN KEY (`approval_id`) REFERENCES `sequence_approvals`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `enrollments` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sequence_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`approval_id` text NOT NULL,
	`status` text NOT NULL,
	`held_reason` text,
	`current_step` integer NOT NULL,
	`due_at` integer,
	`enrolled_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`approval_id`) REFERENCES `sequence_approvals`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `enrollments_open` ON `enrollments` (`sequence_id`,`contact_id`) WHERE status IN ('active', 'waiting_on_action');--> statement-breakpoint
CREATE INDEX `enrollments_workspace` ON `enrollments` (`workspace_id`,`enrolled_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `enrollments_sequence` ON `enrollments` (`workspace_id`,`sequence_id`,`enrolled_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `enrollments_contact` ON `enrollments` (`workspace_id`,`contact_id`,`enrolled_at`,`id`);--> statement-breakpoint
CREATE INDEX `enrollments_due` ON `enrollments` (`due_at`) WHERE status = 'active' AND held_reason IS NULL;--> statement-breakpoint
CREATE TABLE `sequence_approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sequence_id` text NOT NULL,
	`steps_hash` text NOT NULL,
	`status` text NOT NULL,
	`contact_count` integer NOT NULL,
	`approved_by` text NOT NULL,
	`approved_at` integer NOT NULL,
	`applied_by` text,
	`applied_at` integer,
	`voided_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `sequence_approvals_sequence` ON `sequence_approvals` (`sequence_id`,`approved_at`,`id`);--> statement-breakpoint
CREATE TABLE `sequences` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`status` text DEFAULT 'draft' NOT NULL,
	`steps` text NOT NULL,
	`steps_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sequences_id` ON `sequences` (`id`);--> statement-breakpoint
CREATE INDEX `sequences_workspace` ON `sequences` (`workspace_id`,`seq`);--> statement-breakpoint
DROP INDEX `accounts_name`;--> statement-breakpoint
DROP INDEX `accounts_domain`;--> statement-breakpoint
ALTER TABLE `accounts` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `accounts_created` ON `accounts` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `accounts_name_key` ON `accounts` (`workspace_id`,`name_key`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `accounts_domain` ON `accounts` (`workspace_id`,`domain`,`created_at`,`id`);--> statement-breakpoint
DROP INDEX `contact_provenance_contact`;--> statement-breakpoint
CREATE INDEX `contact_provenance_field` ON `contact_provenance` (`contact_seq`,`field`);--> statement-breakpoint
DROP INDEX `contacts_account`;--> statement-breakpoint
ALTER TABLE `contacts` ADD `last_contacted_at` integer;--> statement-breakpoint
CREATE INDEX `contacts_account` ON `contacts` (`workspace_id`,`account_id`,`updated_at`,`lifecycle`) WHERE archived_at IS NULL AND account_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `meetings` ADD `activity_id` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `time_zone` text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `sending_windows` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `daily_cap` integer;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `sender_name` text;