CREATE TABLE `earlier_addresses` (
	`seq` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`email_key` text NOT NULL,
	`replaced_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `earlier_addresses_contact` ON `earlier_addresses` (`contact_id`,`email_key`);--> statement-breakpoint
CREATE INDEX `earlier_addresses_email` ON `earlier_addresses` (`workspace_id`,`email_key`,`contact_id`);--> statement-breakpoint
ALTER TABLE `suppressions` ADD `socialnet_key` text;--> statement-breakpoint
CREATE INDEX `suppressions_profile` ON `suppressions` (`workspace_id`,`socialnet_key`) WHERE socialnet_key IS NOT NULL;--> statement-breakpoint
UPDATE `suppressions` SET `socialnet_key` = (
	SELECT c.`socialnet_key` FROM `contacts` c
	WHERE c.`workspace_id` = `suppressions`.`workspace_id` AND c.`email_key` = `suppressions`.`email_key` AND c.`archived_at` IS NULL
) WHERE NOT (`source` = 'engine' AND `reason` = 'bounce');
--> statement-breakpoint
UPDATE `suppressions` SET `socialnet_key` = c.`socialnet_key` FROM `contacts` c
WHERE `suppressions`.`socialnet_key` IS NULL AND NOT (`suppressions`.`source` = 'engine' AND `suppressions`.`reason` = 'bounce')
	AND c.`workspace_id` = `suppressions`.`workspace_id` AND c.`email_key` = `suppressions`.`email_key` AND c.`archived_at` IS NOT NULL;
