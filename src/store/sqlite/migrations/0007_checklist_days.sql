CREATE TABLE `checklist_days` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`last_done_on` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
DROP INDEX `workspaces_assessed`;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `checklist_catalog` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `workspaces_assessed` ON `workspaces` (`checklist_catalog`,`checklist_assessed_at`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_checklist_marks` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`status` text NOT NULL,
	`evidence` text,
	`source` text NOT NULL,
	`by_id` text,
	`by_name` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`, `source`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_checklist_marks`("workspace_id", "item_id", "status", "evidence", "source", "by_id", "by_name", "updated_at") SELECT "workspace_id", "item_id", "status", "evidence", "source", "by_id", "by_name", "updated_at" FROM `checklist_marks`;--> statement-breakpoint
INSERT INTO `checklist_days`("workspace_id", "item_id", "last_done_on") SELECT "workspace_id", "item_id", "last_done_on" FROM `checklist_marks` WHERE "last_done_on" IS NOT NULL;--> statement-breakpoint
DROP TABLE `checklist_marks`;--> statement-breakpoint
ALTER TABLE `__new_checklist_marks` RENAME TO `checklist_marks`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `social_posts_asked` ON `social_posts` (`workspace_id`,`item_id`,`seq`) WHERE status = 'changes_requested';--> statement-breakpoint
CREATE INDEX `social_posts_redo` ON `social_posts` (`workspace_id`,`redo_of`) WHERE redo_of IS NOT NULL;