import { beginsWords, contactText, type WordSearch, withoutTopLevel, wordsOf } from "../../domain/text/words.ts";
import type { Finder, FoundContact, FoundRecord, RecordKind, WordIndex } from "../words.ts";
import { END } from "./dialect.ts";
import { type Connections, type Db, memoized, ofEach, type Params } from "./statement.ts";

/**
 * The newest contacts are compared one by one. So those that aren't indexed yet are found, and words that many contacts
 * have need no index.
 */
const NEWEST = 1_000;

/** Of more words, the longest are looked up. The others are compared. */
const MAX_INDEXED = 4;

/** Shorter words are looked up only where there are too many contacts to compare. Many words begin as they do. */
const MIN_INDEXED = 3;

/** How many contacts of the index are compared with all words. */
const MAX_COMPARED = 200;

/** How far a word is counted to find the one that fewest records have, and how many of its records are compared. */
const MAX_COUNTED = 2_000;

/** What is in the index in front of each word, so that no workspace reads another's lists. */
const markOf = (workspaceId: string) => workspaceId.slice(-8);

const FOUND = "c.seq, c.id, c.first_name, c.last_name, c.company, c.email";

/** What is shown of records, by their ids. */
const SHOWN: Readonly<Record<RecordKind, string>> = {
  account: `id, name AS title, domain AS detail, NULL AS status, NULL AS parent_id
    FROM accounts r WHERE r.workspace_id = @workspaceId`,
  deal: `r.id, r.title, coalesce(trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, '')), '') AS detail,
    r.stage AS status, r.contact_id AS parent_id
    FROM deals r JOIN contacts c ON c.id = r.contact_id AND c.archived_at IS NULL WHERE r.workspace_id = @workspaceId`,
  sequence: `id, name AS title, NULL AS detail, status, NULL AS parent_id
    FROM sequences r WHERE r.workspace_id = @workspaceId`,
  post: `id, coalesce(title, substr(body, 1, 100)) AS title, item_id AS detail, status, item_id AS parent_id
    FROM social_posts r WHERE r.workspace_id = @workspaceId`,
};

