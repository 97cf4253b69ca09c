-- email_key() is the program's own function: spellings of one address have one key.
DROP INDEX `suppressions_email`;--> statement-breakpoint
ALTER TABLE `suppressions` ADD `email_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `suppressions` SET `email_key` = email_key(`email`);--> statement-breakpoint
-- Of two entries of one address, the one that weighs more stays, as if it had been entered second.
DELETE FROM `suppressions` WHERE `id` NOT IN (
  SELECT first_value(`id`) OVER (
    PARTITION BY `workspace_id`, `email_key`
    ORDER BY CASE WHEN `source` = 'engine' AND `reason` = 'complaint' THEN 3
      WHEN `source` = 'unsubscribe_link' THEN 2
      WHEN `source` = 'engine' AND `reason` = 'bounce' THEN 0 ELSE 1 END DESC, `created_at`
  ) FROM `suppressions`
);--> statement-breakpoint
CREATE UNIQUE INDEX `suppressions_email` ON `suppressions` (`workspace_id`,`email_key`);--> statement-breakpoint
-- Where two live records have one address, the second keeps its key.
UPDATE OR IGNORE `contacts` SET `email_key` = email_key(`email`)
  WHERE `email` IS NOT NULL AND `email_key` <> email_key(`email`);--> statement-breakpoint
UPDATE OR IGNORE `people` SET `email_key` = email_key(`email`) WHERE `email_key` <> email_key(`email`);--> statement-breakpoint
UPDATE OR IGNORE `members` SET `email_key` = email_key(`email`) WHERE `email_key` <> email_key(`email`);
