import { randomUUID } from "node:crypto";
import type { Outcome } from "./outcomes.ts";
import type { Report } from "./rostrum.ts";

export const DONE: ReadonlySet<Outcome> = new Set(["connection_sent", "message_sent", "already_connected"]);

/** The results of a run. */
export class Tally {
  claimed = 0;
  completed = 0;
  failed = 0;
  synced = 0;
  nextWindowAt = Number.POSITIVE_INFINITY;
  #status: Report["status"] = "ok";
  #notes = "";

  count(claimed: boolean, outcome?: Outcome): void {
    if (claimed) this.claimed += 1;
    if (outcome === undefined) return;
    if (DONE.has(outcome)) this.completed += 1;
    else this.failed += 1;
  }

  wait(until: string | null | undefined): void {
    if (until) this.nextWindowAt = Math.min(this.nextWindowAt, Date.parse(until));
  }

  /** Returns that nothing more should be tried. */
  stop(notes: string): false {
    this.trouble("partial", notes);
    return false;
  }

  trouble(status: Report["status"], notes: string): void {
    this.#status = status;
    this.#notes = notes.slice(0, 500);
  }

  report(startedAt: Date): Report {
    const { claimed, completed, failed, synced } = this;
    return {
      runId: randomUUID(),
      startedAt: startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      status: this.#status === "ok" && failed > 0 ? "partial" : this.#status,
      claimed,
      completed,
      failed,
      synced,
      ...(this.#notes === "" ? {} : { notes: this.#notes }),
    };
  }
}