export function finder(db: Db): (workspaceId: string) => Finder {
  const { dialect } = db;
  const newest = db.sql<Params, FoundContact>(
    `SELECT ${FOUND} FROM contacts c ${dialect.indexedBy("contacts_live")}
     WHERE c.workspace_id = @workspaceId AND c.archived_at IS NULL ORDER BY c.seq DESC LIMIT ${NEWEST}`,
  );
  const byWords = db.sql<Params, FoundContact>(`SELECT ${FOUND} FROM ${dialect.contactsByWords} LIMIT @limit`);
  const ranged = (alias: string, name: string) =>
    `${alias}.workspace_id = @workspaceId AND ${alias}.kind = @kind AND ${alias}.word >= @${name}
     AND ${alias}.word < @${name} || '${END}'`;
  const count = db.value<Params, number>(
    `SELECT count(*) FROM (SELECT 1 FROM record_words w WHERE ${ranged("w", "w0")} LIMIT ${MAX_COUNTED}) AS found`,
  );
  const ids = memoized((words) => {
    const others = Array.from({ length: Number(words) - 1 }, (_, i) => i + 1).map(
      (i) => `EXISTS (SELECT 1 FROM record_words o WHERE o.record_id = found.record_id AND o.kind = @kind
        AND o.word >= @w${i} AND o.word < @w${i} || '${END}')`,
    );
    return db.value<Params, string>(
      `SELECT record_id FROM (SELECT record_id, word FROM record_words w WHERE ${ranged("w", "w0")}
         ORDER BY word, record_id LIMIT ${MAX_COUNTED}) AS found
       ${others.length > 0 ? `WHERE ${others.join(" AND ")}` : ""} ORDER BY word, record_id LIMIT @limit`,
    );
  });
  const shown = memoized((kind) =>
    db.sql<Params, FoundRecord>(
      `SELECT ${SHOWN[kind as RecordKind]} AND r.id IN (SELECT value FROM ${dialect.elements("@ids")})`,
    ),
  );

  /** Adds the contacts that the index has. Few words may find them all; more words find those that few would miss. */
  async function addIndexed(found: Map<number, FoundContact>, workspaceId: string, search: WordSearch, limit: number) {
    const long = search.indexed.filter((word) => word.length >= MIN_INDEXED);
    for (const words of [long, search.indexed, search.words]) {
      if (words.length === 0) continue;
      const longest = words.toSorted((a, b) => b.length - a.length).slice(0, MAX_INDEXED);
      const given = { words: dialect.byWords(markOf(workspaceId), longest), workspaceId };
      const rows = await byWords.all({ ...given, limit: MAX_COMPARED });
      // An index that is behind has words that a contact no longer has.
      for (const contact of rows) if (isMatch(search, contact)) found.set(contact.seq, contact);
      if (found.size >= limit || rows.length < MAX_COMPARED || words.length === search.words.length) return;
    }
  }

  return (workspaceId) => ({
    async contacts(search, limit) {
      if (search.words.length === 0) return [];
      const found = new Map<number, FoundContact>();
      await newest.iterate({ workspaceId }, (contact) => {
        if (isMatch(search, contact)) found.set(contact.seq, contact);
        return found.size < limit;
      });
      if (found.size < limit) await addIndexed(found, workspaceId, search, limit);
      return [...found.values()].sort((a, b) => b.seq - a.seq).slice(0, limit);
    },
    async records(kind, search, limit) {
      const counted = await Promise.all(
        search.words.map(async (w0) => [w0, (await count.get({ w0, kind, workspaceId })) ?? 0] as const),
      );
      const [first, ...others] = counted.sort(([, a], [, b]) => a - b);
      if (first === undefined || first[1] === 0) return [];
      const words = Object.fromEntries([first, ...others].map(([word], i) => [`w${i}`, word]));
      // A record may have several words that begin so.
      const wanted = { ...words, kind, workspaceId, limit: limit * 4 };
      const found = [...new Set(await ids(String(counted.length)).all(wanted))];
      const rows = await shown(kind).all({ ids: JSON.stringify(found), workspaceId });
      return rows.sort((a, b) => found.indexOf(a.id) - found.indexOf(b.id)).slice(0, limit);
    },
  });
}

function isMatch({ words }: WordSearch, { first_name, last_name, company, email }: FoundContact): boolean {
  return beginsWords(words, wordsOf(contactText(first_name, last_name, company, email)));
}

/** How much of a post is found by its words. */
const MAX_POST = 300;

/** The text by which a record is found, from its columns. */
export const recordText = {
  account: ({ name, domain }: { name: string; domain: string | null }) => `${name} ${domain ?? ""}`,
  deal: ({ title }: { title: string }) => title,
  sequence: ({ name }: { name: string }) => name,
  post: ({ title, body, itemId }: { title: string | null; body: string; itemId: string }) =>
    `${itemId} ${title ?? ""} ${body.slice(0, MAX_POST)}`,
};

/** Keeps the words by which a record is found, in the transaction that writes it. */
export function keepWords(db: Db): (workspaceId: string, kind: RecordKind, id: string, text: string) => Promise<void> {
  const forget = db.sql<Params>(
    `DELETE FROM record_words WHERE record_id = @id AND kind = @kind
     AND ${db.dialect.unindexed("workspace_id")} = @workspaceId`,
  );
  const keep = db.sql<Params>(
    `INSERT INTO record_words (workspace_id, kind, word, record_id)
     SELECT @workspaceId, @kind, value, @id FROM ${db.dialect.elements("@words")}`,
  );
  return async (workspaceId, kind, id, text) => {
    const record = { workspaceId, kind, id };
    await forget.run(record);
    await keep.run({ ...record, words: JSON.stringify(wordsOf(text)) });
  };
}

interface DueContact extends FoundContact {
  workspaceId: string;
}

/** What is read of a record whose words are due. */
type DueRecord = { id: string; workspaceId: string } & Parameters<typeof recordText.account>[0] &
  Parameters<typeof recordText.deal>[0] &
  Parameters<typeof recordText.post>[0];

