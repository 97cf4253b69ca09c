import type { Database } from "better-sqlite3";
import type { ClaimedDelivery, LastWord, Outbox, Settlement } from "../events.ts";
import { DROP, HAS_ACCESS } from "./delivery-sql.ts";

type Bound = Record<string, string | number | null>;

interface Due {
  seq: number;
  subscriptionSeq: number;
  kind: "event" | "terminated";
  eventId: string;
  body: string;
  url: string;
  host: string;
  attempts: number;
  id: string | null;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: number | null;
  failedSince: number | null;
  open: 0 | 1;
}

/** Rows of one kind that one reaping takes: it never holds the writer for long. */
const REAP_BATCH = 200;
/** Hosts looked at by one statement. */
const HOSTS_A_LOOK = 1_000;

/** Whether a delivery's subscription may still hear of it; what has lost access hears its last word alone. */
const OPEN = `CASE d.kind WHEN 'terminated' THEN s.seq IS NOT NULL ELSE
  s.seq IS NOT NULL AND ${HAS_ACCESS} END`;
const WITH_ACCESS =
  "deliveries d LEFT JOIN subscriptions s ON s.seq = d.subscription_seq LEFT JOIN api_keys k ON k.id = s.key_id";

/** On the reader: which hosts something is due for, and what of it still stands. */
export function prepareOutboxReader(db: Database): Pick<Outbox, "dueHosts" | "stands"> {
  // Walks the index host by host, not row by row.
  const after = "SELECT min(host) FROM deliveries WHERE status = 'pending' AND host >";
  const hosts = db.prepare<[Bound], { host: string; due: 0 | 1 }>(
    `WITH RECURSIVE hosts (host) AS (
       ${after} @from
       UNION ALL SELECT (${after} hosts.host) FROM hosts WHERE host IS NOT NULL LIMIT ${HOSTS_A_LOOK})
     SELECT host, EXISTS (
       SELECT 1 FROM deliveries d WHERE d.status = 'pending' AND d.host = hosts.host AND d.next_attempt_at <= @now) AS due
     FROM hosts WHERE host IS NOT NULL`,
  );
  /** Goes on until the end, or to the host named: those that only wait must not hide one that is due. */
  function* walk(now: number, from: string, to?: string): Generator<string> {
    for (let cursor = from; ; ) {
      const looked = hosts.all({ now, from: cursor });
      for (const { host, due } of looked) {
        if (to !== undefined && host > to) return;
        if (due === 1) yield host;
      }
      const last = looked.at(-1);
      if (last === undefined || looked.length < HOSTS_A_LOOK) return;
      cursor = last.host;
    }
  }
  const any = db.prepare("SELECT 1 FROM deliveries WHERE status = 'pending' AND next_attempt_at <= ? LIMIT 1");
  const stands = db.prepare<[Bound]>(
    `SELECT 1 FROM ${WITH_ACCESS} WHERE d.seq = @seq AND d.lease = @lease AND d.status = 'pending' AND ${OPEN}`,
  );
  return {
    async dueHosts(now, from, most) {
      if (any.get(now) === undefined) return [];
      const found: string[] = [];
      for (const host of walk(now, from)) if (found.push(host) >= most) return found;
      if (from !== "") for (const host of walk(now, "", from)) if (found.push(host) >= most) return found;
      return found;
    },
    stands: async (delivery) => stands.get(delivery) !== undefined,
  };
}

