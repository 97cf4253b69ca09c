CREATE TABLE `server_settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `deals` ADD `won_confirmed_by` text;--> statement-breakpoint
ALTER TABLE `approval_contacts` ADD `company` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `own_proposals` text DEFAULT 'allowed' NOT NULL;