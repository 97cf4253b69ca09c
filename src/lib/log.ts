import pino, { type Logger } from "pino";
import pretty from "pino-pretty";

export type Log = Logger;

/** Where a secret could be in a log entry. */
const SECRETS = ["authorization", "key", "api_key", "secret", "password", "token"].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** Structured lines on stderr, pretty on a terminal. Secrets are cut out by name and API keys by shape. */
export function createLog(level: string): Log {
  const options = {
    level,
    base: null,
    redact: { paths: SECRETS, censor: "[redacted]" },
    hooks: { streamWrite: (line: string) => line.replaceAll(/ros_live_[A-Za-z0-9_-]{6,}/g, "ros_live_[redacted]") },
  };
  if (process.stderr.isTTY) return pino(options, pretty({ destination: 2, sync: true }));
  return pino(options, pino.destination({ dest: 2, sync: true }));
}
