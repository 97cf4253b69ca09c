import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { SECOND_MS } from "./time.ts";

export interface Metrics {
  /** Seconds that a call took. */
  latency: Histogram<"operation" | "surface">;
  refusals: Counter<"operation" | "code">;
  /** A request was refused before any work. @param bound which bound was reached */
  overloaded(bound: string): void;
  /** A connection beyond the most was closed. */
  connectionDropped(): void;
  /** @param outcome how one attempt to deliver an event ended */
  delivered(outcome: string): void;
  /** @param outcome how one attempt to hand over an email of a sequence ended */
  emailed(outcome: string): void;
  /** The mail server refused your account or this server, or could not be reached. */
  mailRefused(): void;
  /** Whether sending backs off from the mail server. */
  mailBackoff(isBackingOff: boolean): void;
  /** Whether the mailbox can be read now. Never called where no mailbox is set up. */
  mailboxReads(reads: boolean): void;
  mailboxSetAside(): void;
  commitFailed(): void;
  text(): Promise<string>;
  contentType: string;
}

/** What is read when the metrics are. */
export interface Measured {
  queueDepth(): number;
  authEvents: { dropped: number; merged: number };
  /** Bytes on the disk of the data folder. */
  disk(): Promise<{ database: number; wal: number; free: number }>;
  /** When the last backup was made, in ms. Null where there is none. */
  lastBackup(): Promise<number | null>;
  /** The background jobs of this process. */
  jobs(): readonly { name: string; isUp: boolean; succeededAt: number | null }[];
  about: { version: string; engine: string };
  backlog(): Promise<{
    oldestPendingDeliveryMs: number;
    deadDeliveries: number;
    dueSteps: number;
    unconfirmedSends: number;
    waitingReviews: number;
    oldestReviewMs: number;
  }>;
}

let processMetrics: Registry | undefined;

/** Those of Node.js, once for all servers of a process: prom-client can't stop the observers that it starts for them. */
function metricsOfProcess(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics, prefix: "rostrum_" });
  }
  return processMetrics;
}

