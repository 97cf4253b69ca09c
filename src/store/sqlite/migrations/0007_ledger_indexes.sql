DROP INDEX `socialnet_actions_account`;--> statement-breakpoint
DROP INDEX `socialnet_actions_account_status`;--> statement-breakpoint
DROP INDEX `socialnet_actions_contact`;--> statement-breakpoint
DROP INDEX `socialnet_actions_contact_status`;--> statement-breakpoint
DROP INDEX `socialnet_actions_waiting`;--> statement-breakpoint
ALTER TABLE `socialnet_actions` ADD `recipient_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `socialnet_actions_recipient` ON `socialnet_actions` (`account_id`,`recipient_key`,`contact_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_account` ON `socialnet_actions` (`account_id`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_account_status` ON `socialnet_actions` (`account_id`,`status`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact` ON `socialnet_actions` (`contact_id`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact_status` ON `socialnet_actions` (`contact_id`,`status`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_waiting` ON `socialnet_actions` (`account_id`,`kind`,`origin`,`workspace_id`) WHERE status = 'approved';--> statement-breakpoint
DROP INDEX `socialnet_starts_account`;--> statement-breakpoint
CREATE INDEX `socialnet_starts_account` ON `socialnet_starts` (`account_id`,`kind`,`started_at`,`workspace_id`);