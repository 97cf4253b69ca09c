import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { type ProcessStatus, stateOf } from "../../core/server-probe.ts";
import { VERSION } from "../../lib/package.ts";
import { iso, isoOrNull, SECOND_MS } from "../../lib/time.ts";
import { RunningBackup, toRunningBackup } from "./server-schema.ts";

const bytes = z.int().nullable().describe("Bytes. Null if not known.");

export const getServer = personOperation({
  name: "get_server",
  area: "server",
  title: "Get the server",
  description:
    "Reads the state of this server for its admins: version, storage, queues, background jobs, mail, servers on " +
    "the same database, and the last backup. The field process has the background jobs and the status of mail. On " +
    "the command line, it is null.",
  access: { permission: "operate" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    version: z.string(),
    node: z.string(),
    engine: z.object({
      name: z.enum(["sqlite", "postgres"]),
      version: z.string(),
      schema: z.string().describe("The last migration."),
    }),
    servers: z.int().describe("Servers with background jobs on the same database."),
    storage: z.object({
      database_bytes: bytes,
      wal_bytes: bytes.describe("Bytes of the write-ahead log beside the database file. Null if not known."),
      free_bytes: bytes.describe("Free bytes on the disk of the data folder. Null if not known."),
    }),
    queues: z.object({
      writer: z.int().describe("Writes that wait for the database writer."),
      oldest_delivery_seconds: z.int().describe("Age of the oldest pending webhook delivery. 0 if there is none."),
      undelivered: z
        .int()
        .describe(
          "Webhook deliveries that failed after all retries, or whose endpoint was suspended. Counted up to 10,000.",
        ),
      steps_due: z.int().describe("Sequence steps that are due now or wait for the mail server. Counted up to 10,000."),
      reviews: z
        .int()
        .describe("Proposals that need a decision, in all workspaces. Each kind is counted up to 10,000."),
      oldest_review_seconds: z
        .int()
        .describe("How long the oldest proposal has waited for a decision. 0 if there is none."),
      unconfirmed_emails: z.int().describe("Emails that may have been sent. Counted up to 10,000."),
    }),
    last_backup: z
      .object({ at: z.iso.datetime(), file: z.string(), bytes: z.int() })
      .nullable()
      .describe("The last backup that Rostrum made. Null if there is none, and with PostgreSQL."),
    process: z
      .object({
        started_at: z.iso.datetime(),
        memory_bytes: z.int(),
        jobs: z.array(
          z.object({
            name: z.string(),
            every_seconds: z.number(),
            last_success_at: z.iso.datetime().nullable().describe("Null before the first run."),
            status: z.enum(["ok", "starting", "failing", "late"]),
          }),
        ),
        mail: z
          .object({
            smtp: z.enum(["not_configured", "ready", "backing_off"]),
            mailbox: z.enum(["not_configured", "read", "unreadable"]),
          })
          .nullable()
          .describe("Null if this server's background jobs are off. Another server then sends and reads mail."),
        backup: RunningBackup,
      })
      .nullable()
      .describe("The server process. Null if the operation runs outside the server."),
  }),
  async handler({ server, now }) {
    const [engine, servers, disk, backlog, last] = await Promise.all([
      server.engine(),
      server.servers(),
      server.disk(),
      server.backlog(),
      server.lastBackup(),
    ]);
    const process_ = server.process();
    return {
      data: {
        version: VERSION,
        node: process.versions.node,
        engine,
        servers,
        storage: {
          database_bytes: known(disk.database),
          wal_bytes: known(disk.wal),
          free_bytes: known(disk.free),
        },
        queues: {
          writer: server.writerQueue(),
          oldest_delivery_seconds: Math.round(backlog.oldestPendingDeliveryMs / SECOND_MS),
          undelivered: backlog.deadDeliveries,
          steps_due: backlog.dueSteps,
          reviews: backlog.waitingReviews,
          oldest_review_seconds: Math.round(backlog.oldestReviewMs / SECOND_MS),
          unconfirmed_emails: backlog.unconfirmedSends,
        },
        last_backup: last && { at: iso(last.at), file: last.file, bytes: last.bytes },
        process: process_ === undefined ? null : toProcess(process_, last?.at ?? null, now),
      },
    };
  },
});

const known = (bytes: number) => (Number.isNaN(bytes) ? null : bytes);

function toProcess({ startedAt, memory, jobs, mail, backup }: ProcessStatus, lastBackupAt: number | null, now: number) {
  return {
    started_at: iso(startedAt),
    memory_bytes: memory,
    jobs: jobs.map((job) => ({
      name: job.name,
      every_seconds: job.everyMs / SECOND_MS,
      last_success_at: isoOrNull(job.succeededAt),
      status: stateOf(job, startedAt, now),
    })),
    mail: mail === undefined ? null : toMail(mail),
    backup: toRunningBackup(backup, lastBackupAt),
  };
}

type Mail = NonNullable<ProcessStatus["mail"]>;

function toMail({ smtp, imap, backingOff, mailboxReads }: Mail) {
  return {
    smtp: !smtp ? "not_configured" : backingOff ? "backing_off" : "ready",
    mailbox: !imap ? "not_configured" : mailboxReads ? "read" : "unreadable",
  } as const;
}
