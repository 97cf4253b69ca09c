import type { Actor, Context, Deployment } from "./context.ts";
import type { Catalog } from "./domain/checklist-catalog.ts";
import { emitEvent } from "./events/emit.ts";
import { newId } from "./ids.ts";
import type { Log } from "./log.ts";
import type { PipelineStore } from "./store/store.ts";
import type { Vault } from "./vault.ts";

/** What is the same for every change of this process. */
export interface Shared {
  vault: Vault;
  deployment: Deployment;
  catalog: () => Catalog;
  log: Log;
  /** The address that people reach this server by, without a trailing slash. */
  url: () => string;
}

/** What one change happens within. */
export interface Within {
  actor: Actor;
  workspaceId: string;
  /** What the audit calls it. */
  action: string;
  shared: Shared;
  /** Set once something was put into the outbox. */
  woken: boolean;
}

/** The context of one transaction, or of one read: everything in it happens at the same moment. */
export function createContext(within: Within, store: PipelineStore, now: number): Context {
  const { actor, workspaceId, action, shared } = within;
  const { vault, deployment, log } = shared;
  return {
    actor,
    workspaceId,
    store,
    now,
    vault,
    deployment,
    get catalog() {
      return shared.catalog();
    },
    newId: () => newId(now),
    pageUrl: (path) => shared.url() + path,
    async emit(name, payload) {
      const told = await emitEvent(store, now, name, payload);
      within.woken ||= told;
    },
    wake() {
      within.woken = true;
    },
    missed(part, error) {
      log.error({ err: error, action, part }, "a part of an answer could not be read");
    },
    audit: (entry) => store.journal.audit({ ...entry, action, actorKind: actor.kind, actorId: actor.id, at: now }),
  };
}
