import type { ClaimedDelivery, Delivered, Outbox, Settlement } from "../events.ts";
import { dropDeliveries, HAS_ACCESS, holdSubscriptions, IS_UNRECEIVED } from "./events.ts";
import { acrossWorkspaces, type Db, type Params } from "./statement.ts";

interface DueDelivery extends Omit<ClaimedDelivery, "claimedAt" | "subscription"> {
  /** Never null where `deliveredAt` is set. */
  lease: string;
  deliveredAt: number | null;
}

interface Subscription {
  seq: number;
  id: string;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: number | null;
  failedSince: number | null;
  hasAccess: 0 | 1;
}

/** Rows of one kind that one expiry run takes, so that it never holds the writer for long. */
const EXPIRY_BATCH = 200;
/** Sorts behind every host. */
const LAST_HOST = "\u{10ffff}";
/** The limit of hosts in one statement. */
const HOSTS_BATCH = 1_000;

/** A subscription that lost access receives only its last message. */
const LAST_KIND = "terminated";

export const outbox = acrossWorkspaces<Outbox>(
  // A lease that the machine forgets is only taken again.
  { durable: ["settle", "release", "expire"], forgettable: ["claim", "settleSoon", "record"] },
  (db) => {
    const anyDue = db.sql<{ now: number }>(
      "SELECT 1 FROM deliveries WHERE status = 'pending' AND next_attempt_at <= @now LIMIT 1",
    );
    // Walks the index host by host, not row by row. Neither min() nor EXISTS: PostgreSQL may read all rows for them.
    const after = (host: string) =>
      `(SELECT host FROM deliveries WHERE status = 'pending' AND host > ${host} AND host <= @to ORDER BY host LIMIT 1)`;
    const hostsAfter = db.sql<{ from: string; to: string; now: number }, { host: string; due: 0 | 1 }>(
      `WITH RECURSIVE hosts (host) AS (
         SELECT ${after("@from")}
         UNION ALL SELECT ${after("hosts.host")} FROM hosts WHERE host IS NOT NULL)
       SELECT host, (
         SELECT d.next_attempt_at FROM deliveries d WHERE d.status = 'pending' AND d.host = hosts.host
         ORDER BY d.next_attempt_at LIMIT 1) <= @now AS due
       FROM hosts WHERE host IS NOT NULL LIMIT ${HOSTS_BATCH}`,
    );
    const stillSendable = db.sql<{ seqs: string; now: number }, { seq: number; lease: string | null }>(
      `SELECT d.seq, d.lease FROM deliveries d JOIN subscriptions s ON s.seq = d.subscription_seq
         LEFT JOIN api_keys k ON k.id = s.key_id
       WHERE d.seq IN (SELECT value FROM ${db.dialect.numbers("@seqs")}) AND d.status = 'pending'
         AND (d.kind = '${LAST_KIND}' OR ${HAS_ACCESS})`,
    );
    const due = db.sql<Params, DueDelivery>(
      `SELECT d.seq, d.subscription_seq AS subscriptionSeq, d.kind, d.event_id AS eventId, d.body, d.url, d.host,
         d.attempts, d.lease, ${RECORDED_AT} AS deliveredAt
       FROM deliveries d
       WHERE d.status = 'pending' AND d.host = @host AND d.next_attempt_at <= @now
         AND d.subscription_seq NOT IN (SELECT value FROM ${db.dialect.numbers("@except")})
       ORDER BY d.next_attempt_at, d.seq LIMIT @most ${db.dialect.claiming("d")}`,
    );
    const subscriptions = db.sql<Params, Subscription>(
      `SELECT s.seq, s.id, s.secret, s.previous_secret AS previousSecret,
         s.previous_secret_until AS previousSecretUntil, s.failed_since AS failedSince, ${HAS_ACCESS} AS hasAccess
       FROM subscriptions s LEFT JOIN api_keys k ON k.id = s.key_id
       WHERE s.seq IN (SELECT value FROM ${db.dialect.numbers("@seqs")})`,
    );
    const lease = db.sql(`UPDATE deliveries SET lease = @lease, next_attempt_at = @until WHERE ${listed(db)}`);
    // Its success would have been recognized: this one can't be received any more.
    const drop = db.sql(
      `UPDATE deliveries SET status = 'dropped', finished_at = @now, next_attempt_at = NULL, lease = NULL
       WHERE status = 'pending' AND seq = @seq`,
    );
    const hold = holdSubscriptions(db, `seq IN (SELECT subscription_seq FROM deliveries WHERE ${listed(db)})`);
    // Once, also where the database was lost after it had committed, and the same is recorded again: it changes nothing
    // then. Nor does an attempt whose lease was lost, which is recorded too. A scalar subquery, since PostgreSQL may read
    // the whole table for NOT EXISTS.
    const insertAttempts = db.sql(
      `INSERT INTO delivery_attempts (delivery_seq, at, outcome, duration_ms)
       SELECT rows.seq, rows.at, rows.outcome, rows.ms
       FROM ${db.dialect.objects("@attempts", { seq: "bigint", at: "bigint", outcome: "text", ms: "bigint", changed: "bigint" })}
       WHERE rows.changed = 1 OR (SELECT a.id FROM delivery_attempts a WHERE a.delivery_seq = rows.seq AND a.at = rows.at
         AND a.duration_ms = rows.ms AND a.outcome = rows.outcome LIMIT 1) IS NULL`,
    );
    const lost = db.value<Params, number>(
      `SELECT d.seq FROM ${db.dialect.objects("@rows", { seq: "bigint", lease: "text" })}
       ${db.dialect.joinInOrder} deliveries d ON d.seq = rows.seq
       WHERE d.status = 'pending' AND d.lease IS DISTINCT FROM rows.lease`,
    );
    const settleDelivered = settlingDelivered(db, "status IN ('pending', 'dead')");
    const settleRecorded = settlingDelivered(db, STILL_LEASED);
    const settle = db.sql(
      `UPDATE deliveries SET status = @status, attempts = attempts + 1, last_error = @error, lease = NULL,
         next_attempt_at = @nextAttemptAt, finished_at = CASE @status WHEN 'pending' THEN NULL ELSE @at END
       WHERE seq = @seq AND status = 'pending' AND lease = @lease`,
    );
    const noteFailure = db.sql(
      `UPDATE subscriptions SET last_error = @error, failed_since = coalesce(failed_since, @at)
       WHERE seq = (SELECT subscription_seq FROM deliveries WHERE seq = @seq)`,
    );
    const suspend = db.sql<Params, { seq: number }>(
      `UPDATE subscriptions SET suspended_at = @at, suspended_reason = @reason
       WHERE seq = (SELECT subscription_seq FROM deliveries WHERE seq = @seq) AND failed_since = @failedSince
         AND NOT EXISTS (
           SELECT 1 FROM deliveries d JOIN delivery_attempts a ON a.delivery_seq = d.seq
           WHERE d.subscription_seq = subscriptions.seq AND d.status = 'pending' AND d.lease IS NOT NULL
             AND a.outcome = '2xx' AND a.at >= @failedSince)
       RETURNING seq`,
    );
    const deadLetterAll = db.sql(
      `UPDATE deliveries SET status = 'dead', finished_at = @at, next_attempt_at = NULL, lease = NULL
       WHERE status = 'pending' AND subscription_seq = @seq AND ${IS_UNRECEIVED}`,
    );
    const release = db.sql(
      `UPDATE deliveries SET lease = NULL, next_attempt_at = @now
       WHERE ${listed(db)} AND status = 'pending' AND lease = @lease`,
    );

    /** Adds hosts that are due, after one host up to another: those that only wait must hide none of them. */
    async function collect(found: string[], most: number, now: number, from: string, to: string): Promise<void> {
      for (let start = from; ; ) {
        const hosts = await hostsAfter.all({ now, from: start, to });
        for (const { host, due: isDue } of hosts) {
          if (isDue === 1 && found.push(host) >= most) return;
        }
        const last = hosts.at(-1);
        if (last === undefined || hosts.length < HOSTS_BATCH) return;
        start = last.host;
      }
    }

    async function settleAll(settlements: readonly Settlement[], recorded: readonly Delivered[] = []): Promise<void> {
      await hold({ seqs: JSON.stringify([...recorded, ...settlements].map(({ seq }) => seq)) });
      await settleRecorded(recorded);
      const changed = new Set<number>();
      // In their order, those that were delivered together.
      let delivered: Settlement[] = [];
      for (const settlement of settlements) {
        if (settlement.status === "delivered") {
          delivered.push(settlement);
          continue;
        }
        await settleDelivered(delivered);
        delivered = [];
        if (await settleFailed(settlement)) changed.add(settlement.seq);
      }
      await settleDelivered(delivered);
      await insertAll(settlements, changed);
    }

    /** Adds their attempts, where they are known to be new or are not there. */
    async function insertAll(settlements: readonly Settlement[], known?: ReadonlySet<number>): Promise<void> {
      if (settlements.length === 0) return;
      const attempts = settlements.map(({ seq, at, outcome, durationMs: ms }) => {
        return { seq, at, outcome, ms, changed: Number(known?.has(seq) === true) };
      });
      await insertAttempts.run({ attempts: JSON.stringify(attempts) });
    }

    /** What another process has claimed since is settled right away, before that sends it. */
    async function record(delivered: readonly Settlement[]): Promise<void> {
      await insertAll(delivered);
      const seqs = await lost.all({
        rows: JSON.stringify(delivered.map(({ seq, lease: own }) => ({ seq, lease: own }))),
      });
      if (seqs.length === 0) return;
      await hold({ seqs: JSON.stringify(seqs) });
      await settleDelivered(delivered.filter(({ seq }) => seqs.includes(seq)));
    }

    /** Returns whether it changed the delivery. */
    async function settleFailed({ suspend: failing, outcome, durationMs, ...verdict }: Settlement): Promise<boolean> {
      const { seq, at, error } = verdict;
      if ((await settle.run(verdict)).changes === 0) return false;
      // A fault of this server does not count against the endpoint.
      if (outcome === "internal") return true;
      await noteFailure.run({ seq, at, error });
      const suspended = failing && (await suspend.get({ seq, at, ...failing }));
      if (suspended) await deadLetterAll.run({ seq: suspended.seq, at });
      return true;
    }

    return {
      async dueHosts(now, from, most) {
        if ((await anyDue.get({ now })) === undefined) return [];
        const found: string[] = [];
        await collect(found, most, now, from, LAST_HOST);
        if (from !== "" && found.length < most) await collect(found, most, now, "", from);
        return found;
      },
      async stillSendable(claimed, now) {
        const leases = new Map(claimed.map(({ seq, lease }) => [seq, lease]));
        const rows = await stillSendable.all({ seqs: JSON.stringify([...leases.keys()]), now });
        return new Set(rows.filter(({ seq, lease }) => lease === leases.get(seq)).map(({ seq }) => seq));
      },
      async claim({ hosts, except, admits, lease: token, leaseMs, now }) {
        const rows: DueDelivery[] = [];
        const excluded = JSON.stringify(except);
        for (const { host, most } of hosts) {
          rows.push(...(await due.all({ host, most, now, except: excluded, leaseMs })));
        }
        const owners = new Set(rows.map(({ subscriptionSeq }) => subscriptionSeq));
        const found = await subscriptions.all({ seqs: JSON.stringify([...owners]), now });
        const subscriptionOf = new Map(found.map((subscription) => [subscription.seq, subscription]));
        const claimed: ClaimedDelivery[] = [];
        const delivered: Delivered[] = [];
        let dropped = 0;
        for (const row of rows) {
          if (row.deliveredAt !== null) {
            delivered.push({ seq: row.seq, at: row.deliveredAt, lease: row.lease });
            continue;
          }
          const subscription = subscriptionOf.get(row.subscriptionSeq);
          if (subscription === undefined || (subscription.hasAccess === 0 && row.kind !== LAST_KIND)) {
            dropped += (await drop.run({ seq: row.seq, now })).changes;
            continue;
          }
          const candidate = candidateOf(row, subscription, now);
          if (admits(candidate)) claimed.push(candidate);
        }
        const seqs = JSON.stringify(claimed.map(({ seq }) => seq));
        if (claimed.length > 0) await lease.run({ seqs, lease: token, until: now + leaseMs });
        return { claimed, delivered, dropped };
      },
      settle: settleAll,
      settleSoon: settleAll,
      record,
      async release(token, seqs, now) {
        await release.run({ lease: token, seqs: JSON.stringify(seqs), now });
      },
      expire: expiry(db),
    };
  },
);

