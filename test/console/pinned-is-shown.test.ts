import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getTableName, type Table } from "drizzle-orm";
import { z } from "zod";
import { findOperation } from "../../src/cli/operator.ts";
import { screens } from "../../src/console/pages/index.ts";
import type { Operation } from "../../src/core/operation.ts";
import type { Step } from "../../src/domain/outreach/sequence.ts";
import { CONTACT_PLACEHOLDERS, PLACEHOLDERS } from "../../src/domain/outreach/template.ts";
import { senderText } from "../../src/lib/mail-server.ts";
import { hashAnswer } from "../../src/services/outreach/answers.ts";
import { hashAllShown, hashSequence, recordMailFrom } from "../../src/services/outreach/approvals.ts";
import { hashAllShown as hashAllShownActions } from "../../src/services/socialnet/actions.ts";
import type { AnswerRow } from "../../src/store/inbox.ts";
import type { ActionRow, SocialnetAccountRow } from "../../src/store/socialnet.ts";
import {
  approvalCards,
  contacts,
  emailAnswers,
  sequences,
  serverSettings,
  socialnetAccounts,
  socialnetActions,
  socialPosts,
  workspaces,
} from "../../src/store/sql/schema/index.ts";
import { operations } from "../../src/tools/index.ts";
import { type Beside, openBeside } from "../support/beside.ts";
import { DOCUMENT, newCard, newPost, POST } from "../support/checklist.ts";
import { asMember, type Browser, formOf } from "../support/http-browser.ts";
import { newAnswer, newConversation } from "../support/inbox.ts";
import { columnsOf, DOCUMENT_ITEM, POST_ITEM } from "../support/pinned.ts";
import { newSequence } from "../support/sequences.ts";
import { type Agent, engineAction, SENDER, withAgent } from "../support/socialnet.ts";

/**
 * The other half of the promise that test/outreach/pinned-inputs.test.ts tells: what an approval pins is in full on every
 * page where it is given, and in every answer that such a page, or a caller without one, reads. The pages, the columns
 * and the fields of steps come from the program itself. A new one that is pinned and not shown fails here.
 */

const APPROVER = { email: "ap@b.example", name: "Grace", role: "admin", approve_outbound: true };

const list = operations as readonly Operation[];

/** Operations that withdraw something, or are about a program that connects. */
const APPROVE_NOTHING = ["withdraw_sequence_approval", "withdraw_socialnet_action", "approve_connector"];
/** For an account that is or becomes automatic, these are the approval. */
const UNATTENDED = ["plan_socialnet_action", "edit_socialnet_action", "update_socialnet_account"];
const APPROVING = [
  ...list
    .filter(({ access, errors }) => {
      const isGranted = "permission" in access && access.permission === "approve_outbound";
      return isGranted || errors?.includes("own_proposal");
    })
    .map(({ name }) => name)
    .filter((name) => !APPROVE_NOTHING.includes(name)),
  ...UNATTENDED,
];

test("every page with an approval form is covered here", () => {
  const pages = screens.filter(({ forms = [] }) => forms.some((name) => APPROVING.includes(name)));
  assert.deepEqual(
    pages.map(({ path }) => path),
    [
      // Out of office gives no approval: it counts those again that the reply had spent. Sending an answer is the approval
      // of what its author typed.
      "/inbox/:id",
      ...["/review", "/review/:kind", "/review/:kind/:id", "/sequences/:id/audience"],
      // Setting the account holder gives no approval.
      "/agents/:id",
      ...["/agents/:id/rules", "/agents/:id/plan", "/agents/:id/actions/:action"],
    ],
  );
});

