import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { AsSystem } from "../../src/core/context.ts";
import { ALL_SCOPES } from "../../src/domain/access/roles.ts";
import type { ActionKind, ActionStatus } from "../../src/domain/socialnet/action.ts";
import { planAction } from "../../src/services/socialnet/plan-action.ts";
import type { SocialnetAccountRow } from "../../src/store/socialnet.ts";
import { openBeside } from "./beside.ts";
import { startLocal } from "./events.ts";
import { armed, enroll, newContact } from "./sequences.ts";
import { FakeClock, type Reply, type ServerOptions, type TestServer } from "./server.ts";

export const SENDER = "https://socialnet.example/in/ada";
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
export const EVIDENCE = "The network showed it.";
export const ON = { ROSTRUM_SOCIALNET_EXECUTION: "on", ROSTRUM_OUTBOUND_GATE: "open" };

/** An action in progress, and what its agent knows about it. */
export interface Underway {
  id: string;
  contact: any;
  leaseToken: string;
}

/** Fields of a planned action, in addition to or instead of the defaults. */
type Fields = { contact?: any; [field: string]: unknown };
type Refused = [reason: string, nextWindowAt?: string];
let profiles = 0;

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The reason of a 409 of the agent's commands, and when time resolves it; also checks that it has nothing else. */
export function reasonOf({ status, text }: Reply): Refused {
  assert.equal(status, 409, text);
  const { error, reason, nextWindowAt, ...more } = JSON.parse(text);
  assert.deepEqual([typeof error, more], ["string", {}], text);
  return nextWindowAt === undefined ? [reason] : [reason, nextWindowAt];
}

/** The agent of one account, and the people around it. */
export class Agent {
  readonly server: TestServer;
  readonly clock: FakeClock;
  readonly account: any;
  readonly key: string;

  constructor(server: TestServer, clock: FakeClock, account: any, key: string) {
    this.server = server;
    this.clock = clock;
    this.account = account;
    this.key = key;
  }

  static async of(server: TestServer, clock: FakeClock, settings: object = {}): Promise<Agent> {
    const given = { label: "Ada", profile_url: SENDER, ...settings };
    const account = await server.operator("create_socialnet_account", given);
    const { key } = await server.operator("create_key", {
      name: "agent",
      scopes: ALL_SCOPES,
      socialnet_account_id: account.id,
    });
    return new Agent(server, clock, account, key);
  }

  command(command: string, fields: object = {}, key: string = this.key): Promise<Reply> {
    return this.server.rest("POST", "/socialnet/actions", { key, body: { command, ...fields } });
  }

  /** A command that succeeds: returns its data. */
  async done(command: string, fields: object = {}): Promise<any> {
    const { status, body, text } = await this.command(command, fields);
    assert.equal(status, 200, text);
    assert.deepEqual([Object.keys(body), body.error], [["data", "error"], null]);
    return body.data;
  }

  async refusal(command: string, fields: object = {}): Promise<Refused> {
    return reasonOf(await this.command(command, fields));
  }

  heartbeat(session = "ready"): Promise<any> {
    return this.done("heartbeat", { session, profileUrl: this.account.profile_url });
  }

  person(operation: string, input: object): Promise<any> {
    return this.server.operator(operation, input);
  }

  contact(fields: object = {}): Promise<any> {
    profiles += 1;
    return newContact(this.server, { socialnet_url: `https://socialnet.example/in/p${profiles}`, ...fields });
  }

  async planned({ contact, ...fields }: Fields = {}): Promise<Underway> {
    const recipient = contact ?? (await this.contact());
    // The same action can't be planned twice for one contact.
    const copy = contact === undefined ? "Hello." : `Hello once more: ${randomUUID()}.`;
    const input = { account_id: this.account.id, contact_id: recipient.id, kind: "message", copy };
    const { id } = await this.person("plan_socialnet_action", { ...input, ...fields });
    return { id, contact: recipient, leaseToken: "" };
  }

  async approved(fields: Fields = {}): Promise<Underway> {
    const action = await this.planned(fields);
    await this.person("approve_socialnet_action", { action_id: action.id });
    return action;
  }

  async claim(action: Underway): Promise<Underway> {
    const { leaseToken } = await this.done("claim", { actionId: action.id });
    return { ...action, leaseToken };
  }

