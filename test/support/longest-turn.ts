import { readFileSync } from "node:fs";

/**
 * Runs a job in this process and says how long its longest turn of the event loop was, in milliseconds of CPU of the
 * main thread: a busy machine makes it no longer.
 */
export async function longestTurn(job: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadMs();
  let timer: NodeJS.Immediate;
  const look = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    timer = setImmediate(look);
  };
  timer = setImmediate(look);
  try {
    await job();
    // The last turn ends here.
    longest = Math.max(longest, threadMs() - last);
  } finally {
    clearImmediate(timer);
  }
  return longest;
}

function threadMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    // Beyond Linux, the CPU of all threads.
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}
