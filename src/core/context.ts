import type { ConnectionAttempt } from "../domain/access/connections.ts";
import type { OAuthClient } from "../domain/access/oauth.ts";
import type { Catalog } from "../domain/checklist/catalog.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { MailServer, MailSetup, Sender } from "../lib/mail-server.ts";
import type { Clock } from "../lib/time.ts";
import type { Vault } from "../lib/vault.ts";
import type { AuditEntry } from "../store/logs.ts";
import type { PipelineStore, Store, WorkspaceStore } from "../store/store.ts";
import type { Actor } from "./actor.ts";
import type { ServerProbe } from "./server-probe.ts";

/** What the server admin decides for every workspace on the server. */
export interface Deployment {
  outboundGate: "open" | "closed";
  /** Whether agents may claim and start actions on the professional network. */
  socialnetExecution: "on" | "off";
  /** The mail settings of this process's environment, which win over those made in the console. */
  mail: MailSetup;
  /** Whether links in emails reach their readers. While sending is on, every message has a link to unsubscribe. */
  hasPublicLinks: boolean;
}

/** The payload of every event, by the event's name. The catalog of events adds them. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface EventMap {}

/**
 * Puts an event into the outbox for everyone who subscribed to it, within the caller's transaction.
 *
 * @returns whether anyone is to be notified
 */
export type EmitEvent = <N extends keyof EventMap>(
  store: WorkspaceStore,
  now: number,
  name: N,
  payload: EventMap[N],
) => Promise<boolean>;

/** What the caller of a tool asks about the answer, in addition to the operation's input. */
export interface AnswerOptions {
  /** The version of the agent instructions that the caller has. */
  instructionsVersion?: string | undefined;
  /** Only checklist items that the caller can submit a draft for. */
  submittable?: boolean | undefined;
}

/** What a handler is given: the caller, and a store that sees only the caller's workspace. */
export interface Context {
  actor: Actor;
  options: AnswerOptions;
  workspaceId: string;
  store: WorkspaceStore;
  /** The moment of this call: one reading, so that all its rows agree. */
  now: number;
  /** A new UUIDv7. */
  newId(): string;
  /** Adds a row to the audit of settings, in the transaction of this call. */
  audit(entry: AuditEntry): Promise<void>;
  /** Notifies subscribers once this call has committed. The payload must fit the event's schema. */
  emit<N extends keyof EventMap>(name: N, payload: EventMap[N]): Promise<void>;
  /** Has the outbox checked once this call has committed. */
  wake(): void;
  /** Seals secrets that must be read back. */
  vault: Vault;
  deployment: Deployment;
  /** The items of the social checklist. */
  catalog: Catalog;
  /** Logs that a part of the answer could not be read and was left out. */
  missed(part: string, error: unknown): void;
  /** The address of a page of this server, as people reach it. */
  pageUrl(path: `/${string}`): string;
  /** How far MCP clients came that connect to this process, newest first. */
  connections(): readonly ConnectionAttempt[];
  /** This process, and what it runs on. */
  server: ServerProbe;
}

/** A callback address that has to prove that it wants what it will be sent. */
export interface Challenge {
  principal: string;
  subscriptionId: string;
  url: URL;
  secret: string;
}

/** How a callback address is checked and verified. */
export interface Callbacks {
  /** @throws Problem validation_failed, naming the field */
  check(url: string, field: string): URL;
  /**
   * Asks the address to repeat a random text, signed as deliveries are.
   *
   * @throws Problem challenge_limit, callback_failed
   */
  verify(challenge: Challenge): Promise<void>;
}

/** Finds MCP clients by their id. */
export interface ClientFinder {
  /**
   * @param principal who asks, because the client's document is fetched on someone's behalf
   * @throws Problem client_not_found, challenge_limit
   */
  find(id: string, principal: string): Promise<OAuthClient>;
}

/** What became of a test message. */
interface TestOutcome {
  accepted: boolean;
  /** The server's answer, or what went wrong. */
  detail: string;
}

/** Sends test messages. */
export interface MailTester {
  /** Waits for at most half a minute. Never rejects for a fault of the server or the network. */
  test(setup: { smtp: MailServer; from: Sender; to: string }): Promise<TestOutcome>;
}

