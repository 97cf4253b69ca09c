import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { planAction } from "../../src/services/socialnet/plan-action.ts";
import { Random } from "../support/random.ts";
import { temporaryFolder } from "../support/server.ts";
import { ON } from "../support/socialnet.ts";
import { until } from "../support/until.ts";
import { ChaosAgent } from "./chaos-agent.ts";
import { apiOf, restApi } from "./chaos-client.ts";
import {
  assertAcknowledged,
  assertApprovedCopies,
  assertExplained,
  assertLimits,
  assertStartedOnce,
  assertTrails,
  dayOf,
  Ledger,
} from "./chaos-ledger.ts";
import { People } from "./chaos-people.ts";
import { RestartingServer, type ServerRun } from "./chaos-restarts.ts";
import { type Account, Acknowledged, Network, person, type World } from "./chaos-world.ts";
import { SharedClock } from "./shared-clock.ts";

/** CHAOS_SEED=… repeats the same random choices, but the interleaving of processes still varies. */
const SEED = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));
const ACTIONS = 200;
const CONTACTS = 140;
const AGENTS = 4;
const KILLS = 5;
const LIMITS = { connection_request: 25, message: 30 };
const ALLOWANCE = 5_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How time advances whenever an agent got an answer. */
const JUMPS = [20_000, MINUTE, 3 * MINUTE, 11 * MINUTE, 16 * MINUTE, 2 * HOUR, 9 * HOUR];

/** A data folder with two accounts, eight keys, and 200 actions, most of them approved. */
async function prepare(t: TestContext, random: Random) {
  const folder = temporaryFolder(t);
  const clockFile = join(temporaryFolder(t), "clock");
  const clock = SharedClock.at(clockFile, Date.UTC(2026, 9, 24, 9));
  const config = readConfig({ data: folder }, ON);
  const core = await openCore(config, createLog("warn"), { clock });
  t.after(() => core.close());
  const { id: workspaceId } = await person({ core, workspaceId: "" }, "create_workspace", { name: "chaos" });
  const server = new RestartingServer(t, folder, clockFile, KILLS);
  const world: World = {
    random,
    clock,
    core,
    workspaceId,
    server,
    accounts: [],
    contacts: [],
    network: new Network(),
    acknowledged: new Acknowledged(),
    turn: async () => undefined,
    over: () => false,
  };
  await person(world, "set_plan", { contact_allowance: null, socialnet_allowance: ALLOWANCE });
  for (const timeZone of ["Europe/Berlin", "America/New_York"]) world.accounts.push(await addAccount(world, timeZone));
  world.contacts = await Promise.all(Array.from({ length: CONTACTS }, (_, i) => addContact(world, i)));
  const { asSystem } = core;
  const people = new People(world);
  const steps = [{ type: "wait", days: 1 }];
  const { id: sequenceId } = await person(world, "create_sequence", { name: "chaos", steps });
  await person(world, "set_sequence_status", { sequence_id: sequenceId, status: "active" });
  await Promise.all(
    Array.from({ length: ACTIONS }, async (_, i) => {
      const { id: accountId } = world.accounts[i % 2] as Account;
      const { id: contactId, profileUrl: recipientUrl } = world.contacts[i % CONTACTS] as World["contacts"][number];
      const kind = i % 4 < 2 ? "connection_request" : "message";
      const copy = `Hello, number ${i}`;
      let action: { id: string } = { id: "" };
      if (i % 5 === 0) {
        action = await asSystem(workspaceId, "engine", async (ctx) => {
          const account = await ctx.store.socialnetAccounts.find(accountId);
          const step = { enrollmentId: null, sequenceId, step: null, stepCount: null, campaign: "chaos" };
          const planned = { contactId, kind, copy, recipientUrl, ...step, origin: "engine" } as const;
          return planAction(ctx, account as NonNullable<typeof account>, planned);
        });
      } else {
        const planned = { account_id: accountId, contact_id: contactId, kind, copy };
        action = await person(world, "plan_socialnet_action", planned);
      }
      if (i % 10 !== 9) await people.approve({ id: action.id, copy });
    }),
  );
  return { folder, world, people };
}

async function addAccount(world: World, timeZone: string): Promise<Account> {
  const profileUrl = `https://socialnet.example/in/${timeZone.split("/")[1]?.toLowerCase()}`;
  const { id } = await person(world, "create_socialnet_account", {
    label: timeZone,
    profile_url: profileUrl,
    time_zone: timeZone,
    automation_mode: "approve_each",
    windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "07:30", to: "21:00" }],
    daily_limits: { connection_requests: LIMITS.connection_request, messages: LIMITS.message },
  });
  const scopes = ["socialnet.read", "socialnet.execute"];
  const keys = await Promise.all(
    Array.from({ length: AGENTS }, async (_, i) => {
      const { key } = await person(world, "create_key", { name: `agent ${i}`, scopes, socialnet_account_id: id });
      return key as string;
    }),
  );
  return { id, profileUrl, timeZone, keys };
}

