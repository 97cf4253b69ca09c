/** @jsxRuntime automatic @jsxImportSource preact */

import type { ReviewKind } from "../../../domain/checklist/review.ts";
import type { OperationName } from "../../app/operations.ts";
import { TextField } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";

/** How an approval of each kind is withdrawn. */
export const WITHDRAWS = {
  action: {
    does: "withdraw_socialnet_action",
    of: "action_id",
    text: "The action needs review again, or is put on hold if the account sends automatically.",
  },
  card: {
    does: "withdraw_card",
    of: "card_id",
    text: "The document needs review again. Its checklist item returns to its earlier status.",
  },
  post: {
    does: "withdraw_post",
    of: "post_id",
    text: "The post needs review again. Its publish time is cleared.",
  },
} as const satisfies Record<string, { does: OperationName; of: string; text: string }>;

export const WITHDRAWALS = Object.values(WITHDRAWS).map(({ does }) => does);

export function isWithdrawal(operation: string): boolean {
  return WITHDRAWALS.some((does) => does === operation);
}

interface Props {
  kind: Exclude<ReviewKind, "sequence" | "answer">;
  id: string;
  /** The title of the record, if the page has several of these buttons. */
  about?: string;
}

/** Withdraws an approval. Render it only if nothing has used the approval yet. */
export function Withdraw({ kind, id, about }: Props) {
  const { does, of, text } = WITHDRAWS[kind === "publish" ? "post" : kind];
  return (
    <Confirm
      does={does}
      id={`withdraw-${id}`}
      opens={about === undefined ? "Withdraw approval…" : "Withdraw…"}
      {...(about !== undefined && { about })}
      submit="Withdraw approval"
    >
      <Hidden name={of} value={id} />
      <p>{text}</p>
      <TextField name="note" kind="optional" label="Reason" hint="Optional. Shown in the audit log." />
    </Confirm>
  );
}
