import { setTimeout as sleep } from "node:timers/promises";
import type { FetchQueryObject, ImapFlow, SearchObject } from "imapflow";
import type { Log } from "../lib/log.ts";
import { type MailServer, tlsOf } from "../lib/mail-server.ts";
import { type Clock, DAY_MS, MINUTE_MS } from "../lib/time.ts";
import { MAX_HEADER } from "./heading.ts";
import { detailOf } from "./outcome.ts";

/** How far an inbox has been read. UIDs grow, as long as the mailbox keeps its UIDVALIDITY (RFC 3501, 2.3.1.1). */
export interface MailboxCursor {
  uidValidity: string;
  uid: number;
}

export interface FetchedMessage {
  uid: number;
  /** When the server got it, in milliseconds. */
  receivedAt: number;
  /** The header as it came; of a very long one the beginning. */
  header: Buffer;
  /** Fetches the whole message as it came; of a very long one the beginning. Undefined if it has been deleted. */
  source(): Promise<Buffer | undefined>;
}

export interface MailboxWatch {
  server: MailServer;
  /** Undefined at the very first. */
  cursor: MailboxCursor | undefined;
  /** For an inbox that was never read: when our first message was sent. Older mail cannot be an answer. */
  since?: number | undefined;
  /** Stores the cursor to continue from. */
  begin(cursor: MailboxCursor): Promise<void>;
  /**
   * Called for one message after the other. Store the cursor in the same transaction as what the message causes: after
   * a failure the message comes again. It may also come again after the mailbox was recreated.
   */
  take(message: FetchedMessage, cursor: MailboxCursor): Promise<void>;
  /** Called with whether the mailbox can be read, whenever that changes. */
  reads?(reads: boolean): void;
  /** Called when a message failed at every attempt and was skipped, so that those behind it are read. */
  setAside?(): void;
  signal: AbortSignal;
  clock: Clock;
  log: Log;
  backoff?: { firstMs: number; mostMs: number };
}

interface Progress {
  cursor: MailboxCursor | undefined;
  /** Failures in a row. */
  failures: number;
  /** The message that failed last, and how often. */
  stuck: { uid: number; times: number };
}

const LOST = "The connection was lost.";
const MAX_SOURCE = 1024 * 1024;
/** How often to check even where the server announces nothing. */
const LOOK_MS = MINUTE_MS;
const BACKOFF = { firstMs: 1_000, mostMs: 5 * MINUTE_MS };
/** A recreated mailbox has new UIDs, so this much of it is read again. */
const READ_AGAIN_MS = 7 * DAY_MS;
/** How much of a mailbox is read at first, where we have sent for that long. */
const READ_FIRST_MS = 30 * DAY_MS;
const MAX_ATTEMPTS = 5;

/**
 * Reads what comes into an inbox until the signal aborts. When the connection is lost it connects again, with growing
 * back-off. Nothing in the mailbox is marked, moved or deleted.
 */
export async function watchMailbox(watch: MailboxWatch): Promise<void> {
  const { server, signal, log, backoff = BACKOFF } = watch;
  const progress: Progress = { cursor: watch.cursor, failures: 0, stuck: { uid: 0, times: 0 } };
  while (!signal.aborted) {
    const client = await connectionTo(server);
    // The first connection loads its library, and the server may be stopped while it loads.
    if (signal.aborted) return client.close();
    const end = () => client.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      await readOn(client, watch, progress);
    } catch (error) {
      if (signal.aborted) break;
      const waitMs = Math.min(backoff.mostMs, backoff.firstMs * 2 ** progress.failures) * (0.8 + 0.4 * Math.random());
      progress.failures += 1;
      watch.reads?.(false);
      log.warn({ reason: faultOf(error), waitMs: Math.round(waitMs) }, "the mailbox can't be read; retrying");
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    } finally {
      signal.removeEventListener("abort", end);
      client.close();
    }
  }
}

/** Reads until the connection is lost, which rejects. */
async function readOn(client: ImapFlow, watch: MailboxWatch, progress: Progress): Promise<never> {
  const bell = new Bell();
  client.on("exists", () => bell.ring());
  client.on("close", () => bell.ring());
  await client.connect();
  // Read-only, so that nothing is marked as read.
  const { uidValidity, uidNext } = await client.mailboxOpen("INBOX", { readOnly: true });
  const known = progress.cursor;
  if (known?.uidValidity !== String(uidValidity)) {
    const from = firstOf(watch, known);
    const uid = (from === undefined ? uidNext : await firstSince(client, uidNext, from)) - 1;
    progress.cursor = { uidValidity: String(uidValidity), uid };
    await watch.begin(progress.cursor);
  }
  for (;;) {
    await catchUp(client, watch, progress);
    progress.failures = 0;
    watch.reads?.(true);
    await bell.rung(LOOK_MS);
    watch.signal.throwIfAborted();
    if (!client.usable) throw new Error(LOST);
  }
}

