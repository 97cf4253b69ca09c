import { SMTP_BACKOFF_MS } from "../domain/outreach/sending.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Clock } from "../lib/time.ts";
import type { SendEnding } from "../services/outreach/finish-send.ts";
import type { Store } from "../store/store.ts";

export interface SmtpBackoffParts {
  store: Pick<Store, "engineDue">;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "emailed" | "mailRefused" | "mailBackoff">;
}

/** Backs off from a mail server that refuses our messages, for longer each time, until it accepts one again. */
export class SmtpBackoff {
  readonly #parts: SmtpBackoffParts;
  /** The servers that were last seen in cooldown. Their next accepted message ends it. */
  readonly #seen = new Set<string>();
  /** Until when each server is in cooldown, where it is. */
  readonly #until = new Map<string, number>();

  constructor(parts: SmtpBackoffParts) {
    this.#parts = parts;
  }

  /** Until when a server is in cooldown, if it is. `probing`: after a cooldown, one message tests the server. */
  async look(mailServer: string): Promise<{ backoffUntil: number | null; probing: boolean }> {
    const { store, clock, metrics } = this.#parts;
    const cooldown = await store.engineDue.backoff(mailServer);
    const backoffUntil = cooldown !== undefined && cooldown.until > clock.now() ? cooldown.until : null;
    if (cooldown === undefined) this.#seen.delete(mailServer);
    else this.#seen.add(mailServer);
    if (backoffUntil === null) this.#until.delete(mailServer);
    else this.#until.set(mailServer, backoffUntil);
    metrics.mailBackoff([...this.#until.values()].some((until) => until > clock.now()));
    return { backoffUntil, probing: cooldown !== undefined };
  }

  /** Records what an outcome reveals about the server, before the next message is sent to it. */
  async record(mailServer: string, attemptAt: number, ending: SendEnding): Promise<SendEnding> {
    const { store, log } = this.#parts;
    try {
      if (ending.status === "transient" && ending.ours) {
        return { ...ending, backoffUntil: await this.#begin(mailServer, attemptAt, ending.detail) };
      }
      const accepted = ending.status === "accepted" || ending.status === "written";
      if (accepted && this.#seen.has(mailServer)) await store.engineDue.endBackoff(mailServer, attemptAt);
    } catch (error) {
      // The outcome of this message matters more: the next one meets the same server.
      log.error({ err: error }, "the back-off of the mail server was not recorded");
    }
    return ending;
  }

  async #begin(mailServer: string, attemptAt: number, detail: string): Promise<number> {
    const { store, clock, log, metrics } = this.#parts;
    metrics.mailRefused();
    metrics.mailBackoff(true);
    this.#seen.add(mailServer);
    const now = clock.now();
    const refusal = { attemptAt, detail, backoffMs: SMTP_BACKOFF_MS };
    const { refusals, until, beganAt } = await store.engineDue.beginBackoff(mailServer, refusal, now);
    if (beganAt === now) {
      log.warn({ detail, refusals, restMs: until - now }, "the mail server refuses messages; sending backs off");
    }
    return until;
  }
}
