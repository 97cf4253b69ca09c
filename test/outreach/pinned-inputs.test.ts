import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { getTableName } from "drizzle-orm";
import PostalMime from "postal-mime";
import { findOperation } from "../../src/cli/operator.ts";
import { PLACEHOLDERS } from "../../src/domain/outreach/template.ts";
import {
  approvalCards,
  contacts,
  conversations,
  emailAnswers,
  sequences,
  socialnetAccounts,
  socialnetActions,
  socialPosts,
  workspaces,
} from "../../src/store/sql/schema/index.ts";
import { openBeside } from "../support/beside.ts";
import { DOCUMENT, newCard, newPost, POST } from "../support/checklist.ts";
import { type Driven, driveEngine, HOUR_MS, onTheWay } from "../support/engine.ts";
import { copyDatabase } from "../support/engine-under-test.ts";
import { newAnswer, newConversation } from "../support/inbox.ts";
import { columnsOf, DOCUMENT_ITEM, POST_ITEM, valuesOf } from "../support/pinned.ts";
import { temporaryFolder } from "../support/server.ts";
import { type Agent, SENDER, withAgent } from "../support/socialnet.ts";

/**
 * The promise of approvals, told by what leaves: whatever changes after an approval, a recipient gets what was approved,
 * or nothing. Each column of what a message is made of is changed in turn, behind the back of every operation. A merge
 * field or a sender setting that reaches the recipient without being pinned fails here, because the columns and the
 * placeholders are read from the program itself. What people decide on one by one, documents and posts of the checklist
 * and single actions, is told by their decisions: each is refused where any column of it is another than was read. That
 * people see what they pin is told by test/console/pinned-is-shown.test.ts.
 */

const EVERY = PLACEHOLDERS.map((name) => `${name}={{${name}}}`).join(" ");
const MAIL = { type: "email", subject: `Mail ${EVERY}`, body: `Body ${EVERY}`, delay_days: 0 };
const MESSAGE = { type: "socialnet_message", body: `Message ${EVERY}`, delay_days: 0 };
const CONNECT = { type: "socialnet_connect", note: `Note ${EVERY}`, delay_days: 0 };
const FILLED = [MAIL, MESSAGE, CONNECT];
/** For these an approval pins only the contact's addresses, so no other field may be sent with them. */
const PLAIN = [
  { ...MAIL, subject: "Plain mail", body: "Plain." },
  { ...MESSAGE, body: "Plain message" },
  { ...CONNECT, note: "Plain note" },
];

const SOURCES = [contacts, sequences, socialnetAccounts, workspaces, emailAnswers, conversations].flatMap((table) =>
  valuesOf(table).map(({ name, dataType }) => ({ table: getTableName(table), column: name, dataType })),
);

/** A contact due for every kind of step, each in its own sequence. */
async function approved(driven: Driven) {
  const { server } = driven;
  await server.operator("set_sending_policy", { sender_name: "Robin" });
  const profile_url = "https://socialnet.example/in/robin";
  await server.operator("create_socialnet_account", { label: "Robin", profile_url, automation_mode: "automatic" });
  for (const [i, step] of [...FILLED, ...PLAIN].entries()) {
    const contact = {
      last_name: "Lovelace",
      job_title: "Countess",
      socialnet_url: `https://socialnet.example/in/a${i}`,
    };
    await onTheWay(server, [step], { ...contact, email: `ada${i}@x.example` });
  }
  // An approved answer to a reply.
  const contact = await newConversation(server, { last_name: "Lovelace", email: "answered@x.example" });
  const answered = { contact_id: contact.id, subject: "Re: Hi", body: "Answer" };
  const { id } = await server.operator("answer_by_email", answered);
  // The clock of a copy begins again, so the time to undo is over by then.
  const now = driven.clock.now();
  await server.running.store.write(server.workspaceId, ({ emailAnswers }) => emailAnswers.wait(id, now, now));
}

