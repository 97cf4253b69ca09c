import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import pg from "pg";
import { MINUTE_MS, SECOND_MS } from "../../lib/time.ts";
import type { Instance } from "../leases.ts";
import { lockNumber } from "./writer.ts";

/** The channel on which gateways tell each other that something was written. */
const CHANNEL = "rostrum_written";
/** At most so often a gateway tells the others. */
const TELL_EVERY_MS = 100;
/** How often this session looks after itself: whether it leads, and what it may have missed. */
const LOOK_EVERY_MS = 5 * SECOND_MS;
const RECONNECT_MS = SECOND_MS;
const MEASURE_EVERY_MS = MINUTE_MS;
/** A process whose lock is free for so long is dead, and does not merely connect again. */
const DEAD_AFTER_MS = 3 * SECOND_MS;

const LEADER = lockNumber("leader");
const lockOf = (instance: string) => lockNumber(`instance ${instance}`);

export interface SessionParts {
  /** Of the server itself: locks and notifications belong to a session. */
  config: pg.ClientConfig;
  /** Another gateway has written. */
  onWritten: () => void;
}

/**
 * The session that a process keeps open: it hears what other gateways write, holds the locks that say which processes
 * live and which one leads, and measures by how much the clock of this machine differs from the database's.
 */
export class Session {
  readonly #parts: SessionParts;
  readonly #id = randomUUID();
  #client: pg.Client | undefined;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #isLeader = false;
  #skewMs = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #lastXid: string | undefined;
  #isEnlisted = false;
  /** Whether this connection holds the lock that says that this process lives, and whether it is listed. */
  #hasLock = false;
  #isListed = false;
  /** Since when the lock of another process has been free. */
  readonly #freeSince = new Map<string, number>();
  #tellTimer: NodeJS.Timeout | undefined;
  #hasNews = false;
  #last: Promise<unknown> = Promise.resolve();
  #looking: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Whether this process does what only one may do: pruning, and other jobs over all workspaces. */
  get leads(): boolean {
    return this.#isLeader;
  }

