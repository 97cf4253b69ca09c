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
  /** Names the mail server in the database: every process that sends through it shares its cooldown. */
  mailServer: string;
  metrics: Pick<Metrics, "emailed" | "mailRefused" | "mailBackoff">;
}

/** Backs off from a mail server that refuses our messages, for longer each time, until it accepts one again. */
export class SmtpBackoff {
  readonly #parts: SmtpBackoffParts;
  /** Whether the server was last seen in cooldown. Then the next accepted message ends it. */
  #seen = false;

  constructor(parts: SmtpBackoffParts) {
    this.#parts = parts;
  }

  /** Until when the server is in cooldown, if it is. `probing`: after a cooldown, one message tests the server. */
  async look(): Promise<{ backoffUntil: number | null; probing: boolean }> {
    const { store, clock, mailServer, metrics } = this.#parts;
    const cooldown = await store.engineDue.backoff(mailServer);
    const backoffUntil = cooldown !== undefined && cooldown.until > clock.now() ? cooldown.until : null;
    this.#seen = cooldown !== undefined;
    metrics.mailBackoff(backoffUntil !== null);
    return { backoffUntil, probing: this.#seen };
  }

  /** Records what an outcome reveals about the server, before the next message is sent to it. */
  async record(attemptAt: number, ending: SendEnding): Promise<SendEnding> {
    const { store, mailServer, log } = this.#parts;
    try {
      if (ending.status === "transient" && ending.ours) {
        return { ...ending, backoffUntil: await this.#begin(attemptAt, ending.detail) };
      }
      const accepted = ending.status === "accepted" || ending.status === "written";
      if (accepted && this.#seen) await store.engineDue.endBackoff(mailServer, attemptAt);
    } catch (error) {
      // The outcome of this message matters more: the next one meets the same server.
      log.error({ err: error }, "the back-off of the mail server was not recorded");
    }
    return ending;
  }

  async #begin(attemptAt: number, detail: string): Promise<number> {
    const { store, clock, log, metrics, mailServer } = this.#parts;
    metrics.mailRefused();
    metrics.mailBackoff(true);
    this.#seen = true;
    const now = clock.now();
    const refusal = { attemptAt, detail, backoffMs: SMTP_BACKOFF_MS };
    const { refusals, until, beganAt } = await store.engineDue.beginBackoff(mailServer, refusal, now);
    if (beganAt === now) {
      log.warn({ detail, refusals, restMs: until - now }, "the mail server refuses messages; sending backs off");
    }
    return until;
  }
}
