/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { Icon } from "../../ui/icon.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";

interface Waiting {
  id: string;
  kind: string;
  status: string;
  account_label: string;
  planned_by: string | null;
  copy: string;
  /** The contact, on the page of a company. */
  to?: string;
}

/** Actions that need review. */
export const needsReview = ({ status }: Pick<Waiting, "status">) => status === "planned";

interface Props {
  actions: readonly Waiting[];
}

/** Messages to this record that need review, each with the way to decide. */
export function ReviewStrip({ actions }: Props) {
  const { href, may } = usePageContext();
  const waiting = actions.filter(needsReview);
  if (waiting.length === 0) return null;
  return (
    <ul class="waiting" aria-label="Needs review">
      {waiting.map(({ id, kind, account_label, planned_by, copy, to }) => (
        <li key={id}>
          <Icon name="needs" />
          <div>
            <strong>
              {codeLabel(kind)}
              {to !== undefined && ` to ${to}`}
            </strong>{" "}
            from {account_label}'s account, proposed by {planned_by ?? "a sequence"}, needs review
            {copy !== "" && <p>{revealed(copy)}</p>}
          </div>
          {may("list_review") && (
            <a class="button" href={href(`/review/action/${id}`)}>
              Review
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
