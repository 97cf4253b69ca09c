CREATE TABLE `mail_rests` (
	`server` text PRIMARY KEY NOT NULL,
	`refusals` integer NOT NULL,
	`began_at` integer NOT NULL,
	`until` integer NOT NULL,
	`detail` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `enrollments_reached` ON `enrollments` (`sequence_id`,`current_step`) WHERE status IN ('active', 'waiting_on_action');