const READ: Readonly<Record<RecordKind, string>> = {
  account: "SELECT r.id, r.workspace_id AS workspaceId, r.name, r.domain FROM accounts r",
  deal: "SELECT r.id, r.workspace_id AS workspaceId, r.title FROM deals r",
  sequence: "SELECT r.id, r.workspace_id AS workspaceId, r.name FROM sequences r",
  post: `SELECT r.id, r.workspace_id AS workspaceId, r.title, r.body, r.item_id AS itemId FROM social_posts r`,
};

/** The statements of the job. Contacts are among them where their index is not kept by each write. */
function indexing(db: Db) {
  const keep = keepWords(db);
  const dueRecords = memoized((kind) =>
    db.sql<Params, DueRecord>(
      `${READ[kind as RecordKind]} JOIN words_due d ON d.record_id = r.id AND d.kind = '${kind}' LIMIT @limit`,
    ),
  );
  const kinds = db.value<object, string>("SELECT kind FROM words_due LIMIT 1");
  const done = db.sql<Params>(
    `DELETE FROM words_due WHERE kind = @kind AND record_id IN (SELECT value FROM ${db.dialect.elements("@ids")})`,
  );
  const dropped = db.sql<Params>("DELETE FROM words_due WHERE kind = @kind");
  const contacts = db.dialect.indexesWordsLater ? contactIndex(db) : undefined;

  async function indexDue(kind: string, limit: number): Promise<string[]> {
    const found = await dueRecords(kind).all({ limit });
    for (const record of found) {
      await keep(record.workspaceId, kind as RecordKind, record.id, recordText[kind as RecordKind](record));
    }
    return found.map(({ id }) => id);
  }

  return {
    async isDue() {
      return (await kinds.get({})) !== undefined || (await contacts?.isDue()) === true;
    },
    async index(limit: number): Promise<number> {
      const kind = await kinds.get({});
      if (kind === undefined) return (await contacts?.indexNew(limit)) ?? 0;
      const ids = kind === "contact" ? ((await contacts?.indexChanged(limit)) ?? []) : await indexDue(kind, limit);
      // Where none is found, the records are gone, or the engine needs no index of contacts.
      await (ids.length === 0 ? dropped.run({ kind }) : done.run({ kind, ids: JSON.stringify(ids) }));
      return ids.length;
    },
  };
}

/** The index of contacts' words that SQLite has beside their table. */
function contactIndex(db: Db) {
  // The row of the index with the highest number: contacts after it are not indexed.
  const last = "(SELECT coalesce(max(id), 0) FROM contact_words_docsize)";
  const row = `SELECT c.seq, c.id, c.workspace_id AS workspaceId, c.first_name, c.last_name, c.company, c.email`;
  const isDue = db.value<object, number>(`SELECT EXISTS (SELECT 1 FROM contacts c WHERE c.seq > ${last})`);
  const newOnes = db.sql<Params, DueContact>(
    `${row} FROM contacts c WHERE c.seq > ${last} ORDER BY c.seq LIMIT @limit`,
  );
  const changed = db.sql<Params, DueContact>(
    `${row} FROM words_due d CROSS JOIN contacts c ON c.id = d.record_id WHERE d.kind = 'contact' LIMIT @limit`,
  );
  const keep = db.sql<Params>("INSERT OR REPLACE INTO contact_words (rowid, words) VALUES (@seq, @words)");

  async function index(found: readonly DueContact[]): Promise<string[]> {
    for (const { seq, workspaceId, first_name, last_name, company, email } of found) {
      const mark = markOf(workspaceId);
      const words = wordsOf(contactText(first_name, last_name, company, withoutTopLevel(email)));
      await keep.run({ seq, words: words.map((word) => mark + word).join(" ") });
    }
    return found.map(({ id }) => id);
  }

  return {
    isDue: async () => (await isDue.get({})) === 1,
    indexNew: async (limit: number) => (await index(await newOnes.all({ limit }))).length,
    indexChanged: async (limit: number) => index(await changed.all({ limit })),
  };
}

export function wordIndex({ reader, run }: Connections): WordIndex {
  const { isDue } = indexing(reader);
  const of = ofEach(indexing);
  return {
    async indexWords(limit) {
      // Where nothing is due, nothing is written.
      return (await isDue()) ? run((writer) => of(writer).index(limit), { forgettable: true, alone: true }) : 0;
    },
  };
}
