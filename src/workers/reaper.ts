import { randomBytes } from "node:crypto";
import type { Clock } from "../context.ts";
import { terminatedBody } from "../events/protocol.ts";
import { newId } from "../ids.ts";
import type { Store } from "../store/store.ts";
import type { Chore } from "./supervisor.ts";

const KEEP_DELIVERIES_MS = 30 * 86_400_000;

/** Ends subscriptions whose time or key is up, and forgets deliveries of long ago. */
export function reapEvents(store: Store, clock: Clock, wake: () => void): Chore {
  return {
    name: "reap_events",
    everyMs: 1_000,
    async run() {
      const now = clock.now();
      const lastWord = (reason: string) => ({
        id: newId(now),
        eventId: `msg_terminated_${randomBytes(16).toString("hex")}`,
        body: terminatedBody(reason),
      });
      const gone = await store.outbox.reap({ now, keepMs: KEEP_DELIVERIES_MS, lastWord });
      if (gone > 0) wake();
    },
  };
}