/** Headers that differ between messages. */
const OWN_HEADERS = ["date", "message-id"];
const OWN_PARTS = /boundary="[^"]*"|https?:\/\/127\.0\.0\.1[^\s">]*|\?subject=[^\s">]*/g;

/** A complete message: its envelope, every header, and both texts. */
async function whole({ raw, to, from }: any): Promise<string> {
  const { headers, text, html } = await PostalMime.parse(raw);
  const kept = headers.filter(({ key }) => !OWN_HEADERS.includes(key)).map(({ key, value }) => [key, value]);
  return JSON.stringify([from, to, kept, text, html], (_, value) =>
    typeof value === "string" ? value.replaceAll(OWN_PARTS, "") : value,
  );
}

/** Everything that recipients get, and from whom. */
async function leaving({ server, taken }: Driven): Promise<string[]> {
  const mails = await Promise.all(taken.map(whole));
  const db = openBeside(server.folder, { readonly: true });
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

/** A data folder with everything due, copied for each change. */
async function approvedFolder(t: TestContext): Promise<string> {
  const driven = await driveEngine(t);
  await approved(driven);
  await driven.server.running.close();
  return driven.server.folder;
}

test("every column that goes into a message is pinned, or reaches no recipient", async (t) => {
  const due = await approvedFolder(t);
  const driveCopy = async () => {
    const folder = temporaryFolder(t);
    cpSync(due, folder, { recursive: true });
    await copyDatabase(due, folder);
    return driveEngine(t, { folder });
  };
  const baseline = await driveCopy();
  await baseline.run();
  const expected = new Set(await leaving(baseline));
  assert.equal(expected.size, FILLED.length + PLAIN.length + 1, [...expected].join("\n"));
  for (const name of PLACEHOLDERS) {
    const filled = [...expected].filter((one) => one.includes(`${name}=`));
    assert.equal(filled.length, FILLED.length, `${name} is in what leaves`);
  }
  const blocked: string[] = [];
  for (const { table, column, dataType } of SOURCES) {
    const driven = await driveCopy();
    const db = openBeside(driven.server.folder);
    const value =
      dataType === "number" ? 7 : dataType === "custom" ? '["<evil@x.example>"]' : "https://socialnet.example/in/evil";
    const steps = JSON.stringify([{ ...MAIL, body: "Evil", subject: "Evil" }]);
    try {
      const set = column === "steps" ? steps : value;
      db.prepare(`UPDATE ${table} SET ${column} = ?`).run(set);
    } catch (error) {
      // The schema refuses this value.
      assert.match(String(error), /constraint|datatype|malformed/i, `${table}.${column}`);
      continue;
    } finally {
      db.close();
    }
    await driven.run().catch(() => {});
    // A run that failed leaves what was handed over.
    await driven.engine.stop();
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
    ...["address", "subject", "body", "in_reply_to", "thread", "delivery"].map((name) => `email_answers.${name}`),
  ]) {
    assert.ok(blocked.includes(pinned), `${pinned} is pinned`);
  }
});

test("an agent receives an action exactly as approved, whatever is written to related records", async (t) => {
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

const PROPOSED = ["seq", "id", "workspace_id", "item_id", "status", "redo_of"];
const SUBMITTED = ["submitted_by_id", "submitted_by_name", "submitted_at"];
const DECIDED = ["decided_by_id", "decided_by_name", "decided_at", "note"];

interface Decidable {
  table: typeof approvalCards | typeof socialPosts | typeof socialnetActions | typeof emailAnswers;
  /** Columns that no recipient sees: row ids, authors and times, and what the decision itself sets. */
  record: readonly string[];
  make(agent: Agent): Promise<string>;
  decide(id: string, version: string): [operation: string, input: object];
  /** Another value, if a column accepts no other text. */
  values?(agent: Agent): Promise<Record<string, string>>;
}

const DECIDABLE: Record<"card" | "post" | "action" | "answer", Decidable> = {
  answer: {
    table: emailAnswers,
    // What has approved it, and what became of it.
    record: [
      ...["id", "workspace_id", "status", "planned_by", "planned_by_id", "approved_by", "approved_at", "approved_hash"],
      ...["due_at", "note", "created_at", "updated_at", "ended_at"],
    ],
    make: async ({ server }) => {
      const { id } = await newAnswer(server, (await newConversation(server)).id);
      return id;
    },
    decide: (answer_id, copy_hash) => ["approve_answer", { answer_id, copy_hash }],
    values: async ({ server }) => ({
      contact_id: (await newConversation(server)).id,
      thread: '["<evil@x.example>"]',
    }),
  },
  card: {
    table: approvalCards,
    record: [...PROPOSED, ...SUBMITTED, ...DECIDED],
    make: ({ server }) => newCard(server, DOCUMENT_ITEM, { ...DOCUMENT, summary: "In short." }),
    decide: (card_id, content_hash) => ["decide_card", { card_id, content_hash, decision: "approve" }],
  },
  post: {
    table: socialPosts,
    // The time in the decision counts, and the suggested one is ignored. The end is what a person reports.
    record: [...PROPOSED, ...SUBMITTED, ...DECIDED, "suggested_for", "scheduled_for", "ended_at", "published_url"],
    make: ({ server }) => newPost(server, POST_ITEM, { ...POST, title: "News" }),
    decide: (post_id, content_hash) => ["decide_post", { post_id, content_hash, decision: "approve" }],
    values: async () => ({ channel: "x" }),
  },
  action: {
    table: socialnetActions,
    record: [
      ...[
        "id",
        "workspace_id",
        "origin",
        "status",
        "recipient_key",
        "sequence_id",
        "enrollment_id",
        "step",
        "step_count",
      ],
      ...[
        "planned_by",
        "planned_by_id",
        "edited_by_id",
        "approved_by",
        "approved_at",
        "approved_email_key",
        "held_from",
        "change_requested_at",
        "stop_wanted",
      ],
      ...["lease_hash", "lease_expires_at", "outcome", "note", "created_at", "updated_at", "ended_at", "changed"],
    ],
    make: async (agent) => (await agent.planned()).id,
    decide: (action_id, copy_hash) => ["approve_socialnet_action", { action_id, copy_hash }],
    values: async (agent) => ({
      account_id: (await agent.person("create_socialnet_account", { label: "Eve", profile_url: `${SENDER}-eve` })).id,
      contact_id: (await agent.contact()).id,
      kind: "connection_request",
      recipient_url: "https://socialnet.example/in/evil",
    }),
  },
};

for (const [kind, { table, record, make, decide, values }] of Object.entries(DECIDABLE)) {
  test(`every column that a decision on one ${kind} covers is pinned by it, or reaches no recipient`, async (t) => {
    const agent = await withAgent(t);
    const { server } = agent;
    const id = await make(agent);
    const others = (await values?.(agent)) ?? {};
    const { version } = await server.operator("get_review", { kind, id });
    const [operation, input] = decide(id, version);
    const together = { kind, items: [{ id, version }] };
    const db = openBeside(server.folder);
    t.after(() => db.close());
    const name = getTableName(table);
    const columns = columnsOf(table).map(({ name }) => name);
    assert.deepEqual(
      record.filter((column) => !columns.includes(column)),
      [],
      "the list names columns that are there",
    );
    const pinned = columns.filter((column) => !record.includes(column));
    for (const column of pinned) {
      const read = db.prepare(`SELECT ${column} FROM ${name} WHERE id = ?`).pluck().get(id);
      const write = db.prepare(`UPDATE ${name} SET ${column} = ? WHERE id = ?`);
      const other = others[column] ?? "Evil";
      assert.notEqual(read, other, column);
      write.run(other, id);
      const conflict = { code: "version_conflict" };
      await assert.rejects(server.operator(operation, input), conflict, `${name}.${column} is not pinned`);
      await assert.rejects(server.operator("approve_review", together), conflict, `${name}.${column} is not pinned`);
      write.run(read, id);
    }
    assert.ok(pinned.length >= 3, pinned.join());
    await server.operator(operation, input);
  });
}

test("the sender of an action is pinned by the decision on it, and its account's profile with it", async (t) => {
  const agent = await withAgent(t);
  const { id } = await agent.planned();
  const { version } = await agent.person("get_review", { kind: "action", id });
  await agent.person("update_socialnet_account", { account_id: agent.account.id, profile_url: `${SENDER}-other` });
  const approve = agent.person("approve_socialnet_action", { action_id: id, copy_hash: version });
  await assert.rejects(approve, { code: "version_conflict" });
});

/** Fields that say where a submission belongs, and so are not content. */
const PLACES = ["id", "output_kind"];

test("every field that an agent submits is pinned by a person's decision, except an unused time", async (t) => {
  const { server } = await withAgent(t);
  const given: Record<string, string> = {
    body: "Other.",
    title: "Other",
    summary: "Other.",
    platform: "x",
    scheduled_for: new Date(Date.parse("2027-01-01")).toISOString(),
  };
  const { shape } = findOperation("submit_checklist_output").input as unknown as { shape: object };
  const fields = Object.keys(shape).filter((field) => !PLACES.includes(field));
  assert.deepEqual(fields.toSorted(), Object.keys(given).toSorted(), "each is tried here");
  for (const field of fields) {
    const ofCard = field === "summary";
    const kind = ofCard ? "card" : "post";
    const submit = (more: object) =>
      ofCard
        ? newCard(server, DOCUMENT_ITEM, { ...DOCUMENT, ...more })
        : newPost(server, POST_ITEM, { ...POST, ...more });
    const versionOf = async (id: string) => (await server.operator("get_review", { kind, id })).version;
    const plain = await submit({});
    const version = await versionOf(plain);
    if (ofCard) await server.operator("decide_card", { card_id: plain, decision: "deny" });
    const other = await submit({ [field]: given[field] });
    if (field !== "scheduled_for") assert.notEqual(await versionOf(other), version, field);
    else
      assert.equal((await server.operator("decide_post", { post_id: other, decision: "approve" })).scheduled_for, null);
  }
});