  /** What to add to this machine's clock. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** @throws what the server says */
  async open(): Promise<void> {
    await this.#connect();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Has the other gateways told, soon, that this one has written. It costs a write nothing. */
  written(): void {
    this.#hasNews = true;
    if (this.#tellTimer === undefined) this.#tell();
  }

  #tell(): void {
    if (!this.#hasNews || this.#closed) return;
    this.#hasNews = false;
    this.#tellTimer = setTimeout(() => {
      this.#tellTimer = undefined;
      this.#tell();
    }, TELL_EVERY_MS).unref();
    // In a transaction of its own: a commit that notifies waits for every other one that does.
    if (this.#client !== undefined)
      this.#ask(this.#client, `SELECT pg_notify('${CHANNEL}', '${this.#id}')`).catch(() => undefined);
  }

  /** One statement after the other: a connection takes one at a time. */
  #ask<Row extends pg.QueryResultRow>(
    client: pg.Client,
    text: string,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const run = () => client.query<Row>(text, values);
    const running = this.#last.then(run, run);
    this.#last = running;
    // One that did not answer in time would keep everything behind it waiting, and its locks may be gone.
    running.catch((error) => {
      if (!(error instanceof pg.DatabaseError)) this.#drop(client);
    });
    return running;
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.#parts.config);
    const lost = () => this.#lose(client);
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", ({ payload }) => {
      if (payload !== this.#id) this.#parts.onWritten();
    });
    await client.connect();
    this.#client = client;
    this.#last = Promise.resolve();
    try {
      await this.#ask(client, `LISTEN ${CHANNEL}`);
      this.#measuredAt = Number.NEGATIVE_INFINITY;
      await this.#lookAround(client);
    } catch (error) {
      this.#drop(client);
      throw error;
    }
    // An idle session keeps no process alive.
    streamOf(client).unref();
  }

  #drop(client: pg.Client): void {
    this.#lose(client);
    streamOf(client).destroy();
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isLeader = false;
    this.#hasLock = false;
    this.#isListed = false;
    this.#freeSince.clear();
    // What was written before that is not reported.
    this.#parts.onWritten();
    if (!this.#closed) setTimeout(() => this.#look(), RECONNECT_MS).unref();
  }

  #look(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const client = this.#client;
    this.#looking ??= (client === undefined ? this.#connect() : this.#lookAround(client))
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
        const isWhole = this.#client !== undefined && (this.#isListed || !this.#isEnlisted);
        if (!isWhole && !this.#closed) setTimeout(() => this.#look(), RECONNECT_MS).unref();
      });
    return this.#looking;
  }

  async #lookAround(client: pg.Client): Promise<void> {
    if (this.#isEnlisted) await this.#lock(client);
    if (this.#isEnlisted && !this.#isLeader) {
      const { rows } = await this.#ask<{ leads: number }>(client, `SELECT pg_try_advisory_lock(${LEADER}) AS leads`);
      this.#isLeader = rows[0]?.leads === 1 && this.#client === client;
    }
    // A notification may be lost with a connection: any transaction since is taken for a write.
    const { rows } = await this.#ask<{ xid: string }>(
      client,
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid",
    );
    const xid = rows[0]?.xid;
    if (this.#lastXid !== undefined && xid !== this.#lastXid) this.#parts.onWritten();
    this.#lastXid = xid;
    if (performance.now() - this.#measuredAt > MEASURE_EVERY_MS) await this.#measure(client);
  }

  async #measure(client: pg.Client): Promise<void> {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i += 1) {
      const before = Date.now();
      const { rows } = await this.#ask<{ now: number }>(
        client,
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
      );
      const took = Date.now() - before;
      if (took >= best) continue;
      best = took;
      const skew = Math.round((rows[0]?.now ?? before) - (before + took / 2));
      // The error is half of the round trip at most, and clocks are read in whole milliseconds: less is no difference.
      this.#skewMs = Math.abs(skew) <= took + 1 ? 0 : skew;
    }
    this.#measuredAt = performance.now();
  }

  /** Enlists this process among those that do background work. One of them leads. */
  enlist(): Instance {
    this.#isEnlisted = true;
    const locked = this.#looking === undefined ? this.#look() : this.#looking.then(() => this.#look());
    return {
      id: this.#id,
      forgetDead: async (release) => {
        await locked;
        await this.#forgetDead(release);
      },
      close: () => {
        this.#isEnlisted = false;
        if (this.#client !== undefined)
          this.#ask(this.#client, `SELECT pg_advisory_unlock(${lockOf(this.#id)})`).catch(() => undefined);
      },
    };
  }

  /** Takes the lock of this process, unless a connection that was lost still holds it, and lists the process. */
  async #lock(client: pg.Client): Promise<void> {
    if (!this.#hasLock) {
      const lock = `SELECT pg_try_advisory_lock(${lockOf(this.#id)}) AS taken`;
      const { rows } = await this.#ask<{ taken: number }>(client, lock);
      if (rows[0]?.taken !== 1 || this.#client !== client) return;
      this.#hasLock = true;
    }
    if (this.#isListed) return;
    await this.#ask(client, "INSERT INTO rostrum_instances (id) VALUES ($1) ON CONFLICT DO NOTHING", [this.#id]);
    this.#isListed = this.#client === client;
  }

  async #forgetDead(release: (id: string) => Promise<void>): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const { rows } = await this.#ask<{ id: string }>(client, "SELECT id FROM rostrum_instances WHERE id <> $1", [
      this.#id,
    ]);
    for (const { id } of rows) {
      const lock = lockOf(id);
      const tried = await this.#ask<{ free: number }>(client, `SELECT pg_try_advisory_lock(${lock}) AS free`);
      if (tried.rows[0]?.free !== 1) {
        this.#freeSince.delete(id);
        continue;
      }
      try {
        const since = this.#freeSince.get(id) ?? performance.now();
        this.#freeSince.set(id, since);
        if (performance.now() - since < DEAD_AFTER_MS) continue;
        await release(id);
        await this.#ask(client, "DELETE FROM rostrum_instances WHERE id = $1", [id]);
        this.#freeSince.delete(id);
      } finally {
        await this.#ask(client, `SELECT pg_advisory_unlock(${lock})`);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#tellTimer);
    await this.#looking;
    const client = this.#client;
    if (client === undefined) return;
    streamOf(client).ref();
    await client.end().catch(() => undefined);
    this.#client = undefined;
  }
}

function streamOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
