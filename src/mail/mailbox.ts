import { setTimeout as sleep } from "node:timers/promises";
import type { ImapFlow, SearchObject } from "imapflow";
import type { Log } from "../lib/log.ts";
import { type MailServer, tlsOf } from "../lib/mail-server.ts";
import { type Clock, DAY_MS, MINUTE_MS } from "../lib/time.ts";
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
  /** As it came; of a very long one the beginning. */
  source: Buffer;
}

export interface MailboxWatch {
  server: MailServer;
  /** Undefined at the very first. */
  cursor: MailboxCursor | undefined;
  /** Of an inbox that was never read: when the first message of ours went out. What came before answers nothing. */
  since?: number | undefined;
  /** A place to go on from, to be kept. */
  begin(cursor: MailboxCursor): Promise<void>;
  /**
   * One message after the other. The cursor is to be kept in the same transaction as what the message causes: after a
   * failure it comes again. It may come again too where a mailbox was made anew.
   */
  take(message: FetchedMessage, cursor: MailboxCursor): Promise<void>;
  /** Whether it can be read now, whenever that is found out. */
  reads?(reads: boolean): void;
  /** A message that could not be taken, however often, was left out: all behind it would wait for ever. */
  setAside?(): void;
  signal: AbortSignal;
  clock: Clock;
  log: Log;
  backoff?: { firstMs: number; mostMs: number };
}

interface Progress {
  cursor: MailboxCursor | undefined;
  /** One after the other. */
  failures: number;
  /** The message that could not be taken last, and how often. */
  stuck: { uid: number; times: number };
}

const LOST = "The connection was lost.";
const MAX_SOURCE = 1024 * 1024;
/** Looked at even where the server tells of nothing. */
const LOOK_MS = MINUTE_MS;
const BACKOFF = { firstMs: 1_000, mostMs: 5 * MINUTE_MS };
/** After a mailbox was made anew, all UIDs are: so much is read again. */
const READ_AGAIN_MS = 7 * DAY_MS;
/** Of a mailbox that was never read, so much is, where we have sent for that long. */
const READ_FIRST_MS = 30 * DAY_MS;
const MOST_TIMES = 5;

/**
 * Reads what comes into an inbox until the signal ends it, and connects again, ever more patiently, when the connection
 * is lost. Nothing in the mailbox is marked, moved or deleted.
 */
export async function watchMailbox(watch: MailboxWatch): Promise<void> {
  const { server, signal, log, backoff = BACKOFF } = watch;
  const progress: Progress = { cursor: watch.cursor, failures: 0, stuck: { uid: 0, times: 0 } };
  while (!signal.aborted) {
    const client = await connectionTo(server);
    const end = () => client.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      await readOn(client, watch, progress);
    } catch (error) {
      if (signal.aborted) break;
      const waitMs = Math.min(backoff.mostMs, backoff.firstMs * 2 ** progress.failures) * (0.8 + 0.4 * Math.random());
      progress.failures += 1;
      watch.reads?.(false);
      log.warn({ reason: faultOf(error), waitMs: Math.round(waitMs) }, "the mailbox cannot be read; trying again");
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
  // To look at alone: nothing that is read is marked.
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

/** From when on an inbox is read whose UIDs are not known; undefined for from now on. */
function firstOf({ since, clock }: MailboxWatch, known: MailboxCursor | undefined): number | undefined {
  if (known !== undefined) return clock.now() - READ_AGAIN_MS;
  return since === undefined ? undefined : Math.max(since, clock.now() - READ_FIRST_MS);
}

async function firstSince(client: ImapFlow, uidNext: number, from: number): Promise<number> {
  // Servers go by the day, of a zone of their own.
  const found = await search(client, { since: new Date(from - DAY_MS) });
  return found[0] ?? uidNext;
}

/** UIDs in their order. */
async function search(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  // The library answers so where the server refuses or is gone.
  if (!found) throw new Error("The mailbox could not be searched.");
  return found.sort((a, b) => a - b);
}

async function catchUp(client: ImapFlow, watch: MailboxWatch, progress: Progress): Promise<void> {
  const { uidValidity, uid: last } = progress.cursor as MailboxCursor;
  const found = await search(client, { uid: `${last + 1}:*` });
  // `n:*` names the last message even where its UID lies below n.
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
  const parts = { source: { maxLength: MAX_SOURCE }, internalDate: true };
  const message = await client.fetchOne(String(cursor.uid), parts, { uid: true });
  if (!client.usable) throw new Error(LOST);
  // Somebody may have deleted it meanwhile.
  if (!message || message.source === undefined) return;
  const receivedAt = new Date(message.internalDate ?? Number.NaN).getTime() || 0;
  await take({ uid: cursor.uid, receivedAt, source: message.source }, cursor);
}

/** Throws as long as it may be taken yet. */
async function setAside(watch: MailboxWatch, progress: Progress, cursor: MailboxCursor, error: unknown): Promise<void> {
  watch.signal.throwIfAborted();
  // Where nothing can be written at all, it is not the message's fault: this says so.
  await watch.begin(progress.cursor as MailboxCursor);
  const { uid } = cursor;
  progress.stuck = { uid, times: progress.stuck.uid === uid ? progress.stuck.times + 1 : 1 };
  if (progress.stuck.times < MOST_TIMES) throw error;
  await watch.begin(cursor);
  progress.failures = 0;
  watch.setAside?.();
  // Nothing of what it says: the fault's own words may quote it.
  watch.log.error({ uid, fault: (error as Error).name }, "a message of the mailbox cannot be read, and was set aside");
}

/** Somebody waits for it, or finds that it has rung meanwhile. */
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
/** Between our last command and waiting for news: a server tells of new mail only while it is waited for. */
const IDLE_AFTER_MS = 500;
/** RFC 2177: a server may drop who waits for half an hour. */
const IDLE_ANEW_MS = 5 * MINUTE_MS;

/** The library is loaded here and not before, so that a process that reads no mailbox starts without it. */
async function connectionTo(server: MailServer): Promise<ImapFlow> {
  const { ImapFlow } = await import("imapflow");
  const { host, port, secure, local, login } = server;
  const client = new ImapFlow({
    host,
    port,
    secure,
    // Off this machine STARTTLS must succeed before anybody signs in; here it is taken where it is offered.
    ...(!secure && !local && { doSTARTTLS: true }),
    tls: tlsOf(server),
    ...(login && { auth: login }),
    logger: false,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    autoIdleDelay: IDLE_AFTER_MS,
    maxIdleTime: IDLE_ANEW_MS,
  });
  // Every command that was under way rejects by itself.
  client.on("error", () => undefined);
  return client;
}

/** Signs in and opens the inbox. Rejects with what went wrong, for whoever runs the server. */
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

/** What a failure says, without the command that failed: it may have held a password. */
function faultOf(error: unknown): string {
  const { message = String(error), responseText } = error as { message?: string; responseText?: string };
  return detailOf(responseText === undefined ? message : `${message} ${responseText}`);
}
