CREATE TABLE `earlier_profiles` (
	`seq` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`socialnet_url` text NOT NULL,
	`socialnet_key` text NOT NULL,
	`replaced_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `earlier_profiles_contact` ON `earlier_profiles` (`contact_id`,`socialnet_key`);--> statement-breakpoint
CREATE INDEX `earlier_profiles_profile` ON `earlier_profiles` (`workspace_id`,`socialnet_key`,`replaced_at`);