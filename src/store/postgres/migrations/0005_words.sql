CREATE TABLE "record_words" (
	"workspace_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"word" text COLLATE "C" NOT NULL,
	"record_id" text COLLATE "C" NOT NULL,
	PRIMARY KEY("workspace_id", "kind", "word", "record_id")
);
--> statement-breakpoint
CREATE INDEX "record_words_record" ON "record_words" ("record_id","kind","word");
--> statement-breakpoint
CREATE TABLE "words_due" (
	"kind" text COLLATE "C" NOT NULL,
	"record_id" text COLLATE "C" NOT NULL,
	PRIMARY KEY("kind", "record_id")
);
--> statement-breakpoint
DROP INDEX "contacts_company_name";
--> statement-breakpoint
ALTER TABLE "record_words" ADD CONSTRAINT "record_words_workspace_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id");
--> statement-breakpoint
-- The words of a contact, as wordsOf in JavaScript splits them, each behind eight characters of its workspace's id. In
-- the locale C, only ASCII letters have a lower case, so other texts are compared by ICU where the server has it.
DO $do$
DECLARE
	collation_name text := (SELECT collname FROM pg_collation WHERE collname = 'und-x-icu' LIMIT 1);
BEGIN
	EXECUTE format($create$
CREATE FUNCTION rostrum_words(workspace_id text, first_name text, last_name text, company text, email text)
	RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
	mark text := right(workspace_id, 8);
	words text := coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' || coalesce(company, '') || ' '
		|| coalesce(left(email, -strpos(reverse(email), '.')), '');
BEGIN
	IF octet_length(words) = length(words) THEN
		words := regexp_replace(lower(words), '[^a-z0-9]+', ' ', 'g');
	ELSE
		words := lower(regexp_replace(normalize(words, NFKD), '[\u0300-\u036f]+', '', 'g') COLLATE %I);
		words := regexp_replace(words, '[\u0001-/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g');
	END IF;
	IF octet_length(words) > 256 THEN
		words := regexp_replace(words, '([^ ]{64})[^ ]+', '\1', 'g');
	END IF;
	RETURN array_to_tsvector(string_to_array(mark || replace(btrim(words), ' ', ' ' || mark), ' '));
END $$
	$create$, coalesce(collation_name, 'default'));
END $do$;
--> statement-breakpoint
CREATE INDEX rostrum_contact_words ON contacts
	USING gin (rostrum_words(workspace_id, first_name, last_name, company, email)) WHERE archived_at IS NULL;
--> statement-breakpoint
-- What was there before is indexed by the chore `index_words`.
INSERT INTO words_due (kind, record_id)
	SELECT 'account', id FROM accounts UNION ALL SELECT 'deal', id FROM deals
	UNION ALL SELECT 'sequence', id FROM sequences UNION ALL SELECT 'post', id FROM social_posts;
