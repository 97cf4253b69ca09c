import { iso } from "../../../lib/time.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import { amount, counted } from "../../ui/format.ts";
import { codeLabel, nameOf, revealed, statusLabel } from "../../ui/labels.ts";
import { holdText, sharedHoldText } from "../outreach/hold-text.ts";
import type { AttentionSource } from "./attention-item.ts";

const OPEN_STAGES = ["prospecting", "qualification", "proposal", "negotiation"] as const;
/** The number of enrollments on hold that are read to find their sequences. */
const MAX_HELD = 20;
/** The number of unconfirmed emails that are read to find the oldest. */
const MAX_UNKNOWN = 20;

export const SEQUENCE_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "get_workspace_status",
    resolvedBy: "set_sequence_status",
    async find({ workspace, may }) {
      const { saved_to_files, waiting } = workspace.unsent;
      const connects = workspace.deployment.email === "none" && may("set_mail_settings");
      const to = connects ? "/settings/email" : "/sequences";
      const of = (count: number) => `Emails in ${counted(count, "active sequence")}`;
      const isOff = workspace.deployment.outbound_gate === "closed";
      return [
        ...(waiting > 0
          ? ([
              { text: `${of(waiting)} wait for a mail server`, tone: "stopped", label: "Not sent", count: waiting, to },
            ] as const)
          : []),
        ...(saved_to_files > 0
          ? ([
              {
                text: isOff
                  ? `${of(saved_to_files)} will be saved to files instead of being sent`
                  : `${of(saved_to_files)} are saved to files and not sent`,
                tone: "needs",
                to,
                group: "know",
              },
            ] as const)
          : []),
      ];
    },
  },
  {
    block: "needs_attention",
    needs: "list_sends",
    resolvedBy: "settle_send",
    async find({ call }) {
      const { data, meta } = await call("list_sends", { status: "unknown", limit: MAX_UNKNOWN });
      const [first] = data;
      if (first === undefined) return [];
      const { contact, address } = first;
      const text =
        meta.total === 1
          ? `Email to ${contact === null ? revealed(address) : nameOf(contact)} is unconfirmed. Mark it as sent or not sent.`
          : `${amount(meta.total)} emails are unconfirmed. Mark each as sent or not sent.`;
      const [oldest] = data.map(({ updated_at }) => updated_at).sort();
      return [
        {
          text,
          ...(oldest !== undefined && { at: oldest }),
          tone: "stopped",
          label: statusLabel("unknown"),
          count: meta.total,
          to: "/sequences/sends",
          query: { status: "unknown" },
          group: "decide",
        },
      ];
    },
  },
  {
    block: "needs_attention",
    needs: "list_enrollments",
    resolvedBy: "release_enrollment",
    async find(ctx) {
      const { call } = ctx;
      const { data, meta } = await call("list_enrollments", { held: true, limit: MAX_HELD });
      const isAll = meta.total === data.length;
      // The source above lists unconfirmed emails, so a sequence that has only these is not listed again.
      const bySequence = new Map<string, Held[]>();
      for (const row of data) {
        bySequence.set(row.sequence_id, [...(bySequence.get(row.sequence_id) ?? []), row]);
      }
      const listed = [...bySequence].filter(([, rows]) => rows.some(({ held_reason: of }) => of !== "send_unknown"));
      return Promise.all(
        listed.map(async ([sequence_id, rows]) => {
          const { name } = (await call("get_sequence", { sequence_id })).data;
          const only = isAll && rows.length === 1 ? (rows[0]?.contact ?? null) : null;
          const who =
            only !== null
              ? `${nameOf(only)} is`
              : isAll
                ? `${counted(rows.length, "contact")} ${rows.length === 1 ? "is" : "are"}`
                : `${amount(rows.length)} or more contacts are`;
          const text = `${who} on hold in the sequence “${name}”. ${isAll ? reasonOf(rows, ctx) : SEE_SEQUENCE}`;
          const now = iso(ctx.now);
          const [since] = rows.flatMap(({ due_at }) => (due_at === null || due_at > now ? [] : [due_at])).sort();
          const to = `/sequences/${sequence_id}` as const;
          return {
            text,
            tone: "needs",
            label: statusLabel("held"),
            count: rows.length,
            ...(since !== undefined && { at: since }),
            to,
            query: { show: "held" },
            group: "fix",
          } as const;
        }),
      );
    },
  },
  {
    block: "in_progress",
    needs: "count_in_progress",
    async find({ call }) {
      const { enrollments, deals } = (await call("count_in_progress", {})).data;
      const { active, waiting_on_action: waiting } = enrollments;
      const open = OPEN_STAGES.filter((stage) => deals[stage] > 0).map(
        (stage) => `${amount(deals[stage])} in ${codeLabel(stage).toLowerCase()}`,
      );
      const line = (text: string, to: "/sequences" | "/deals") => ({ text, tone: "plain", to }) as const;
      return [
        ...(active === 0 ? [] : [line(`${counted(active, "contact")} active in sequences`, "/sequences")]),
        ...(waiting === 0 ? [] : [line(`${counted(waiting, "enrollment")} waiting for an agent`, "/sequences")]),
        ...(open.length === 0 ? [] : [line(`Open deals: ${open.join(", ")}`, "/deals")]),
      ];
    },
  },
];

type Held = DataOf<"list_enrollments">[number];

const SEE_SEQUENCE = "Open the sequence to see why.";

/** The reason and the way out, if all enrollments share them. */
function reasonOf(rows: readonly Held[], reader: PageContext): string {
  const holds = rows.flatMap(({ held_reason: reason, held_detail: detail, hold_cause: cause }) =>
    reason === null ? [] : [{ reason, detail, cause }],
  );
  const [only, ...others] = holds;
  if (only === undefined) return SEE_SEQUENCE;
  return others.length === 0 ? holdText(only, reader) : (sharedHoldText(holds, reader) ?? SEE_SEQUENCE);
}
