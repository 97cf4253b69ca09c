import { randomUUID } from "node:crypto";
import { openReader, openWriter } from "../../src/store/sqlite/connection.ts";
import { created, FIELDS, type Fields, type FloorKey, type Found, type Page, timeId } from "./floor-answers.ts";

type Row = Record<string, string | number | null>;

const time = (column: string) => `replace(datetime(${column} / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z'`;
const CONTACT = `json_object('id', id, ${FIELDS.map((field) => `'${field}', ${field}`).join(", ")},
  'lifecycle', lifecycle, 'source', source, 'tags', json(tags),
  'created_at', ${time("created_at")}, 'updated_at', ${time("updated_at")})`;
// SQLite would plan a page anew at each call if its LIMIT were a value and not a sum.
const PAGE = (from: string, order: string, more = "") =>
  `SELECT CAST('[' || coalesce(group_concat(text), '') || ']' AS BLOB) AS text, count(*) AS count${more} FROM
     (SELECT ${CONTACT} AS text FROM ${from} ORDER BY ${order} LIMIT @limit + 0 OFFSET @offset + 0)`;
const TOTAL = ", (SELECT coalesce(sum(live), 0) FROM contact_sources WHERE workspace_id = @workspaceId) AS total";
const MINE = "workspace_id = @workspaceId AND archived_at IS NULL";

/** The statements of the floor, and its queue of writes: one transaction for each, or one for all that came in a turn. */
export function openFloor(file: string, each: boolean) {
  const writer = openWriter(file);
  const reader = openReader(file);

  const key = reader.prepare<[Buffer], FloorKey>(
    "SELECT id, workspace_id AS workspaceId, revoked_at AS revokedAt FROM api_keys WHERE hash = ?",
  );
  const one = reader
    .prepare<[string, string], string>(
      `SELECT ${CONTACT} FROM contacts WHERE id = ? AND workspace_id = ? AND archived_at IS NULL`,
    )
    .pluck();
  const listed = reader.prepare<[Page & { workspaceId: string }], Found>(
    PAGE(`contacts INDEXED BY contacts_live WHERE ${MINE}`, "seq DESC", TOTAL),
  );
  const ofCompany = `contacts INDEXED BY contacts_company WHERE ${MINE} AND company = @company AND company IS NOT NULL`;
  const queried = reader.prepare<[Page & Row], Found>(PAGE(ofCompany, "created_at DESC, id DESC"));
  const matches = reader.prepare<[Row], number>(`SELECT count(*) FROM ${ofCompany}`).pluck();

  const begin = writer.prepare("BEGIN IMMEDIATE");
  const commit = writer.prepare("COMMIT");
  const answered = writer.prepare<[Buffer], string>("SELECT body FROM answers WHERE hash = ?").pluck();
  const answer = writer.prepare("INSERT INTO answers (hash, status, body, created_at) VALUES (?, 201, ?, ?)");
  const inserted = [
    ...["id", "workspace_id", "email_key", "socialnet_key", "lifecycle", "source", "created_at", "updated_at"],
    ...FIELDS,
  ];
  const insert = writer
    .prepare<[Row], number>(
      `INSERT INTO contacts (${inserted.join()}) VALUES (${inserted.map((name) => `@${name}`).join()}) RETURNING seq`,
    )
    .pluck();
  const provenance = writer.prepare(
    `INSERT INTO contact_provenance (contact_seq, field, source, actor_id, at)
     SELECT @seq, value, 'public_api', @actor, @now FROM json_each(@fields)`,
  );
  const log = writer.prepare(
    `INSERT INTO operation_log (workspace_id, at, operation, surface, actor_kind, actor_id, record_id, request_id)
     VALUES (?, ?, ?, 'rest', 'key', ?, ?, ?)`,
  );
  const byEmail = writer.prepare<[string, string], { seq: number; job_title: string | null }>(
    "SELECT * FROM contacts WHERE email_key = ? AND workspace_id = ? AND archived_at IS NULL",
  );
  const update = writer
    .prepare<[string, number, number], string>(
      `UPDATE contacts SET job_title = ?, updated_at = ? WHERE seq = ? RETURNING ${CONTACT}`,
    )
    .pluck();

  let queue: { write: () => string; done: (text: string) => void }[] = [];

  function enqueue(write: () => string, done: (text: string) => void): void {
    queue.push({ write, done });
    if (queue.length === 1) setImmediate(flush);
  }

  function flush(): void {
    const batch = queue;
    queue = [];
    for (const jobs of each ? batch.map((job) => [job]) : [batch]) {
      begin.run();
      const texts = jobs.map(({ write }) => write());
      commit.run();
      jobs.forEach(({ done }, i) => {
        done(texts[i] as string);
      });
    }
  }

  function create({ id: actor, workspaceId }: FloorKey, fields: Fields, hash: Buffer): string {
    const earlier = answered.get(hash);
    if (earlier !== undefined) return earlier;
    const now = Date.now();
    const id = timeId(now);
    const values = Object.fromEntries(FIELDS.map((field) => [field, fields[field] ?? null]));
    const seq = insert.get({
      ...values,
      id,
      workspace_id: workspaceId,
      email_key: fields.email?.toLowerCase() ?? null,
      socialnet_key: fields.socialnet_url?.replace(/^https?:\/\/(www\.)?/, "") ?? null,
      lifecycle: "prospect",
      source: "public_api",
      created_at: now,
      updated_at: now,
    });
    const text = created(id, values, now);
    provenance.run({ seq, actor, now, fields: JSON.stringify(FIELDS.filter((field) => fields[field])) });
    log.run(workspaceId, now, "create_contact", actor, id, randomUUID());
    answer.run(hash, text, now);
    return text;
  }

  /** The bench asserts a new job title for existing contacts. */
  function assert({ id: actor, workspaceId }: FloorKey, { email = "", job_title = "" }: Fields): string {
    const now = Date.now();
    const found = byEmail.get(email.toLowerCase(), workspaceId);
    if (found === undefined || found.job_title === job_title) throw new Error("The floor asserts known contacts.");
    const contact = update.get(job_title, now, found.seq) as string;
    provenance.run({ seq: found.seq, actor, now, fields: '["job_title"]' });
    log.run(workspaceId, now, "assert_contact", actor, contact.slice(7, 43), randomUUID());
    return `{"data":${contact},"error":null}`;
  }

  return {
    findKey: (hash: Buffer) => key.get(hash),
    contact: (workspaceId: string, id: string) => one.get(id, workspaceId),
    list: (workspaceId: string, page: Page) => listed.get({ ...page, workspaceId }) as Found,
    byCompany: (workspaceId: string, company: string, page: Page): Found => ({
      ...(queried.get({ ...page, workspaceId, company }) as Found),
      total: matches.get({ workspaceId, company }) ?? 0,
    }),
    create: (by: FloorKey, fields: Fields, hash: Buffer, done: (text: string) => void) =>
      enqueue(() => create(by, fields, hash), done),
    assert: (by: FloorKey, fields: Fields, done: (text: string) => void) => enqueue(() => assert(by, fields), done),
    close: () => {
      reader.close();
      writer.close();
    },
  };
}
