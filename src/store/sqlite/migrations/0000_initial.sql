CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` blob NOT NULL,
	`scopes` text NOT NULL,
	`creator` text NOT NULL,
	`creator_id` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`revoked_at` integer,
	`connector_name` text,
	`socialnet_account_id` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_workspace` ON `api_keys` (`workspace_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `api_keys_prefix` ON `api_keys` (`prefix`);--> statement-breakpoint
CREATE INDEX `api_keys_connector` ON `api_keys` (`workspace_id`,`created_at`) WHERE connector_name IS NOT NULL;--> statement-breakpoint
CREATE INDEX `api_keys_revoked` ON `api_keys` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `api_keys_expiry` ON `api_keys` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `identities` (
	`id` integer PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`person_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`issuer`,`subject`);--> statement-breakpoint
CREATE UNIQUE INDEX `identities_person` ON `identities` (`person_id`,`issuer`);--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`person_id` text,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`approve_outbound` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`removed_at` integer,
	`visited_at` integer,
	`visited_before` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `members_email` ON `members` (`workspace_id`,`email_key`) WHERE removed_at IS NULL;--> statement-breakpoint
CREATE INDEX `members_person` ON `members` (`person_id`,`workspace_id`) WHERE removed_at IS NULL AND person_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `notices` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`email` text,
	`member_id` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`leased_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `notices_due` ON `notices` (`due_at`);--> statement-breakpoint
CREATE INDEX `notices_member` ON `notices` (`member_id`) WHERE member_id IS NOT NULL;--> statement-breakpoint
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
CREATE TABLE `one_time_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`kind` text NOT NULL,
	`person_id` text,
	`member_id` text,
	`shown_to` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `one_time_tokens_hash` ON `one_time_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `one_time_tokens_member` ON `one_time_tokens` (`member_id`) WHERE member_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `people` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text,
	`proved_at` integer,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `people_email` ON `people` (`email_key`);--> statement-breakpoint
CREATE TABLE `server_settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`person_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_person` ON `sessions` (`person_id`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`plan` text DEFAULT 'self_hosted' NOT NULL,
	`contact_allowance` integer,
	`socialnet_allowance` integer,
	`billing_state` text DEFAULT 'active' NOT NULL,
	`billing_ends_at` integer,
	`paused_at` integer,
	`pause_reason` text,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`sending_windows` text,
	`daily_cap` integer,
	`sender_name` text,
	`own_proposals` text DEFAULT 'allowed' NOT NULL,
	`checklist_assessed_at` integer DEFAULT 0 NOT NULL,
	`checklist_catalog` text DEFAULT '' NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `workspaces_assessed` ON `workspaces` (`checklist_catalog`,`checklist_assessed_at`);--> statement-breakpoint
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
CREATE TABLE `checklist_days` (
	`workspace_id` text NOT NULL,
	`item_id` text NOT NULL,
	`last_done_on` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `item_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `checklist_marks` (
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
	`published_url` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `social_posts_id` ON `social_posts` (`id`);--> statement-breakpoint
CREATE INDEX `social_posts_workspace` ON `social_posts` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_status` ON `social_posts` (`workspace_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_item` ON `social_posts` (`workspace_id`,`item_id`,`seq`);--> statement-breakpoint
CREATE INDEX `social_posts_asked` ON `social_posts` (`workspace_id`,`item_id`,`seq`) WHERE status = 'changes_requested';--> statement-breakpoint
CREATE INDEX `social_posts_redo` ON `social_posts` (`workspace_id`,`redo_of`) WHERE redo_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX `social_posts_waiting` ON `social_posts` (`workspace_id`,`item_id`) WHERE status = 'needs_review';--> statement-breakpoint
CREATE INDEX `social_posts_ended` ON `social_posts` (`workspace_id`,`status`,`ended_at`);--> statement-breakpoint
CREATE INDEX `social_posts_scheduled` ON `social_posts` (`workspace_id`,`status`,`scheduled_for`);--> statement-breakpoint
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text DEFAULT '' NOT NULL,
	`domain` text,
	`website` text,
	`industry` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `accounts_created` ON `accounts` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `accounts_name_key` ON `accounts` (`workspace_id`,`name_key`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `accounts_domain` ON `accounts` (`workspace_id`,`domain`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `activities` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`type` text NOT NULL,
	`subject` text,
	`body` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `activities_contact` ON `activities` (`contact_id`,`seq`);--> statement-breakpoint
CREATE INDEX `activities_suppressed` ON `activities` (`contact_id`,`seq`) WHERE type = 'suppressed';--> statement-breakpoint
CREATE INDEX `activities_recent` ON `activities` (`workspace_id`,`created_at`,`type`);--> statement-breakpoint
CREATE TABLE `bant_assessments` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`answers` text NOT NULL,
	`confirmed_by` text,
	`confirmed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `bant_assessments_contact` ON `bant_assessments` (`contact_id`,`confirmed_at`);--> statement-breakpoint
CREATE TABLE `contact_blocks` (
	`workspace_id` text NOT NULL,
	`block` integer NOT NULL,
	`live` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `block`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `contact_provenance` (
	`id` integer PRIMARY KEY NOT NULL,
	`contact_seq` integer NOT NULL,
	`field` text NOT NULL,
	`source` text NOT NULL,
	`actor_id` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`contact_seq`) REFERENCES `contacts`(`seq`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `contact_provenance_field` ON `contact_provenance` (`contact_seq`,`field`);--> statement-breakpoint
CREATE TABLE `contact_sources` (
	`workspace_id` text NOT NULL,
	`source` text NOT NULL,
	`live` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `source`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `contact_tags` (
	`workspace_id` text NOT NULL,
	`tag` text NOT NULL,
	`created_at` integer NOT NULL,
	`contact_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `tag`, `created_at`, `contact_id`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `contacts` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text,
	`email_key` text,
	`first_name` text,
	`last_name` text,
	`company` text,
	`job_title` text,
	`phone` text,
	`socialnet_url` text,
	`socialnet_key` text,
	`website` text,
	`lifecycle` text DEFAULT 'prospect' NOT NULL,
	`source` text NOT NULL,
	`tags` text,
	`account_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`archived_at` integer,
	`last_contacted_at` integer,
	`social_status` text DEFAULT 'none' NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_id` ON `contacts` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_email` ON `contacts` (`workspace_id`,`email_key`) WHERE archived_at IS NULL AND email_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_live` ON `contacts` (`workspace_id`,`seq`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_created` ON `contacts` (`workspace_id`,`created_at`,`id`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_updated` ON `contacts` (`workspace_id`,`updated_at`,`id`,`source`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_company` ON `contacts` (`workspace_id`,`company`,`created_at`,`id`) WHERE archived_at IS NULL AND company IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_stage` ON `contacts` (`workspace_id`,`lifecycle`,`created_at`,`id`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_source` ON `contacts` (`workspace_id`,`source`,`created_at`,`id`) WHERE archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `contacts_profile` ON `contacts` (`workspace_id`,`socialnet_key`) WHERE archived_at IS NULL AND socialnet_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_first_name` ON `contacts` (`workspace_id`,first_name COLLATE NOCASE,last_name COLLATE NOCASE) WHERE archived_at IS NULL AND first_name IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_last_name` ON `contacts` (`workspace_id`,last_name COLLATE NOCASE) WHERE archived_at IS NULL AND last_name IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_company_name` ON `contacts` (`workspace_id`,company COLLATE NOCASE) WHERE archived_at IS NULL AND company IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_account_newest` ON `contacts` (`workspace_id`,`account_id`,`created_at`,`id`) WHERE archived_at IS NULL AND account_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_account` ON `contacts` (`workspace_id`,`account_id`,`updated_at`,`lifecycle`) WHERE archived_at IS NULL AND account_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `deals` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`title` text NOT NULL,
	`value` real NOT NULL,
	`currency` text NOT NULL,
	`stage` text NOT NULL,
	`probability` real,
	`expected_close_date` text,
	`created_at` integer NOT NULL,
	`won_confirmed_by` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `deals_contact` ON `deals` (`contact_id`,`stage`);--> statement-breakpoint
CREATE INDEX `deals_stage` ON `deals` (`workspace_id`,`stage`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deals_value` ON `deals` (`workspace_id`,`stage`,`currency`,`value`);--> statement-breakpoint
CREATE TABLE `import_runs` (
	`workspace_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`rows_done` integer NOT NULL,
	`created` integer NOT NULL,
	`updated` integer NOT NULL,
	`unchanged` integer NOT NULL,
	`rejected` integer NOT NULL,
	`last_rejected` text NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`workspace_id`, `fingerprint`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `meetings` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`activity_id` text,
	`held_on` text,
	`note` text,
	`confirmed_by` text,
	`confirmed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `meetings_contact` ON `meetings` (`contact_id`,`confirmed_at`);--> statement-breakpoint
CREATE TABLE `list_counts` (
	`workspace_id` text NOT NULL,
	`list` text NOT NULL,
	`part` text NOT NULL,
	`status` text NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `list`, `part`, `status`)
) STRICT;
--> statement-breakpoint
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
CREATE INDEX `deliveries_oldest` ON `deliveries` (`created_at`) WHERE status = 'pending';--> statement-breakpoint
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
CREATE TABLE `answers` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `answers_hash` ON `answers` (`hash`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text NOT NULL,
	`record_id` text NOT NULL,
	`before` text,
	`after` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_log_recent` ON `audit_log` (`workspace_id`,`at`,`id`,`action`);--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`workspace_id`,`action`,`at`);--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`workspace_id`,`actor_id`,`at`);--> statement-breakpoint
CREATE INDEX `audit_log_record` ON `audit_log` (`workspace_id`,`record_id`);--> statement-breakpoint
CREATE TABLE `auth_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text,
	`at` integer NOT NULL,
	`code` text NOT NULL,
	`key_prefix` text,
	`member_id` text,
	`address` text,
	`route` text NOT NULL,
	`count` integer DEFAULT 1 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `auth_events_workspace` ON `auth_events` (`workspace_id`);--> statement-breakpoint
CREATE INDEX `auth_events_code` ON `auth_events` (`workspace_id`,`code`);--> statement-breakpoint
CREATE TABLE `operation_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`at` integer NOT NULL,
	`operation` text NOT NULL,
	`surface` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text NOT NULL,
	`record_id` text,
	`request_id` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `approval_contacts` (
	`approval_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`copy_hash` text NOT NULL,
	`company` text,
	`spent_at` integer,
	PRIMARY KEY(`approval_id`, `contact_id`),
	FOREIGN KEY (`approval_id`) REFERENCES `sequence_approvals`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `approval_contacts_contact` ON `approval_contacts` (`contact_id`,`approval_id`);--> statement-breakpoint
CREATE TABLE `enrollments` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sequence_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`approval_id` text NOT NULL,
	`status` text NOT NULL,
	`held_reason` text,
	`current_step` integer NOT NULL,
	`due_at` integer,
	`enrolled_at` integer NOT NULL,
	`ended_at` integer,
	`held_detail` text,
	`postponed_reason` text,
	`ended_reason` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`approval_id`) REFERENCES `sequence_approvals`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `enrollments_open` ON `enrollments` (`sequence_id`,`contact_id`) WHERE status IN ('active', 'waiting_on_action');--> statement-breakpoint
CREATE INDEX `enrollments_reached` ON `enrollments` (`sequence_id`,`current_step`) WHERE status IN ('active', 'waiting_on_action');--> statement-breakpoint
CREATE INDEX `enrollments_workspace` ON `enrollments` (`workspace_id`,`enrolled_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `enrollments_sequence` ON `enrollments` (`workspace_id`,`sequence_id`,`enrolled_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `enrollments_status` ON `enrollments` (`workspace_id`,`status`,`enrolled_at`,`id`);--> statement-breakpoint
CREATE INDEX `enrollments_held` ON `enrollments` (`workspace_id`,`enrolled_at`,`id`) WHERE held_reason IS NOT NULL AND ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `enrollments_contact` ON `enrollments` (`workspace_id`,`contact_id`,`enrolled_at`,`id`);--> statement-breakpoint
CREATE INDEX `enrollments_postponed` ON `enrollments` (`workspace_id`) WHERE postponed_reason IS NOT NULL;--> statement-breakpoint
CREATE INDEX `enrollments_due` ON `enrollments` (`sequence_id`,`due_at`) WHERE status = 'active' AND held_reason IS NULL;--> statement-breakpoint
CREATE TABLE `mail_cursors` (
	`mailbox` text PRIMARY KEY NOT NULL,
	`uid_validity` text NOT NULL,
	`uid` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `mail_received` (
	`workspace_id` text NOT NULL,
	`message_id` text NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `message_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `sends` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`enrollment_id` text NOT NULL,
	`sequence_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`step` integer NOT NULL,
	`message_id` text NOT NULL,
	`address` text NOT NULL,
	`address_key` text NOT NULL,
	`subject` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`last_attempt_at` integer NOT NULL,
	`lease_until` integer,
	`leased_by` text,
	`detail` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`enrollment_id`) REFERENCES `enrollments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sends_step` ON `sends` (`enrollment_id`,`step`);--> statement-breakpoint
CREATE INDEX `sends_message` ON `sends` (`message_id`);--> statement-breakpoint
CREATE INDEX `sends_address` ON `sends` (`workspace_id`,`address_key`,`contact_id`);--> statement-breakpoint
CREATE INDEX `sends_workspace` ON `sends` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sends_status` ON `sends` (`workspace_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sends_sequence` ON `sends` (`workspace_id`,`sequence_id`,`created_at`,`id`,`status`);--> statement-breakpoint
CREATE INDEX `sends_attempts` ON `sends` (`workspace_id`,`last_attempt_at`);--> statement-breakpoint
CREATE INDEX `sends_leases` ON `sends` (`lease_until`) WHERE status IN ('queued', 'sending');--> statement-breakpoint
CREATE TABLE `sequence_approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sequence_id` text NOT NULL,
	`steps_hash` text NOT NULL,
	`status` text NOT NULL,
	`contact_count` integer NOT NULL,
	`approved_by` text NOT NULL,
	`approved_at` integer NOT NULL,
	`applied_by` text,
	`applied_at` integer,
	`voided_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `sequence_approvals_sequence` ON `sequence_approvals` (`sequence_id`,`approved_at`,`id`);--> statement-breakpoint
CREATE INDEX `sequence_approvals_waiting` ON `sequence_approvals` (`workspace_id`,`approved_at`,`id`) WHERE status = 'approved';--> statement-breakpoint
CREATE TABLE `sequences` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`status` text DEFAULT 'draft' NOT NULL,
	`steps` text NOT NULL,
	`steps_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`socialnet_account_id` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sequences_id` ON `sequences` (`id`);--> statement-breakpoint
CREATE INDEX `sequences_workspace` ON `sequences` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `sequences_active` ON `sequences` (`id`,`workspace_id`) WHERE status = 'active';--> statement-breakpoint
CREATE TABLE `mail_rests` (
	`server` text PRIMARY KEY NOT NULL,
	`refusals` integer NOT NULL,
	`began_at` integer NOT NULL,
	`until` integer NOT NULL,
	`detail` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `suppressions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`reason` text NOT NULL,
	`source` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `suppressions_email` ON `suppressions` (`workspace_id`,`email_key`);--> statement-breakpoint
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
CREATE INDEX `reconnect_requests_newest` ON `reconnect_requests` (`account_id`,`requested_at`);--> statement-breakpoint
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
	`owner_member_id` text,
	`session` text,
	`session_at` integer,
	`session_since` integer,
	`held_reason` text,
	`held_until` integer,
	`held_since` integer,
	`schedules` text,
	`check_in_minutes` integer,
	`schedules_at` integer,
	`announced` integer DEFAULT 0 NOT NULL,
	`announced_at` integer,
	`look_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_accounts_workspace` ON `socialnet_accounts` (`workspace_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `socialnet_accounts_look` ON `socialnet_accounts` (`look_at`) WHERE look_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `socialnet_actions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`account_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`kind` text NOT NULL,
	`origin` text NOT NULL,
	`status` text NOT NULL,
	`copy` text NOT NULL,
	`recipient_url` text NOT NULL,
	`recipient_key` text DEFAULT '' NOT NULL,
	`enrollment_id` text,
	`sequence_id` text,
	`step` integer,
	`step_count` integer,
	`campaign` text,
	`planned_by` text NOT NULL,
	`planned_by_id` text,
	`edited_by_id` text,
	`approved_by` text,
	`approved_at` integer,
	`approved_email_key` text,
	`held_from` text,
	`changed` text,
	`stop_wanted` text,
	`lease_hash` blob,
	`lease_expires_at` integer,
	`outcome` text,
	`note` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`enrollment_id`) REFERENCES `enrollments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sequence_id`) REFERENCES `sequences`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_actions_account` ON `socialnet_actions` (`account_id`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_account_status` ON `socialnet_actions` (`account_id`,`status`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_workspace` ON `socialnet_actions` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_status` ON `socialnet_actions` (`workspace_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact` ON `socialnet_actions` (`contact_id`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_contact_status` ON `socialnet_actions` (`contact_id`,`status`,`created_at`,`id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_enrollment` ON `socialnet_actions` (`enrollment_id`) WHERE enrollment_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `socialnet_actions_recipient` ON `socialnet_actions` (`account_id`,`recipient_key`,`contact_id`);--> statement-breakpoint
CREATE INDEX `socialnet_actions_waiting` ON `socialnet_actions` (`account_id`,`kind`,`origin`,`sequence_id`,`workspace_id`) WHERE status = 'approved';--> statement-breakpoint
CREATE INDEX `socialnet_actions_email` ON `socialnet_actions` (`workspace_id`,`approved_email_key`,`contact_id`) WHERE approved_email_key IS NOT NULL AND ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `socialnet_actions_leases` ON `socialnet_actions` (`lease_expires_at`) WHERE status IN ('claimed', 'started');--> statement-breakpoint
CREATE TABLE `socialnet_health` (
	`account_id` text NOT NULL,
	`observation_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`observed_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`answer` text NOT NULL,
	PRIMARY KEY(`account_id`, `observation_id`),
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_health_newest` ON `socialnet_health` (`account_id`,`observed_at`);--> statement-breakpoint
CREATE INDEX `socialnet_health_kept` ON `socialnet_health` (`recorded_at`);--> statement-breakpoint
CREATE TABLE `socialnet_runs` (
	`account_id` text NOT NULL,
	`run_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`finished_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`answer` text NOT NULL,
	PRIMARY KEY(`account_id`, `run_id`),
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_runs_newest` ON `socialnet_runs` (`account_id`,`finished_at`);--> statement-breakpoint
CREATE INDEX `socialnet_runs_kept` ON `socialnet_runs` (`recorded_at`);--> statement-breakpoint
CREATE TABLE `socialnet_sightings` (
	`account_id` text NOT NULL,
	`external_key` text NOT NULL,
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`contact_id` text,
	`observed_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `external_key`),
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_sightings_kept` ON `socialnet_sightings` (`recorded_at`);--> statement-breakpoint
CREATE TABLE `socialnet_starts` (
	`lease_hash` blob PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`account_id` text NOT NULL,
	`action_id` text NOT NULL,
	`key_id` text NOT NULL,
	`kind` text NOT NULL,
	`started_at` integer NOT NULL,
	`outcome` text,
	`evidence` text,
	`status_after` text,
	`recorded_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `socialnet_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`action_id`) REFERENCES `socialnet_actions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `socialnet_starts_account` ON `socialnet_starts` (`account_id`,`kind`,`started_at`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `socialnet_starts_workspace` ON `socialnet_starts` (`workspace_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `socialnet_starts_action` ON `socialnet_starts` (`action_id`,`started_at`);
--> statement-breakpoint
-- Live contacts by block of 1,024 and by source, kept with every insert, archiving and revival.
CREATE TRIGGER contacts_counted_insert AFTER INSERT ON contacts WHEN NEW.archived_at IS NULL BEGIN
	INSERT INTO contact_blocks (workspace_id, block, live) VALUES (NEW.workspace_id, NEW.seq >> 10, 1)
		ON CONFLICT (workspace_id, block) DO UPDATE SET live = live + 1;
	INSERT INTO contact_sources (workspace_id, source, live) VALUES (NEW.workspace_id, NEW.source, 1)
		ON CONFLICT (workspace_id, source) DO UPDATE SET live = live + 1;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_counted_archive AFTER UPDATE OF archived_at ON contacts
	WHEN (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL) BEGIN
	UPDATE contact_blocks SET live = live + iif(NEW.archived_at IS NULL, 1, -1)
		WHERE workspace_id = NEW.workspace_id AND block = NEW.seq >> 10;
	UPDATE contact_sources SET live = live + iif(NEW.archived_at IS NULL, 1, -1)
		WHERE workspace_id = NEW.workspace_id AND source = NEW.source;
END;
--> statement-breakpoint
-- The tags of live contacts, kept with every insert, change of tags, archiving and revival.
CREATE TRIGGER contacts_tagged_insert AFTER INSERT ON contacts
	WHEN NEW.tags IS NOT NULL AND NEW.archived_at IS NULL BEGIN
	INSERT OR IGNORE INTO contact_tags (workspace_id, tag, created_at, contact_id)
		SELECT NEW.workspace_id, value, NEW.created_at, NEW.id FROM json_each(NEW.tags);
END;
--> statement-breakpoint
CREATE TRIGGER contacts_tagged_update AFTER UPDATE OF tags, archived_at ON contacts
	WHEN OLD.tags IS NOT NEW.tags OR (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL) BEGIN
	DELETE FROM contact_tags WHERE workspace_id = OLD.workspace_id AND created_at = OLD.created_at
		AND contact_id = OLD.id AND tag IN (SELECT value FROM json_each(OLD.tags));
	INSERT OR IGNORE INTO contact_tags (workspace_id, tag, created_at, contact_id)
		SELECT NEW.workspace_id, value, NEW.created_at, NEW.id FROM json_each(NEW.tags) WHERE NEW.archived_at IS NULL;
END;
--> statement-breakpoint
-- The rows of long lists by what they are filtered by, kept with every insert and change of status. None is deleted.
CREATE TRIGGER enrollments_counted_insert AFTER INSERT ON enrollments BEGIN
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'enrollments', NEW.sequence_id, NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER enrollments_counted_update AFTER UPDATE OF status ON enrollments WHEN OLD.status <> NEW.status BEGIN
	UPDATE list_counts SET total = total - 1
		WHERE workspace_id = OLD.workspace_id AND list = 'enrollments' AND part = OLD.sequence_id AND status = OLD.status;
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'enrollments', NEW.sequence_id, NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER sends_counted_insert AFTER INSERT ON sends BEGIN
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'sends', NEW.sequence_id, NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER sends_counted_update AFTER UPDATE OF status ON sends WHEN OLD.status <> NEW.status BEGIN
	UPDATE list_counts SET total = total - 1
		WHERE workspace_id = OLD.workspace_id AND list = 'sends' AND part = OLD.sequence_id AND status = OLD.status;
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'sends', NEW.sequence_id, NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER socialnet_actions_counted_insert AFTER INSERT ON socialnet_actions BEGIN
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'socialnet_actions', NEW.account_id, NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER socialnet_actions_counted_update AFTER UPDATE OF status ON socialnet_actions WHEN OLD.status <> NEW.status BEGIN
	UPDATE list_counts SET total = total - 1
		WHERE workspace_id = OLD.workspace_id AND list = 'socialnet_actions' AND part = OLD.account_id AND status = OLD.status;
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'socialnet_actions', NEW.account_id, NEW.status, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER deals_counted_insert AFTER INSERT ON deals BEGIN
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'deals', '', NEW.stage, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER deals_counted_update AFTER UPDATE OF stage ON deals WHEN OLD.stage <> NEW.stage BEGIN
	UPDATE list_counts SET total = total - 1
		WHERE workspace_id = OLD.workspace_id AND list = 'deals' AND part = '' AND status = OLD.stage;
	INSERT INTO list_counts (workspace_id, list, part, status, total)
		VALUES (NEW.workspace_id, 'deals', '', NEW.stage, 1)
		ON CONFLICT (workspace_id, list, part, status) DO UPDATE SET total = total + 1;
END;
