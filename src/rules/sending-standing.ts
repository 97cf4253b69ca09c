import type { Context } from "../context.ts";
import { readOnlyReason } from "../domain/billing.ts";
import { calendarAt, openingAt } from "../domain/calendar.ts";
import type { SendingStanding } from "../domain/sending.ts";

type Asking = Pick<Context, "store" | "now" | "deployment">;
type Blocks = Pick<SendingStanding, "gateOpen" | "paused" | "readOnly">;

/** What keeps back everything that a workspace sends. */
export async function workspaceBlocks({ store, now, deployment }: Asking): Promise<Blocks> {
  const { pausedAt, ...billing } = await store.workspace.blocks();
  return {
    gateOpen: deployment.outboundGate === "open",
    paused: pausedAt !== null,
    readOnly: readOnlyReason(billing, now) !== undefined,
  };
}

/** Everything that gates what a workspace sends, read anew. */
export async function workspaceStanding(asking: Asking): Promise<Omit<SendingStanding, "sequence">> {
  const { store, now } = asking;
  const { timeZone, windows, dailyCap } = await store.workspace.sendingPolicy();
  const calendar = calendarAt(now, timeZone);
  return {
    ...(await workspaceBlocks(asking)),
    opening: openingAt(windows, timeZone, now),
    opensTomorrow: openingAt(windows, timeZone, calendar.nextDay).opensAt ?? calendar.nextDay,
    calendar,
    restsUntil: await store.workspace.mailRestsUntil(now),
    capLeft: dailyCap === null ? null : Math.max(0, dailyCap - (await store.sends.countSince(calendar.dayStart))),
  };
}
