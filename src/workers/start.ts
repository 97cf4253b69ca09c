import { createHash } from "node:crypto";
import type { AsSystem, Deployment } from "../core/context.ts";
import type { Catalog } from "../domain/checklist/catalog.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { MailServer, Sender } from "../mail/server.ts";
import type { OptOut } from "../mail/unsubscribe.ts";
import type { AuthLog } from "../services/access/auth-log.ts";
import type { Store } from "../store/store.ts";
import { assessChecklists } from "./assessor.ts";
import { Dispatcher, type DispatcherParts } from "./dispatcher.ts";
import { Engine } from "./engine.ts";
import { flushAuthLog, pruneClients, pruneExpired, pruneSessions, reapEvents } from "./housekeeper.ts";
import { keepReading } from "./mailbox.ts";
import { type NotificationEmailParts, sendNotificationEmails } from "./notification-emails.ts";
import { announceWork, reapLeases } from "./socialnet.ts";
import { Supervisor } from "./supervisor.ts";

export interface WorkerParts extends Omit<DispatcherParts, "store" | "metrics"> {
  metrics: Metrics;
  store: Store;
  deployment: Deployment;
  /** Without, only what this process itself gathers is written down: other servers do the rest. */
  background: boolean;
  trail: AuthLog;
  catalog: () => Catalog;
  asSystem: AsSystem;
  mailer: Mailer;
  /** What the mailer hands messages to; none where it writes files. */
  smtp: MailServer | undefined;
  /** Whom messages come from. */
  from: Sender;
  /** The mailbox of the sender, where it is read. */
  mailbox: MailServer | undefined;
  url: () => string;
  mailsLinks: NotificationEmailParts["mailsLinks"];
  provider: NotificationEmailParts["provider"];
  readToken(token: string): OptOut | undefined;
  unsubscribe(optOut: OptOut): Promise<void>;
  mailboxReads(reads: boolean): void;
  mailboxSetAside(): void;
}

export interface Workers {
  /** Has the outbox looked at. */
  wake(): void;
  stop(): Promise<void>;
}

/** Starts every background job: one supervisor, one clock. */
export function startWorkers(parts: WorkerParts): Workers {
  const { store, clock, log, trail, asSystem, mailbox } = parts;
  const supervisor = new Supervisor(log);
  supervisor.start(flushAuthLog(trail, store));
  if (!parts.background) return { wake: () => {}, stop: () => supervisor.stop() };
  const dispatcher = new Dispatcher(parts);
  const mailServer = parts.smtp === undefined ? "files" : nameOf(parts.smtp);
  const engine = new Engine({ ...parts, mailServer, readsMailbox: mailbox !== undefined });
  const wake = () => dispatcher.wake();
  const letters = sendNotificationEmails(parts);
  const chores = [
    ...[pruneExpired(store, clock), pruneSessions(store, clock), reapEvents(store, clock, wake)],
    ...[reapLeases(store, clock, asSystem, log), announceWork(store, clock, asSystem, log)],
    ...[pruneClients(store, clock), assessChecklists(store, parts.catalog, clock, log), engine, engine.keeper],
    letters,
  ];
  for (const chore of chores) supervisor.start(chore);
  dispatcher.start();
  const reading = new AbortController();
  const read =
    mailbox === undefined
      ? undefined
      : keepReading({ ...parts, server: mailbox, mailbox: nameOf(mailbox) }, reading.signal);

  return {
    wake,
    async stop() {
      reading.abort();
      await Promise.all([supervisor.stop(), dispatcher.stop(), read]);
      await engine.stop();
      await letters.ended();
    },
  };
}

/** The same for the same account on the same server, and telling neither. */
function nameOf({ host, port, login }: MailServer): string {
  return createHash("sha256")
    .update(JSON.stringify([host, port, login?.user]))
    .digest("hex")
    .slice(0, 32);
}