/** The visible text of a page: no form fields, nothing collapsed, and no list of other pending items. */
function readOf(html: string): string {
  const main = /<main.*<\/main>/s.exec(html)?.[0] ?? "";
  const unfolded = main
    .replaceAll(/<details(?![^>]* open)[^>]*>.*?<\/details>/gs, "")
    .replaceAll(/<nav.*?<\/nav>|<textarea.*?<\/textarea>/gs, "");
  return unfolded.replaceAll(/<(?:[^>"]|"[^"]*")*>/g, "\n");
}

/** The form that turns on automatic mode. It is closed until a member asks for it, and has the approve button. */
const turnOnForm = (html: string) => /<form[^>]* id="mode-automatic".*?<\/form>/s.exec(html)?.[0] ?? "";

interface Looked {
  server: Agent["server"];
  browser: Browser;
  db: Beside;
}

/** Something to approve: what pins it, and where it is shown. */
interface Approvable {
  records: { table: Table; key: string }[];
  /** Undefined if there is nothing to approve. */
  pins(): Promise<string | undefined>;
  pages(): string[];
  answers: () => [operation: string, input: object][];
  /** Another value for a column that is not text, and how it is displayed. */
  others?: Record<string, { value: string; reads: RegExp }>;
}

async function look(agent: Agent): Promise<Looked> {
  const { server } = agent;
  return { server, browser: await asMember(server, APPROVER), db: openBeside(server.folder) };
}

async function requireShown({ server, browser }: Looked, it: Approvable, what: string, reads: RegExp) {
  for (const path of it.pages()) {
    const { status, text } = await browser.open(`/console/w/${server.workspaceId}${path}`);
    assert.equal(status, 200, `${path}: ${text}`);
    const shown = path.endsWith("/rules") ? `<main>${turnOnForm(text)}</main>` : text;
    assert.match(readOf(shown), reads, `${what} is pinned, and ${path} does not show it`);
  }
  for (const [operation, input] of it.answers()) {
    const answer = JSON.stringify(await server.operator(operation, input));
    assert.match(answer, reads, `${what} is pinned, and ${operation} does not answer it`);
  }
}

/** Long, because showing only the beginning is not enough. */
const seen = (name: string) => `Seen${name.replaceAll(/\W|_/g, "")}${"x".repeat(150)}`;

/**
 * Changes each column in turn, and looks at every page and answer where that changes what is pinned. The server reads
 * one state within a turn of the event loop: it sees what another connection wrote in the next.
 */
async function pinnedAndShown(looked: Looked, it: Approvable): Promise<string[]> {
  const { db } = looked;
  const before = await it.pins();
  assert.ok(before !== undefined);
  const pinned: string[] = [];
  for (const { table, key } of it.records) {
    const name = getTableName(table);
    const id = table === serverSettings ? "name" : "id";
    const where = `WHERE ${id} = ?`;
    for (const column of columnsOf(table).filter((one) => ![id, "seq", "workspace_id"].includes(one.name))) {
      const full = `${name}.${column.name}`;
      const url = `https://socialnet.example/in/${seen(full)}`;
      const plain = column.dataType === "number" ? 7 : column.dataType === "custom" ? "[]" : url;
      const other = it.others?.[full] ?? { value: plain, reads: new RegExp(seen(full)) };
      const was = db.prepare(`SELECT ${column.name} FROM ${name} ${where}`).pluck().get(key);
      const write = db.prepare(`UPDATE ${name} SET ${column.name} = ? ${where}`);
      try {
        write.run(other.value, key);
      } catch (error) {
        // The schema refuses this value.
        assert.match(String(error), /constraint|datatype|cannot store/i, full);
        continue;
      }
      await nextTurn();
      const after = await it.pins();
      if (after !== undefined && after !== before) {
        pinned.push(full);
        await requireShown(looked, it, full, other.reads);
      }
      write.run(was, key);
    }
  }
  await nextTurn();
  assert.equal(await it.pins(), before, "each was put back");
  return pinned;
}

/** Records a reply of a contact, and looks at every page and answer where that changes what is pinned. */
async function replyPinnedAndShown(looked: Looked, it: Approvable, contactId: string, reads: RegExp): Promise<void> {
  const before = await it.pins();
  assert.ok(before !== undefined);
  recordReply(looked, contactId);
  await nextTurn();
  assert.notEqual(await it.pins(), before, "a reply changes what is pinned");
  await requireShown(looked, it, "the last reply", reads);
}

const REPLY = "Never write to me again.";

/** @returns the id of the reply */
function recordReply({ server, db }: Looked, contactId: string): string {
  const id = randomUUID();
  db.prepare(
    `INSERT INTO activities (id, workspace_id, contact_id, type, body, metadata, created_at)
     VALUES (?, ?, ?, 'email_reply', ?, '{}', ?)`,
  ).run(id, server.workspaceId, contactId, REPLY, Date.now());
  return id;
}

const views = (kind: string, id: string, ...more: string[]) => [
  "/review",
  ...["read", "raw", ...more].map((view) => `/review/${kind}/${id}?view=${view}`),
];

test("everything that an approval of an answer pins is shown wherever it can be given", async (t) => {
  const agent = await withAgent(t);
  const looked = await look(agent);
  const { server, db } = looked;
  t.after(() => db.close());
  await server.running.store.recordMailFrom(senderText({ name: "Robin", address: "robin@acme.example" }), 1);
  const contact = await newConversation(server);
  const other = await newConversation(server, { first_name: "Seenother" });
  const { id } = await newAnswer(server, contact.id);
  const reading = server.running.store.read(server.workspaceId);
  const pinned = await pinnedAndShown(looked, {
    records: [
      { table: emailAnswers, key: id },
      { table: contacts, key: contact.id },
      { table: workspaces, key: server.workspaceId },
      { table: serverSettings, key: "mail_from" },
    ],
    pins: async () => {
      const row = (await reading.emailAnswers.find(id)) as AnswerRow;
      const isLive = (await reading.contacts.find(row.contactId)) !== undefined;
      return isLive ? hashAnswer(reading, row) : undefined;
    },
    pages: () => [...views("answer", id), "/review/answer"],
    answers: () => [["get_review", { kind: "answer", id }]],
    others: {
      "email_answers.contact_id": { value: other.id, reads: /Seenother/ },
      "email_answers.delivery": { value: "send", reads: /can.t be sent|Approving sends|"delivery": ?"send"/ },
      "email_answers.thread": { value: '["<seenthread@x.example>"]', reads: /seenthread@x/ },
      "server_settings.value": {
        value: senderText({ name: "Seenname", address: "seen@acme.example" }),
        reads: /Seenname/,
      },
    },
  });
  assert.deepEqual(pinned, [
    ...["contact_id", "address", "subject", "body", "in_reply_to", "thread", "delivery"].map(
      (name) => `email_answers.${name}`,
    ),
    "contacts.email",
    "workspaces.sender_name",
    "server_settings.value",
  ]);
});

test("everything that an approval of an action pins is shown wherever it can be given", async (t) => {
  const agent = await withAgent(t);
  const looked = await look(agent);
  const { server, db } = looked;
  t.after(() => db.close());
  const other = await agent.person("create_socialnet_account", { label: "Eve", profile_url: `${SENDER}-eve` });
  const action = await engineAction(agent);
  const reading = server.running.store.read(server.workspaceId);
  const accountOf = db.prepare("SELECT account_id FROM socialnet_actions WHERE id = ?").pluck();
  const it: Approvable = {
    records: [
      { table: socialnetActions, key: action.id },
      { table: socialnetAccounts, key: agent.account.id },
      { table: contacts, key: action.contact.id },
    ],
    pins: async () => {
      const row = (await reading.socialnetActions.find(action.id)) as ActionRow;
      const account = (await reading.socialnetAccounts.find(row.accountId)) as SocialnetAccountRow;
      return (await hashAllShownActions(reading, [row], account)).get(row.id);
    },
    pages: () => [
      ...views("action", action.id),
      "/review/action",
      `/agents/${accountOf.get(action.id)}/actions/${action.id}`,
      `/agents/${accountOf.get(action.id)}/rules`,
    ],
    answers: () => [
      ["get_review", { kind: "action", id: action.id }],
      ["get_planned_action", { action_id: action.id }],
      ["list_planned_actions", {}],
    ],
    others: {
      "socialnet_actions.account_id": { value: other.id, reads: /in\/ada-eve/ },
      "socialnet_actions.kind": { value: "connection_request", reads: /connection.request|request to connect/i },
    },
  };
  assert.deepEqual(await pinnedAndShown(looked, it), [
    ...["account_id", "kind", "copy", "recipient_url", "campaign", "note"].map((name) => `socialnet_actions.${name}`),
    "socialnet_accounts.profile_url",
  ]);
  const preview: [string, object] = ["preview_automatic_mode", { account_id: agent.account.id }];
  const answers = () => [...it.answers(), preview];
  await replyPinnedAndShown(looked, { ...it, answers }, action.contact.id, new RegExp(`${REPLY}|"last_reply_at":"`));
});

const HANDED_IN = {
  card: {
    table: approvalCards,
    make: (server: Agent["server"]) => newCard(server, DOCUMENT_ITEM, { ...DOCUMENT, summary: "In short." }),
    pinned: ["title", "summary", "body"],
    others: {},
  },
  post: {
    table: socialPosts,
    make: (server: Agent["server"]) => newPost(server, POST_ITEM, { ...POST, title: "News" }),
    pinned: ["channel", "title", "body"],
    others: { "social_posts.channel": { value: "x", reads: /Post on X\b|"platform":"x"/ } },
  },
};

for (const [kind, { table, make, pinned, others }] of Object.entries(HANDED_IN)) {
  test(`everything that an approval of a ${kind} pins is shown wherever it can be given, also beside the returned version`, async (t) => {
    const agent = await withAgent(t);
    const looked = await look(agent);
    t.after(() => looked.db.close());
    const { server } = agent;
    const first = await make(server);
    await server.operator(`decide_${kind}`, { [`${kind}_id`]: first, decision: "request_change", note: "Again." });
    const id = await make(server);
    const found = await pinnedAndShown(looked, {
      records: [{ table, key: id }],
      pins: async () => (await server.operator("get_review", { kind, id })).version,
      pages: () => [...views(kind, id, "diff"), `/review/${kind}`],
      answers: () => [
        ["get_review", { kind, id }],
        [`list_${kind}s`, {}],
      ],
      others,
    });
    assert.deepEqual(
      found.map((full) => full.split(".")[1]),
      pinned,
    );
  });
}

test("a document and a blog post are in full wherever they are approved, however deep they are nested", async (t) => {
  const agent = await withAgent(t);
  const { server, browser, db } = await look(agent);
  t.after(() => db.close());
  const text = (nested: string) => `# Plan\n\n${nested}\n\nSeen at the end.`;
  for (const mark of ["- ", "1. ", "> ", "> 1. "]) {
    const body = text(`${mark.repeat(20)}Deep`);
    await requireWhole("card", await newCard(server, DOCUMENT_ITEM, { ...DOCUMENT, body }), mark);
    await requireWhole("post", await newPost(server, POST_ITEM, { ...POST, body, platform: "blog" }), mark);
  }
  const body = text(`${"*".repeat(9_900)}Deep${"*".repeat(9_900)}`);
  await requireWhole("post", await newPost(server, POST_ITEM, { ...POST, body, platform: "blog" }), "emphasis");

  async function requireWhole(kind: "card" | "post", id: string, what: string) {
    for (const path of [...views(kind, id), `/review/${kind}`]) {
      const { text } = await browser.open(`/console/w/${server.workspaceId}${path}`);
      assert.match(readOf(text), /Deep.*Seen at the end\./s, `${path} ${what}`);
    }
    await server.operator(`decide_${kind}`, { [`${kind}_id`]: id, decision: "deny" });
  }
});

/** Elements whose text keeps its spaces, by the classes of console/ui/static/styles.css. */
const KEEPS_SPACES = /^(?:textarea|option)$|class="[^"]*\b(?:exact|reading|copytext)\b/;

test("a line that is sent has its runs of spaces wherever it is approved", async (t) => {
  const agent = await withAgent(t);
  const { server, browser, db } = await look(agent);
  t.after(() => db.close());
  const { id: answer } = await newAnswer(server, (await newConversation(server)).id, { subject: "As   sent" });
  const post = await newPost(server, POST_ITEM, { ...POST, title: "As   sent" });
  const card = await newCard(server, DOCUMENT_ITEM, { ...DOCUMENT, title: "As   sent", summary: "As   sent" });
  const contact = await agent.contact({ first_name: "As   sent" });
  const steps = [{ type: "email", subject: "{{first_name}} As   sent", body: "Body", delay_days: 0 }];
  const { id: sequence_id } = await newSequence(server, { steps });
  const { id: audience } = await server.operator("approve_sequence", { sequence_id, contact_ids: [contact.id] });
  const css = readFileSync(new URL("../../src/console/ui/static/styles.css", import.meta.url), "utf8");
  for (const name of ["exact", "reading", "copytext"]) assert.match(css, new RegExp(`\\.${name} \\{[^}]*: pre-wrap`));
  for (const [kind, id] of Object.entries({ answer, post, card, sequence: audience })) {
    const pages = [...views(kind, id), ...(kind === "sequence" ? [`/sequences/${sequence_id}/audience`] : [])];
    for (const path of pages.filter((path) => path !== "/review")) {
      const { text } = await browser.open(`/console/w/${server.workspaceId}${path}`);
      const thing = /<div class="(?:thing|audience)".*/s.exec(text)?.[0] ?? "";
      const found = [...thing.matchAll(/<([^/][^>]*)>[^<>]*As {3}sent/g)].map(([, element = ""]) => element);
      assert.ok(found.length > 0, path);
      // The name of a contact is a heading in an audience. In messages it has no runs of spaces.
      const isName = (element: string) => kind === "sequence" && /^(?:strong|span(?: class="hidden")?)$/.test(element);
      const others = found.filter((element) => !KEEPS_SPACES.test(element) && !isName(element));
      assert.deepEqual(others, [], path);
    }
  }
});

const EVERY = PLACEHOLDERS.map((name) => `{{${name}}}`).join(" ");
const STEPS: Step[] = [
  { type: "email", subject: `Mail ${EVERY}`, body: "Body", delay_days: 0 },
  { type: "socialnet_connect", note: "Note", delay_days: 0 },
  { type: "socialnet_message", body: "Message", delay_days: 0 },
  { type: "wait", days: 1 },
];

/** A sequence with each kind of step, its own account, and an audience of one to activate. */
async function approvedAudience(agent: Agent) {
  const { server } = agent;
  const { store, asSystem } = server.running;
  await recordMailFrom(store, asSystem, senderText({ name: "Robin", address: "sales@acme.example" }), 1);
  await server.operator("set_sending_policy", { sender_name: "Robin" });
  const { id: sequence_id } = await newSequence(server, { steps: STEPS, socialnet_account_id: agent.account.id });
  const contact = await agent.contact({ last_name: "Lovelace", job_title: "Countess" });
  const asked = { sequence_id, contact_ids: [contact.id] };
  const { id: approval } = await server.operator("approve_sequence", asked);
  const reading = store.read(server.workspaceId);
  const pins = async () => {
    const sequence = await reading.sequences.find(sequence_id);
    const [recipient] = await reading.approvals.recipients([contact.id]);
    if (sequence === undefined || recipient === undefined) return undefined;
    const copy = await hashAllShown(reading, [recipient], sequence.steps);
    return JSON.stringify([await hashSequence(reading, sequence), copy.get(recipient.id)]);
  };
  return { contact, sequence_id, approval, asked, pins };
}

test("everything that an approval of an audience pins is shown wherever it can be given", async (t) => {
  const agent = await withAgent(t);
  const looked = await look(agent);
  t.after(() => looked.db.close());
  const { server } = agent;
  const { contact, sequence_id, approval, asked, pins } = await approvedAudience(agent);
  const other = await agent.person("create_socialnet_account", { label: "Eve", profile_url: `${SENDER}-eve` });
  const steps = JSON.stringify([{ ...STEPS[0], body: seen("sequences.steps") }]);
  const mailFrom = seen("server_settings.value");
  const others = {
    "sequences.socialnet_account_id": { value: other.id, reads: /in\/ada-eve/ },
    "sequences.steps": { value: steps, reads: new RegExp(seen("sequences.steps")) },
    "server_settings.value": {
      value: senderText({ name: mailFrom, address: "other@b.example" }),
      reads: new RegExp(`${mailFrom} (?:<|&lt;)other@b\\.example`),
    },
  };
  const shown: Approvable = {
    records: [
      { table: contacts, key: contact.id },
      { table: sequences, key: sequence_id },
      { table: socialnetAccounts, key: agent.account.id },
      { table: workspaces, key: server.workspaceId },
      { table: serverSettings, key: "mail_from" },
    ],
    pins,
    pages: () => [`/sequences/${sequence_id}/audience`, ...views("sequence", approval)],
    answers: () => [["get_review", { kind: "sequence", id: approval }]],
    others,
  };
  const audience = await pinnedAndShown(looked, shown);
  const ofContact = ["email", ...CONTACT_PLACEHOLDERS, "socialnet_url"];
  assert.deepEqual(
    audience.toSorted(),
    [
      ...ofContact.map((name) => `contacts.${name}`),
      ...["sequences.socialnet_account_id", "sequences.steps", "server_settings.value"],
      ...["socialnet_accounts.profile_url", "workspaces.sender_name"],
    ].toSorted(),
  );
  // It returns the values that fill the steps, and the sender, but not the steps themselves.
  const preview: Approvable = {
    records: [{ table: contacts, key: contact.id }],
    pins,
    pages: () => [],
    answers: () => [["preview_audience", asked]],
  };
  assert.equal((await pinnedAndShown(looked, preview)).length, ofContact.length);
  const answers = () => [...shown.answers(), ...preview.answers()];
  await replyPinnedAndShown(looked, { ...shown, answers }, contact.id, /last replied|"last_reply_at":"/);
  const { sender } = await server.operator("preview_audience", asked);
  const { name, mail_from, account_id, profile_url } = sender;
  const whole = ["Robin", "Robin <sales@acme.example>", agent.account.id, agent.account.profile_url];
  assert.deepEqual([name, mail_from, account_id, profile_url], whole);
  assert.deepEqual(Object.keys(sender).length, whole.length);
});

/** The fields that callers can send for each kind of step. */
function stepFields(): { type: string; field: string; isText: boolean }[] {
  const { shape } = findOperation("create_sequence").input as unknown as { shape: { steps: z.ZodType } };
  const { items } = z.toJSONSchema(shape.steps, { io: "input" }) as any;
  return (items.oneOf ?? items.anyOf).flatMap(({ properties }: any) =>
    Object.entries(properties)
      .filter(([field]) => field !== "type")
      .map(([field, { type }]: any) => ({ type: properties.type.const, field, isText: type === "string" })),
  );
}

test("every field of a step is pinned, and shown wherever the step is approved", async (t) => {
  const agent = await withAgent(t);
  const looked = await look(agent);
  t.after(() => looked.db.close());
  const { sequence_id, approval, pins } = await approvedAudience(agent);
  const before = await pins();
  const write = looked.db.prepare("UPDATE sequences SET steps = ? WHERE id = ?");
  const fields = stepFields();
  assert.deepEqual(
    [...new Set(fields.map(({ type }) => type))],
    STEPS.map(({ type }) => type),
    "of every kind",
  );
  for (const { type, field, isText } of fields) {
    const value = isText ? seen(`${type}.${field}`) : 317;
    write.run(
      JSON.stringify(STEPS.map((step) => (step.type === type ? { ...step, [field]: value } : step))),
      sequence_id,
    );
    await nextTurn();
    assert.notEqual(await pins(), before, `${type}.${field} is not pinned`);
    const it = {
      records: [],
      pins,
      pages: () => [`/sequences/${sequence_id}/audience`, ...views("sequence", approval)],
      answers: () =>
        [
          ["get_sequence", { sequence_id }],
          ["get_review", { kind: "sequence", id: approval }],
        ] as [string, object][],
    };
    await requireShown(looked, it, `${type}.${field}`, new RegExp(String(value)));
  }
});

test("for an automatic account, its page and the plan form show and pin the sender and the recipient", async (t) => {
  const agent = await withAgent(t);
  const looked = await look(agent);
  const { browser, server } = looked;
  t.after(() => looked.db.close());
  const contact = await agent.contact();
  const { id, profile_url } = agent.account;
  const at = `/console/w/${server.workspaceId}/agents/${id}`;
  const planning = await browser.get(`${at}/plan?contact=${contact.id}`);
  for (const shown of [profile_url, contact.socialnet_url]) {
    assert.match(readOf(planning.text), new RegExp(`${shown}\\b`));
    assert.ok(planning.text.includes(`_url" value="${shown}"`), `${shown} is in the form`);
  }
  const form = turnOnForm((await browser.get(`${at}/rules`)).text);
  assert.ok(form.includes(`sends them as <code>${profile_url}</code>`), form);
  const action = {
    account_id: id,
    contact_id: contact.id,
    kind: "message",
    copy: "Hello.",
    read_profile_url: profile_url,
  };
  await agent.person("update_socialnet_account", { account_id: id, profile_url: `${profile_url}-other` });
  for (const automation_mode of ["approve_each", "automatic"]) {
    await agent.person("update_socialnet_account", { account_id: id, automation_mode });
    await assert.rejects(agent.person("plan_socialnet_action", action), { code: "version_conflict" });
  }
  await agent.person("plan_socialnet_action", { ...action, read_profile_url: `${profile_url}-other` });
});

test("a form that is refused for its text still pins the recipient that was read, and then names the change", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const contact = await agent.contact();
  const browser = await asMember(agent.server, APPROVER);
  const path = `/console/w/${agent.server.workspaceId}/agents/${agent.account.id}/plan?contact=${contact.id}`;
  const form = formOf(await browser.get(path), "plan_socialnet_action");
  const other = "https://socialnet.example/in/someone-else";
  await agent.server.rest("PATCH", `/contacts/${contact.id}`, { body: { socialnet_url: other } });
  const blank = await browser.post(path, { ...form, kind: "message", copy: "" });
  assert.equal(blank.status, 400);
  const again = await browser.post(path, { ...formOf(blank, "plan_socialnet_action"), kind: "message", copy: "Hi." });
  assert.equal(again.status, 409);
  assert.match(again.text, /profile URL changed after you opened this page/);
  assert.deepEqual(await agent.person("list_planned_actions", { contact_id: contact.id }), []);
  const read = await browser.post(path, { ...formOf(again, "plan_socialnet_action"), kind: "message", copy: "Hi." });
  assert.equal(read.status, 303, "once it was read");
});

test("the plan form shows and pins the last reply, and says so if it was read before it", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const looked = await look(agent);
  const { browser, server } = looked;
  t.after(() => looked.db.close());
  const contact = await agent.contact();
  const path = `/console/w/${server.workspaceId}/agents/${agent.account.id}/plan?contact=${contact.id}`;
  const page = await browser.open(path);
  assert.match(page.text, /name="read_last_reply:nullable" value(?:=""|\b)(?!="\w)/);
  const early = { ...formOf(page, "plan_socialnet_action"), "read_last_reply:nullable": "" };
  const id = recordReply(looked, contact.id);
  await nextTurn();
  const refused = await browser.post(path, { ...early, kind: "message", copy: "Following up!" });
  assert.equal(refused.status, 409);
  assert.match(readOf(refused.text), /The contact replied after you opened this page/);
  assert.match(readOf(refused.text), new RegExp(REPLY));
  const late = formOf(refused, "plan_socialnet_action");
  assert.deepEqual(late?.["read_last_reply:nullable"], [id]);
  assert.equal((await browser.post(path, { ...late, kind: "message", copy: "Following up!" })).status, 303);
});

test("the form that sends an unconfirmed action again shows and pins the last reply", async (t) => {
  const agent = await withAgent(t);
  const looked = await look(agent);
  const { browser, server } = looked;
  t.after(() => looked.db.close());
  const action = await agent.at("needs_review");
  const path = `/console/w/${server.workspaceId}/agents/${agent.account.id}/actions/${action.id}`;
  const early = formOf(await browser.open(path), "settle-retry");
  assert.equal(early?.copy_hash?.length, 1);
  recordReply(looked, action.contact.id);
  await nextTurn();
  const refused = await browser.post(path, early ?? {});
  assert.equal(refused.status, 409);
  assert.match(readOf(refused.text), new RegExp(REPLY));
  assert.equal(await agent.statusOf(action), "needs_review");
  assert.equal((await browser.post(path, formOf(refused, "settle-retry") ?? {})).status, 303);
  assert.equal(await agent.statusOf(action), "approved");
});
