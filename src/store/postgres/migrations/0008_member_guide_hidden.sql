ALTER TABLE "members" ADD "guide_hidden_at" bigint;
