import { DiskFault } from "../../lib/disk-fault.ts";

/** A connection that the store itself has closed. */
export class StoreClosed extends Error {}

/** Errors of the network, while a connection is made or used. */
const NETWORK =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES|ERR_SSL|ERR_TLS|DEPTH_|SELF_SIGNED|UNABLE_TO|CERT_)/;

/** What `pg` says without a code when a connection ends under a statement, or none is free in time. */
const LOST =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after calling end|Query read timeout|The server does not support SSL)/;

/**
 * SQLSTATEs of a server that can't do its work now: connections, no resources, an operator's intervention, a fault of
 * the system, a read-only server, a statement that took too long, a lock that did not come, a database that takes no
 * connections, and a database or a table that is not there.
 */
const STATES = /^(08|53|57|58|XX|28|25006|25P03|25P04|40001|40P01|55000|55P03|3D000|42P01|42501)/;

/** EPIPE has five letters too. */
const isSqlState = (code: string) => /^(?=.*\d)[0-9A-Z]{5}$/.test(code);

/** Whether an error means that the database can't be reached or can't serve, as opposed to a bug. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreClosed || error instanceof DiskFault) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return isSqlState(code) ? STATES.test(code) : NETWORK.test(code);
  return LOST.test(error.message);
}

/** A deadlock, or a conflict with another transaction. */
const CONFLICT = /^(40001|40P01)$/;

/** Whether only this write failed, and the database serves others. */
export const isConflict = (error: unknown): boolean => CONFLICT.test(String((error as { code?: unknown }).code));

const CAUSES: readonly { codes: RegExp; reason: string; next: string }[] = [
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    reason: "the database's host is unknown",
    next: "Check the host in the URL. In the password, write characters such as @, / and : in percent-encoding.",
  },
  {
    codes: /^53100$/,
    reason: "the database's disk is full",
    next: "Free some space on the disk of the PostgreSQL server.",
  },
  {
    codes: /^25006$/,
    reason: "the database is read-only",
    next: "It may be a standby. Set ROSTRUM_DATABASE_URL to the primary.",
  },
  {
    codes: /^57014$/,
    reason: "statements time out",
    next: "Look for locks and long transactions on the PostgreSQL server.",
  },
  {
    codes: CONFLICT,
    reason: "two writes conflicted",
    next: "Nothing was written. Repeat the request.",
  },
  {
    codes: /^53/,
    reason: "the database has no connection or memory left",
    next: "Raise max_connections of the PostgreSQL server, or start fewer servers.",
  },
  {
    codes: /^28/,
    reason: "the database rejects the sign-in",
    next: "Check the user and the password in ROSTRUM_DATABASE_URL.",
  },
  {
    codes: /^55000$/,
    reason: "the database accepts no connections",
    next: "Allow them: ALTER DATABASE … ALLOW_CONNECTIONS true.",
  },
  {
    codes: /^(3D000|42P01|42501)$/,
    reason: "the database is not set up",
    next: "Check that ROSTRUM_DATABASE_URL points to the right database, and that its user owns the tables.",
  },
];

/** What an error means to the server admin. */
export function faultOf(error: unknown): Error {
  if (error instanceof DiskFault || !isUnavailable(error)) return error as Error;
  const { code, reason, next } = causeOf(error);
  const told = (error as Error).message || code;
  return new DiskFault(reason, `PostgreSQL: ${reason} (${told}). ${next}`, { cause: error });
}

/** Why the database can't serve, and what to do about it. */
export function causeOf(error: unknown): { code: string; reason: string; next: string } {
  const code = String((error as { code?: unknown }).code ?? "");
  const cause = CAUSES.find(({ codes }) => codes.test(code));
  const { reason = "the database can't be reached", next = REACH } = cause ?? {};
  return { code, reason, next };
}

const REACH = "Check that the PostgreSQL server is running, and that this machine can reach it.";
