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
CREATE INDEX `api_keys_connector` ON `api_keys` (`workspace_id`,`created_at`) WHERE connector_name IS NOT NULL;