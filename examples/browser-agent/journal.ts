import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import type { Seen } from "./outcomes.ts";

/** A started action whose result the gateway does not know yet. */
export interface Open {
  actionId: string;
  leaseToken: string;
  /** Its result. Missing if the agent ended before it was known. */
  seen?: Seen;
}

type Line = { actionId: string } & ({ leaseToken: string } | { seen: Seen } | { reported: true });

/**
 * State that survives a crash: each start is on disk before anything is clicked, so that the next run reports it
 * instead of clicking again.
 */
export class Journal {
  readonly #file: number;
  readonly #open = new Map<string, Open>();

  constructor(path: string) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    for (const line of text.split("\n")) this.#note(parse(line));
    if (this.#open.size === 0 && text !== "") truncateSync(path);
    this.#file = openSync(path, "a", 0o600);
    // Ends a line that a crash truncated.
    if (this.#open.size > 0 && !text.endsWith("\n")) writeSync(this.#file, "\n");
  }

  get open(): Open[] {
    return [...this.#open.values()];
  }

  started(actionId: string, leaseToken: string): void {
    this.#write({ actionId, leaseToken });
  }

  saw(actionId: string, seen: Seen): void {
    this.#write({ actionId, seen });
  }

  reported(actionId: string): void {
    this.#write({ actionId, reported: true });
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#file);
    this.#note(line);
  }

  #note(line: Line | undefined): void {
    if (line === undefined) return;
    const { actionId } = line;
    const open = this.#open.get(actionId);
    if ("leaseToken" in line) this.#open.set(actionId, { actionId, leaseToken: line.leaseToken });
    else if ("reported" in line) this.#open.delete(actionId);
    else if (open !== undefined) open.seen = line.seen;
  }
}

/** A truncated line is ignored: the click that it precedes did not happen. */
function parse(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
