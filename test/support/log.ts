import { Writable } from "node:stream";
import pino from "pino";
import type { Log } from "../../src/lib/log.ts";

/** A log of everything, kept as text, without the redaction that would hide a leak. */
export function keptLog(): { log: Log; text(): string } {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { log: pino({ level: "trace" }, stream), text: () => text };
}
