import assert from "node:assert/strict";
import type { ActionKind, Outcome } from "../../src/domain/socialnet/action.ts";
import type { Random } from "../support/random.ts";
import { type AgentApi, type Answer, Lost } from "./chaos-client.ts";
import type { Account, Lease, World } from "./chaos-world.ts";

const MINUTE = 60_000;

/** The agent died in the middle of its work. */
class Died extends Error {}

const ENDINGS: Record<Outcome, number> = {
  connection_sent: 30,
  message_sent: 30,
  already_connected: 4,
  profile_unavailable: 3,
  not_sent: 4,
  login_required: 4,
  captcha: 4,
  rate_limited: 4,
  outcome_unknown: 6,
};
const NOT_OF: Record<ActionKind, readonly Outcome[]> = {
  connection_request: ["message_sent"],
  message: ["connection_sent", "already_connected"],
};

/** Reasons that can block an agent, except those of a broken agent. */
const GATES = "held cancelled not_approved session_not_ready account_held outside_window daily_limit".split(" ");
const CLAIM_REFUSALS = [...GATES, "already_claimed", "already_started"];
const START_REFUSALS = [...GATES, "stale_claim", "already_started"];
const RESULT_REFUSALS = ["conflicting_result"];
/** If a start's answer never came, it may not have happened. */
const UNSURE_REFUSALS = [...RESULT_REFUSALS, "held", "cancelled", "stale_claim", "not_started"];

type Report = Lease & { outcome: Outcome; unsure?: boolean };

/** A correct agent that crashes, delays and loses answers at random. */
export class ChaosAgent {
  readonly #world: World;
  readonly #account: Account;
  readonly #api: AgentApi;
  readonly #random: Random;
  /** What it remembers after a crash: it writes before it acts. */
  #unreported: Report[] = [];
  #seen = 0;
  readonly #name: string;

  constructor(name: string, world: World, account: Account, api: AgentApi, random: Random) {
    this.#name = name;
    this.#world = world;
    this.#account = account;
    this.#api = api;
    this.#random = random;
  }

