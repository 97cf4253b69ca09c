import type { Actor, Context, Deployment } from "./context.ts";
import { emitEvent } from "./events/emit.ts";
import { newId } from "./ids.ts";
import type { PipelineStore } from "./store/store.ts";
import type { Vault } from "./vault.ts";

/** What one change happens within. */
export interface Within {
  actor: Actor;
  workspaceId: string;
  /** What the audit calls it. */
  action: string;
  vault: Vault;
  deployment: Deployment;
  /** Set once something was put into the outbox. */
  woken: boolean;
}

/** The context of one transaction, or of one read: everything in it happens at the same moment. */
export function createContext(within: Within, store: PipelineStore, now: number): Context {
  const { actor, workspaceId, action, vault, deployment } = within;
  return {
    actor,
    workspaceId,
    store,
    now,
    vault,
    deployment,
    newId: () => newId(now),
    async emit(name, payload) {
      const told = await emitEvent(store, now, name, payload);
      within.woken ||= told;
    },
    wake() {
      within.woken = true;
    },
    audit: (entry) => store.journal.audit({ ...entry, action, actorKind: actor.kind, actorId: actor.id, at: now }),
  };
}
