import { z } from "zod";
import type { Context } from "../../context.ts";
import { personOperation } from "../../operation.ts";
import type { OperationRow } from "../../store/logs.ts";
import { CursorMeta, cursor } from "../cursor.ts";
import { iso, time } from "../time.ts";
import { Written, writtenBy } from "./written.ts";

const Done = z.object({
  at: time,
  operation: z.string().describe("What was done, by the name of the operation."),
  surface: z.string().describe("The door it came by: rest or mcp."),
  key: z.object({ id: z.string(), name: z.string(), prefix: z.string(), revoked: z.boolean() }),
  record: Written.nullable().describe("What was written, where it has a page; null for a refusal that left a trace."),
});

export const listAgentWork = personOperation({
  name: "list_agent_work",
  area: "audit",
  title: "List what agents did",
  description:
    "Lists every write that came with an API key in the last 400 days, newest first. It goes by cursor, and a page may hold fewer rows than there are further on.",
  access: { permission: "view" },
  effect: "read",
  gates: [],
  errors: [],
  input: z.strictObject({
    key_id: z.string().min(1).max(100).optional().describe("Only what came with this key."),
    before: cursor.optional(),
    limit: z.int().min(1).max(100).default(25).describe("Rows a page."),
  }),
  output: z.array(Done),
  meta: CursorMeta,
  async handler(ctx, { key_id: keyId, before, limit }) {
    const page = { limit, before: before === undefined ? null : Number.parseInt(before, 10) };
    const { rows, next } = await ctx.store.logs.listKeyWrites({ keyId }, page);
    const keys = await keysOf(ctx, rows);
    const data = await Promise.all(
      rows.map(async ({ at, operation, surface, actorId, recordId }) => ({
        ...{ at: iso(at), operation, surface },
        key: keys.get(actorId) ?? { id: actorId, name: "A key", prefix: "", revoked: true },
        record: recordId === null ? null : await writtenBy(ctx, operation, recordId),
      })),
    );
    return { data, meta: { limit, next: next === null ? null : String(next) } };
  },
});

async function keysOf({ store }: Context, rows: readonly OperationRow[]) {
  const ids = [...new Set(rows.map(({ actorId }) => actorId))];
  const found = await Promise.all(ids.map((id) => store.keys.find(id)));
  return new Map(
    found.flatMap((key) =>
      key === undefined
        ? []
        : [[key.id, { id: key.id, name: key.name, prefix: key.prefix, revoked: key.revokedAt !== null }] as const],
    ),
  );
}
