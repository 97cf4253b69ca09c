/** @jsxRuntime automatic @jsxImportSource preact */

import type { ReviewKind } from "../../../domain/checklist/review.ts";
import type { OperationName } from "../../app/operations.ts";
import { TextField } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";

const BY_KIND = {
  action: {
    does: "withdraw_socialnet_action",
    of: "action_id",
    text: "No agent gets it. It needs review again. On an automatic account it is on hold instead.",
  },
  card: {
    does: "withdraw_card",
    of: "card_id",
    text: "The document needs review again. Its item gets back the status that it had before the approval.",
  },
  post: {
    does: "withdraw_post",
    of: "post_id",
    text: "The post needs review again, without the time that was set for it.",
  },
} as const satisfies Record<string, { does: OperationName; of: string; text: string }>;

export const WITHDRAWALS = Object.values(BY_KIND).map(({ does }) => does);

export function isWithdrawal(operation: string): boolean {
  return WITHDRAWALS.some((does) => does === operation);
}

interface Props {
  kind: Exclude<ReviewKind, "sequence">;
  id: string;
  /** What it is about, where a page has several. */
  about?: string;
}

/** Takes an approval back that nothing has acted on. The caller knows whether that is so. */
export function Withdraw({ kind, id, about }: Props) {
  const { does, of, text } = BY_KIND[kind === "publish" ? "post" : kind];
  return (
    <Confirm
      does={does}
      id={`withdraw-${id}`}
      opens="Withdraw approval…"
      {...(about !== undefined && { about })}
      submit="Withdraw approval"
    >
      <Hidden name={of} value={id} />
      <p>{text}</p>
      <TextField name="note" kind="optional" label="Reason" hint="Optional. Shown in the audit log." />
    </Confirm>
  );
}
