import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "better-sqlite3";
import { getTableColumns, getTableName } from "drizzle-orm";
import { PLACEHOLDERS } from "../../src/domain/outreach/template.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { contacts, sequences, socialnetAccounts, workspaces } from "../../src/store/sql/schema/index.ts";
import { type Driven, driveEngine, HOUR_MS, onTheWay } from "../support/engine.ts";
import { withAgent } from "../support/socialnet.ts";

/**
 * The promise of approvals, told by what leaves: whatever changes after an approval, a recipient gets what was approved,
 * or nothing. Each column of what a message is made of is changed in turn, behind the back of every operation. A merge
 * field or a sender setting that reaches the recipient without being pinned fails here, because the columns and the
 * placeholders are read from the program itself.
 */

const EVERY = PLACEHOLDERS.map((name) => `${name}={{${name}}}`).join(" ");
const MAIL = { type: "email", subject: `Mail ${EVERY}`, body: `Body ${EVERY}`, delay_days: 0 };
const MESSAGE = { type: "socialnet_message", body: `Message ${EVERY}`, delay_days: 0 };
const CONNECT = { type: "socialnet_connect", note: `Note ${EVERY}`, delay_days: 0 };

/** Columns that name rows, and so are no values of what is sent. */
const KEYS = ["id", "seq", "workspace_id", "account_id", "contact_id"];

const SOURCES = [contacts, sequences, socialnetAccounts, workspaces].flatMap((table) =>
  Object.values(getTableColumns(table))
    .filter(({ name }) => !KEYS.includes(name))
    .map(({ name, dataType }) => ({ table: getTableName(table), column: snake(name), dataType })),
);

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A contact who is due to get every kind of step, each of a sequence of its own. */
async function approved(driven: Driven) {
  const { server } = driven;
  await server.operator("set_sending_policy", { sender_name: "Robin" });
  const profile_url = "https://socialnet.example/in/robin";
  await server.operator("create_socialnet_account", { label: "Robin", profile_url, automation_mode: "automatic" });
  for (const [i, step] of [MAIL, MESSAGE, CONNECT].entries()) {
    const contact = {
      last_name: "Lovelace",
      job_title: "Countess",
      socialnet_url: `https://socialnet.example/in/a${i}`,
    };
    await onTheWay(server, [step], { ...contact, email: `ada${i}@x.example` });
  }
}

/** All that recipients get, and by whom. */
async function leaving({ server, taken }: Driven): Promise<string[]> {
  const mails = taken.map(({ raw, to, from }: any) => {
    const head = /^(from|to|subject): .*(?:\r?\n[ \t].*)*/gim;
    const body = raw
      .split(/\r?\n\r?\n/)
      .slice(1)
      .join("\n")
      .replaceAll(/[\w./:-]*unsubscribe\S*|--\S+/g, "");
    return JSON.stringify([from, to, raw.match(head), /Body [^\n]*/.exec(body)?.[0]]);
  });
  const db = new Database(databaseFile(server.folder), { readonly: true });
  const actions = db
    .prepare(
      `SELECT a.kind, a.copy, a.recipient_url, s.profile_url, s.id FROM socialnet_actions a
       JOIN socialnet_accounts s ON s.id = a.account_id WHERE a.status = 'approved'`,
    )
    .raw()
    .all()
    .map((row) => JSON.stringify((row as unknown[]).slice(0, 4)));
  db.close();
  return [...mails, ...actions];
}

test("every column of what a message is made of is pinned, or reaches nobody", async (t) => {
  const baseline = await driveEngine(t);
  await approved(baseline);
  await baseline.run();
  const expected = new Set(await leaving(baseline));
  assert.equal(expected.size, 3, [...expected].join("\n"));
  for (const name of PLACEHOLDERS) {
    for (const one of expected) assert.ok(one.includes(`${name}=`), `${name} is in what leaves`);
  }
  const blocked: string[] = [];
  for (const { table, column, dataType } of SOURCES) {
    const driven = await driveEngine(t);
    await approved(driven);
    const db = new Database(databaseFile(driven.server.folder));
    const value = dataType === "number" ? 7 : dataType === "custom" ? '["evil"]' : "https://socialnet.example/in/evil";
    const steps = JSON.stringify([{ ...MAIL, body: "Evil", subject: "Evil" }]);
    try {
      const set = column === "steps" ? steps : value;
      db.prepare(`UPDATE ${table} SET ${column} = ?`).run(set);
    } catch (error) {
      // What the schema refuses cannot be.
      assert.match(String(error), /constraint|datatype|malformed/i, `${table}.${column}`);
      continue;
    } finally {
      db.close();
    }
    await driven.run().catch(() => {});
    driven.clock.advance(HOUR_MS);
    const left = await leaving(driven);
    for (const one of left) assert.ok(expected.has(one), `${table}.${column} reaches a recipient unpinned: ${one}`);
    if (left.length < expected.size) blocked.push(`${table}.${column}`);
    await driven.server.running.close();
  }
  for (const pinned of [
    ...["contacts.email", "contacts.first_name", "contacts.last_name", "contacts.company", "contacts.job_title"],
    ...["workspaces.sender_name", "sequences.steps", "sequences.socialnet_account_id"],
    "socialnet_accounts.profile_url",
  ]) {
    assert.ok(blocked.includes(pinned), `${pinned} is pinned`);
  }
});

test("an agent is handed an action exactly as it was approved, whatever is written to the records beside it", async (t) => {
  for (const change of [
    { socialnet_url: "https://socialnet.example/in/evil" },
    { first_name: "Evil", company: "Evil", job_title: "Evil" },
    { email: "evil@x.example" },
  ]) {
    const agent = await withAgent(t);
    const action = await agent.approved();
    const { copy, recipient_url } = await agent.look(action);
    await agent.server.rest("PATCH", `/contacts/${action.contact.id}`, { body: change });
    const claimed = await agent.command("claim", { actionId: action.id });
    if (claimed.status !== 200) continue;
    const { leaseToken } = claimed.body.data;
    const { data } = (await agent.command("start", { actionId: action.id, leaseToken })).body;
    assert.deepEqual([data.copy, data.recipient.profileUrl], [copy, recipient_url]);
  }
});
