ALTER TABLE `socialnet_accounts` ADD `session_since` integer;--> statement-breakpoint
ALTER TABLE `socialnet_accounts` ADD `held_since` integer;--> statement-breakpoint
CREATE INDEX `audit_log_record` ON `audit_log` (`workspace_id`,`record_id`);--> statement-breakpoint
CREATE INDEX `reconnect_requests_newest` ON `reconnect_requests` (`account_id`,`requested_at`);--> statement-breakpoint
CREATE INDEX `socialnet_health_kept` ON `socialnet_health` (`recorded_at`);--> statement-breakpoint
CREATE INDEX `socialnet_runs_kept` ON `socialnet_runs` (`recorded_at`);--> statement-breakpoint
CREATE INDEX `socialnet_sightings_kept` ON `socialnet_sightings` (`recorded_at`);