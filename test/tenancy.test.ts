import assert from "node:assert/strict";
import { test } from "node:test";
import { callAsOperator } from "../src/cli/operator.ts";
import type { Actor } from "../src/core/actor.ts";
import { inputSchema, type JsonSchema } from "../src/core/json-schema.ts";
import type { Operation } from "../src/core/operation.ts";
import { ALL_SCOPES } from "../src/domain/access/roles.ts";
import { acceptedOutputKinds } from "../src/domain/checklist/item.ts";
import { shippedCatalog } from "../src/services/checklist/catalog-file.ts";
import { operations } from "../src/tools/index.ts";
import { newCard, newPost } from "./support/checklist.ts";
import { RECONNECT, startLocal } from "./support/events.ts";
import { newAnswer, newReply } from "./support/inbox.ts";
import { callAs, member } from "./support/member.ts";
import { REDIRECT, registered } from "./support/oauth.ts";
import { Receiver } from "./support/receiver.ts";
import { unknownSend } from "./support/sends.ts";
import { armed, enroll, UNKNOWN } from "./support/sequences.ts";
import { FakeClock, TestServer } from "./support/server.ts";
import { Agent, ON, SENDER } from "./support/socialnet.ts";

const BANT = { confirmed: true };

/** Values with which an operation gets as far as checking its ids. */
const SOUND: Record<string, unknown> = {
  note: "Shorter.",
  type: "note_added",
  body: "A note",
  title: "Engine",
  held_on: "2026-11-19",
  company: "Acme",
  name: "Acme",
  stage: "proposal",
  status: "active",
  tags: ["x"],
  steps: [{ type: "wait", days: 1 }],
  scopes: ["contacts.read"],
  label: "Ada",
  profile_url: SENDER,
  as: "done",
  until: new Date(Date.UTC(2099, 0, 1)).toISOString(),
  subject: "Re: Hello",
  kind: "message",
  copy: "Hello.",
  outcome: "sent",
  command: "claim",
  first_name: "Ada",
  decision: "approve",
  budget: BANT,
  authority: BANT,
  need: BANT,
  timeline: BANT,
};

/** Values for operations that need another one than the rest. */
const SOUND_FOR: Record<string, Record<string, unknown>> = {
  mark_post: { status: "published" },
  get_review: { kind: "action" },
  approve_review: { kind: "card", items: [{ id: UNKNOWN, version: "1" }] },
};

/** Operations that require one of several fields besides the id. */
const TOGETHER: Record<string, string> = {
  update_contact: "first_name",
  add_contact_tags: "tags",
  log_activity: "body",
  update_account: "name",
  update_deal: "title",
  update_sequence: "name",
  set_member: "name",
  update_socialnet_account: "label",
};

/** Fields that look like record ids but are not: a secret, the agent's own run id, and what a caller read. */
const NO_RECORDS = ["leaseToken", "runId", "read_last_reply", "read_resumable"];

/** They find some of the records that they are given, and leave out what is not there. */
const FINDS_SOME = ["find_suppressed_contacts", "summarize_sequences"];

const isId = (schema: JsonSchema | undefined): boolean =>
  schema !== undefined &&
  (schema.format === "uuid" || ((schema.anyOf as JsonSchema[] | undefined) ?? []).some((choice) => isId(choice)));

interface IdField {
  field: string;
  put: (id: string) => unknown;
}

/** The id fields of an input, single or in a list. */
function idFields(operation: Operation): IdField[] {
  return Object.entries(inputSchema(operation).properties ?? {}).flatMap(([field, schema]): IdField[] => {
    if (NO_RECORDS.includes(field)) return [];
    if (isId(schema)) return [{ field, put: (id: string) => id }];
    return isId(schema.items as JsonSchema | undefined) ? [{ field, put: (id: string) => [id] }] : [];
  });
}