/** A delivery that was settled and then sent again has another lease, or none. */
const STILL_LEASED = "status = 'pending' AND deliveries.lease = rows.lease";

/** Settles deliveries that succeeded, where the condition is met. */
function settlingDelivered(db: Db, condition: string): (delivered: readonly Delivered[]) => Promise<void> {
  const settle = db.sql<Params, { subscriptionSeq: number; at: number }>(
    `UPDATE deliveries SET status = 'delivered', attempts = attempts + 1, last_error = NULL, lease = NULL,
       next_attempt_at = NULL, finished_at = rows.at
     FROM ${db.dialect.objects("@rows", { seq: "bigint", at: "bigint", lease: "text" })}
     WHERE deliveries.seq = rows.seq AND ${condition}
     RETURNING subscription_seq AS subscriptionSeq, finished_at AS at`,
  );
  const noteDelivered = db.sql(
    `UPDATE subscriptions SET last_delivery_at = ${db.dialect.greatest("coalesce(last_delivery_at, 0)", "rows.at")},
     last_error = CASE WHEN failed_since > rows.at THEN last_error END,
     failed_since = CASE WHEN failed_since > rows.at THEN failed_since END
     FROM ${db.dialect.objects("@rows", { seq: "bigint", at: "bigint" })} WHERE subscriptions.seq = rows.seq`,
  );

  return async (delivered) => {
    if (delivered.length === 0) return;
    const rows = await settle.all({
      rows: JSON.stringify(delivered.map(({ seq, at, lease }) => ({ seq, at, lease }))),
    });
    const last = new Map<number, number>();
    for (const { subscriptionSeq, at } of rows) {
      last.set(subscriptionSeq, Math.max(at, last.get(subscriptionSeq) ?? 0));
    }
    const heard = [...last].map(([seq, at]) => ({ seq, at }));
    if (heard.length > 0) await noteDelivered.run({ rows: JSON.stringify(heard) });
  };
}

