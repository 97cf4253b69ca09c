CREATE TABLE "conversations" (
	"contact_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"unread" bigint NOT NULL,
	"assignee_id" text COLLATE "C",
	"snoozed_until" bigint,
	"mark" text COLLATE "C",
	"last_reply_id" text COLLATE "C" NOT NULL,
	"last_reply_type" text COLLATE "C" NOT NULL,
	"last_reply_at" bigint NOT NULL,
	"subject" text COLLATE "C",
	"excerpt" text COLLATE "C",
	"email_from" text COLLATE "C",
	"email_subject" text COLLATE "C",
	"email_message_id" text COLLATE "C",
	"email_thread" text COLLATE "C",
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "conversations_list" ON "conversations" ("workspace_id","status","unread","last_reply_at","contact_id");
--> statement-breakpoint
CREATE TABLE "email_answers" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"contact_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"address" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"body" text COLLATE "C" NOT NULL,
	"in_reply_to" text COLLATE "C",
	"thread" text COLLATE "C" NOT NULL,
	"planned_by" text COLLATE "C" NOT NULL,
	"planned_by_id" text COLLATE "C" NOT NULL,
	"approved_by" text COLLATE "C",
	"approved_at" bigint,
	"approved_hash" text COLLATE "C",
	"due_at" bigint,
	"note" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"ended_at" bigint
);
--> statement-breakpoint
CREATE INDEX "email_answers_contact" ON "email_answers" ("contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_answers_status" ON "email_answers" ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_answers_due" ON "email_answers" ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_contact_id_fk" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id");
--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_workspace_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id");
--> statement-breakpoint
ALTER TABLE "email_answers" ADD CONSTRAINT "email_answers_workspace_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id");
--> statement-breakpoint
ALTER TABLE "email_answers" ADD CONSTRAINT "email_answers_contact_id_fk" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id");
--> statement-breakpoint
ALTER TABLE "sends" ALTER COLUMN "enrollment_id" DROP NOT NULL, ALTER COLUMN "sequence_id" DROP NOT NULL,
	ALTER COLUMN "step" DROP NOT NULL, ADD "answer_id" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "sends" ADD CONSTRAINT "sends_answer_id_fk" FOREIGN KEY ("answer_id") REFERENCES "email_answers"("id");
--> statement-breakpoint
CREATE UNIQUE INDEX "sends_answer" ON "sends" ("answer_id") WHERE answer_id IS NOT NULL;
--> statement-breakpoint
-- Contacts who have replied before are in the Inbox, as read.
INSERT INTO conversations (contact_id, workspace_id, status, unread, last_reply_id, last_reply_type, last_reply_at, subject,
	excerpt, email_subject, updated_at)
SELECT a.contact_id, a.workspace_id, 'open', 0, a.id, a.type, a.created_at, a.subject, substr(a.body, 1, 300),
	CASE WHEN a.type = 'email_reply' THEN a.subject END, a.created_at
FROM activities a
WHERE a.seq IN (
	SELECT max(seq) FROM activities
	WHERE type IN ('email_reply', 'socialnet_reply', 'socialnet_message_received') GROUP BY contact_id);
