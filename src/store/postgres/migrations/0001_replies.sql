ALTER TABLE "activities" ADD "profile_key" text COLLATE "C";
--> statement-breakpoint
CREATE INDEX "activities_replies" ON "activities" ("contact_id","created_at") WHERE type IN ('email_reply', 'socialnet_reply');
--> statement-breakpoint
CREATE INDEX "activities_replied_profile" ON "activities" ("workspace_id","profile_key","created_at") WHERE profile_key IS NOT NULL;
--> statement-breakpoint
UPDATE activities SET profile_key = (SELECT socialnet_key FROM contacts WHERE contacts.id = activities.contact_id)
WHERE type IN ('email_reply', 'socialnet_reply');
