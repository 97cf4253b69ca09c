CREATE TABLE `contact_tags` (
	`workspace_id` text NOT NULL,
	`tag` text NOT NULL,
	`created_at` integer NOT NULL,
	`contact_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `tag`, `created_at`, `contact_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `contacts_stage` ON `contacts` (`workspace_id`,`lifecycle`,`created_at`,`id`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_account_newest` ON `contacts` (`workspace_id`,`account_id`,`created_at`,`id`) WHERE archived_at IS NULL AND account_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deals_value` ON `deals` (`workspace_id`,`stage`,`currency`,`value`);--> statement-breakpoint
CREATE INDEX `audit_log_at` ON `audit_log` (`workspace_id`,`at`);--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`workspace_id`,`action`,`at`);--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`workspace_id`,`actor_id`,`at`);--> statement-breakpoint
CREATE INDEX `auth_events_code` ON `auth_events` (`workspace_id`,`code`);--> statement-breakpoint
CREATE INDEX `sends_sequence` ON `sends` (`workspace_id`,`sequence_id`,`created_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `enrollments_status` ON `enrollments` (`workspace_id`,`status`,`sequence_id`,`enrolled_at`,`id`);--> statement-breakpoint
CREATE INDEX `enrollments_held` ON `enrollments` (`workspace_id`,`sequence_id`,`enrolled_at`,`id`) WHERE held_reason IS NOT NULL AND ended_at IS NULL;