async function addContact(world: World, i: number) {
  const [email, profileUrl] = [`c${i}@x.example`, `https://socialnet.example/in/c${i}`];
  const contact = { email, first_name: `C${i}`, socialnet_url: profileUrl };
  return { id: (await person(world, "create_contact", contact)).id as string, email, profileUrl };
}

/** The remaining counts in the brief match the starts in the ledger. */
async function assertCounted(world: World, folder: string, run: ServerRun): Promise<void> {
  const ledger = new Ledger(folder);
  for (const account of world.accounts) {
    const api = restApi({ current: async () => run }, account.keys[0] as string);
    const today = dayOf(world.clock.now(), account.timeZone);
    const { data } = await api.command({ command: "brief" });
    // An agent answered before the kill may move the clock, and another day has other counts.
    if (dayOf(world.clock.now(), account.timeZone) !== today) continue;
    const left = (kind: keyof typeof LIMITS) =>
      Math.max(0, LIMITS[kind] - (ledger.startsByDay(account, kind).get(today) ?? 0));
    const { connectionRequests, messages, planMonth } = data.remaining;
    assert.deepEqual([connectionRequests, messages], [left("connection_request"), left("message")]);
    assert.ok(planMonth >= ALLOWANCE - ledger.starts.length && planMonth <= ALLOWANCE);
  }
}

/** Pending work expires, people settle it, and an agent without faults finishes the rest. */
async function drain(world: World, people: People): Promise<void> {
  do {
    world.clock.advance(20 * MINUTE);
    await until(async () => !(await people.see("claimed", "started")), 30_000);
    while (await people.see("needs_review")) await people.settle();
    for (const account of world.accounts) await workOff(world, account);
    // More can be claimed at the next window or on the next day.
    world.clock.advance(3 * HOUR);
  } while (await people.see("approved", "claimed", "started", "needs_review"));
}

async function workOff({ server, network }: World, { keys, profileUrl }: Account): Promise<void> {
  const api = restApi(server, keys[0] as string);
  await api.command({ command: "heartbeat", session: "ready", profileUrl });
  const { data: approved } = await api.list({ status: "approved" });
  for (const { id: actionId, kind } of approved) {
    const claimed = await api.command({ command: "claim", actionId });
    if (claimed.refused !== undefined) continue;
    const lease = { actionId, leaseToken: claimed.data.leaseToken };
    const started = await api.command({ command: "start", ...lease });
    network.send(actionId, started.data.copy);
    const outcome = kind === "message" ? "message_sent" : "connection_sent";
    const { data } = await api.command({ command: "result", ...lease, outcome, evidence: "Sent." });
    assert.equal(data.status, "completed");
  }
}

test("through kills, crashes, lost responses and changed decisions, the ledger stays correct and nothing is sent twice", async (t) => {
  t.diagnostic(`CHAOS_SEED=${SEED}`);
  const random = new Random(SEED);
  const { folder, world, people } = await prepare(t, random);
  const { server, clock } = world;
  let calls = 0;
  let killAt = random.between(40, 120);
  world.over = () => server.kills === KILLS && calls > killAt;
  world.turn = async () => {
    calls += 1;
    if (random.chance(0.03)) clock.advance(random.pick(JUMPS) ?? 0);
    if (random.chance(0.15)) await people.act();
    if (calls > killAt && server.kills < KILLS) {
      killAt = calls + random.between(60, 160);
      server.kill((next) => assertCounted(world, folder, next));
    }
  };
  const clients = world.accounts.flatMap((account, a) =>
    account.keys.map((key, i) => {
      const api = apiOf(server, key, i);
      return { api, agent: new ChaosAgent(`${a}${i}`, world, account, api, new Random(SEED + a * AGENTS + i + 1)) };
    }),
  );
  await Promise.all(clients.map(({ agent }) => agent.live()));
  await Promise.all(clients.map(({ api }) => api.close()));
  await drain(world, people);
  const last = await server.current();
  await assertCounted(world, folder, last);
  assert.equal((await last.process.stop("SIGTERM")).status, 0);
  assert.equal(last.process.output().stderr, "");

  const ledger = new Ledger(folder);
  assert.equal(ledger.actions.length, ACTIONS);
  assertTrails(ledger);
  assertStartedOnce(ledger);
  assertAcknowledged(ledger, world);
  assertApprovedCopies(ledger, world);
  assertExplained(ledger);
  assertLimits(ledger, world.accounts, LIMITS);
  const moves = [...ledger.trails.values()].flat().map(({ move }) => move);
  const count = (move: string) => moves.filter((made) => made === move).length;
  t.diagnostic(`${calls} calls: ${[...new Set(moves)].map((move) => `${move} ${count(move)}`).join(", ")}`);
});
