ALTER TABLE "sequences" ADD "delivery" text COLLATE "C" DEFAULT 'send' NOT NULL;
