import { setTimeout as sleep } from "node:timers/promises";
import { Client, type FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { z } from "zod";
import type { Observation, Seen, Session } from "./outcomes.ts";
import { Action, Anything, Brief, Claim, Envelope, Result, Setup, Start, Subscribed, Synced } from "./shapes.ts";

/** The gateway refused. A 409 has a `reason`, everything else a `code`. */
export class Refused extends Error {
  readonly code: string | undefined;
  readonly reason: string | undefined;
  readonly nextWindowAt: string | undefined;

  constructor({ error, code, reason, nextWindowAt }: Envelope) {
    super(error ?? "Refused.");
    this.name = "Refused";
    this.code = code;
    this.reason = reason;
    this.nextWindowAt = nextWindowAt ?? undefined;
  }

  /** Whether a retry could succeed by itself. */
  get isFault(): boolean {
    return ["db_unavailable", "internal_error", "rate_limited"].includes(this.code ?? "");
  }
}

export interface RostrumOptions {
  /** URL of the MCP endpoint. */
  url: string;
  key: string;
  pause?: (ms: number) => Promise<unknown>;
}

/** How often a request answered with 429 is retried. */
const ATTEMPTS = 4;
/** A tool's answer has no headers: its budget is restored after a minute. */
const BUDGET_MS = 60_000;
/** Longer than the waits for a budget. */
const REQUEST_MS = 5 * BUDGET_MS;

export interface Report {
  runId: string;
  startedAt: string;
  finishedAt: string;
  status: "ok" | "partial" | "failed";
  claimed: number;
  completed: number;
  failed: number;
  synced: number;
  notes?: string;
}

export interface Schedule {
  schedules: { label: string; rrule: string; timezone: string; nextRunAt: string }[];
  checkInMinutes: number;
}

/** The gateway, over MCP: its two socialnet tools and its events. Only a 429 is retried. */
export class Rostrum {
  readonly #client: Client;
  readonly #pause: (ms: number) => Promise<unknown>;

  private constructor(client: Client, pause: (ms: number) => Promise<unknown>) {
    this.#client = client;
    this.#pause = pause;
  }

  static async connect({ url, key, pause = sleep }: RostrumOptions): Promise<Rostrum> {
    const client = new Client(
      { name: "rostrum-browser-agent", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: patientFetch(pause) }));
    return new Rostrum(client, pause);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  setup = (): Promise<Setup> => this.#command("setup", {}, Setup);
  brief = (): Promise<Brief> => this.#command("brief", {}, Brief);
  reconnectAck = () => this.#command("reconnect_ack", {}, Anything);
  heartbeat = (seen: { session: Session; profileUrl: string }) => this.#command("heartbeat", seen, Anything);
  claim = (actionId: string) => this.#command("claim", { actionId }, Claim);
  start = (held: { actionId: string; leaseToken: string }) => this.#command("start", held, Start);
  result = (done: { actionId: string; leaseToken: string } & Seen) => this.#command("result", { ...done }, Result);
  sync = (observations: readonly Observation[]) => this.#command("sync", { observations }, Synced);
  runReport = (report: Report) => this.#command("run_report", { ...report }, Anything);
  scheduleReport = (schedule: Schedule) => this.#command("schedule_report", { ...schedule }, Anything);

  /** Approved actions waiting for an agent, oldest first. */
  async approved(): Promise<Action[]> {
    const actions: Action[] = [];
    for (let hasMore = true; hasMore; ) {
      const page = await this.#call("list_socialnet_actions", { status: "approved", offset: actions.length });
      const listed = Action.array().parse(page.data);
      actions.push(...listed);
      hasMore = page.meta?.hasMore === true && listed.length > 0;
    }
    return actions.sort((a, b) => (a.approvedAt ?? "").localeCompare(b.approvedAt ?? ""));
  }

  /** Subscribing again renews. Returns when the subscription expires unless renewed. */
  async subscribe(name: string, delivery: { url: string; secret: string }): Promise<number> {
    const params = { name, arguments: {}, delivery: { mode: "webhook", ...delivery } };
    const { refreshBefore } = await this.#client.request({ method: "events/subscribe", params }, Subscribed);
    return Date.parse(refreshBefore);
  }

  async unsubscribe(name: string, url: string): Promise<void> {
    const params = { name, arguments: {}, delivery: { url } };
    await this.#client.request({ method: "events/unsubscribe", params }, Anything);
  }

  async #command<S extends z.ZodType>(command: string, fields: object, answer: S): Promise<z.infer<S>> {
    return answer.parse((await this.#call("socialnet_command", { command, ...fields })).data);
  }

  /** @throws Refused */
  async #call(name: string, args: Record<string, unknown>): Promise<Envelope> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#client.callTool({ name, arguments: args }, { timeout: REQUEST_MS });
      const envelope = Envelope.parse(answer.structuredContent);
      if (!answer.isError) return envelope;
      if (envelope.code !== "rate_limited" || attempt === ATTEMPTS) throw new Refused(envelope);
      await this.#pause(BUDGET_MS);
    }
  }
}

/** Waits as long as a 429 says, and retries: the refused request did nothing. */
function patientFetch(pause: (ms: number) => Promise<unknown>): FetchLike {
  return async (url, init) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(url, init);
      const seconds = Number(response.headers.get("retry-after"));
      if (response.status !== 429 || attempt === ATTEMPTS || !(seconds > 0)) return response;
      await response.body?.cancel();
      await pause(seconds * 1_000);
    }
  };
}
