import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Clock } from "../../src/lib/time.ts";

/** A clock shared by several processes: it keeps running from wherever a test has moved it. */
export class SharedClock implements Clock {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Makes one that begins at a moment. */
  static at(file: string, start: number): SharedClock {
    writeFileSync(file, String(start - Date.now()));
    return new SharedClock(file);
  }

  now(): number {
    return Date.now() + this.#ahead();
  }

  advance(ms: number): void {
    const next = `${this.#file}.next`;
    writeFileSync(next, String(this.#ahead() + ms));
    renameSync(next, this.#file);
  }

  #ahead(): number {
    return Number(readFileSync(this.#file, "utf8"));
  }
}
