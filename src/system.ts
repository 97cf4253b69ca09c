import type { Clock, Context } from "./context.ts";
import { createContext, type Shared, type Within } from "./make-context.ts";
import type { Store } from "./store/store.ts";

export interface SystemParts extends Shared {
  store: Store;
  clock: Clock;
  /** Told when something was put into the outbox, and committed. */
  wake: () => void;
}

/** Runs a change of the server's own in one write of a workspace; the audit knows it by its name. */
export type AsSystem = <T>(workspaceId: string, name: string, job: (ctx: Context) => Promise<T>) => Promise<T>;

export function createSystem({ store, clock, wake, ...shared }: SystemParts): AsSystem {
  return async (workspaceId, name, job) => {
    const actor = { kind: "system", id: name, name: "Rostrum", workspaceId } as const;
    const within: Within = { actor, workspaceId, action: name, shared, woken: false };
    const done = await store.write(workspaceId, (bound) => job(createContext(within, bound, clock.now())));
    if (within.woken) wake();
    return done;
  };
}
