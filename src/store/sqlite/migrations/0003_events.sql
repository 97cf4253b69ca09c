CREATE TABLE `data_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`recorded_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`subscription_seq` integer NOT NULL,
	`url` text NOT NULL,
	`host` text NOT NULL,
	`kind` text NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`body` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`lease` text,
	`last_error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_id` ON `deliveries` (`id`);--> statement-breakpoint
CREATE INDEX `deliveries_host` ON `deliveries` (`host`,`next_attempt_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`next_attempt_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_workspace` ON `deliveries` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `deliveries_status` ON `deliveries` (`workspace_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `deliveries_finished` ON `deliveries` (`finished_at`) WHERE finished_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_subscription` ON `deliveries` (`subscription_seq`) WHERE status = 'pending';--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`id` integer PRIMARY KEY NOT NULL,
	`delivery_seq` integer NOT NULL,
	`at` integer NOT NULL,
	`outcome` text NOT NULL,
	`duration_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `delivery_attempts_delivery` ON `delivery_attempts` (`delivery_seq`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`key_id` text,
	`webhook_id` text,
	`url` text NOT NULL,
	`event` text NOT NULL,
	`arguments` text NOT NULL,
	`account_id` text,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_until` integer,
	`verified_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`suspended_at` integer,
	`suspended_reason` text,
	`ended_at` integer,
	`last_delivery_at` integer,
	`last_error` text,
	`failed_since` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_id` ON `subscriptions` (`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_event` ON `subscriptions` (`workspace_id`,`event`);--> statement-breakpoint
CREATE INDEX `subscriptions_key` ON `subscriptions` (`key_id`) WHERE key_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `subscriptions_webhook` ON `subscriptions` (`webhook_id`) WHERE webhook_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `subscriptions_expiry` ON `subscriptions` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `subscriptions_ended` ON `subscriptions` (`ended_at`) WHERE ended_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_url` ON `webhooks` (`workspace_id`,`url`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE TABLE `reconnect_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`account_id` text NOT NULL,
	`requested_by` text NOT NULL,
	`requested_at` integer NOT NULL,
	`acknowledged_at` integer,
	`resolved_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `reconnect_requests_open` ON `reconnect_requests` (`account_id`) WHERE resolved_at IS NULL;--> statement-breakpoint
CREATE TABLE `socialnet_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`label` text NOT NULL,
	`profile_url` text NOT NULL,
	`profile_key` text NOT NULL,
	`automation_mode` text NOT NULL,
	`time_zone` text NOT NULL,
	`windows` text NOT NULL,
	`daily_connection_requests` integer NOT NULL,
	`daily_messages` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_accounts_workspace` ON `socialnet_accounts` (`workspace_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `api_keys_revoked` ON `api_keys` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `api_keys_expiry` ON `api_keys` (`expires_at`) WHERE expires_at IS NOT NULL;