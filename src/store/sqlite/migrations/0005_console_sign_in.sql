CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `oauth_clients_unused` ON `oauth_clients` (`created_at`) WHERE used_at IS NULL;--> statement-breakpoint
CREATE INDEX `oauth_clients_used` ON `oauth_clients` (`used_at`) WHERE used_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `oauth_codes` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`workspace_id` text NOT NULL,
	`member_id` text NOT NULL,
	`key_id` text NOT NULL,
	`client_id` text NOT NULL,
	`connector_name` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`resource` text NOT NULL,
	`challenge` text NOT NULL,
	`socialnet_account_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_codes_hash` ON `oauth_codes` (`hash`);--> statement-breakpoint
CREATE INDEX `oauth_codes_expiry` ON `oauth_codes` (`expires_at`);--> statement-breakpoint
CREATE INDEX `oauth_codes_member` ON `oauth_codes` (`member_id`);--> statement-breakpoint
CREATE TABLE `oauth_grants` (
	`key_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`member_id` text NOT NULL,
	`client_id` text NOT NULL,
	`code_hash` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_grants_code` ON `oauth_grants` (`code_hash`);--> statement-breakpoint
CREATE INDEX `oauth_grants_member` ON `oauth_grants` (`member_id`);--> statement-breakpoint
CREATE INDEX `oauth_grants_client` ON `oauth_grants` (`client_id`);--> statement-breakpoint
CREATE TABLE `contact_tags` (
	`workspace_id` text NOT NULL,
	`tag` text NOT NULL,
	`created_at` integer NOT NULL,
	`contact_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `tag`, `created_at`, `contact_id`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `identities` (
	`id` integer PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`person_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`issuer`,`subject`);--> statement-breakpoint
CREATE UNIQUE INDEX `identities_person` ON `identities` (`person_id`,`issuer`);--> statement-breakpoint
CREATE TABLE `notices` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`email` text,
	`member_id` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `notices_due` ON `notices` (`due_at`);--> statement-breakpoint
CREATE INDEX `notices_member` ON `notices` (`member_id`) WHERE member_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `mail_rests` (
	`server` text PRIMARY KEY NOT NULL,
	`refusals` integer NOT NULL,
	`began_at` integer NOT NULL,
	`until` integer NOT NULL,
	`detail` text NOT NULL
) STRICT;
--> statement-breakpoint
DROP INDEX `audit_log_workspace`;--> statement-breakpoint
CREATE INDEX `audit_log_recent` ON `audit_log` (`workspace_id`,`at`,`id`,`action`);--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`workspace_id`,`action`,`at`);--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`workspace_id`,`actor_id`,`at`);--> statement-breakpoint
CREATE INDEX `audit_log_record` ON `audit_log` (`workspace_id`,`record_id`);--> statement-breakpoint
ALTER TABLE `social_posts` ADD `published_url` text;--> statement-breakpoint
CREATE INDEX `social_posts_waiting` ON `social_posts` (`workspace_id`,`item_id`) WHERE status = 'needs_review';--> statement-breakpoint
ALTER TABLE `api_keys` ADD `creator_id` text;--> statement-breakpoint
CREATE INDEX `api_keys_connector` ON `api_keys` (`workspace_id`,`created_at`) WHERE connector_name IS NOT NULL;--> statement-breakpoint
ALTER TABLE `members` ADD `visited_at` integer;--> statement-breakpoint
ALTER TABLE `members` ADD `visited_before` integer;--> statement-breakpoint
ALTER TABLE `one_time_tokens` ADD `shown_to` text;--> statement-breakpoint
CREATE INDEX `one_time_tokens_member` ON `one_time_tokens` (`member_id`) WHERE member_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `people` ADD `proved_at` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `session_since` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `held_since` integer;--> statement-breakpoint
ALTER TABLE `socialnet_actions` ADD `planned_by_id` text;--> statement-breakpoint
ALTER TABLE `socialnet_actions` ADD `edited_by_id` text;--> statement-breakpoint
CREATE INDEX `contacts_stage` ON `contacts` (`workspace_id`,`lifecycle`,`created_at`,`id`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_account_newest` ON `contacts` (`workspace_id`,`account_id`,`created_at`,`id`) WHERE archived_at IS NULL AND account_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `activities_recent` ON `activities` (`workspace_id`,`created_at`,`type`);--> statement-breakpoint
CREATE INDEX `deals_value` ON `deals` (`workspace_id`,`stage`,`currency`,`value`);--> statement-breakpoint
CREATE INDEX `auth_events_code` ON `auth_events` (`workspace_id`,`code`);--> statement-breakpoint
CREATE INDEX `sends_sequence` ON `sends` (`workspace_id`,`sequence_id`,`created_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `enrollments_reached` ON `enrollments` (`sequence_id`,`current_step`) WHERE status IN ('active', 'waiting_on_action');--> statement-breakpoint
CREATE INDEX `enrollments_status` ON `enrollments` (`workspace_id`,`status`,`enrolled_at`,`id`);--> statement-breakpoint
CREATE INDEX `enrollments_held` ON `enrollments` (`workspace_id`,`enrolled_at`,`id`) WHERE held_reason IS NOT NULL AND ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `sequence_approvals_waiting` ON `sequence_approvals` (`workspace_id`,`approved_at`,`id`) WHERE status = 'approved';--> statement-breakpoint
CREATE INDEX `reconnect_requests_newest` ON `reconnect_requests` (`account_id`,`requested_at`);--> statement-breakpoint
CREATE INDEX `socialnet_health_kept` ON `socialnet_health` (`recorded_at`);--> statement-breakpoint
CREATE INDEX `socialnet_runs_kept` ON `socialnet_runs` (`recorded_at`);--> statement-breakpoint
CREATE INDEX `socialnet_sightings_kept` ON `socialnet_sightings` (`recorded_at`);