CREATE TABLE `approval_cards` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`status` text NOT NULL,
	`title` text NOT NULL,
	`summary` text,
	`body` text NOT NULL,
	`redo_of` text,
	`submitted_by_id` text NOT NULL,
	`submitted_by_name` text NOT NULL,
	`submitted_at` integer NOT NULL,
	`decided_by_id` text,
	`decided_by_name` text,
	`decided_at` integer,
	`note` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `approval_cards_id` ON `approval_cards` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `approval_cards_waiting` ON `approval_cards` (`workspace_id`,`item_id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `approval_cards_workspace` ON `approval_cards` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `approval_cards_status` ON `approval_cards` (`workspace_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `approval_cards_item` ON `approval_cards` (`workspace_id`,`item_id`,`seq`);--> statement-breakpoint
CREATE TABLE `brand_voices` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `checklist_assessments` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`state` text NOT NULL,
	`reason` text NOT NULL,
	`sources` text NOT NULL,
	`assessed_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `checklist_marks` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`status` text NOT NULL,
	`evidence` text,
	`last_done_on` text,
	`source` text NOT NULL,
	`by_id` text,
	`by_name` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `profile_facts` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`facts` text NOT NULL,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `social_connections` (
	`workspace_id` text NOT NULL,
	`channel` text NOT NULL,
	`state` text NOT NULL,
	`handle` text,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `channel`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `social_posts` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`status` text NOT NULL,
	`channel` text,
	`title` text,
	`body` text NOT NULL,
	`suggested_for` integer,
	`scheduled_for` integer,
	`redo_of` text,
	`submitted_by_id` text NOT NULL,
	`submitted_by_name` text NOT NULL,
	`submitted_at` integer NOT NULL,
	`decided_by_id` text,
	`decided_by_name` text,
	`decided_at` integer,
	`note` text,
	`ended_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `social_posts_id` ON `social_posts` (`id`);--> statement-breakpoint
CREATE INDEX `social_posts_workspace` ON `social_posts` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_status` ON `social_posts` (`workspace_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_item` ON `social_posts` (`workspace_id`,`item_id`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_ended` ON `social_posts` (`workspace_id`,`status`,`ended_at`);--> statement-breakpoint
CREATE INDEX `social_posts_scheduled` ON `social_posts` (`workspace_id`,`status`,`scheduled_for`);--> statement-breakpoint
ALTER TABLE `workspaces` ADD `checklist_assessed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `workspaces_assessed` ON `workspaces` (`checklist_assessed_at`);