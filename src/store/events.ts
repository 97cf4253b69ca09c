import type { AttemptOutcome, DeliveryError, DeliveryStatus } from "../domain/events/delivery.ts";
import type { Page } from "./page.ts";

/** The owner of a subscription: an agent's key, or a webhook of the workspace. */
export type Principal = { keyId: string } | { webhookId: string };

export interface SubscriptionRow {
  seq: number;
  id: string;
  url: string;
  event: string;
  /** Sealed. */
  secret: string;
  expiresAt: number | null;
  verifiedAt: number;
  suspendedAt: number | null;
  suspendedReason: string | null;
  endedAt: number | null;
  lastDeliveryAt: number | null;
  lastError: DeliveryError | null;
  failedSince: number | null;
}

export interface NewSubscription {
  id: string;
  principal: Principal;
  url: string;
  event: string;
  arguments: Record<string, unknown>;
  accountId: string | null;
  /** Sealed. */
  secret: string;
  verifiedAt: number;
  expiresAt: number | null;
  /** Until when the replaced secret still signs; null where it is the same one. */
  previousSecretUntil: number | null;
  now: number;
}

/** A subscription of an agent's key, as people see it. */
export type ListedSubscription = Omit<SubscriptionRow, "seq" | "secret"> & {
  keyName: string;
  accountLabel: string | null;
  createdAt: number;
};

export interface Subscriptions {
  /** Those of keys that have not ended, the first to expire at the top. */
  list(page: Page): Promise<{ rows: ListedSubscription[]; total: number }>;
  find(id: string): Promise<SubscriptionRow | undefined>;
  /** When the principal last proved that the address is its own; undefined where it never did. */
  verifiedAt(principal: Principal, url: string): Promise<number | undefined>;
  /** Live ones: of the principal, and of all keys of the workspace. */
  count(principal: Principal, now: number): Promise<{ own: number; all: number }>;
  /** Adds it, or renews the one of this id: new secret, new lifetime, suspension lifted. */
  upsert(subscription: NewSubscription): Promise<void>;
  /** Deletes it with its pending deliveries; unknown ones and those of other principals stay. */
  remove(id: string, principal: Principal, now: number): Promise<void>;
  /** Subscriptions that receive an event about this account, at this moment. */
  matching(event: string, accountId: string | null, now: number): Promise<{ seq: number; url: string }[]>;
}

export interface WebhookRow {
  id: string;
  url: string;
  events: string[];
  createdBy: string;
  createdAt: number;
  /** Of its subscriptions, the first that is suspended. */
  suspendedAt: number | null;
  suspendedReason: string | null;
}

export interface Webhooks {
  findByUrl(url: string): Promise<WebhookRow | undefined>;
  find(id: string): Promise<WebhookRow | undefined>;
  list(page: Page): Promise<{ rows: WebhookRow[]; total: number }>;
  insert(webhook: Pick<WebhookRow, "id" | "url" | "events" | "createdBy" | "createdAt">): Promise<void>;
  setEvents(id: string, events: readonly string[]): Promise<void>;
  /** Deletes its subscriptions too. False where it is gone already. */
  remove(id: string, now: number): Promise<boolean>;
}

interface NewDelivery {
  id: string;
  subscriptionSeq: number;
  url: string;
  eventId: string;
  event: string;
  body: string;
  now: number;
}

export interface DeliveryRow {
  id: string;
  url: string;
  event: string;
  eventId: string;
  kind: "event" | "terminated";
  status: DeliveryStatus;
  nextAttemptAt: number | null;
  lastError: DeliveryError | null;
  createdAt: number;
  finishedAt: number | null;
  attempts: { at: number; outcome: AttemptOutcome; durationMs: number }[];
}

