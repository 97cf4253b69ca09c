import type { IncomingHttpHeaders } from "node:http";
import {
  type ConnectionAttempt,
  type ConnectionError,
  type ConnectionStage,
  isBefore,
} from "../domain/access/connections.ts";
import { subnetOf } from "../lib/http-client/addresses.ts";
import { newId } from "../lib/ids.ts";
import { keyPrefix } from "../lib/secrets.ts";
import { type Clock, HOUR_MS } from "../lib/time.ts";

/** Attempts that are kept. */
export const KEPT_ATTEMPTS = 500;
/** User agents that are kept of one key: a client that changes its name all the time pushes out only its own. */
export const KEPT_AGENTS = 20;
/** A client that comes back later begins another attempt. */
const SAME_ATTEMPT_MS = HOUR_MS;
const MAX_TEXT = 200;

/** The client behind a request, as far as its headers tell. */
export interface ConnectingClient {
  userAgent?: string | undefined;
  address?: string | undefined;
}

export const clientOf = ({
  headers,
  ip,
}: {
  headers: IncomingHttpHeaders;
  ip?: string | undefined;
}): ConnectingClient => ({
  userAgent: headers["user-agent"],
  address: ip,
});

/** The key of an authenticated request. */
interface UsedKey {
  id: string;
  name: string;
  prefix: string;
}

type Attempt = ConnectionAttempt & { clientId: string | null; keyId: string | null };

/**
 * Keeps in memory how far each MCP client came, for the operator who helps people connect. The steps of one client are
 * joined by its network and user agent, then by its OAuth client id, then by its key.
 *
 * A client that has called a tool costs two lookups a message, and nothing else is recorded of it.
 */
export class ConnectionLog {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #attempts = new Set<Attempt>();
  readonly #byOrigin = new Map<string, Attempt>();
  readonly #byClientId = new Map<string, Attempt>();
  readonly #byKey = new Map<string, Map<string, Attempt>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Newest first. */
  list(): ConnectionAttempt[] {
    return [...this.#attempts].sort((a, b) => b.lastAt - a.lastAt);
  }

  /** A client without a key came this far. */
  reached(stage: ConnectionStage, from: ConnectingClient, known: { clientId?: string; client?: string } = {}): void {
    this.#advance(this.#unkeyed(from, known.clientId), stage, known);
  }

  /** A person opened a client's sign-in page. The browser shows the client's network, but not its name. */
  opened(clientId: string, client: string, address: string | undefined): void {
    this.#advance(this.#byDocument(clientId, address), "consent", { clientId, client });
  }

  /** What a client asked for on the sign-in page was refused, there or by the member. */
  declined(error: ConnectionError, clientId: string, address: string | undefined): void {
    const attempt = this.#byDocument(clientId, address);
    this.#identify(attempt, clientId);
    this.#fail(attempt, error);
  }

  /** A client exchanged its code for a key. */
  minted(key: string, from: ConnectingClient, clientId: string): void {
    const attempt = this.#unkeyed(from, clientId);
    this.#advance(attempt, "key", { clientId });
    attempt.keyPrefix = keyPrefix(key);
  }

  /** A client met an error before it had a key, or with a key that is none. */
  refused(error: ConnectionError, from: ConnectingClient, clientId?: string): void {
    this.#fail(this.#unkeyed(from, clientId), error);
  }

  /** A client met an error with a key that is valid. Clients that have called a tool are known to work. */
  refusedKey(error: ConnectionError, key: UsedKey, from: ConnectingClient): void {
    const isNew = this.#byKey.get(key.id)?.get(agentOf(from.userAgent)) === undefined;
    // Every client asks for a stream once it has connected, and does without.
    if (error.code === "method_not_allowed" && !isNew) return;
    const attempt = this.#keyed(key, from);
    if (attempt.stage !== "first_call") this.#fail(attempt, error);
  }

  /** Whether this message of a key could tell anything new. */
  isKnown(keyId: string, userAgent: string | undefined): boolean {
    return this.#byKey.get(keyId)?.get(agentOf(userAgent))?.stage === "first_call";
  }

  /** A message by a key was answered. */
  used(stage: "key" | "first_list" | "first_call", key: UsedKey, from: ConnectingClient, client?: string): void {
    const attempt = this.#keyed(key, from);
    this.#advance(attempt, stage, client === undefined ? {} : { client });
  }

  #advance(attempt: Attempt, stage: ConnectionStage, known: { clientId?: string; client?: string }): void {
    attempt.lastAt = this.#clock.now();
    if (known.client !== undefined) attempt.client = short(known.client);
    if (known.clientId !== undefined) this.#identify(attempt, known.clientId);
    if (!isBefore(attempt.stage, stage) && attempt.stage !== stage) return;
    attempt.stage = stage;
    attempt.error = null;
  }

