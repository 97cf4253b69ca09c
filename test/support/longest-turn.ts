import { readFileSync } from "node:fs";

/**
 * Runs a job in this process and returns the longest turn of the event loop, in milliseconds of CPU of the main thread,
 * which a busy machine does not lengthen.
 */
export async function longestTurn(job: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadTimes().cpuMs;
  let timer: NodeJS.Immediate;
  const look = () => {
    const now = threadTimes().cpuMs;
    longest = Math.max(longest, now - last);
    last = now;
    timer = setImmediate(look);
  };
  timer = setImmediate(look);
  try {
    await job();
    // The last turn ends here.
    longest = Math.max(longest, threadTimes().cpuMs - last);
  } finally {
    clearImmediate(timer);
  }
  return longest;
}

/** Milliseconds that the main thread has run, and that it has waited for a core. */
export function threadTimes(): { cpuMs: number; waitedMs: number } {
  try {
    const times = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
    const [cpuMs = 0, waitedMs = 0] = times.map((time) => Number(time) / 1e6);
    return { cpuMs, waitedMs };
  } catch {
    // On other systems than Linux, the CPU of all threads.
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1_000, waitedMs: 0 };
  }
}