/** What an operation's preparation is given: it may use the network, and changes nothing. */
export interface Preparing extends Pick<Context, "actor" | "workspaceId" | "store" | "now" | "vault" | "deployment"> {
  mailTester: MailTester;
  callbacks: Callbacks;
  clients: ClientFinder;
}

/** What is the same for every change in this process. */
export interface Shared {
  vault: Vault;
  deployment: Deployment;
  /** Read on first use: most calls never need it. */
  catalog: () => Catalog;
  log: Log;
  /** The address that people reach this server by, without a trailing slash. */
  url: () => string;
  connections: { list(): readonly ConnectionAttempt[] };
  server: ServerProbe;
  emitEvent: EmitEvent;
  /** Called when something was put into the outbox and committed. */
  wake: () => void;
}

/** One call of an operation, or one change of the server's own. */
export interface Change {
  actor: Actor;
  workspaceId: string;
  /** Its name in the audit. */
  action: string;
  shared: Shared;
  options?: AnswerOptions | undefined;
  /** Set once something was put into the outbox. */
  woken: boolean;
}

const NO_OPTIONS: AnswerOptions = {};

/**
 * The context of one transaction, or of one read: everything in it happens at the same moment. A class, since each call
 * makes one: an object of closures with a getter costs several microseconds.
 */
export class CallContext implements Context {
  readonly actor: Actor;
  readonly options: AnswerOptions;
  readonly workspaceId: string;
  readonly store: PipelineStore;
  readonly now: number;
  readonly vault: Vault;
  readonly deployment: Deployment;
  readonly #change: Change;

  constructor(change: Change, store: PipelineStore, now: number) {
    this.actor = change.actor;
    this.options = change.options ?? NO_OPTIONS;
    this.workspaceId = change.workspaceId;
    this.store = store;
    this.now = now;
    this.vault = change.shared.vault;
    this.deployment = change.shared.deployment;
    this.#change = change;
  }

  get server(): ServerProbe {
    return this.#change.shared.server;
  }

  get catalog(): Catalog {
    return this.#change.shared.catalog();
  }

  newId(): string {
    return newId(this.now);
  }

  pageUrl(path: `/${string}`): string {
    return this.#change.shared.url() + path;
  }

  connections(): readonly ConnectionAttempt[] {
    return this.#change.shared.connections.list();
  }

  async emit<N extends keyof EventMap>(name: N, payload: EventMap[N]): Promise<void> {
    const queued = await this.#change.shared.emitEvent(this.store, this.now, name, payload);
    this.#change.woken ||= queued;
  }

  wake(): void {
    this.#change.woken = true;
  }

  missed(part: string, error: unknown): void {
    const { action, shared } = this.#change;
    shared.log.error({ err: error, action, part }, "a part of a response could not be read");
  }

  audit(entry: AuditEntry): Promise<void> {
    const { action, actor } = this.#change;
    return this.store.journal.audit({ ...entry, action, actorKind: actor.kind, actorId: actor.id, at: this.now });
  }
}

/** A request from outside that causes a change without being an operation: the operation log records it all the same. */
interface OutsideRequest<T> {
  surface: string;
  requestId: string;
  /** The record that was written; undefined where none was. */
  recordOf(done: T): string | undefined;
}

/** Runs a change of the server's own in one write of a workspace; the audit records it under its name. */
export type AsSystem = <T>(
  workspaceId: string,
  name: string,
  job: (ctx: Context) => Promise<T>,
  outside?: OutsideRequest<T>,
) => Promise<T>;

export function createSystem(store: Store, clock: Clock, shared: Shared): AsSystem {
  return async (workspaceId, name, job, outside) => {
    const actor = { kind: "system", id: name, name: "Rostrum", workspaceId } as const;
    const change: Change = { actor, workspaceId, action: name, shared, woken: false };
    const done = await store.write(workspaceId, async (bound) => {
      const at = clock.now();
      const done = await job(new CallContext(change, bound, at));
      const recordId = outside?.recordOf(done);
      if (outside !== undefined && recordId !== undefined) {
        const { surface, requestId } = outside;
        const by = { actorKind: actor.kind, actorId: actor.id };
        await bound.journal.operation({ at, operation: name, surface, ...by, recordId, requestId });
      }
      return done;
    });
    if (change.woken) shared.wake();
    return done;
  };
}