/** When a leased delivery succeeded, by what `record` wrote; NULL where nothing says that it did. */
const RECORDED_AT = `CASE WHEN d.lease IS NOT NULL THEN (
  SELECT max(a.at) FROM delivery_attempts a
  WHERE a.delivery_seq = d.seq AND a.outcome = '2xx' AND a.at >= d.next_attempt_at - @leaseMs) END`;

/** Settles and releases what a dead process had leased. Found by time, which is indexed: it is due when its lease expires. */
export function releasingOf(
  db: Db,
): (dead: { from: string; to: string; now: number; leaseMs: number }) => Promise<void> {
  const leased = "status = 'pending' AND next_attempt_at > @now AND lease > @from AND lease < @to";
  const recorded = db.sql<Params, Delivered | { at: null }>(
    `SELECT d.seq, d.lease, ${RECORDED_AT} AS at FROM deliveries d WHERE ${leased}`,
  );
  const hold = holdSubscriptions(db, `seq IN (SELECT subscription_seq FROM deliveries WHERE ${listed(db)})`);
  const settleRecorded = settlingDelivered(db, STILL_LEASED);
  const release = db.sql(`UPDATE deliveries SET lease = NULL, next_attempt_at = @now WHERE ${leased}`);
  return async ({ leaseMs, ...dead }) => {
    const delivered = (await recorded.all({ ...dead, leaseMs })).filter((row) => row.at !== null);
    await hold({ seqs: JSON.stringify(delivered.map(({ seq }) => seq)) });
    await settleRecorded(delivered);
    await release.run(dead);
  };
}

