ALTER TABLE "contacts" ADD "last_reply_seq" bigint;
