/** Says what failed, and at the end how many tests there were and what they took: one line of JSON on file descriptor 3. */
import { writeSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A test that is inside no other one. */
export interface Timing {
  file: string;
  name: string;
  ms: number;
  /** CPU time of this process since the test before, in milliseconds. Processes that the test starts are not included. */
  cpuMs: number;
}

export interface Skip {
  name: string;
  reason: string;
}

export interface Report extends Counts {
  skips: Skip[];
  timings: Timing[];
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Report = { passed: 0, failed: 0, skipped: 0, skips: [], timings: [] };
  let used = process.cpuUsage();
  for await (const { type, data } of events) {
    if ((type === "test:pass" || type === "test:fail") && data.nesting === 0) {
      const { user, system } = process.cpuUsage(used);
      used = process.cpuUsage();
      const cpuMs = (user + system) / 1000;
      counts.timings.push({ file: data.file ?? "", name: data.name, ms: data.details.duration_ms, cpuMs });
    }
    if (type === "test:pass") {
      if (data.details.type === "suite") continue;
      if (data.skip === undefined) counts.passed++;
      else {
        counts.skipped++;
        counts.skips.push({ name: data.name, reason: String(data.skip) });
      }
    } else if (type === "test:fail") {
      // A test fails with its subtests, which are told of themselves.
      const { cause, failureType } = data.details.error as Error & { cause?: unknown; failureType?: string };
      if (failureType === "subtestsFailed") continue;
      counts.failed++;
      yield `\n✖ ${data.name}\n${inspect(cause ?? data.details.error)}\n`;
    } else if (type === "test:stderr" || type === "test:stdout") {
      yield data.message;
    }
  }
  writeSync(3, JSON.stringify(counts));
}