  start({ id: actionId, leaseToken }: Underway): Promise<any> {
    return this.done("start", { actionId, leaseToken });
  }

  result({ id: actionId, leaseToken }: Underway, outcome: string, evidence = EVIDENCE): Promise<Reply> {
    return this.command("result", { actionId, leaseToken, outcome, evidence });
  }

  async claimed(fields: Fields = {}): Promise<Underway> {
    return this.claim(await this.approved(fields));
  }

  async started(fields: Fields = {}): Promise<Underway> {
    const action = await this.claimed(fields);
    await this.start(action);
    return action;
  }

  /** An action in a status, reached the way that agents and people do. */
  async at(status: ActionStatus): Promise<Underway> {
    const ended = { needs_review: "outcome_unknown", completed: "message_sent", failed: "not_sent" };
    if (status === "planned" || status === "approved" || status === "claimed" || status === "started") {
      return this[status]();
    }
    if (status === "held" || status === "cancelled") {
      const action = await this.approved();
      await this.person(`${status === "held" ? "hold" : "cancel"}_socialnet_action`, { action_id: action.id });
      return action;
    }
    const action = await this.started();
    assert.equal((await this.result(action, ended[status])).status, 200);
    return action;
  }

  /** The action as people see it now. */
  async look({ id, contact }: Underway): Promise<any> {
    const rows = await this.person("list_planned_actions", { contact_id: contact.id, limit: 100 });
    return rows.find((row: any) => row.id === id);
  }

  async statusOf(action: Underway): Promise<ActionStatus> {
    return (await this.look(action)).status;
  }

  /** The brain's view of a contact: status, activities, enrollments. */
  async brain({ id }: { id: string }): Promise<any> {
    return this.server.operator("brain_contact", { id });
  }
}

type AgentOptions = Omit<ServerOptions, "clock"> & { account?: object; clock?: FakeClock };

/** A server with execution on, an account, and its agent with a ready session. */
export async function withAgent(t: Pick<TestContext, "after">, options: AgentOptions = {}): Promise<Agent> {
  const { account, env, clock = new FakeClock(), ...rest } = options;
  const server = await startLocal(t, { ...rest, clock, env: { ...ON, ...env } });
  const agent = await Agent.of(server, clock, account);
  await agent.heartbeat();
  return agent;
}

/** Does what otherwise only the server does. */
export function systemOf({ server }: Agent): AsSystem {
  return server.running.asSystem;
}

const STEPS = [
  { type: "socialnet_message", body: "Hello.", delay_days: 0 },
  { type: "wait", days: 3 },
];

/** A step of a sequence planned by the engine, with its enrollment waiting for it. */
export async function engineAction(
  agent: Agent,
  { steps = STEPS, kind = "message" as ActionKind, contact = {} } = {},
): Promise<Underway & { enrollmentId: string; sequence: any }> {
  profiles += 1;
  const made = await armed(agent.server, {
    contact: { socialnet_url: `https://socialnet.example/in/p${profiles}`, ...contact },
    sequence: { steps },
  });
  const { id: enrollmentId } = (await enroll(agent.server, made.ids)).body.data;
  // The engine's part of this step is done by hand, before the sequence is active.
  const db = openBeside(agent.server.folder);
  db.prepare("UPDATE enrollments SET status = 'waiting_on_action' WHERE id = ?").run(enrollmentId);
  db.prepare("UPDATE sequences SET status = 'active' WHERE id = ?").run(made.sequence.id);
  db.close();
  const { id } = await systemOf(agent)(agent.server.workspaceId, "engine", async (ctx) => {
    const account = (await ctx.store.socialnetAccounts.find(agent.account.id)) as SocialnetAccountRow;
    return planAction(ctx, account, {
      contactId: made.contact.id,
      kind,
      origin: "engine",
      copy: "Hello.",
      campaign: null,
      recipientUrl: made.contact.socialnet_url,
      enrollmentId,
      sequenceId: made.sequence.id,
      step: 0,
      stepCount: steps.length,
    });
  });
  return { id, contact: made.contact, leaseToken: "", enrollmentId, sequence: made.sequence };
}

export async function enrollmentOf(agent: Agent, { enrollmentId }: { enrollmentId: string }): Promise<any> {
  const rows = await agent.person("list_enrollments", { limit: 100 });
  return rows.find((row: any) => row.id === enrollmentId);
}
