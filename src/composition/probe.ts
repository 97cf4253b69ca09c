import { join } from "node:path";
import type { Config } from "../config.ts";
import { problem } from "../core/problem.ts";
import type { BackupProgress, JobStatus, ServerProbe } from "../core/server-probe.ts";
import { DiskFault } from "../lib/disk-fault.ts";
import type { Log } from "../lib/log.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { Clock } from "../lib/time.ts";
import type { OpenedStore } from "../store/engine.ts";
import type { MailSource } from "../workers/start.ts";

/** How many backups by the console a data folder keeps. */
const KEPT_BACKUPS = 7;

/** The state of a server process, which its parts keep up to date. */
export interface ProcessState {
  startedAt: number;
  stopping: boolean;
  /** False if the mailbox cannot be read. Replies and bounces wait, all else works: the server stays ready and says so. */
  mailboxReads: boolean;
  backingOff: boolean;
  jobs: () => JobStatus[];
}

export type Probe = ServerProbe & {
  /** Called once by a server. A command has no process status. */
  serve(state: ProcessState): void;
  /** Ends a backup in progress, which leaves no file. */
  stop(): Promise<void>;
};

const NO_BACKUP: BackupProgress = { startedAt: null, failed: null, failedAt: null };

/** Reads the state of this process and of its database. */
export function createProbe(config: Config, store: OpenedStore, mail: MailSource, clock: Clock, log: Log): Probe {
  let state: ProcessState | undefined;
  let backup: BackupProgress = NO_BACKUP;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();

  async function backUp(now: number): Promise<void> {
    try {
      await store.backUpInto(join(config.data, "backups"), KEPT_BACKUPS, now, stopping.signal);
      backup = NO_BACKUP;
    } catch (error) {
      log.error({ err: error }, "a backup failed");
      const isKnown =
        error instanceof OperatorError || error instanceof DiskFault || (error as NodeJS.ErrnoException).syscall;
      const failed = isKnown ? (error as Error).message : "See the server log for the reason.";
      backup = { startedAt: null, failed, failedAt: clock.now() };
    }
  }

  return {
    process: () =>
      state && {
        startedAt: state.startedAt,
        memory: process.memoryUsage.rss(),
        jobs: state.jobs(),
        ...(config.workers === "on" && {
          mail: {
            smtp: mail.current().smtp !== undefined,
            imap: mail.current().imap !== undefined,
            backingOff: state.backingOff,
            mailboxReads: state.mailboxReads,
          },
        }),
        backup,
      },
    engine: async () => ({ name: store.engine, version: await store.engineVersion(), schema: store.schema }),
    disk: store.diskUse,
    backlog: () => store.backlog(clock.now()),
    writerQueue: () => store.queueDepth,
    servers: store.servers,
    lastBackup: async () => (store.engine === "sqlite" ? store.lastBackup() : null),
    startBackup(now) {
      if (store.engine !== "sqlite") {
        throw problem(
          "backup_unavailable",
          "This server uses PostgreSQL. Back it up with pg_dump, see docs/growth.md.",
        );
      }
      if (state === undefined) {
        throw problem("backup_unavailable", "This command runs outside the server. Use rostrum backup instead.");
      }
      if (backup.startedAt === null) {
        backup = { ...NO_BACKUP, startedAt: now };
        running = backUp(now);
      }
      return backup;
    },
    serve(given) {
      state = given;
    },
    stop() {
      stopping.abort();
      return running;
    },
  };
}
