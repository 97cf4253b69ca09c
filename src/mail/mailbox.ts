import { setTimeout as pause } from "node:timers/promises";
import type { ImapFlow, SearchObject } from "imapflow";
import type { Clock } from "../context.ts";
import type { Log } from "../log.ts";
import type { MailServer } from "./server.ts";

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
  /** Undefined at the very first: what lies in the inbox by then answers nothing of ours. */
  cursor: MailboxCursor | undefined;
  /** A place to begin from, to be kept. */
  begin(cursor: MailboxCursor): Promise<void>;
  /**
   * One message after the other. The cursor is to be kept in the same transaction as what the message causes: after a
   * failure it comes again. It may come again too where a mailbox was made anew.
   */
  take(message: FetchedMessage, cursor: MailboxCursor): Promise<void>;
  signal: AbortSignal;
  clock: Clock;
  log: Log;
  backoff?: { firstMs: number; mostMs: number };
}

interface Progress {
  cursor: MailboxCursor | undefined;
  /** One after the other. */
  failures: number;
}

const LOST = "The connection was lost.";
const MAX_SOURCE = 1024 * 1024;
/** Looked at even where the server tells of nothing. */
const LOOK_MS = 60_000;
const BACKOFF = { firstMs: 1_000, mostMs: 5 * 60_000 };
/** After a mailbox was made anew, all UIDs are: so much is read again. */
const READ_AGAIN_MS = 7 * 86_400_000;

/**
 * Reads what comes into an inbox until the signal ends it, and connects again, ever more patiently, when the connection
 * is lost. Nothing in the mailbox is marked, moved or deleted.
 */
export async function watchMailbox(watch: MailboxWatch): Promise<void> {
  const { server, signal, log, backoff = BACKOFF } = watch;
  // Loaded here and not before: a server that reads no mailbox starts without its weight.
  const { imapClient, imapFault } = await import("./imap.ts");
  const progress: Progress = { cursor: watch.cursor, failures: 0 };
  while (!signal.aborted) {
    const client = imapClient(server);
    const end = () => client.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      await readOn(client, watch, progress);
    } catch (error) {
      if (signal.aborted) break;
      const waitMs = Math.min(backoff.mostMs, backoff.firstMs * 2 ** progress.failures) * (0.8 + 0.4 * Math.random());
      progress.failures += 1;
      log.warn({ reason: imapFault(error), waitMs: Math.round(waitMs) }, "the mailbox cannot be read; trying again");
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
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
    const uid = (known === undefined ? uidNext : await firstAgain(client, uidNext, watch.clock)) - 1;
    progress.cursor = { uidValidity: String(uidValidity), uid };
    await watch.begin(progress.cursor);
  }
  for (;;) {
    await catchUp(client, watch, progress);
    progress.failures = 0;
    await bell.rung(LOOK_MS);
    watch.signal.throwIfAborted();
    if (!client.usable) throw new Error(LOST);
  }
}

async function firstAgain(client: ImapFlow, uidNext: number, clock: Clock): Promise<number> {
  const found = await search(client, { since: new Date(clock.now() - READ_AGAIN_MS) });
  return found[0] ?? uidNext;
}

/** UIDs in their order. */
async function search(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  // The library answers so where the server refuses or is gone.
  if (!found) throw new Error("The mailbox could not be searched.");
  return found.sort((a, b) => a - b);
}

async function catchUp(client: ImapFlow, { take, signal }: MailboxWatch, progress: Progress): Promise<void> {
  const { uidValidity, uid: last } = progress.cursor as MailboxCursor;
  const found = await search(client, { uid: `${last + 1}:*` });
  // `n:*` names the last message even where its UID lies below n.
  for (const uid of found.filter((one) => one > last)) {
    signal.throwIfAborted();
    const parts = { source: { maxLength: MAX_SOURCE }, internalDate: true };
    const message = await client.fetchOne(String(uid), parts, { uid: true });
    const cursor = { uidValidity, uid };
    if (!client.usable) throw new Error(LOST);
    // Somebody may have deleted it meanwhile.
    if (message && message.source !== undefined) {
      const receivedAt = new Date(message.internalDate ?? Number.NaN).getTime() || 0;
      await take({ uid, receivedAt, source: message.source }, cursor);
    }
    progress.cursor = cursor;
  }
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
