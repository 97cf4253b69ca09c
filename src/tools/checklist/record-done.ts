import type { Context } from "../../context.ts";
import { dayOf } from "../../domain/date.ts";

/**
 * What a person approves or publishes closes its item, in the person's name. Where the service tells by itself whether
 * the item is done, and where the catalog knows it no longer, nothing is marked.
 */
export async function recordDone({ store, actor, catalog, now }: Context, itemId: string, evidence: string) {
  const item = catalog.items.find(({ id }) => id === itemId);
  if (item === undefined || item.detected_by !== null) return;
  await store.checklist.setMark({
    ...{ itemId, status: "done", evidence, lastDoneOn: dayOf(now), source: "member" },
    ...{ byId: actor.id, byName: actor.name, updatedAt: now },
  });
}
