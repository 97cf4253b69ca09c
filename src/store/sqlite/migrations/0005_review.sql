ALTER TABLE `api_keys` ADD `creator_id` text;--> statement-breakpoint
ALTER TABLE `members` ADD `visited_at` integer;--> statement-breakpoint
ALTER TABLE `members` ADD `visited_before` integer;--> statement-breakpoint
ALTER TABLE `socialnet_actions` ADD `planned_by_id` text;--> statement-breakpoint
ALTER TABLE `socialnet_actions` ADD `edited_by_id` text;--> statement-breakpoint
CREATE INDEX `activities_recent` ON `activities` (`workspace_id`,`created_at`,`type`);--> statement-breakpoint
CREATE INDEX `audit_log_recent` ON `audit_log` (`workspace_id`,`at`,`action`);--> statement-breakpoint
CREATE INDEX `sequence_approvals_waiting` ON `sequence_approvals` (`workspace_id`,`approved_at`,`id`) WHERE status = 'approved';