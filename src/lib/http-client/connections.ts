import type { Client } from "undici";
import type { Patience } from "./patience.ts";

interface Line {
  /** Connections there are, idle ones included. */
  size: number;
  /** The one used last comes last, and is used next. */
  idle: Client[];
  /** In the order of their coming. */
  waiting: Set<(client: Client) => void>;
}

/**
 * The connections to each origin: a bounded number of clients with one connection each, kept for the next job. Jobs
 * of one origin never wait for those of another. undici's own pool is not used because it connects anew for requests
 * that were given up, and counts no client whose connection failed.
 */
export class Connections {
  readonly #limit: number;
  readonly #open: (origin: string) => Client;
  readonly #lines = new Map<string, Line>();

  constructor(limit: number, open: (origin: string) => Client) {
    this.#limit = limit;
    this.#open = open;
  }

  /** Runs the job on a client of its own when one is free; rejects with what ended the patience before that. */
  async run<T>(origin: string, patience: Patience, job: (client: Client) => Promise<T>): Promise<T> {
    const line = this.#lines.get(origin) ?? { size: 0, idle: [], waiting: new Set() };
    if (line.size === 0) this.#lines.set(origin, line);
    let client = line.idle.pop();
    if (client === undefined && line.size < this.#limit) {
      line.size++;
      client = this.#connect(origin, line);
    }
    client ??= await comesFree(line, patience);
    let kept = false;
    try {
      const result = await job(client);
      kept = client.stats.connected;
      return result;
    } finally {
      if (!kept) void client.destroy();
      const [next] = line.waiting;
      if (next !== undefined) next(kept ? client : this.#connect(origin, line));
      else if (kept) line.idle.push(client);
      else this.#leave(origin, line);
    }
  }

  /** Closes every idle connection. */
  async close(): Promise<void> {
    const idle = [...this.#lines.values()].flatMap((line) => line.idle);
    await Promise.all(idle.map((client) => client.destroy()));
  }

  #connect(origin: string, line: Line): Client {
    const client = this.#open(origin);
    return client.on("disconnect", () => {
      const at = line.idle.indexOf(client);
      if (at === -1) return;
      line.idle.splice(at, 1);
      this.#leave(origin, line);
    });
  }

  #leave(origin: string, line: Line): void {
    line.size--;
    if (line.size === 0) this.#lines.delete(origin);
  }
}

/** Resolves when a job that ends hands its place over. */
function comesFree({ waiting }: Line, patience: Patience): Promise<Client> {
  return new Promise((resolve, reject) => {
    const go = (client: Client) => {
      waiting.delete(go);
      patience.listen(undefined);
      resolve(client);
    };
    waiting.add(go);
    patience.listen((reason) => {
      waiting.delete(go);
      reject(reason);
    });
  });
}
