CREATE TABLE `approval_cards` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`status` text NOT NULL,
	`title` text NOT NULL,
	`summary` text,
	`body` text NOT NULL,
	`redo_of` text,
	`submitted_by_id` text NOT NULL,
	`submitted_by_name` text NOT NULL,
	`submitted_at` integer NOT NULL,
	`decided_by_id` text,
	`decided_by_name` text,
	`decided_at` integer,
	`note` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `approval_cards_id` ON `approval_cards` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `approval_cards_waiting` ON `approval_cards` (`workspace_id`,`item_id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `approval_cards_workspace` ON `approval_cards` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `approval_cards_status` ON `approval_cards` (`workspace_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `approval_cards_item` ON `approval_cards` (`workspace_id`,`item_id`,`seq`);--> statement-breakpoint
CREATE TABLE `brand_voices` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `checklist_assessments` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`state` text NOT NULL,
	`reason` text NOT NULL,
	`sources` text NOT NULL,
	`assessed_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `checklist_days` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`last_done_on` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `checklist_marks` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`status` text NOT NULL,
	`evidence` text,
	`source` text NOT NULL,
	`by_id` text,
	`by_name` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`, `source`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `profile_facts` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`facts` text NOT NULL,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `social_connections` (
	`workspace_id` text NOT NULL,
	`channel` text NOT NULL,
	`state` text NOT NULL,
	`handle` text,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `channel`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `social_posts` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`status` text NOT NULL,
	`channel` text,
	`title` text,
	`body` text NOT NULL,
	`suggested_for` integer,
	`scheduled_for` integer,
	`redo_of` text,
	`submitted_by_id` text NOT NULL,
	`submitted_by_name` text NOT NULL,
	`submitted_at` integer NOT NULL,
	`decided_by_id` text,
	`decided_by_name` text,
	`decided_at` integer,
	`note` text,
	`ended_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `social_posts_id` ON `social_posts` (`id`);--> statement-breakpoint
CREATE INDEX `social_posts_workspace` ON `social_posts` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_status` ON `social_posts` (`workspace_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_item` ON `social_posts` (`workspace_id`,`item_id`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_asked` ON `social_posts` (`workspace_id`,`item_id`,`seq`) WHERE status = 'changes_requested';--> statement-breakpoint
CREATE INDEX `social_posts_redo` ON `social_posts` (`workspace_id`,`redo_of`) WHERE redo_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX `social_posts_ended` ON `social_posts` (`workspace_id`,`status`,`ended_at`);--> statement-breakpoint
CREATE INDEX `social_posts_scheduled` ON `social_posts` (`workspace_id`,`status`,`scheduled_for`);--> statement-breakpoint
CREATE TABLE `one_time_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`kind` text NOT NULL,
	`person_id` text,
	`member_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `one_time_tokens_hash` ON `one_time_tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `people` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `people_email` ON `people` (`email_key`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`person_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_person` ON `sessions` (`person_id`);--> statement-breakpoint
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
	`recipient_key` text DEFAULT '' NOT NULL,
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
CREATE INDEX `socialnet_actions_account` ON `socialnet_actions` (`account_id`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_account_status` ON `socialnet_actions` (`account_id`,`status`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_workspace` ON `socialnet_actions` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_status` ON `socialnet_actions` (`workspace_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact` ON `socialnet_actions` (`contact_id`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact_status` ON `socialnet_actions` (`contact_id`,`status`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_enrollment` ON `socialnet_actions` (`enrollment_id`) WHERE enrollment_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `socialnet_actions_recipient` ON `socialnet_actions` (`account_id`,`recipient_key`,`contact_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_waiting` ON `socialnet_actions` (`account_id`,`kind`,`origin`,`workspace_id`) WHERE status = 'approved';--> statement-breakpoint
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
CREATE INDEX `socialnet_starts_account` ON `socialnet_starts` (`account_id`,`kind`,`started_at`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_starts_workspace` ON `socialnet_starts` (`workspace_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `socialnet_starts_action` ON `socialnet_starts` (`action_id`,`started_at`);--> statement-breakpoint
DROP INDEX `enrollments_due`;--> statement-breakpoint
ALTER TABLE `enrollments` ADD `held_detail` text;--> statement-breakpoint
ALTER TABLE `enrollments` ADD `postponed_reason` text;--> statement-breakpoint
ALTER TABLE `enrollments` ADD `ended_reason` text;--> statement-breakpoint
CREATE INDEX `enrollments_postponed` ON `enrollments` (`workspace_id`) WHERE postponed_reason IS NOT NULL;--> statement-breakpoint
CREATE INDEX `enrollments_due` ON `enrollments` (`sequence_id`,`due_at`) WHERE status = 'active' AND held_reason IS NULL;--> statement-breakpoint
ALTER TABLE `contacts` ADD `social_status` text DEFAULT 'none' NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_first_name` ON `contacts` (`workspace_id`,first_name COLLATE NOCASE,last_name COLLATE NOCASE) WHERE archived_at IS NULL AND first_name IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_last_name` ON `contacts` (`workspace_id`,last_name COLLATE NOCASE) WHERE archived_at IS NULL AND last_name IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_company_name` ON `contacts` (`workspace_id`,company COLLATE NOCASE) WHERE archived_at IS NULL AND company IS NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_events` ADD `member_id` text;--> statement-breakpoint
ALTER TABLE `members` ADD `person_id` text REFERENCES people(id);--> statement-breakpoint
CREATE INDEX `members_person` ON `members` (`person_id`,`workspace_id`) WHERE removed_at IS NULL AND person_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sequences` ADD `socialnet_account_id` text;--> statement-breakpoint
CREATE INDEX `sequences_active` ON `sequences` (`id`,`workspace_id`) WHERE status = 'active';--> statement-breakpoint
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
CREATE INDEX `socialnet_accounts_look` ON `socialnet_accounts` (`look_at`) WHERE look_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `checklist_assessed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `checklist_catalog` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `workspaces_assessed` ON `workspaces` (`checklist_catalog`,`checklist_assessed_at`);--> statement-breakpoint
CREATE INDEX `deals_stage` ON `deals` (`workspace_id`,`stage`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `approval_contacts_contact` ON `approval_contacts` (`contact_id`,`approval_id`);