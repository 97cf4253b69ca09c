import { type ChildProcess, spawn } from "node:child_process";
import type { TestContext } from "node:test";
import { follow, type ServerProcess } from "../cli/process.ts";
import { programArgs } from "../support/program.ts";

export interface Life {
  process: ServerProcess;
  base: string;
  over: boolean;
}

/** The lives of one server: killed, and started anew on what it left. */
export class Lives {
  readonly #t: TestContext;
  readonly #args: readonly string[];
  /** Loaded, and waiting to be started. */
  #spare: ChildProcess;
  #current: Promise<Life>;
  readonly #most: number;
  kills = 0;

  /** @param most - how often it will be killed */
  constructor(t: TestContext, folder: string, clock: string, most: number) {
    this.#t = t;
    this.#most = most;
    this.#args = [folder, clock];
    this.#spare = this.#launch();
    this.#current = this.#begin();
    t.after(() => this.#spare.kill("SIGKILL"));
  }

  /** The life that is, or that is coming. */
  current(): Promise<Life> {
    return this.#current;
  }

  /** kill -9. The next life is given to `before` ahead of anybody else. */
  kill(before: (life: Life) => Promise<void>): void {
    this.kills += 1;
    const last = this.#current;
    this.#current = (async () => {
      const life = await last;
      life.over = true;
      await life.process.stop("SIGKILL");
      const next = await this.#begin();
      await before(next);
      return next;
    })();
    // Whoever waits for the life is told.
    this.#current.catch(() => undefined);
  }

  async #begin(): Promise<Life> {
    const child = this.#spare;
    const following = follow(this.#t, child);
    child.stdin?.write("go\n");
    // Loading takes longest, and the next life is loaded while this one lasts.
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