/** On the writer: claiming, settling and reaping. */
export function prepareOutbox(db: Database): Omit<Outbox, "dueHosts" | "stands"> {
  const due = db.prepare<[Bound], Due>(
    `SELECT d.seq, d.subscription_seq AS subscriptionSeq, d.kind, d.event_id AS eventId, d.body, d.url, d.host,
       d.attempts, s.id, s.secret, s.previous_secret AS previousSecret,
       s.previous_secret_until AS previousSecretUntil, s.failed_since AS failedSince, ${OPEN} AS open
     FROM ${WITH_ACCESS}
     WHERE d.status = 'pending' AND d.host = @host AND d.next_attempt_at <= @now
       AND d.subscription_seq NOT IN (SELECT value FROM json_each(@except))
     ORDER BY d.next_attempt_at LIMIT @most`,
  );
  const lease = db.prepare<[Bound]>("UPDATE deliveries SET lease = @lease, next_attempt_at = @until WHERE seq = @seq");
  const drop = db.prepare<[Bound]>(`${DROP} seq = @seq`);
  const attempt = db.prepare<[Bound]>(
    "INSERT INTO delivery_attempts (delivery_seq, at, outcome, duration_ms) VALUES (@seq, @at, @outcome, @durationMs)",
  );
  const settle = db.prepare<[Bound]>(
    `UPDATE deliveries SET status = @status, attempts = attempts + 1, last_error = @error, lease = NULL,
       next_attempt_at = @nextAttemptAt, finished_at = CASE @status WHEN 'pending' THEN NULL ELSE @at END
     WHERE seq = @seq AND iif(@status = 'delivered', status IN ('pending', 'dead'),
       status = 'pending' AND lease = @lease)`,
  );
  const tell = db.prepare<[Bound]>(
    `UPDATE subscriptions SET
       last_delivery_at = CASE WHEN @error IS NULL THEN @at ELSE last_delivery_at END, last_error = @error,
       failed_since = CASE WHEN @error IS NULL THEN NULL ELSE coalesce(failed_since, @at) END
     WHERE seq = (SELECT subscription_seq FROM deliveries WHERE seq = @seq)`,
  );
  const suspend = db.prepare<[Bound], { seq: number }>(
    `UPDATE subscriptions SET suspended_at = @at, suspended_reason = @reason
     WHERE seq = (SELECT subscription_seq FROM deliveries WHERE seq = @seq) AND failed_since = @failedSince
     RETURNING seq`,
  );
  const bury = db.prepare<[Bound]>(
    `UPDATE deliveries SET status = 'dead', finished_at = @at, next_attempt_at = NULL, lease = NULL
     WHERE status = 'pending' AND subscription_seq = @seq`,
  );
  const release = db.prepare<[Bound]>(
    "UPDATE deliveries SET lease = NULL, next_attempt_at = @now WHERE seq = @seq AND status = 'pending' AND lease = @lease",
  );
  const reap = prepareReaping(db);

  return {
    async claim({ hosts, except, admits, lease: token, leaseMs, now }) {
      const claimed: ClaimedDelivery[] = [];
      let dropped = 0;
      const left = JSON.stringify(except);
      for (const { host, most } of hosts) {
        for (const { open, id, secret, previousSecret, previousSecretUntil, failedSince, ...row } of due.all({
          ...{ host, most, now },
          except: left,
        })) {
          if (open === 0 || id === null) {
            dropped += drop.run({ seq: row.seq, now }).changes;
            continue;
          }
          const subscription = { id, secret, previousSecret, previousSecretUntil, failedSince };
          const delivery = { ...row, claimedAt: now, subscription };
          if (!admits(delivery)) continue;
          lease.run({ seq: row.seq, lease: token, until: now + leaseMs });
          claimed.push(delivery);
        }
      }
      return { claimed, dropped };
    },
    async settle(settlements: readonly Settlement[]): Promise<void> {
      for (const { suspend: hopeless, outcome, durationMs, ...verdict } of settlements) {
        const { seq, at, error } = verdict;
        attempt.run({ seq, at, outcome, durationMs });
        if (settle.run(verdict).changes === 0) continue;
        // A fault of ours says nothing of the endpoint.
        if (outcome === "internal") continue;
        tell.run({ seq, at, error });
        if (hopeless === null) continue;
        const suspended = suspend.get({ seq, at, ...hopeless });
        if (suspended !== undefined) bury.run({ seq: suspended.seq, at });
      }
    },
    async release(token, seqs, now) {
      for (const seq of seqs) release.run({ lease: token, seq, now });
    },
    reap,
  };
}

function prepareReaping(db: Database): Outbox["reap"] {
  const expired = db
    .prepare<[Bound], number>(`SELECT seq FROM subscriptions WHERE expires_at <= @now LIMIT ${REAP_BATCH}`)
    .pluck();
  // From the keys that are over: there are few of them beside all that subscribe.
  const lost = db.prepare<[Bound], { seq: number; workspaceId: string; url: string; event: string; revoked: 0 | 1 }>(
    `SELECT s.seq, s.workspace_id AS workspaceId, s.url, s.event, gone.revoked
     FROM (SELECT id, 1 AS revoked FROM api_keys WHERE revoked_at IS NOT NULL
       UNION ALL SELECT id, 0 FROM api_keys WHERE expires_at <= @now AND revoked_at IS NULL) gone
     CROSS JOIN subscriptions s ON s.key_id = gone.id
     WHERE s.ended_at IS NULL LIMIT ${REAP_BATCH}`,
  );
  const end = db.prepare<[Bound]>("UPDATE subscriptions SET ended_at = @now WHERE seq = @seq");
  const dropAll = db.prepare<[Bound]>(`${DROP} subscription_seq = @seq`);
  const lastWordTo = db.prepare<[Bound]>(
    `INSERT INTO deliveries (id, workspace_id, subscription_seq, url, host, kind, event_id, event, body, status,
       next_attempt_at, created_at)
     VALUES (@id, @workspaceId, @seq, @url, @host, 'terminated', @eventId, @event, @body, 'pending', @now, @now)`,
  );
  const remove = db.prepare<[Bound]>("DELETE FROM subscriptions WHERE seq = @seq");
  const said = db
    .prepare<[], number>(
      `SELECT seq FROM subscriptions s WHERE ended_at IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM deliveries d WHERE d.subscription_seq = s.seq AND d.status = 'pending') LIMIT ${REAP_BATCH}`,
    )
    .pluck();
  const old = db
    .prepare<[Bound], number>(`SELECT seq FROM deliveries WHERE finished_at < @before LIMIT ${REAP_BATCH}`)
    .pluck();
  const forgetAttempts = db.prepare<[Bound]>("DELETE FROM delivery_attempts WHERE delivery_seq = @seq");
  const forget = db.prepare<[Bound]>("DELETE FROM deliveries WHERE seq = @seq");

  return async ({ now, keepMs, lastWord }) => {
    let gone = 0;
    for (const { revoked, ...subscription } of lost.all({ now })) {
      dropAll.run({ seq: subscription.seq, now });
      end.run({ seq: subscription.seq, now });
      const word: LastWord = lastWord(revoked === 1 ? "revoked_key" : "expired_key");
      lastWordTo.run({ ...subscription, ...word, host: new URL(subscription.url).host, now });
      gone += 1;
    }
    for (const seq of expired.all({ now })) {
      dropAll.run({ seq, now });
      gone += remove.run({ seq }).changes;
    }
    for (const seq of said.all()) gone += remove.run({ seq }).changes;
    for (const seq of old.all({ before: now - keepMs })) {
      forgetAttempts.run({ seq });
      gone += forget.run({ seq }).changes;
    }
    return gone;
  };
}
