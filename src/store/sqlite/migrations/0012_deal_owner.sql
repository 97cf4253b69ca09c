ALTER TABLE `deals` ADD `owner_id` text;--> statement-breakpoint
CREATE INDEX `deals_owner` ON `deals` (`workspace_id`,`owner_id`,`stage`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deals_owner_value` ON `deals` (`workspace_id`,`owner_id`,`stage`,`currency`,`value`);