export interface Deliveries {
  insert(delivery: NewDelivery): Promise<void>;
  /** Newest first, each with its attempts. */
  list(page: Page & { status: DeliveryStatus | undefined }): Promise<{ rows: DeliveryRow[]; total: number }>;
  find(id: string): Promise<DeliveryRow | undefined>;
  /** Makes a finished delivery due now, with six new attempts. False where its subscription is no longer served. */
  resend(id: string, now: number): Promise<boolean>;
}

/** A delivery that this process may send, until its lease runs out. */
export interface ClaimedDelivery {
  seq: number;
  subscriptionSeq: number;
  kind: "event" | "terminated";
  eventId: string;
  body: string;
  url: string;
  host: string;
  /** Attempts before this one. */
  attempts: number;
  claimedAt: number;
  subscription: {
    id: string;
    secret: string;
    previousSecret: string | null;
    previousSecretUntil: number | null;
    failedSince: number | null;
  };
}

/** How an attempt ended, and what follows. */
export interface Settlement {
  seq: number;
  lease: string;
  at: number;
  durationMs: number;
  outcome: AttemptOutcome;
  status: DeliveryStatus;
  error: DeliveryError | null;
  nextAttemptAt: number | null;
  /** Suspends the subscription, with the reason, where it has not been delivered to since that time. */
  suspend: { reason: string; failedSince: number } | null;
}

/** A delivery that succeeded, whose attempt is recorded. */
export type Delivered = Pick<Settlement, "seq" | "at" | "lease">;

/** The last message to a subscription that lost access. */
interface TerminatedMessage {
  id: string;
  eventId: string;
  body: string;
}

export interface Claiming {
  hosts: readonly { host: string; most: number }[];
  /** Subscriptions to skip. */
  except: readonly number[];
  admits: (due: Pick<ClaimedDelivery, "subscription" | "subscriptionSeq">) => boolean;
  lease: string;
  leaseMs: number;
  now: number;
}

/** The outbox as the dispatcher works on it, over all workspaces. */
export interface Outbox {
  /** Hosts that something is due for, from the given one on, in order and around; bounded. */
  dueHosts(now: number, from: string, most: number): Promise<string[]>;
  /**
   * Leases what is due for the hosts, oldest first, up to a limit for each, and only what is admitted. Deliveries whose
   * subscription is gone, has expired or has lost its key's access are dropped. `delivered` are those whose lease ran
   * out after a success was recorded: to settle, not to send.
   */
  claim(claim: Claiming): Promise<{ claimed: ClaimedDelivery[]; delivered: Delivered[]; dropped: number }>;
  /** Of claimed deliveries, those that are still leased by the same claim, and whose subscription still has access. */
  stillSendable(claimed: readonly { seq: number; lease: string }[], now: number): Promise<ReadonlySet<number>>;
  /**
   * Writes attempts and verdicts in one transaction, after those that `record` took and that are still leased. If a
   * delivery's lease was lost, only the attempt is written, and that it was delivered, so that it is not sent again.
   */
  settle(settlements: readonly Settlement[], recorded?: readonly Delivered[]): Promise<void>;
  /** The same without a disk sync: a power failure may forget it, and then the deliveries are sent again. */
  settleSoon(settlements: readonly Settlement[], recorded?: readonly Delivered[]): Promise<void>;
  /**
   * Writes only the attempts of deliveries that succeeded, without a disk sync. That is enough never to send them again,
   * and writes a few pages instead of those of every index. They remain pending until they are settled.
   */
  record(delivered: readonly Settlement[]): Promise<void>;
  /** Returns deliveries that were leased and not settled: they are due immediately. */
  release(lease: string, seqs: readonly number[], now: number): Promise<void>;
  /**
   * Deletes subscriptions that have expired; ends those whose key was revoked or has expired, with one last message to
   * each; deletes ended ones that received it, and finished deliveries that finished before `keptFrom`. Answers how many rows went.
   */
  expire(expiry: {
    now: number;
    keptFrom: number;
    terminatedMessage: (reason: string) => TerminatedMessage;
  }): Promise<number>;
}
