import { createLog } from "../../src/lib/log.ts";
import { DOCUMENT, newCard, newPost, POST } from "../support/checklist.ts";
import { startLocal } from "../support/events.ts";
import { asOwner } from "../support/http-browser.ts";
import { threadTimes } from "../support/longest-turn.ts";
import { armed, enroll, newContact } from "../support/sequences.ts";
import { FakeClock, TestServer } from "../support/server.ts";
import { Agent, ON } from "../support/socialnet.ts";
import { type Ids, NEIGHBOR, type World } from "./message.ts";

/**
 * The server of `npm run fuzz`: two workspaces with records of every kind, no rate budgets, and a monitor of its turns.
 */

/** How often the event loop is checked, and how often the server reports how long it waited for a core. */
const WATCH_MS = 20;
const SHARE_MS = 1_000;
/** Shorter turns are not reported. */
const TOLD_MS = 100;

/** The server's reports to the generator: where everything is, each long turn of its event loop, and its CPU share. */
export type Told = { world: World } | { turn: { ms: number; cpuMs: number } } | { waited: number };
const tell = (told: Told) => void process.send?.(told);

const closing: (() => unknown)[] = [];
const hooks = { after: (close: () => unknown) => void closing.unshift(close) };

/** @param mark occurs in every record, and in no other workspace's */
async function furnish(server: TestServer, mark: string): Promise<{ ids: Ids; key: string }> {
  const agent = await Agent.of(server, new FakeClock(), { label: mark });
  await agent.heartbeat();
  const {
    contact,
    sequence,
    approval,
    ids: enrolling,
  } = await armed(server, {
    contact: { company: mark },
    sequence: { name: mark },
  });
  const enrollment = (await enroll(server, enrolling)).body.data;
  const deal = (await server.rest("POST", "/deals", { body: { contact_id: contact.id, title: mark } })).body.data;
  const account = await server.operator("create_account", { name: mark });
  const started = await agent.started({ copy: mark });
  const actions = [await agent.planned({ copy: mark }), await agent.at("held"), await agent.at("needs_review")];
  const ids = {
    contact: [contact.id, (await newContact(server)).id],
    sequence: [sequence.id],
    approval: [approval.id],
    enrollment: [enrollment.id],
    deal: [deal.id],
    account: [account.id, agent.account.id],
    socialnet: [agent.account.id],
    card: [await newCard(server, "OT-02", { ...DOCUMENT, title: mark })],
    post: [await newPost(server, "ON-14", { ...POST, body: mark })],
    item: ["OT-02", "ON-14"],
    action: [started, ...actions].map(({ id }) => id),
    lease: [started.leaseToken],
  };
  return { ids, key: agent.key };
}

const log = createLog("error");
const server = await startLocal(hooks, { env: { ...ON, ROSTRUM_TRUST_PROXY: "1" }, log });
const cookies = [...(await asOwner(server)).cookies];
const other = await server.neighbour();
const neighbor = new TestServer(server.running, server.folder, other.workspaceId, other.key);

const own = await furnish(server, "Acme");
const { ids: foreignIds } = await furnish(neighbor, NEIGHBOR);

tell({
  world: {
    port: server.running.port,
    workspaceId: server.workspaceId,
    keys: [server.key, await server.mint(), own.key, await server.mint(["contacts.read", "socialnet.read"])],
    cookie: cookies.map(([name, value]) => `${name}=${value}`).join("; "),
    ids: own.ids,
    neighborId: neighbor.workspaceId,
    foreignIds,
  },
});

let looked = performance.now();
let used = threadTimes().cpuMs;
setInterval(() => {
  const now = performance.now();
  const { cpuMs } = threadTimes();
  if (now - looked > TOLD_MS) tell({ turn: { ms: now - looked, cpuMs: cpuMs - used } });
  looked = now;
  used = cpuMs;
}, WATCH_MS);

let shared = performance.now();
let waited = threadTimes().waitedMs;
setInterval(() => {
  const now = performance.now();
  const { waitedMs } = threadTimes();
  tell({ waited: (waitedMs - waited) / (now - shared) });
  shared = now;
  waited = waitedMs;
}, SHARE_MS);

process.on("disconnect", async () => {
  for (const close of closing) await close();
  process.exit(0);
});
