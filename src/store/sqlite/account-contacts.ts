import { and, eq, isNull, sql } from "drizzle-orm";
import type { Contact } from "../../domain/contacts/contact.ts";
import { LIFECYCLE, type Lifecycle } from "../../domain/contacts/lifecycle.ts";
import { type AccountContacts, BOUNDS, LOOKED_AT } from "../contacts.ts";
import type { Drizzle } from "./connection.ts";
import { contactJson } from "./contact-pages.ts";
import { contacts as c } from "../sql/schema/index.ts";

interface Member {
  seq: number;
  id: string;
  updatedAt: number;
  emailKey: string | null;
}

/** The contacts of an account: counted, and those updated last in full. */
export function prepareAccountContacts(db: Drizzle) {
  const live = `contacts INDEXED BY contacts_account
    WHERE workspace_id = @workspaceId AND account_id = @accountId AND archived_at IS NULL`;
  const stages = db.$client.prepare<[Record<string, string>], { lifecycle: Lifecycle; count: number }>(
    `SELECT lifecycle, count(*) AS count FROM ${live} GROUP BY lifecycle`,
  );
  const members = db.$client.prepare<[Record<string, string | number>], Member>(
    `SELECT seq, id, updated_at AS updatedAt, email_key AS emailKey FROM ${live} ORDER BY updated_at DESC LIMIT @limit`,
  );
  const full = db
    .select({ text: contactJson })
    .from(c)
    .where(
      and(
        sql`${c.seq} IN (SELECT value FROM json_each(${sql.placeholder("seqs")}))`,
        eq(c.workspaceId, sql.placeholder("workspaceId")),
        isNull(c.archivedAt),
      ),
    )
    .prepare();

  return (workspaceId: string, accountId: string): AccountContacts => {
    const counts = new Map(stages.all({ accountId, workspaceId }).map(({ lifecycle, count }) => [lifecycle, count]));
    const looked = members.all({ accountId, workspaceId, limit: LOOKED_AT });
    const recent = looked.toSorted((x, y) => y.updatedAt - x.updatedAt || y.seq - x.seq).slice(0, BOUNDS.contacts);
    const seqs = JSON.stringify(recent.map(({ seq }) => seq));
    const records = full.all({ seqs, workspaceId }).map(({ text }) => JSON.parse(text) as Contact);
    const byId = new Map(records.map((contact) => [contact.id, contact]));
    return {
      byStage: Object.fromEntries(LIFECYCLE.map((stage) => [stage, counts.get(stage) ?? 0])) as Record<
        Lifecycle,
        number
      >,
      ids: looked.map(({ id }) => id),
      emailKeys: looked.flatMap(({ emailKey }) => emailKey ?? []),
      recent: recent.flatMap(({ id }) => byId.get(id) ?? []),
    };
  };
}