  async live(): Promise<void> {
    while (!this.#world.over()) {
      try {
        for (const report of this.#unreported) if (this.#random.chance(0.4)) await this.#report(report);
        await this.#round();
      } catch (error) {
        if (!(error instanceof Died || error instanceof Lost)) throw error;
      }
    }
  }

  async #round(): Promise<void> {
    if (this.#random.chance(0.05)) await this.#sync();
    const { data } = await this.#ask(this.#api.list({ status: "approved" }));
    const free = data.filter((action: any) => action.blockedBy === null);
    const action = this.#random.pick<any>(free.length === 0 || this.#random.chance(0.05) ? data : free);
    const reason = action?.blockedBy?.reason;
    if (reason === "session_not_ready" || reason === "account_held") await this.#heartbeat("ready");
    if (action !== undefined) await this.#work(action);
  }

  async #work(action: any): Promise<void> {
    const claimed = await this.#command({ command: "claim", actionId: action.id }, CLAIM_REFUSALS);
    if (claimed === undefined) return;
    const lease: Lease = { actionId: action.id, leaseToken: claimed.leaseToken };
    this.#world.acknowledged.claims.push(lease);
    this.#mayDie();
    if (this.#random.chance(0.04)) this.#world.clock.advance(11 * MINUTE);
    const started = await this.#start(lease);
    if (started === undefined) return;
    this.#mayDie();
    // A start that expired before its answer is read is not executed.
    const late = Date.parse(started.leaseExpiresAt) <= this.#world.clock.now();
    const outcome = late ? "not_sent" : this.#execute(action, started.copy);
    this.#wrote({ ...lease, outcome });
    this.#mayDie();
    if (this.#random.chance(0.05)) this.#world.clock.advance(16 * MINUTE);
    await this.#report({ ...lease, outcome });
    if (outcome === "login_required" || outcome === "captcha") await this.#heartbeat(outcome);
  }

  async #start(lease: Lease): Promise<any> {
    this.#wrote({ ...lease, outcome: "outcome_unknown", unsure: true });
    const answer = await this.#command({ command: "start", ...lease }, START_REFUSALS);
    if (answer === undefined) {
      this.#forget(lease);
      return undefined;
    }
    this.#world.acknowledged.starts.push({ ...lease, copy: answer.copy });
    this.#wrote({ ...lease, outcome: "outcome_unknown" });
    return answer;
  }

  /** In the browser: what happens, and what the agent sees. */
  #execute({ id, kind }: { id: string; kind: ActionKind }, copy: string): Outcome {
    const endings = { ...ENDINGS };
    for (const outcome of NOT_OF[kind]) endings[outcome] = 0;
    const outcome = this.#random.weighted(endings);
    const sent = outcome === "connection_sent" || outcome === "message_sent";
    if (sent || (outcome === "outcome_unknown" && this.#random.chance(0.5))) this.#world.network.send(id, copy);
    return outcome;
  }

  async #report({ unsure = false, ...report }: Report): Promise<void> {
    const told = { command: "result", ...report, evidence: "As it was seen." };
    const answer = await this.#command(told, unsure ? UNSURE_REFUSALS : RESULT_REFUSALS);
    this.#forget(report);
    if (answer === undefined) return;
    const { actionId, status, outcome } = answer;
    assert.deepEqual([actionId, outcome], [report.actionId, report.outcome]);
    this.#world.acknowledged.results.push({ ...report, status });
    if (this.#random.chance(0.1))
      assert.deepEqual(await this.#command(told), answer, "a repeat is answered as the first");
    if (this.#random.chance(0.05) && outcome !== "not_sent") {
      const other = await this.#ask(this.#api.command({ ...told, outcome: "not_sent" }));
      assert.equal(other.refused, "conflicting_result");
    }
  }

  async #heartbeat(session: string): Promise<void> {
    await this.#command({ command: "heartbeat", session, profileUrl: this.#account.profileUrl });
  }

  /** Someone has replied; an earlier reply can be reported again. */
  async #sync(): Promise<void> {
    const contact = this.#random.pick(this.#world.contacts);
    if (contact === undefined) return;
    this.#seen += 1;
    const externalKey = `${this.#name}/${this.#seen}`;
    const observation = { kind: "reply", profileUrl: contact.profileUrl, externalKey, excerpt: "No." };
    const observedAt = new Date(this.#world.clock.now()).toISOString();
    const told = { command: "sync", observations: [{ ...observation, observedAt }] };
    const { results } = await this.#command(told);
    assert.equal(results[0].status, "recorded");
    this.#world.acknowledged.sightings.add(externalKey);
    if (this.#random.chance(0.3)) {
      assert.equal((await this.#command(told)).results[0].status, "already_recorded");
    }
  }

  /** Returns the data; undefined if refused for one of these reasons. */
  async #command(input: Record<string, unknown>, mayRefuse: readonly string[] = []): Promise<any> {
    const call = this.#api.command(input);
    if (this.#random.chance(0.05)) {
      // It crashes after sending the call and before reading the answer.
      call.catch(() => undefined);
      throw new Died();
    }
    const answer = await this.#ask(call);
    if (answer.refused === undefined) return answer.data;
    assert.ok(mayRefuse.includes(answer.refused), `${JSON.stringify(input)}: ${answer.refused}`);
    return undefined;
  }

  async #ask(call: Promise<Answer>): Promise<Answer> {
    const answer = await call;
    await this.#world.turn();
    return answer;
  }

  #wrote(report: Report): void {
    this.#forget(report);
    this.#unreported.push(report);
  }

  #forget({ leaseToken }: Lease): void {
    this.#unreported = this.#unreported.filter((report) => report.leaseToken !== leaseToken);
  }

  #mayDie(): void {
    if (this.#random.chance(0.05)) throw new Died();
  }
}
