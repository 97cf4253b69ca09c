import { createHash } from "node:crypto";
import type { AsSystem, Deployment } from "../core/context.ts";
import type { JobStatus } from "../core/server-probe.ts";
import type { Catalog } from "../domain/checklist/catalog.ts";
import type { OptOut } from "../domain/outreach/unsubscribe-link.ts";
import type { MailServer, Sender } from "../lib/mail-server.ts";
import type { Metrics } from "../lib/metrics.ts";
import { MINUTE_MS } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Instance } from "../store/leases.ts";
import type { Store } from "../store/store.ts";
import { announceWork } from "./announce-work.ts";
import { assessChecklists } from "./assessor.ts";
import { releaseDeadLeases } from "./dead-instances.ts";
import { Dispatcher, type DispatcherParts } from "./dispatcher.ts";
import { Engine } from "./engine.ts";
import {
  expireSubscriptions,
  flushAuthLog,
  indexWords,
  pruneClients,
  pruneExpired,
  pruneSessions,
} from "./housekeeper.ts";
import { expireLeases } from "./leases.ts";
import { keepReading } from "./mailbox.ts";
import { type NotificationEmailParts, sendNotificationEmails } from "./notification-emails.ts";
import { createRetentionClock } from "./retention-clock.ts";
import { Supervisor } from "./supervisor.ts";

/** How long sending waits for a mailbox that can't be read. */
const FIRST_READ_MS = 5 * MINUTE_MS;

export interface WorkerParts extends Omit<DispatcherParts, "store" | "metrics" | "instance"> {
  metrics: Metrics;
  store: Store;
  /** Enlists this process among those that share the database. */
  enlist: () => Instance;
  /** Whether this process does the jobs that are enough once for all of those. */
  leads: () => boolean;
  deployment: Deployment;
  /** Where false, only the sign-in log of this process is written; other servers do the rest. */
  background: boolean;
  authLog: NotificationEmailParts["authLog"] & Parameters<typeof flushAuthLog>[0];
  catalog: () => Catalog;
  asSystem: AsSystem;
  mailer: Mailer;
  /** The server that the mailer hands messages to; none where it writes files. */
  smtp: MailServer | undefined;
  /** The sender of every message. */
  from: Sender;
  /** The sender's mailbox, where it is read. */
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
  /** Has the outbox checked. */
  wake(): void;
  jobs(): JobStatus[];
  stop(): Promise<void>;
}

/** Starts every background job: one supervisor, one clock. */
export async function startWorkers(given: WorkerParts): Promise<Workers> {
  const { store, clock, log, authLog, asSystem, mailbox } = given;
  const supervisor = new Supervisor(log);
  supervisor.start(flushAuthLog(authLog, store));
  if (!given.background) return { wake: () => {}, jobs: () => supervisor.status(), stop: () => supervisor.stop() };
  const enlisted = given.enlist();
  const parts = { ...given, instance: enlisted.id };
  const dispatcher = new Dispatcher(parts);
  const mailServer = parts.smtp === undefined ? "files" : nameOf(parts.smtp);
  const engine = new Engine({ ...parts, mailServer, readsMailbox: mailbox !== undefined });
  const wake = () => dispatcher.wake();
  const retention = createRetentionClock(store, clock, log);
  const released = releaseDeadLeases(enlisted, store, clock, wake);
  // Before anything is claimed: what a predecessor had leased comes first. A failure is met again by the next run.
  await released
    .run()
    .catch((error: unknown) => log.error({ err: error }, "leases of a stopped server were not released"));
  const notificationEmails = sendNotificationEmails(parts);
  const once = [
    pruneExpired(store, retention),
    pruneSessions(store, retention),
    pruneClients(store, retention),
    expireSubscriptions(store, clock, retention, wake),
    expireLeases(store, clock, asSystem, log),
    announceWork(store, clock, asSystem, log),
    indexWords(store),
    assessChecklists(store, parts.catalog, clock, log),
  ];
  for (const chore of once) {
    const run = async (signal?: AbortSignal) => (parts.leads() ? chore.run(signal) : undefined);
    supervisor.start({ ...chore, run });
  }
  for (const chore of [released, engine.keeper, notificationEmails]) supervisor.start(chore);
  dispatcher.start();
  const reading = new AbortController();
  const begin = startOnce(supervisor, engine);
  let read: Promise<void> | undefined;
  let giveUp: NodeJS.Timeout | undefined;
  if (mailbox === undefined) begin();
  else {
    const mailboxReads = (reads: boolean) => {
      parts.mailboxReads(reads);
      if (reads) begin();
    };
    read = keepReading({ ...parts, server: mailbox, mailbox: nameOf(mailbox), mailboxReads }, reading.signal);
    giveUp = setTimeout(() => {
      if (begin()) log.warn("the mailbox wasn't read yet; sending begins without it");
    }, FIRST_READ_MS);
    giveUp.unref();
  }

  return {
    wake,
    jobs: () => [...supervisor.status(), dispatcher.status()],
    async stop() {
      clearTimeout(giveUp);
      reading.abort();
      await Promise.all([supervisor.stop(), dispatcher.stop(), read]);
      await engine.stop();
      await notificationEmails.ended();
      enlisted.close();
    },
  };
}

/**
 * Starts sending, the first time it is called; answers whether it was. With a mailbox, that is after its first reading, since a reply that arrived while no server ran
 * may stop what is due now; or after a while, if the mailbox can't be read.
 */
function startOnce(supervisor: Supervisor, engine: Engine): () => boolean {
  let begun = false;
  return () => {
    if (begun) return false;
    begun = true;
    supervisor.start(engine);
    return true;
  };
}

/** A stable name for an account on a server that reveals neither. */
function nameOf({ host, port, login }: MailServer): string {
  return createHash("sha256")
    .update(JSON.stringify([host, port, login?.user]))
    .digest("hex")
    .slice(0, 32);
}