  #identify(attempt: Attempt, clientId: string): void {
    if (attempt.clientId === clientId) return;
    if (attempt.clientId !== null) this.#byClientId.delete(attempt.clientId);
    attempt.clientId = clientId;
    this.#byClientId.set(clientId, attempt);
  }

  #fail(attempt: Attempt, { code, message }: ConnectionError): void {
    attempt.error = { code, message: short(message) };
    attempt.lastAt = this.#clock.now();
  }

  /** A client that is known by its document has not registered: it is the last one there that read the metadata. */
  #byDocument(clientId: string, address: string | undefined): Attempt {
    const known = this.#byClientId.get(clientId);
    if (known !== undefined && this.#isOpen(known)) return known;
    const network = networkOf(address);
    const near = [...this.#attempts].findLast(
      (one) => one.network === network && one.stage === "metadata" && one.clientId === null && this.#isOpen(one),
    );
    return near ?? this.#add({ address });
  }

  /** The attempt of a client that has no key yet. One that connected or went away starts another. */
  #unkeyed(from: ConnectingClient, clientId: string | undefined): Attempt {
    const known = clientId === undefined ? undefined : this.#byClientId.get(clientId);
    if (known !== undefined && this.#isOpen(known)) return known;
    const origin = originOf(from);
    const near = this.#byOrigin.get(origin);
    // Two clients of one kind on one network are told apart once they have registered.
    const isOther = clientId !== undefined && near?.clientId !== null && near?.clientId !== clientId;
    if (near !== undefined && !isOther && this.#isOpen(near)) return near;
    const attempt = this.#add(from);
    this.#byOrigin.set(origin, attempt);
    return attempt;
  }

  #isOpen({ keyPrefix: prefix, lastAt }: Attempt): boolean {
    return prefix === null && this.#clock.now() - lastAt < SAME_ATTEMPT_MS;
  }

  #keyed(key: UsedKey, from: ConnectingClient): Attempt {
    const agent = agentOf(from.userAgent);
    const agents = this.#byKey.get(key.id) ?? new Map<string, Attempt>();
    const known = agents.get(agent);
    if (known !== undefined) return known;
    const [first] = agents.values();
    if (first !== undefined && agents.size >= KEPT_AGENTS) this.#drop(first);
    const attempt = this.#findBeginning(key, from) ?? this.#add(from);
    attempt.keyId = key.id;
    attempt.keyName = key.name;
    attempt.keyPrefix = key.prefix;
    attempt.userAgent ??= agent === "" ? null : agent;
    agents.set(agent, attempt);
    this.#byKey.set(key.id, agents);
    if (isBefore(attempt.stage, "key")) this.#advance(attempt, "key", {});
    return attempt;
  }

  /** The sign-in that this key came from, or what the client tried before it had the right key. */
  #findBeginning(key: UsedKey, from: ConnectingClient): Attempt | undefined {
    for (const attempt of this.#attempts) {
      if (attempt.keyId === null && attempt.keyPrefix === key.prefix) return attempt;
    }
    const near = this.#byOrigin.get(originOf(from));
    return near !== undefined && near.keyId === null && this.#isOpen(near) ? near : undefined;
  }

  #add({ userAgent, address }: ConnectingClient): Attempt {
    const now = this.#clock.now();
    const agent = agentOf(userAgent);
    const attempt: Attempt = {
      id: newId(now),
      client: null,
      userAgent: agent === "" ? null : agent,
      network: networkOf(address),
      stage: "unauthorized",
      error: null,
      clientId: null,
      keyId: null,
      keyName: null,
      keyPrefix: null,
      startedAt: now,
      lastAt: now,
    };
    if (this.#attempts.size >= KEPT_ATTEMPTS) this.#drop(this.#leastUseful());
    this.#attempts.add(attempt);
    return attempt;
  }

  /** Unknown callers can't displace the clients that connected. */
  #leastUseful(): Attempt {
    const [oldest] = this.#attempts;
    for (const attempt of this.#attempts) if (attempt.keyPrefix === null) return attempt;
    return oldest as Attempt;
  }

  #drop(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    for (const [origin, known] of this.#byOrigin) if (known === attempt) this.#byOrigin.delete(origin);
    for (const [id, known] of this.#byClientId) if (known === attempt) this.#byClientId.delete(id);
    if (attempt.keyId === null) return;
    const agents = this.#byKey.get(attempt.keyId);
    for (const [agent, known] of agents ?? []) if (known === attempt) agents?.delete(agent);
    if (agents?.size === 0) this.#byKey.delete(attempt.keyId);
  }
}

const short = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Cut so that a header of any length is kept in short. */
function agentOf(userAgent: string | undefined): string {
  return userAgent === undefined ? "" : userAgent.length > MAX_TEXT ? userAgent.slice(0, MAX_TEXT) : userAgent;
}

const networkOf = (address: string | undefined) => (address === undefined ? null : (subnetOf(address) ?? null));

const originOf = ({ userAgent, address }: ConnectingClient) => `${networkOf(address) ?? ""} ${agentOf(userAgent)}`;
