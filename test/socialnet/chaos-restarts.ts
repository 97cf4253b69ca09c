import { type ChildProcess, spawn } from "node:child_process";
import type { TestContext } from "node:test";
import { follow, type ServerProcess } from "../cli/process.ts";
import { programArgs } from "../support/program.ts";

export interface ServerRun {
  process: ServerProcess;
  base: string;
  over: boolean;
}

/** A server that is killed and started again on the same data. */
export class RestartingServer {
  readonly #t: TestContext;
  readonly #args: readonly string[];
  /** Loaded, and waiting to be started. */
  #spare: ChildProcess;
  #current: Promise<ServerRun>;
  readonly #most: number;
  kills = 0;

  /** @param most - the number of kills */
  constructor(t: TestContext, folder: string, clock: string, most: number) {
    this.#t = t;
    this.#most = most;
    this.#args = [folder, clock];
    this.#spare = this.#launch();
    this.#current = this.#begin();
    t.after(() => this.#spare.kill("SIGKILL"));
  }

  /** The current run, or the next one while it starts. */
  current(): Promise<ServerRun> {
    return this.#current;
  }

  /** kill -9. The next run is passed to `before` first. */
  kill(before: (run: ServerRun) => Promise<void>): void {
    this.kills += 1;
    const last = this.#current;
    this.#current = (async () => {
      const run = await last;
      run.over = true;
      await run.process.stop("SIGKILL");
      const next = await this.#begin();
      await before(next);
      return next;
    })();
    // Everything that waits for the run gets the error.
    this.#current.catch(() => undefined);
  }

  async #begin(): Promise<ServerRun> {
    const child = this.#spare;
    const following = follow(this.#t, child);
    child.stdin?.write("go\n");
    // Loading takes longest, so the next run is loaded during this one.
    if (this.kills < this.#most) this.#spare = this.#launch();
    const started = await following;
    return { process: started, base: started.ready.base_url, over: false };
  }

  #launch(): ChildProcess {
    const env = { PATH: process.env.PATH };
    return spawn(process.execPath, [...programArgs("test/socialnet/chaos-server.ts"), ...this.#args], {
      env,
      stdio: "pipe",
    });
  }
}
