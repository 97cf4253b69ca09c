import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AsSystem } from "../core/context.ts";
import type { OptOut } from "../domain/outreach/unsubscribe-link.ts";
import type { Log } from "../lib/log.ts";
import type { MailServer } from "../lib/mail-server.ts";
import type { Clock } from "../lib/time.ts";
import type { Incoming } from "../mail/incoming.ts";
import type { FetchedMessage } from "../mail/mailbox.ts";
import { sendIdOf } from "../mail/message.ts";
import { receiveMail } from "../services/inbox/receive.ts";
import type { Store } from "../store/store.ts";

export interface MailboxParts {
  server: MailServer;
  /** The key under which the read position is stored. */
  mailbox: string;
  store: Store;
  clock: Clock;
  log: Log;
  asSystem: AsSystem;
  readToken(token: string): OptOut | undefined;
  unsubscribe(optOut: OptOut): Promise<void>;
  /** Whether it can be read now. */
  mailboxReads(reads: boolean): void;
  mailboxSetAside(): void;
  againMs?: number;
}

const AGAIN_MS = 30_000;

/** Reads the sender's mailbox until it is stopped, whatever fails meanwhile. */
export async function keepReading(parts: MailboxParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readMailbox(parts, signal);
    } catch (error) {
      if (signal.aborted) return;
      parts.mailboxReads(false);
      parts.log.error({ err: error }, "the mailbox cannot be read; trying again");
      await pause(parts.againMs ?? AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Reads the sender's mailbox until it is stopped. What a message means is written once, however often it is read. */
async function readMailbox(parts: MailboxParts, signal: AbortSignal): Promise<void> {
  const { server, mailbox, store, clock, log } = parts;
  const { engineDue } = store;
  // Loaded here and not before: a server that reads no mailbox goes without their weight.
  const { watchMailbox } = await import("../mail/mailbox.ts");
  await watchMailbox({
    server,
    signal,
    clock,
    log,
    cursor: await engineDue.cursor(mailbox),
    since: await engineDue.firstSendAt(),
    reads: parts.mailboxReads,
    setAside: parts.mailboxSetAside,
    begin: (cursor) => engineDue.keepCursor(mailbox, cursor, clock.now()),
    async take(message, cursor) {
      await takeMessage(parts, message);
      await engineDue.keepCursor(mailbox, cursor, clock.now());
    },
  });
}

/** What one message means, written down. */
export async function takeMessage(
  parts: Pick<MailboxParts, "store" | "asSystem" | "readToken" | "unsubscribe">,
  { source, receivedAt = 0 }: Pick<FetchedMessage, "source"> & Partial<FetchedMessage>,
): Promise<void> {
  const { readIncoming } = await import("../mail/incoming.ts");
  const incoming = await readIncoming(source);
  if (incoming.kind === "other") return;
  if (incoming.kind === "unsubscribe") {
    const optOut = parts.readToken(incoming.token);
    if (optOut !== undefined) await parts.unsubscribe(optOut);
    return;
  }
  const found = await sendNamedBy(parts.store, incoming);
  if (found === undefined) return;
  const messageId = incoming.messageId ?? createHash("sha256").update(source).digest("hex");
  await parts.asSystem(found.workspaceId, "receive_mail", async (ctx) => {
    const send = await ctx.store.sends.find(found.id);
    if (send === undefined || !(await ctx.store.sends.receive(messageId, ctx.now))) return;
    await receiveMail(ctx, send, incoming, receivedAt > 0 ? receivedAt : ctx.now);
  });
}

/**
 * The message of ours that it is about: the closest one it refers to, by our own Message-ID, or by one with which a
 * server replaced it. The thread may have begun with messages of another program, or of another Rostrum server.
 */
async function sendNamedBy({ engineDue }: Store, { refersTo }: Incoming) {
  for (const messageId of refersTo) {
    const id = sendIdOf(messageId);
    const found = (id && (await engineDue.workspaceOf({ id }))) || (await engineDue.workspaceOf({ messageId }));
    if (found !== undefined) return found;
  }
  return undefined;
}
