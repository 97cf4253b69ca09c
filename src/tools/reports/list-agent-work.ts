import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { ACTION_KINDS, OUTCOMES } from "../../domain/socialnet/action.ts";
import { iso } from "../../lib/time.ts";
import type { AuditRow, OperationRow } from "../../store/logs.ts";
import { time } from "../fields.ts";
import { CursorMeta, cursor } from "../page.ts";

const Written = z.object({
  kind: z.enum(["contact", "deal", "card", "post", "item", "action", "account"]),
  id: z.string(),
  title: z.string().nullable(),
});
type Written = z.infer<typeof Written>;

const Action = z.object({
  kind: z.enum(ACTION_KINDS),
  status: z.string().nullable().describe("The new status. Null if it didn't change."),
  outcome: z.enum(OUTCOMES).nullable().describe("How the action ended, as far as known now."),
});

type Find = (ctx: Context, id: string) => Promise<Written | null>;

const contact: Find = async ({ store }, id) => {
  const found = (await store.contacts.find(id))?.contact;
  if (found === undefined) return null;
  return { kind: "contact", id, title: [found.first_name, found.last_name].filter(Boolean).join(" ") || found.email };
};

/** What each operation of agents writes; of the others nothing has a page. */
const FINDS: { [operation: string]: Find } = {
  create_contact: contact,
  assert_contact: contact,
  update_contact: contact,
  add_contact_tags: contact,
  log_activity: contact,
  async record_checklist_evidence(_, id) {
    return { kind: "item", id, title: id };
  },
  async create_deal({ store }, id) {
    const deal = await store.deals.find(id);
    return deal === undefined ? null : { kind: "deal", id, title: deal.title };
  },
  async enroll_contact(ctx, id) {
    const enrollment = await ctx.store.enrollments.find(id);
    return enrollment === undefined ? null : contact(ctx, enrollment.contactId);
  },
  async submit_checklist_output({ store }, id) {
    const card = await store.cards.find(id);
    if (card !== undefined) return { kind: "card", id, title: card.title };
    const post = await store.posts.find(id);
    return post === undefined ? null : { kind: "post", id, title: post.title };
  },
  async socialnet_command(ctx, id) {
    const { store } = ctx;
    const action = await store.socialnetActions.find(id);
    if (action !== undefined)
      return { kind: "action", id, title: (await contact(ctx, action.contactId))?.title ?? null };
    const account = await store.socialnetAccounts.find(id);
    return account === undefined ? null : { kind: "account", id, title: account.label };
  },
};

/** The record that an agent's write was about; null where it has no page, or is gone. */
async function writtenBy(ctx: Context, operation: string, id: string): Promise<Written | null> {
  return (await FINDS[operation]?.(ctx, id)) ?? null;
}

const Done = z.object({
  at: time,
  operation: z.string().describe("The operation's name."),
  surface: z.string().describe("The interface used: rest or mcp."),
  key: z.object({ id: z.string(), name: z.string(), prefix: z.string(), revoked: z.boolean() }),
  record: Written.nullable().describe("The record that was written, if it has a page. Null if the call was refused."),
  action: Action.nullable().describe("What a command did with a social-network action. Null for other writes."),
});

export const listAgentWork = personOperation({
  name: "list_agent_work",
  area: "audit",
  title: "List agent activity",
  description:
    "Lists every write with an API key in the last 400 days, newest first. Paginates by cursor. A page can have " +
    "fewer rows than the limit and still have a next page.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    key_id: z.string().min(1).max(100).optional().describe("Only writes with this key."),
    before: cursor.optional(),
    limit: z.int().min(1).max(100).default(25).describe("Rows per page."),
  }),
  output: z.array(Done),
  meta: CursorMeta,
  async handler(ctx, { key_id: keyId, before, limit }) {
    const page = { limit, before: before === undefined ? null : Number.parseInt(before, 10) };
    const { rows, next } = await ctx.store.logs.listKeyWrites({ keyId }, page);
    const keys = await keysOf(ctx, rows);
    const actions = await actionsOf(ctx, rows);
    const data = await Promise.all(
      rows.map(async ({ at, operation, surface, actorId, recordId }, i) => ({
        at: iso(at),
        operation,
        surface,
        key: keys.get(actorId) ?? { id: actorId, name: "A key", prefix: "", revoked: true },
        record: recordId === null ? null : await writtenBy(ctx, operation, recordId),
        action: actions[i] ?? null,
      })),
    );
    return { data, meta: { limit, next: next === null ? null : String(next) } };
  },
});

const COMMAND = "socialnet_command";

/** What befalls one action is little. */
const CHANGES = 100;

/** What these commands did with their actions, as the changes of the actions tell it; null for other writes. */
async function actionsOf({ store }: Context, rows: readonly OperationRow[]) {
  const ids = [...new Set(rows.flatMap(({ operation, recordId }) => (operation === COMMAND ? (recordId ?? []) : [])))];
  const known = new Map(
    await Promise.all(
      ids.map(async (id) => {
        const action = await store.socialnetActions.find(id);
        const moves = action === undefined ? [] : (await store.logs.auditOf(id, CHANGES)).flatMap(moveOf);
        return [id, { action, moves }] as const;
      }),
    ),
  );
  return rows.map(({ operation, recordId, at, actorId }) => {
    const { action, moves } = (operation === COMMAND ? known.get(recordId ?? "") : undefined) ?? {};
    if (action === undefined || moves === undefined) return null;
    // Several moves of one action may have the same time, so each row takes the newest that is left.
    const found = moves.findIndex((move) => move.at === at && move.actorId === actorId);
    const { kind, outcome } = action;
    return { kind, outcome, status: found === -1 ? null : (moves.splice(found, 1)[0]?.to ?? null) };
  });
}

function moveOf({ at, actorId, before, after }: AuditRow): { at: number; actorId: string; to: string }[] {
  const to = after?.status;
  return typeof to !== "string" || to === before?.status ? [] : [{ at, actorId, to }];
}

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
