import { randomBytes } from "node:crypto";
import { REVOKED_GRANT_MS, UNUSED_CLIENT_MS } from "../domain/access/oauth.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "../domain/access/session-limits.ts";
import { terminatedBody } from "../events/protocol.ts";
import { newId } from "../lib/ids.ts";
import { type Clock, DAY_MS, MINUTE_MS } from "../lib/time.ts";
import type { AuthLog } from "../services/access/auth-log.ts";
import type { Store } from "../store/store.ts";
import type { RetentionClock } from "./retention-clock.ts";
import type { Job } from "./supervisor.ts";

/** Idempotent answers are kept as long as the API promises; logs long enough to look back a year. */
const KEEP_ANSWERS_MS = 30 * DAY_MS;
const KEEP_AUTH_EVENTS_MS = 90 * DAY_MS;
const KEEP_OPERATIONS_MS = 400 * DAY_MS;
/** Of health, runs and observations, from when they were last reported. */
const KEEP_AGENT_REPORTS_MS = 400 * DAY_MS;
/** Longer than any mailbox is read back: what was received once counts once. */
const KEEP_MAIL_RECEIVED_MS = 90 * DAY_MS;
/** In one run: more than a busy server writes between two runs, and short enough not to delay a stop. */
const MAX_BATCHES = 200;

/** Records in one write, which takes about 8 ms. */
const WORDS_BATCH = 1_000;

/** Indexes the words by which contacts and what was there before an upgrade are found. */
export function indexWords({ wordIndex }: Store): Job {
  return {
    name: "index_words",
    everyMs: 500,
    async run(signal) {
      while ((await wordIndex.indexWords(WORDS_BATCH)) === WORDS_BATCH) if (signal?.aborted) return;
    },
  };
}

export function flushAuthLog(authLog: AuthLog, store: Store): Job {
  return { name: "flush_auth_log", everyMs: 1_000, run: () => authLog.flush(store) };
}

/** What deletes old rows goes by the retention clock; only what expires goes by the machine's. */
export function pruneSessions({ people }: Store, retention: RetentionClock): Job {
  return {
    name: "prune_sessions",
    everyMs: 600_000,
    async run() {
      const now = await retention.now();
      await people.prunePeople({ created: now - SESSION_MAX_MS, seen: now - SESSION_IDLE_MS, now });
    },
  };
}

export function pruneClients({ clients }: Store, retention: RetentionClock): Job {
  return {
    name: "prune_clients",
    everyMs: 600_000,
    async run() {
      const now = await retention.now();
      await clients.pruneClients({ now, unused: now - UNUSED_CLIENT_MS, revoked: now - REVOKED_GRANT_MS });
    },
  };
}

export function pruneExpired(store: Store, retention: RetentionClock): Job {
  return {
    name: "prune_expired",
    everyMs: MINUTE_MS,
    async run() {
      await retention.update();
      const now = await retention.now();
      const before = {
        answers: now - KEEP_ANSWERS_MS,
        authEvents: now - KEEP_AUTH_EVENTS_MS,
        operations: now - KEEP_OPERATIONS_MS,
        agentReports: now - KEEP_AGENT_REPORTS_MS,
        mailReceived: now - KEEP_MAIL_RECEIVED_MS,
      };
      for (let batch = 0; batch < MAX_BATCHES && (await store.prune(before)) > 0; batch += 1);
    },
  };
}

const KEEP_DELIVERIES_MS = 30 * DAY_MS;

/** Ends subscriptions that have expired or whose key has, and deletes old deliveries. */
export function expireSubscriptions(store: Store, clock: Clock, retention: RetentionClock, wake: () => void): Job {
  return {
    name: "expire_subscriptions",
    everyMs: 1_000,
    async run() {
      const now = clock.now();
      const terminatedMessage = (reason: string) => ({
        id: newId(now),
        eventId: `msg_terminated_${randomBytes(16).toString("hex")}`,
        body: terminatedBody(reason),
      });
      const gone = await store.outbox.expire({
        now,
        keptFrom: (await retention.now()) - KEEP_DELIVERIES_MS,
        terminatedMessage,
      });
      if (gone > 0) wake();
    },
  };
}
