ALTER TABLE "socialnet_actions" ADD "change_requested_at" bigint;
--> statement-breakpoint
CREATE INDEX "socialnet_actions_changes" ON "socialnet_actions" ("account_id","workspace_id") WHERE change_requested_at IS NOT NULL;
