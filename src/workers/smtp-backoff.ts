import { RESTS_MS } from "../domain/outreach/sending.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Clock } from "../lib/time.ts";
import type { SendEnding } from "../services/outreach/finish-send.ts";
import type { Store } from "../store/store.ts";

export interface SmtpBackoffParts {
  store: Pick<Store, "engineDue">;
  clock: Clock;
  log: Log;
  /** By which it is remembered that the mail server rests: every server that sends through it leaves it alone. */
  mailServer: string;
  metrics: Pick<Metrics, "mailRefused" | "mailRests">;
}

/** A mail server that refuses us is left alone, ever longer, until it takes a message again. */
export class SmtpBackoff {
  readonly #parts: SmtpBackoffParts;
  /** Whether it was seen resting: then what it takes ends that. */
  #seen = false;

  constructor(parts: SmtpBackoffParts) {
    this.#parts = parts;
  }

  /** Until when it is left alone, if it is; `asks`: after a rest one message asks whether it takes any. */
  async look(): Promise<{ restsUntil: number | null; asks: boolean }> {
    const { store, clock, mailServer, metrics } = this.#parts;
    const rest = await store.engineDue.rest(mailServer);
    const restsUntil = rest !== undefined && rest.until > clock.now() ? rest.until : null;
    this.#seen = rest !== undefined;
    metrics.mailRests(restsUntil !== null);
    return { restsUntil, asks: this.#seen };
  }

  /** What the end of an attempt says of the server is written down before the next message goes to it. */
  async heed(attemptAt: number, ending: SendEnding): Promise<SendEnding> {
    const { store, mailServer, log } = this.#parts;
    try {
      if (ending.status === "transient" && ending.ours) {
        return { ...ending, restsUntil: await this.#begin(attemptAt, ending.detail) };
      }
      const taken = ending.status === "accepted" || ending.status === "written";
      if (taken && this.#seen) await store.engineDue.endRest(mailServer, attemptAt);
    } catch (error) {
      // How this message ended is worth more: the next one finds the same.
      log.error({ err: error }, "whether the mail server rests was not written down");
    }
    return ending;
  }

  async #begin(attemptAt: number, detail: string): Promise<number> {
    const { store, clock, log, metrics, mailServer } = this.#parts;
    metrics.mailRefused();
    metrics.mailRests(true);
    this.#seen = true;
    const now = clock.now();
    const refusal = { attemptAt, detail, rests: RESTS_MS };
    const { refusals, until, beganAt } = await store.engineDue.beginRest(mailServer, refusal, now);
    if (beganAt === now) {
      log.warn({ detail, refusals, restMs: until - now }, "the mail server takes nothing from us; it is left alone");
    }
    return until;
  }
}
