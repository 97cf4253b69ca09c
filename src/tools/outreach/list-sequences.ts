import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Sequence, toSequence } from "./sequence-schema.ts";

export const listSequences = agentOperation({
  name: "list_sequences",
  area: "sequences",
  title: "List sequences",
  description: "Lists email and social sequences, newest first, with the exact total.",
  access: { scope: "sequences.read" },
  http: { method: "GET", path: "/sequences", statuses: [200] },
  tool: { annotations: READ_ONLY, compact: ["created_at"] },
  budget: "read",
  idempotent: false,
  effect: "read",
  input: z.object(pageFields),
  output: z.array(Sequence),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.sequences.list(page);
    return { data: rows.map(toSequence), meta: listMeta(page, rows.length, total) };
  },
});
