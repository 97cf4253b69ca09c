import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import { MINUTE_MS } from "./time.ts";

export type Log = Logger;

/** Where a secret could be in a log entry. */
const SECRETS = ["authorization", "key", "api_key", "secret", "password", "token"].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** Where an error of PostgreSQL quotes what people have written. */
const QUOTES = ["detail", "where", "internalQuery"].map((name) => `err.${name}`);

/** Structured lines on stderr, pretty on a terminal. Secrets are cut out by name and API keys by shape. */
export function createLog(level: string): Log {
  const options = {
    level,
    base: null,
    redact: { paths: [...SECRETS, ...QUOTES], censor: "[redacted]" },
    hooks: { streamWrite: (line: string) => line.replaceAll(/ros_live_[A-Za-z0-9_-]{6,}/g, "ros_live_[redacted]") },
  };
  if (process.stderr.isTTY) return pino(options, pretty({ destination: 2, sync: true, singleLine: true }));
  return pino(options, pino.destination({ dest: 2, sync: true }));
}

/** Writes an entry of this kind, or leaves it out. */
export type Throttle = (kind: string, write: (left: { suppressed?: number }) => void) => void;

/**
 * Lets the first entry of a kind through, and then at most one a minute. Each is told how many were left out since the
 * last one. Kinds must be few: they are kept.
 *
 * @param now milliseconds of a clock that never jumps
 */
export function createThrottle(now: () => number = () => performance.now()): Throttle {
  const kinds = new Map<string, { writtenAt: number; suppressed: number }>();
  return (kind, write) => {
    const last = kinds.get(kind);
    const at = now();
    if (last !== undefined && at - last.writtenAt < MINUTE_MS) {
      last.suppressed += 1;
      return;
    }
    kinds.set(kind, { writtenAt: at, suppressed: 0 });
    write(last === undefined || last.suppressed === 0 ? {} : { suppressed: last.suppressed });
  };
}
