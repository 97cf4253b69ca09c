import { iso } from "../../lib/time.ts";
import { type DataOptions, printData } from "../terminal.ts";
import { withCore } from "../with-core.ts";

/** `rostrum clock accept`: has retention follow the machine's clock again after it jumped. */
export async function acceptClock(options: DataOptions): Promise<void> {
  const now = Date.now();
  await withCore(options, ({ store }) => store.recordRetention(now, undefined, now));
  printData({ clock: iso(now) }, options, () => `Clock accepted: ${iso(now)}. Old records are deleted on time again.`);
}
