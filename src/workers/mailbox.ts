import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AsSystem } from "../core/context.ts";
import type { OptOut } from "../domain/outreach/unsubscribe-link.ts";
import type { Log } from "../lib/log.ts";
import type { MailServer } from "../lib/mail-server.ts";
import type { Clock } from "../lib/time.ts";
import type { Incoming } from "../mail/heading.ts";
import type { FetchedMessage, MailboxWatch } from "../mail/mailbox.ts";
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

/** Reads the sender's mailbox until it is stopped, whatever fails. */
export async function keepReading(parts: MailboxParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readMailbox(parts, signal);
    } catch (error) {
      if (signal.aborted) return;
      parts.mailboxReads(false);
      parts.log.error({ err: error }, "the mailbox can't be read; retrying");
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
  const { MailReader } = await import("../mail/reader.ts");
  const reader = new MailReader();
  const read = (source: Uint8Array) => reader.read(source);
  const watch = {
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
      await takeMessage({ ...parts, read }, message);
      await engineDue.keepCursor(mailbox, cursor, clock.now());
    },
  } satisfies MailboxWatch;
  try {
    await watchMailbox(watch);
  } finally {
    await reader.close();
  }
}

type TakeParts = Pick<MailboxParts, "store" | "asSystem" | "readToken" | "unsubscribe" | "log" | "mailboxSetAside"> & {
  /** Reads a message, in bounded time; undefined where it cannot. */
  read(source: Uint8Array): Promise<Incoming | undefined>;
};

/**
 * Records what one message means. Its header is read first, and its body only if it refers to a message of ours, may be
 * a mail server's report, or has a header too long to be read whole here.
 */
export async function takeMessage(
  parts: TakeParts,
  { uid, header, source: fetchSource, receivedAt }: FetchedMessage,
): Promise<void> {
  const { keepsSubject, readHeading, unreadable } = await import("../mail/heading.ts");
  const heading = readHeading(header);
  if (await unsubscribes(parts, heading.token)) return;
  const named = await sendNamedBy(parts.store, heading);
  if (named === undefined && !heading.mayReport && !heading.isCut) return;
  const source = await fetchSource();
  if (source === undefined) return;
  let incoming = await parts.read(source);
  // A parser that refuses the message, or reads less of its header, finds nothing in it.
  if (incoming === undefined || (incoming.kind === "other" && named !== undefined)) {
    parts.log.error({ uid }, "the body of an email could not be read and was skipped");
    parts.mailboxSetAside();
    incoming = unreadable(heading);
  }
  if (incoming === undefined || (await unsubscribes(parts, incoming.token)) || incoming.kind === "other") return;
  const found = (await sendNamedBy(parts.store, incoming)) ?? named;
  if (found === undefined) return;
  const messageId = incoming.messageId ?? createHash("sha256").update(source).digest("hex");
  await parts.asSystem(found.workspaceId, "receive_mail", async (ctx) => {
    const send = await ctx.store.sends.find(found.id);
    if (send === undefined || !(await ctx.store.sends.receive(messageId, send.id, ctx.now))) return;
    const received = keepsSubject(incoming, send.subject) ? ({ ...incoming, kind: "reply" } as const) : incoming;
    await receiveMail(ctx, send, received, receivedAt > 0 ? receivedAt : ctx.now);
  });
}

/** Unsubscribes by the token of a subject. A message whose token can't be read may still be a reply or a report. */
async function unsubscribes(parts: TakeParts, token: string | undefined): Promise<boolean> {
  const optOut = token === undefined ? undefined : parts.readToken(token);
  if (optOut !== undefined) await parts.unsubscribe(optOut);
  return optOut !== undefined;
}

/**
 * The message of ours that it is about: the closest one it refers to, by our own Message-ID, or by one with which a
 * server replaced it. The thread may have begun with messages of another program, or of another Rostrum server.
 */
async function sendNamedBy({ engineDue }: Store, { refersTo }: Pick<Incoming, "refersTo">) {
  for (const messageId of refersTo) {
    const id = sendIdOf(messageId);
    const found = (id && (await engineDue.workspaceOf({ id }))) || (await engineDue.workspaceOf({ messageId }));
    if (found !== undefined) return found;
  }
  return undefined;
}
