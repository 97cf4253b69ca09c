import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { Delivery, toDelivery } from "./webhook-schema.ts";

export const resendDelivery = personOperation({
  name: "resend_delivery",
  area: "events",
  title: "Resend a delivery",
  description:
    "Sends a finished delivery again immediately, with the same id and body, and up to six new attempts. A pending " +
    "delivery keeps its schedule.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["delivery_not_found", "delivery_not_resendable"],
  input: z.strictObject({ delivery_id: recordId("delivery") }),
  output: Delivery,
  async handler(ctx, { delivery_id: id }) {
    const before = await ctx.store.deliveries.find(id);
    if (before === undefined) throw problem("delivery_not_found");
    if (before.status === "pending") return { data: toDelivery(before) };
    if (!(await ctx.store.deliveries.resend(id, ctx.now))) {
      throw problem(
        "delivery_not_resendable",
        "The webhook or subscription of this delivery has ended or is suspended. Add it again to get new events.",
      );
    }
    const { attempts: _, ...after } = toDelivery({
      ...before,
      status: "pending",
      nextAttemptAt: ctx.now,
      finishedAt: null,
    });
    await ctx.audit({ recordId: id, before: { status: before.status }, after: { status: after.status } });
    ctx.wake();
    return { data: { ...after, attempts: toDelivery(before).attempts } };
  },
});