/** One record of every kind. */
async function recordsOf(server: TestServer, receiver: Receiver): Promise<Record<string, string>> {
  const { contact, sequence, approval, ids } = await armed(server, {
    contact: { socialnet_url: "https://socialnet.example/in/x" },
  });
  const enrollment = (await enroll(server, ids)).body.data;
  const deal = (await server.rest("POST", "/deals", { body: { contact_id: contact.id, title: "Engine" } })).body.data;
  const account = await server.operator("create_account", { name: "Acme" });
  const invited = { email: "m@b.example", name: "M", role: "rep", approve_outbound: true };
  const member = await server.operator("invite_member", invited);
  const [key] = await server.operator("list_keys", {});
  const { account: socialnet } = await Agent.of(server, new FakeClock());
  const planned = { account_id: socialnet.id, contact_id: contact.id, kind: "message", copy: "Hello." };
  const action = await server.operator("plan_socialnet_action", planned);
  const webhook = await server.operator("create_webhook", { url: receiver.url, events: [RECONNECT] });
  await server.operator("request_reconnect", { account_id: socialnet.id });
  const item = (kind: "document" | "social_post") =>
    shippedCatalog().items.findLast((candidate) => acceptedOutputKinds(candidate).includes(kind))?.id;
  await newReply(server, contact);
  const answer = await newAnswer(server, contact.id);
  const [delivery] = await server.operator("list_deliveries", {});
  return {
    contact: contact.id,
    sequence: sequence.id,
    approval: approval.id,
    enrollment: enrollment.id,
    send: await unknownSend(server, enrollment),
    deal: deal.id,
    account: account.id,
    member: member.id,
    key: key.id,
    socialnet_account: socialnet.id,
    action: action.id,
    answer: answer.id,
    webhook: webhook.id,
    delivery: delivery.id,
    card: await newCard(server, item("document")),
    post: await newPost(server, item("social_post")),
    workspace: server.workspaceId,
  };
}

test("for every operation, any id of another workspace gets the same answer as a random id", async (t) => {
  const server = await startLocal(t, { env: ON });
  const receiver = await Receiver.start(t);
  const foreign = await recordsOf(server, receiver);
  const { workspaceId, key } = await server.neighbour();
  const neighbour = new TestServer(server.running, server.folder, workspaceId, key);
  const own = await recordsOf(neighbour, receiver);
  const before = await kept(server);
  const ownOf = ({ area }: Operation, field: string): string => {
    const kind = area === "socialnet" && field === "account_id" ? "socialnet_account" : field.replace(/_ids?$/, "");
    return own[kind] ?? own.contact ?? "";
  };
  // People are not an account's agent, so only its key gets as far as the ids of a command.
  const client = { redirect_uri: REDIRECT, code_challenge: "a".repeat(43) };
  SOUND_FOR.approve_connector = { client_id: await registered(server), ...client };
  const callers: Record<string, Actor> = {
    approve_connector: member(neighbour, { id: own.member ?? "", approveOutbound: true }),
    socialnet_command: {
      kind: "key",
      id: own.key ?? "",
      name: "agent",
      prefix: "ros_live_agent",
      workspaceId,
      scopes: new Set(ALL_SCOPES),
      socialnetAccountId: own.socialnet_account ?? "",
    },
  };

  let compared = 0;
  for (const operation of operations as readonly Operation[]) {
    const fields = idFields(operation);
    if (fields.length === 0) continue;
    const required = inputSchema(operation).required ?? [];
    for (const { field, put } of fields) {
      const input: Record<string, unknown> = {};
      for (const name of [...required, ...([TOGETHER[operation.name]].filter(Boolean) as string[])]) {
        const id = fields.find((candidate) => candidate.field === name);
        input[name] =
          id === undefined ? (SOUND_FOR[operation.name]?.[name] ?? SOUND[name]) : id.put(ownOf(operation, name));
      }
      const answer = async (id: string) => {
        const given = { ...input, [field]: put(id) };
        const caller = callers[operation.name];
        const { status, text: body } =
          caller === undefined
            ? await asOperator(server, operation.name, workspaceId, given)
            : await callAs(server, caller, operation.name, given);
        return `${status} ${body.replaceAll(id, "the id")}`;
      };
      const random = await answer(UNKNOWN);
      const reads = operation.effect === "read" && (!required.includes(field) || FINDS_SOME.includes(operation.name));
      assert.match(random, reads ? /^(200|404) / : /^404 /, `${operation.name} ${field} ${JSON.stringify(input)}`);
      for (const [kind, id] of Object.entries(foreign)) {
        assert.equal(await answer(id), random, `${operation.name}: ${field} given a foreign ${kind}`);
        compared += 1;
      }
    }
  }
  assert.ok(compared >= 150, `${compared} answers`);
  assert.deepEqual(await kept(server), before, "and nothing of the other workspace has moved");
});

async function asOperator({ running }: TestServer, name: string, workspaceId: string, input: object) {
  const { status, body: text } = await callAsOperator(running, name, workspaceId, input);
  return { status, text };
}

/** The first workspace's data that foreign calls could have changed. */
async function kept(server: TestServer): Promise<unknown> {
  return {
    contacts: (await server.rest("GET", "/contacts")).body,
    enrollments: await server.operator("list_enrollments", {}),
    actions: await server.operator("list_planned_actions", {}),
    accounts: await server.operator("list_socialnet_accounts", {}),
    cards: await server.operator("list_cards", {}),
    posts: await server.operator("list_posts", {}),
    sends: await server.operator("list_sends", {}),
    audit: (await server.operator("list_audit", { limit: 100 })).length,
  };
}
