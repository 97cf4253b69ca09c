ALTER TABLE "email_answers" ADD "delivery" text COLLATE "C" DEFAULT 'send' NOT NULL;
