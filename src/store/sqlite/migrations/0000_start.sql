CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`domain` text,
	`website` text,
	`industry` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `accounts_name` ON `accounts` (`workspace_id`,`name`);--> statement-breakpoint
CREATE INDEX `accounts_domain` ON `accounts` (`workspace_id`,`domain`);--> statement-breakpoint
CREATE TABLE `answers` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `answers_hash` ON `answers` (`hash`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` blob NOT NULL,
	`scopes` text NOT NULL,
	`creator` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`revoked_at` integer,
	`connector_name` text,
	`socialnet_account_id` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_workspace` ON `api_keys` (`workspace_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text NOT NULL,
	`record_id` text NOT NULL,
	`before` text,
	`after` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_log_workspace` ON `audit_log` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `auth_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text,
	`at` integer NOT NULL,
	`code` text NOT NULL,
	`key_prefix` text,
	`address` text,
	`route` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `auth_events_workspace` ON `auth_events` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `bant_assessments` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`answers` text NOT NULL,
	`confirmed_by` text,
	`confirmed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `bant_assessments_contact` ON `bant_assessments` (`contact_id`,`confirmed_at`);--> statement-breakpoint
CREATE TABLE `contact_blocks` (
	`workspace_id` text NOT NULL,
	`block` integer NOT NULL,
	`live` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `block`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `contact_provenance` (
	`id` integer PRIMARY KEY NOT NULL,
	`contact_seq` integer NOT NULL,
	`field` text NOT NULL,
	`source` text NOT NULL,
	`actor_id` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`contact_seq`) REFERENCES `contacts`(`seq`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `contact_provenance_contact` ON `contact_provenance` (`contact_seq`);--> statement-breakpoint
CREATE TABLE `contact_sources` (
	`workspace_id` text NOT NULL,
	`source` text NOT NULL,
	`live` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `source`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `contacts` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text,
	`email_key` text,
	`first_name` text,
	`last_name` text,
	`company` text,
	`job_title` text,
	`phone` text,
	`socialnet_url` text,
	`socialnet_key` text,
	`website` text,
	`lifecycle` text DEFAULT 'prospect' NOT NULL,
	`source` text NOT NULL,
	`tags` text,
	`account_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`archived_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_id` ON `contacts` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_email` ON `contacts` (`workspace_id`,`email_key`) WHERE archived_at IS NULL AND email_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_live` ON `contacts` (`workspace_id`,`seq`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_created` ON `contacts` (`workspace_id`,`created_at`,`id`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_updated` ON `contacts` (`workspace_id`,`updated_at`,`id`,`source`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_company` ON `contacts` (`workspace_id`,`company`,`created_at`,`id`) WHERE archived_at IS NULL AND company IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_source` ON `contacts` (`workspace_id`,`source`,`created_at`,`id`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_profile` ON `contacts` (`workspace_id`,`socialnet_key`) WHERE archived_at IS NULL AND socialnet_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_account` ON `contacts` (`account_id`) WHERE account_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `deals` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`title` text NOT NULL,
	`value` real NOT NULL,
	`currency` text NOT NULL,
	`stage` text NOT NULL,
	`probability` real,
	`expected_close_date` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `deals_contact` ON `deals` (`contact_id`,`stage`);--> statement-breakpoint
CREATE TABLE `import_runs` (
	`workspace_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`rows_done` integer NOT NULL,
	`created` integer NOT NULL,
	`updated` integer NOT NULL,
	`unchanged` integer NOT NULL,
	`rejected` integer NOT NULL,
	`last_rejected` text NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`workspace_id`, `fingerprint`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `meetings` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`held_on` text,
	`note` text,
	`confirmed_by` text,
	`confirmed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `meetings_contact` ON `meetings` (`contact_id`,`confirmed_at`);--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`approve_outbound` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `members_email` ON `members` (`workspace_id`,`email_key`) WHERE removed_at IS NULL;--> statement-breakpoint
CREATE TABLE `operation_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`at` integer NOT NULL,
	`operation` text NOT NULL,
	`surface` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text NOT NULL,
	`record_id` text,
	`request_id` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`plan` text DEFAULT 'self_hosted' NOT NULL,
	`contact_allowance` integer,
	`socialnet_allowance` integer,
	`billing_state` text DEFAULT 'active' NOT NULL,
	`billing_ends_at` integer,
	`paused_at` integer,
	`pause_reason` text
) STRICT;