const listed = (db: Db) => `seq IN (SELECT value FROM ${db.dialect.numbers("@seqs")})`;

/** A literal: a copy without some of the fields is several times slower. */
function candidateOf(row: DueDelivery, subscription: Subscription, now: number): ClaimedDelivery {
  return {
    seq: row.seq,
    subscriptionSeq: row.subscriptionSeq,
    kind: row.kind,
    eventId: row.eventId,
    body: row.body,
    url: row.url,
    host: row.host,
    attempts: row.attempts,
    claimedAt: now,
    subscription,
  };
}

function expiry(db: Db): Outbox["expire"] {
  type Lost = { seq: number; workspaceId: string; url: string; event: string; isRevoked: 0 | 1 };
  // Those that a gateway holds are left for the next run.
  const claiming = db.dialect.claiming("s");
  const expired = db.value<{ now: number }, number>(
    `SELECT seq FROM subscriptions s WHERE expires_at <= @now LIMIT ${EXPIRY_BATCH} ${claiming}`,
  );
  // Starts from the keys that have ended, which are few compared with all subscriptions.
  const lost = db.sql<{ now: number }, Lost>(
    `SELECT s.seq, s.workspace_id AS workspaceId, s.url, s.event, ended.isRevoked
     FROM (SELECT id, 1 AS isRevoked FROM api_keys WHERE revoked_at IS NOT NULL
       UNION ALL SELECT id, 0 FROM api_keys WHERE expires_at <= @now AND revoked_at IS NULL) ended
     ${db.dialect.joinInOrder} subscriptions s ON s.key_id = ended.id
     WHERE s.ended_at IS NULL LIMIT ${EXPIRY_BATCH} ${claiming}`,
  );
  const end = db.sql("UPDATE subscriptions SET ended_at = @now WHERE seq = @seq");
  const dropAll = db.sql(dropDeliveries("subscription_seq = @seq"));
  const insertLastMessage = db.sql(
    `INSERT INTO deliveries (id, workspace_id, subscription_seq, url, host, kind, event_id, event, body, status,
       next_attempt_at, created_at)
     VALUES (@id, @workspaceId, @seq, @url, @host, 'terminated', @eventId, @event, @body, 'pending', @now, @now)`,
  );
  const remove = db.sql("DELETE FROM subscriptions WHERE seq = @seq");
  const terminated = db.value<object, number>(
    `SELECT seq FROM subscriptions s WHERE ended_at IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM deliveries d WHERE d.subscription_seq = s.seq AND d.status = 'pending') LIMIT ${EXPIRY_BATCH} ${claiming}`,
  );
  const old = db.value<{ before: number }, number>(
    `SELECT seq FROM deliveries WHERE finished_at < @before LIMIT ${EXPIRY_BATCH}`,
  );
  const deleteAttempts = db.sql("DELETE FROM delivery_attempts WHERE delivery_seq = @seq");
  const deleteDelivery = db.sql("DELETE FROM deliveries WHERE seq = @seq");

  return async ({ now, keptFrom, terminatedMessage }) => {
    let changed = 0;
    for (const { isRevoked, ...subscription } of await lost.all({ now })) {
      await dropAll.run({ seq: subscription.seq, now });
      await end.run({ seq: subscription.seq, now });
      const message = terminatedMessage(isRevoked === 1 ? "revoked_key" : "expired_key");
      await insertLastMessage.run({ ...subscription, ...message, host: new URL(subscription.url).host, now });
      changed += 1;
    }
    for (const seq of await expired.all({ now })) {
      await dropAll.run({ seq, now });
      changed += (await remove.run({ seq })).changes;
    }
    for (const seq of await terminated.all({})) changed += (await remove.run({ seq })).changes;
    for (const seq of await old.all({ before: keptFrom })) {
      await deleteAttempts.run({ seq });
      changed += (await deleteDelivery.run({ seq })).changes;
    }
    return changed;
  };
}
