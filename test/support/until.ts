import { setTimeout as pause } from "node:timers/promises";

/** Polls until the condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not come to pass within ${withinMs} ms.`);
    await pause(10);
  }
}
