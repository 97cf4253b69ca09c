ALTER TABLE "socialnet_actions" ADD "change_requested_at" bigint;
--> statement-breakpoint
CREATE INDEX "meetings_booked" ON "meetings" ("workspace_id","created_at") WHERE confirmed_at IS NULL;
