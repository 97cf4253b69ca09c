import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { suppress } from "../../services/outreach/suppression.ts";
import { anyAddress } from "../contacts/contact-schema.ts";
import { exactlyOne, recordId } from "../fields.ts";
import { Suppression, toSuppression } from "./suppression-schema.ts";

const UNSTATED = "manual";

export const addSuppression = agentOperation({
  name: "add_suppression",
  area: "suppression",
  title: "Add an address to the do-not-contact list",
  description:
    "Adds an address to the do-not-contact list and stops everything open for every contact who has this address. " +
    "The same applies to contacts who had it when they were emailed, or when an action for them was approved. Send the address, or the contact. An existing entry keeps its reason " +
    "unless you send a new one. The operation works in every billing state, because opt-outs always count.",
  access: { scope: "suppression.write" },
  http: { method: "POST", path: "/suppression", statuses: [201], location: "/suppression" },
  tool: false,
  budget: "write",
  idempotent: true,
  effect: "write",
  restricts: () => true,
  errors: ["contact_not_found"],
  input: z
    .object({
      email: anyAddress.optional(),
      contact_id: recordId("contact").optional(),
      reason: z.string().max(200).trim().min(1).optional().meta({
        default: UNSTATED,
        description: "The reason, in a word or a sentence. Without it, the existing reason stays.",
      }),
    })
    .refine(...exactlyOne("email", "contact_id"))
    .meta({ examples: [{ email: "ada@lovelace.example", reason: "asked by phone" }] }),
  output: Suppression,
  async handler(ctx, { email: address, contact_id, reason }) {
    const given = address ?? (await addressOf(ctx, contact_id as string));
    const row = await suppress(ctx, {
      email: given,
      reason: reason ?? UNSTATED,
      stated: reason !== undefined,
      source: ctx.actor.kind === "key" ? "public_api" : "member",
    });
    return { data: toSuppression(row, ctx.workspaceId) };
  },
});

async function addressOf(ctx: Context, contactId: string): Promise<string> {
  const record = await ctx.store.contacts.find(contactId);
  if (record === undefined) throw problem("contact_not_found");
  const { email: address } = record.contact;
  if (address === null) {
    throw problem("validation_failed", "This contact has no email. Send email instead of contact_id.");
  }
  return address;
}
