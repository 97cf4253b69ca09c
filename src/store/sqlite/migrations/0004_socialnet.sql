CREATE TABLE `socialnet_actions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`account_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`kind` text NOT NULL,
	`origin` text NOT NULL,
	`status` text NOT NULL,
	`copy` text NOT NULL,
	`recipient_url` text NOT NULL,
	`enrollment_id` text,
	`step` integer,
	`step_count` integer,
	`campaign` text,
	`planned_by` text NOT NULL,
	`approved_by` text,
	`approved_at` integer,
	`held_from` text,
	`stop_wanted` text,
	`lease_hash` blob,
	`lease_expires_at` integer,
	`outcome` text,
	`note` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`enrollment_id`) REFERENCES `enrollments`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_actions_account` ON `socialnet_actions` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_account_status` ON `socialnet_actions` (`account_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_workspace` ON `socialnet_actions` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_status` ON `socialnet_actions` (`workspace_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact` ON `socialnet_actions` (`contact_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact_status` ON `socialnet_actions` (`contact_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_enrollment` ON `socialnet_actions` (`enrollment_id`) WHERE enrollment_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `socialnet_actions_waiting` ON `socialnet_actions` (`account_id`,`kind`,`origin`) WHERE status = 'approved';--> statement-breakpoint
CREATE INDEX `socialnet_actions_leases` ON `socialnet_actions` (`lease_expires_at`) WHERE status IN ('claimed', 'started');--> statement-breakpoint
CREATE TABLE `socialnet_health` (
	`account_id` text NOT NULL,
	`observation_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`observed_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`answer` text NOT NULL,
	PRIMARY KEY(`account_id`, `observation_id`),
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_health_newest` ON `socialnet_health` (`account_id`,`observed_at`);--> statement-breakpoint
CREATE TABLE `socialnet_runs` (
	`account_id` text NOT NULL,
	`run_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`finished_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`answer` text NOT NULL,
	PRIMARY KEY(`account_id`, `run_id`),
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_runs_newest` ON `socialnet_runs` (`account_id`,`finished_at`);--> statement-breakpoint
CREATE TABLE `socialnet_sightings` (
	`account_id` text NOT NULL,
	`external_key` text NOT NULL,
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`contact_id` text,
	`observed_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `external_key`),
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `socialnet_starts` (
	`lease_hash` blob PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`account_id` text NOT NULL,
	`action_id` text NOT NULL,
	`key_id` text NOT NULL,
	`kind` text NOT NULL,
	`started_at` integer NOT NULL,
	`outcome` text,
	`evidence` text,
	`status_after` text,
	`recorded_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`action_id`) REFERENCES `socialnet_actions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_starts_account` ON `socialnet_starts` (`account_id`,`kind`,`started_at`);--> statement-breakpoint
CREATE INDEX `socialnet_starts_workspace` ON `socialnet_starts` (`workspace_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `socialnet_starts_action` ON `socialnet_starts` (`action_id`,`started_at`);--> statement-breakpoint
ALTER TABLE `contacts` ADD `social_status` text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `owner_member_id` text;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `session` text;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `session_at` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `held_reason` text;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `held_until` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `schedules` text;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `check_in_minutes` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `schedules_at` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `announced` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `announced_at` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `look_at` integer;--> statement-breakpoint
CREATE INDEX `socialnet_accounts_look` ON `socialnet_accounts` (`look_at`) WHERE look_at IS NOT NULL;