/** The time from which to read an inbox whose UIDs are unknown; undefined for from now on. */
function firstOf({ since, clock }: MailboxWatch, known: MailboxCursor | undefined): number | undefined {
  if (known !== undefined) return clock.now() - READ_AGAIN_MS;
  return since === undefined ? undefined : Math.max(since, clock.now() - READ_FIRST_MS);
}

async function firstSince(client: ImapFlow, uidNext: number, from: number): Promise<number> {
  // Servers compare days, in a time zone of their own.
  const found = await search(client, { since: new Date(from - DAY_MS) });
  return found[0] ?? uidNext;
}

/** UIDs in their order. */
async function search(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  // The library returns false where the server refuses or is gone.
  if (!found) throw new Error("The mailbox could not be searched.");
  return found.sort((a, b) => a - b);
}

async function catchUp(client: ImapFlow, watch: MailboxWatch, progress: Progress): Promise<void> {
  const { uidValidity, uid: last } = progress.cursor as MailboxCursor;
  const found = await search(client, { uid: `${last + 1}:*` });
  // `n:*` includes the last message even if its UID is below n.
  for (const uid of found.filter((one) => one > last)) {
    watch.signal.throwIfAborted();
    const cursor = { uidValidity, uid };
    try {
      await takeOne(client, watch, cursor);
    } catch (error) {
      await setAside(watch, progress, cursor, error);
    }
    progress.cursor = cursor;
  }
}

async function takeOne(client: ImapFlow, { take }: MailboxWatch, cursor: MailboxCursor): Promise<void> {
  const fetch = async (parts: FetchQueryObject) => {
    const message = await client.fetchOne(String(cursor.uid), parts, { uid: true });
    if (!client.usable) throw new Error(LOST);
    return message || undefined;
  };
  const bodyParts = [{ key: "header", maxLength: MAX_HEADER }];
  const message = await fetch({ bodyParts, internalDate: true });
  // It may have been deleted in the meantime.
  if (message?.headers === undefined) return;
  const receivedAt = new Date(message.internalDate ?? Number.NaN).getTime() || 0;
  const source = async () => (await fetch({ source: { maxLength: MAX_SOURCE } }))?.source;
  await take({ uid: cursor.uid, receivedAt, header: message.headers, source }, cursor);
}

/** Skips a message that failed too often; before that, throws. */
async function setAside(watch: MailboxWatch, progress: Progress, cursor: MailboxCursor, error: unknown): Promise<void> {
  watch.signal.throwIfAborted();
  // If nothing can be written at all, this throws: then it is not the message's fault.
  await watch.begin(progress.cursor as MailboxCursor);
  const { uid } = cursor;
  progress.stuck = { uid, times: progress.stuck.uid === uid ? progress.stuck.times + 1 : 1 };
  if (progress.stuck.times < MAX_ATTEMPTS) throw error;
  await watch.begin(cursor);
  progress.failures = 0;
  watch.setAside?.();
  // Not the error's message: it may quote the email.
  watch.log.error({ uid, fault: (error as Error).name }, "a message in the mailbox could not be read and was skipped");
}

/** Wakes a waiter, or the next one to wait. */
class Bell {
  #rung = false;
  #wake = () => {};

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  async rung(withinMs: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#rung = false;
  }
}

const CONNECT_MS = 30_000;
const SILENCE_MS = 5 * MINUTE_MS;
/** How soon after our last command to idle: a server announces new mail only then. */
const IDLE_AFTER_MS = 500;
/** RFC 2177: a server may drop a client that idles for half an hour. */
const MAX_IDLE_MS = 5 * MINUTE_MS;

/** The library is loaded here and not before, so that a process that reads no mailbox starts without it. */
async function connectionTo(server: MailServer): Promise<ImapFlow> {
  const { ImapFlow } = await import("imapflow");
  const { host, port, secure, local, login } = server;
  const client = new ImapFlow({
    host,
    port,
    secure,
    // On another machine STARTTLS must succeed before we sign in; on this one it is used where it is offered.
    ...(!secure && !local && { doSTARTTLS: true }),
    tls: tlsOf(server),
    ...(login && { auth: login }),
    logger: false,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    autoIdleDelay: IDLE_AFTER_MS,
    maxIdleTime: MAX_IDLE_MS,
  });
  // Every command in progress rejects by itself.
  client.on("error", () => undefined);
  return client;
}

/** Signs in and opens the inbox. Rejects with a message for the server admin. */
export async function verifyMailbox(server: MailServer): Promise<void> {
  const client = await connectionTo(server);
  try {
    await client.connect();
    await client.mailboxOpen("INBOX", { readOnly: true });
  } catch (error) {
    throw new Error(faultOf(error), { cause: error });
  } finally {
    client.close();
  }
}

/** The message of a failure, without the command that failed: it may hold a password. */
function faultOf(error: unknown): string {
  const { message = String(error), responseText } = error as { message?: string; responseText?: string };
  return detailOf(responseText === undefined ? message : `${message} ${responseText}`);
}
