import { randomBytes } from "node:crypto";
import type { Clock } from "../core/context.ts";
import { REVOKED_GRANT_MS, UNUSED_CLIENT_MS } from "../domain/access/oauth.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "../domain/access/session-limits.ts";
import { terminatedBody } from "../events/protocol.ts";
import { newId } from "../lib/ids.ts";
import type { AuthLog } from "../services/access/auth-log.ts";
import type { Store } from "../store/store.ts";
import type { Chore } from "./supervisor.ts";

const DAY_MS = 86_400_000;
/** Idempotent answers are kept as long as the API promises; logs long enough to look back a year. */
const KEEP_ANSWERS_MS = 30 * DAY_MS;
const KEEP_AUTH_EVENTS_MS = 90 * DAY_MS;
const KEEP_OPERATIONS_MS = 400 * DAY_MS;
/** Of health, runs and sightings, from when they were told last: as long as one may want to look back. */
const KEEP_AGENT_REPORTS_MS = 400 * DAY_MS;
/** Longer than any mailbox is read back: what was received once counts once. */
const KEEP_MAIL_RECEIVED_MS = 90 * DAY_MS;
/** In one run: more than a busy server writes in the time between two, and soon enough over to let a stop through. */
const MOST_BATCHES = 200;

export function flushAuthLog(trail: AuthLog, store: Store): Chore {
  return { name: "flush_trail", everyMs: 1_000, run: () => trail.flush(store) };
}

export function pruneSessions({ people }: Store, clock: Clock): Chore {
  return {
    name: "prune_sessions",
    everyMs: 600_000,
    async run() {
      const now = clock.now();
      await people.prunePeople({ created: now - SESSION_MAX_MS, seen: now - SESSION_IDLE_MS, now });
    },
  };
}

export function pruneClients({ clients }: Store, clock: Clock): Chore {
  return {
    name: "prune_clients",
    everyMs: 600_000,
    async run() {
      const now = clock.now();
      await clients.pruneClients({ now, unused: now - UNUSED_CLIENT_MS, revoked: now - REVOKED_GRANT_MS });
    },
  };
}

export function pruneExpired(store: Store, clock: Clock): Chore {
  return {
    name: "prune_expired",
    everyMs: 60_000,
    async run() {
      const now = clock.now();
      const before = {
        answers: now - KEEP_ANSWERS_MS,
        authEvents: now - KEEP_AUTH_EVENTS_MS,
        operations: now - KEEP_OPERATIONS_MS,
        agentReports: now - KEEP_AGENT_REPORTS_MS,
        mailReceived: now - KEEP_MAIL_RECEIVED_MS,
      };
      for (let batch = 0; batch < MOST_BATCHES && (await store.prune(before)) > 0; batch += 1);
    },
  };
}

const KEEP_DELIVERIES_MS = 30 * 86_400_000;

/** Ends subscriptions whose time or key is up, and forgets deliveries of long ago. */
export function reapEvents(store: Store, clock: Clock, wake: () => void): Chore {
  return {
    name: "reap_events",
    everyMs: 1_000,
    async run() {
      const now = clock.now();
      const lastWord = (reason: string) => ({
        id: newId(now),
        eventId: `msg_terminated_${randomBytes(16).toString("hex")}`,
        body: terminatedBody(reason),
      });
      const gone = await store.outbox.reap({ now, keepMs: KEEP_DELIVERIES_MS, lastWord });
      if (gone > 0) wake();
    },
  };
}
