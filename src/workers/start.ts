import type { AsSystem, Deployment } from "../core/context.ts";
import type { JobStatus } from "../core/server-probe.ts";
import type { Catalog } from "../domain/checklist/catalog.ts";
import type { OptOut } from "../domain/outreach/unsubscribe-link.ts";
import { type MailServer, type MailSetup, serverName } from "../lib/mail-server.ts";
import type { Metrics } from "../lib/metrics.ts";
import { MINUTE_MS } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Instance } from "../store/leases.ts";
import type { Store } from "../store/store.ts";
import { announceWork } from "./announce-work.ts";
import { assessChecklists } from "./assessor.ts";
import { releaseDeadLeases } from "./dead-instances.ts";
import { Dispatcher, type DispatcherParts } from "./dispatcher.ts";
import { Engine, STOP_GRACE_MS } from "./engine.ts";
import {
  expireSubscriptions,
  flushAuthLog,
  indexWords,
  pruneClients,
  pruneExpired,
  pruneSessions,
} from "./housekeeper.ts";
import { expireLeases } from "./leases.ts";
import { isSameSetup, openTransport, RETIRE_MS } from "./mail-transport.ts";
import { keepReading, type MailboxParts } from "./mailbox.ts";
import { type NotificationEmailParts, sendNotificationEmails } from "./notification-emails.ts";
import { createRetentionClock } from "./retention-clock.ts";
import { Supervisor } from "./supervisor.ts";

/** How often the mail settings are looked at. */
const FOLLOW_MS = 1_000;
/** How long sending waits for a mailbox that can't be read. */
const FIRST_READ_MS = 5 * MINUTE_MS;

/** The mail settings of the environment and of the console. */
export interface MailSource {
  /** As they are by now. */
  read(): Promise<MailSetup>;
  /** As they were read last. */
  current(): MailSetup;
}

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
  mail: MailSource;
  /** Where emails are written that are not sent. */
  mailFolder: string;
  /** Records how mail is sent by now, for every process. Approvals of another sender are void. */
  recordSetup(setup: MailSetup): Promise<void>;
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
  const { store, clock, log, authLog, asSystem, mail } = given;
  const supervisor = new Supervisor(log);
  supervisor.start(flushAuthLog(authLog, store));
  const follow = { name: "follow_mail_settings", everyMs: FOLLOW_MS };
  if (!given.background) {
    supervisor.start({ ...follow, run: async () => void (await mail.read()) });
    return { wake: () => {}, jobs: () => supervisor.status(), stop: () => supervisor.stop() };
  }
  const enlisted = given.enlist();
  let setup = mail.current();
  let transport = await openTransport(setup, given.mailFolder);
  const parts = { ...given, instance: enlisted.id, transport: () => transport };
  const dispatcher = new Dispatcher(parts);
  const engine = new Engine(parts);
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
  for (const job of once) {
    const run = async (signal?: AbortSignal) => (parts.leads() ? job.run(signal) : undefined);
    supervisor.start({ ...job, run });
  }
  for (const job of [released, engine.keeper, notificationEmails]) supervisor.start(job);
  dispatcher.start();
  const begin = startOnce(supervisor, engine);
  let mailbox = readMailbox(parts, setup.imap, begin);
  const giveUp = setTimeout(() => {
    if (begin()) log.warn("the mailbox wasn't read yet; sending begins without it");
  }, FIRST_READ_MS);
  giveUp.unref();
  const retired = new Set<Mailer>();
  supervisor.start({
    ...follow,
    async run() {
      const next = await mail.read();
      if (isSameSetup(next, setup)) return;
      // First, so that nothing leaves from a sender that people have not approved.
      await parts.recordSetup(next);
      const { mailer } = transport;
      transport = await openTransport(next, given.mailFolder);
      const isSameMailbox = isSameSetup({ imap: setup.imap }, { imap: next.imap });
      setup = next;
      log.info({ email: next.smtp !== undefined, mailbox: next.imap !== undefined }, "the mail settings changed");
      if (mailer !== undefined) {
        retired.add(mailer);
        void mailer.close(RETIRE_MS).finally(() => retired.delete(mailer));
      }
      if (isSameMailbox) return;
      await mailbox.stop();
      mailbox = readMailbox(parts, next.imap, begin);
    },
  });

  async function stopSending(): Promise<void> {
    await supervisor.stop();
    await mailbox.stop();
    await Promise.all([engine.stop(), ...[...retired].map((mailer) => mailer.close(STOP_GRACE_MS))]);
  }

  return {
    wake,
    jobs: () => [...supervisor.status(), dispatcher.status()],
    async stop() {
      clearTimeout(giveUp);
      // At the same time, so that a hanging endpoint and a hanging mail server take no longer than one of them.
      await Promise.all([dispatcher.stop(), stopSending()]);
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

/**
 * Reads a mailbox until it is stopped.
 *
 * @param begin called once it was read, or at once where there is none
 */
function readMailbox(
  parts: Omit<MailboxParts, "server" | "mailbox">,
  server: MailServer | undefined,
  begin: () => void,
): { stop(): Promise<void> } {
  if (server === undefined) {
    parts.mailboxReads(true);
    begin();
    return { stop: async () => {} };
  }
  const reading = new AbortController();
  const mailboxReads = (reads: boolean) => {
    parts.mailboxReads(reads);
    if (reads) begin();
  };
  const read = keepReading({ ...parts, server, mailbox: serverName(server), mailboxReads }, reading.signal);
  return {
    async stop() {
      reading.abort();
      await read;
    },
  };
}
