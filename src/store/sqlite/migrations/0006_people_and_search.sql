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
ALTER TABLE `auth_events` ADD `member_id` text;--> statement-breakpoint
ALTER TABLE `members` ADD `person_id` text REFERENCES people(id);--> statement-breakpoint
CREATE INDEX `members_person` ON `members` (`person_id`,`workspace_id`) WHERE removed_at IS NULL AND person_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_first_name` ON `contacts` (`workspace_id`,first_name COLLATE NOCASE,last_name COLLATE NOCASE) WHERE archived_at IS NULL AND first_name IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_last_name` ON `contacts` (`workspace_id`,last_name COLLATE NOCASE) WHERE archived_at IS NULL AND last_name IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_company_name` ON `contacts` (`workspace_id`,company COLLATE NOCASE) WHERE archived_at IS NULL AND company IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deals_stage` ON `deals` (`workspace_id`,`stage`,`created_at`,`id`);