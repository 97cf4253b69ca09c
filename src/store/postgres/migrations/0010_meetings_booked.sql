CREATE INDEX "meetings_booked" ON "meetings" ("workspace_id","created_at") WHERE confirmed_at IS NULL;