/** Prometheus series. No label names a tenant. */
export function createMetrics({ queueDepth, authEvents, disk, backlog, lastBackup, jobs, about }: Measured): Metrics {
  const registry = Registry.merge([metricsOfProcess()]);
  const registers = [registry];
  const latency = new Histogram({
    name: "rostrum_operation_seconds",
    help: "Time from the arrival of a call to its response, by operation and surface.",
    labelNames: ["operation", "surface"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const refusals = new Counter({
    name: "rostrum_refusals_total",
    help: "Refused calls, by operation and code.",
    labelNames: ["operation", "code"],
    registers,
  });
  const overloaded = new Counter({
    name: "rostrum_overloaded_total",
    help: "Requests refused with 503 overloaded before any work, by the limit that was reached.",
    labelNames: ["bound"],
    registers,
  });
  const dropped = new Counter({
    name: "rostrum_connections_dropped_total",
    help: "Connections closed immediately because ROSTRUM_MAX_CONNECTIONS was reached.",
    registers,
  });
  const deliveries = new Counter({
    name: "rostrum_delivery_attempts_total",
    help: "POST requests that deliver events, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const emails = new Counter({
    name: "rostrum_email_attempts_total",
    help: "Attempts to send emails of sequences and answers to replies, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const mailRefusals = new Counter({
    name: "rostrum_mail_server_refusals_total",
    help: "Send attempts that failed because the mail server refused the account or this server, or could not be reached.",
    registers,
  });
  const mailBackoff = new Gauge({
    name: "rostrum_mail_server_backing_off",
    help: "1 while sending backs off because the mail server refuses messages or can't be reached.",
    registers,
  });
  // The label keeps it without a value until there is a mailbox.
  const mailboxUp = new Gauge({
    name: "rostrum_mailbox_up",
    help: "1 while the sender's mailbox, the source of replies and bounces, can be read.",
    labelNames: ["mailbox"],
    registers,
  });
  const setAside = new Counter({
    name: "rostrum_mailbox_set_aside_total",
    help: "Messages in the mailbox that could not be read. A reply whose content can't be parsed still counts as a reply. A message that can't be fetched or recorded is skipped.",
    registers,
  });
  new Gauge({
    name: "rostrum_writer_queue_depth",
    help: "Writes waiting for the database writer.",
    registers,
    collect() {
      this.set(queueDepth());
    },
  });
  const commitFailures = new Counter({
    name: "rostrum_commit_failures_total",
    help: "Database commits that failed.",
    registers,
  });
  new Gauge({
    name: "rostrum_auth_events_dropped",
    help: "Sign-ins and refusals since the server started that are missing from the console's list: the write failed, or they were deleted to make room for newer ones.",
    registers,
    collect() {
      this.set(authEvents.dropped);
    },
  });
  new Counter({
    name: "rostrum_auth_events_merged_total",
    help: "Sign-ins and refused calls that came too fast to be stored one by one. Each minute, they are counted in one row.",
    registers,
    collect() {
      this.reset();
      this.inc(authEvents.merged);
    },
  });
  new Gauge({
    name: "rostrum_build_info",
    help: "Always 1. Its labels are the version and the database engine.",
    labelNames: ["version", "engine"],
    registers,
  }).set(about, 1);
  // Prometheus sets the labels job and instance itself, so no metric may have them.
  new Gauge({
    name: "rostrum_job_last_success_timestamp_seconds",
    help: "When a background job of this server last finished without an error, as a Unix time. Absent before its first run.",
    labelNames: ["worker"],
    registers,
    collect() {
      for (const { name, succeededAt } of jobs()) {
        if (succeededAt !== null) this.set({ worker: name }, succeededAt / SECOND_MS);
      }
    },
  });
  new Gauge({
    name: "rostrum_job_up",
    help: "0 if a background job of this server is late, or its last run failed. Otherwise 1.",
    labelNames: ["worker"],
    registers,
    collect() {
      for (const { name, isUp } of jobs()) this.set({ worker: name }, Number(isUp));
    },
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const disks = {
    database: gauge("rostrum_database_bytes", "Size of the database file."),
    wal: gauge("rostrum_database_wal_bytes", "Size of the write-ahead log beside the database file."),
    free: gauge("rostrum_disk_free_bytes", "Free space on the disk of the data folder."),
  };
  const lastBackupAt = gauge(
    "rostrum_last_backup_timestamp_seconds",
    "When Rostrum last backed up the SQLite database, as a Unix time. NaN before the first backup, and with PostgreSQL.",
  );
  const oldestPending = gauge(
    "rostrum_oldest_pending_delivery_seconds",
    "Age of the oldest pending webhook delivery; 0 if there is none.",
  );
  const oldestReview = gauge(
    "rostrum_oldest_review_seconds",
    "How long the oldest proposal has waited for a decision; 0 if there is none.",
  );
  const backlogs = {
    deadDeliveries: gauge(
      "rostrum_dead_deliveries",
      "Deliveries with the status dead: every attempt failed, or the endpoint was suspended. Counted up to 10,000.",
    ),
    dueSteps: gauge(
      "rostrum_steps_due",
      "Enrollments whose next step is due now or waits for the mail server. Counted up to 10,000.",
    ),
    waitingReviews: gauge(
      "rostrum_reviews_waiting",
      "Actions, answers, audiences, documents and posts that need a decision. Each kind is counted up to 10,000.",
    ),
    unconfirmedSends: gauge("rostrum_sends_unconfirmed", "Emails that may have been sent. Counted up to 10,000."),
  };
  /** What cannot be read has no value; it is not the last one. */
  async function measure(): Promise<void> {
    const [onDisk, waiting, backup] = await Promise.all([
      disk().catch(() => undefined),
      backlog().catch(() => undefined),
      lastBackup().catch(() => null),
    ]);
    lastBackupAt.set((backup ?? Number.NaN) / SECOND_MS);
    for (const [name, of] of Object.entries(disks)) of.set(onDisk?.[name as keyof typeof disks] ?? Number.NaN);
    for (const [name, of] of Object.entries(backlogs)) of.set(waiting?.[name as keyof typeof backlogs] ?? Number.NaN);
    oldestReview.set((waiting?.oldestReviewMs ?? Number.NaN) / SECOND_MS);
    oldestPending.set((waiting?.oldestPendingDeliveryMs ?? Number.NaN) / SECOND_MS);
  }
  return {
    latency,
    refusals,
    overloaded: (bound) => overloaded.inc({ bound }),
    connectionDropped: () => dropped.inc(),
    delivered: (outcome) => deliveries.inc({ outcome }),
    emailed: (outcome) => emails.inc({ outcome }),
    mailRefused: () => mailRefusals.inc(),
    mailBackoff: (isBackingOff) => mailBackoff.set(Number(isBackingOff)),
    mailboxReads: (reads) => mailboxUp.set({ mailbox: "inbox" }, Number(reads)),
    mailboxSetAside: () => setAside.inc(),
    commitFailed: () => commitFailures.inc(),
    async text() {
      await measure();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
