import type { Outcome, Session } from "./outcomes.ts";
import { type Hands, perform, report } from "./perform.ts";
import type { Action, Brief, Setup } from "./shapes.ts";
import { DONE, Tally } from "./tally.ts";

export interface AgentOptions extends Hands {
  checkInMinutes: number;
  /** Once aborted, the current action is finished and no other is begun. */
  signal: AbortSignal;
}

/** The maximum of one sync command. */
const MOST_OBSERVATIONS = 50;
const MINUTE_MS = 60_000;

/** These reasons concern one action; after any other reason nothing else could be claimed either. */
const OF_ONE_ACTION: ReadonlySet<string | undefined> = new Set([
  ...["held", "cancelled", "already_claimed", "stale_claim", "not_started", "already_started", "conflicting_result"],
  ...["not_approved", "automation_off", "outside_window", "daily_limit", "action_not_found"],
]);

/** The agent of one account. A run is everything that it does each time it is woken. */
export class Agent {
  readonly #options: AgentOptions;
  /** Observations synced since the agent started; the gateway has all of them. */
  readonly #synced = new Set<string>();

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** Returns when to run again if nothing wakes the agent earlier. */
  async run(setup: Setup): Promise<number> {
    const { rostrum, journal, log, checkInMinutes } = this.#options;
    const startedAt = new Date();
    const tally = new Tally();
    for (const open of journal.open) await report(open, this.#options);
    const brief = await rostrum.brief();
    if (brief.reconnect !== null && brief.reconnect.acknowledgedAt === null) {
      await rostrum.reconnectAck();
      log.warn("a person asks for a reconnect: run `sign-in`, so that the account holder can sign in");
    }
    try {
      await this.#visit(setup, brief, tally);
    } catch (error) {
      log.error({ err: error }, "the run ended early");
      tally.trouble("failed", error instanceof Error ? error.message : String(error));
    }
    const soonest = Date.now() + MINUTE_MS;
    const next = Math.max(soonest, Math.min(Date.now() + checkInMinutes * MINUTE_MS, tally.nextWindowAt));
    await rostrum.runReport(tally.report(startedAt));
    await rostrum.scheduleReport({
      schedules: [
        {
          label: "Looks for work, and at the inbox",
          rrule: `FREQ=MINUTELY;INTERVAL=${checkInMinutes}`,
          timezone: brief.windows.timeZone,
          nextRunAt: new Date(next).toISOString(),
        },
      ],
      checkInMinutes,
    });
    return next;
  }

  async #visit(setup: Setup, brief: Brief, tally: Tally): Promise<void> {
    const session = await this.#look(brief);
    if (session !== "ready") return tally.trouble("failed", `The session is not ready: ${session}.`);
    // Sync first: a reply stops everything still to be sent to its sender.
    await this.#sync(tally);
    if (!setup.executionActivated) return tally.trouble("partial", "Execution is not activated.");
    await this.#work(brief, tally);
  }

  /** Checks the real session and reports it. Without a signed-in profile it reports for the account's. */
  async #look({ account }: Brief): Promise<Session> {
    const { rostrum, network, log } = this.#options;
    const { session, profileUrl = account.profileUrl } = await network.look();
    log.info({ session }, "looked");
    await rostrum.heartbeat({ session, profileUrl });
    return session;
  }

  async #sync(tally: Tally): Promise<void> {
    const { rostrum, network } = this.#options;
    const unseen = (await network.inbox()).filter(({ externalKey }) => !this.#synced.has(externalKey));
    for (let told = 0; told < unseen.length; told += MOST_OBSERVATIONS) {
      const { results } = await rostrum.sync(unseen.slice(told, told + MOST_OBSERVATIONS));
      for (const { externalKey, status } of results) {
        this.#synced.add(externalKey);
        if (status !== "already_recorded") tally.synced += 1;
      }
    }
  }

  /** Checks again after each round: approvals send no event while there is other work. */
  async #work(brief: Brief, tally: Tally): Promise<void> {
    const tried = new Set<string>();
    const spent = new Set<string>();
    for (;;) {
      const fresh = (await this.#options.rostrum.approved()).filter(({ id }) => !tried.has(id));
      if (fresh.length === 0) return;
      for (const action of fresh) {
        tried.add(action.id);
        if (!(await this.#do(action, spent, brief, tally))) return;
      }
    }
  }

  /** Returns whether the next action may be tried. */
  async #do(action: Action, spent: Set<string>, brief: Brief, tally: Tally): Promise<boolean> {
    const { log, signal } = this.#options;
    if (signal.aborted) return tally.stop("The agent was told to stop.");
    if (action.blockedBy !== null) tally.wait(action.blockedBy.nextWindowAt);
    if (action.blockedBy !== null || spent.has(action.kind)) return true;
    const { claimed, seen, refused } = await perform(action, this.#options);
    tally.count(claimed, seen?.outcome);
    if (refused !== undefined) {
      const reason = refused.reason ?? refused.code;
      log.info({ actionId: action.id, reason }, refused.message);
      tally.wait(refused.nextWindowAt);
      if (reason === "daily_limit") spent.add(action.kind);
      return OF_ONE_ACTION.has(reason) || tally.stop(refused.message);
    }
    if (seen === undefined || DONE.has(seen.outcome) || (await this.#mayGoOn(seen.outcome, brief))) return true;
    return tally.stop(`Stopped by ${seen.outcome}.`);
  }

  /** Checks the session again after anything but a success: once the network refuses, sending more makes it worse. */
  async #mayGoOn(outcome: Outcome, brief: Brief): Promise<boolean> {
    if (outcome === "login_required" || outcome === "captcha") {
      await this.#options.rostrum.heartbeat({ session: outcome, profileUrl: brief.account.profileUrl });
      return false;
    }
    return outcome !== "rate_limited" && (await this.#look(brief)) === "ready";
  }
}
