/** @jsxRuntime automatic @jsxImportSource preact */

import { type Problem, type ProblemCode, problem } from "../../core/problem.ts";
import { usePageContext } from "../app/page-context.ts";
import { refusalText } from "./form.tsx";
import { codeLabel } from "./labels.ts";

/** What a page or form shows where the API would say how to find the right id. */
const NOT_FOUND: Partial<Record<ProblemCode, string>> = {
  contact_not_found: "This contact doesn't exist or was archived.",
  conversation_not_found: "This conversation doesn't exist, or its contact was archived.",
  answer_not_found: "This answer doesn't exist.",
  account_not_found: "This company doesn't exist.",
  webhook_not_found: "This webhook doesn't exist or was deleted.",
  delivery_not_found: "This delivery doesn't exist or was deleted after 30 days.",
  socialnet_account_not_found: "This social account doesn't exist.",
  action_not_found: "This action doesn't exist.",
  key_not_found: "This API key doesn't exist.",
  deal_not_found: "This deal doesn't exist.",
  sequence_not_found: "This sequence doesn't exist.",
  approval_not_found: "This approval doesn't exist.",
  enrollment_not_found: "This enrollment doesn't exist.",
  item_not_found: "This checklist item doesn't exist.",
  card_not_found: "This document doesn't exist.",
  post_not_found: "This post doesn't exist.",
  send_not_found: "This email doesn't exist.",
  member_not_found: "This teammate doesn't exist or was removed.",
};

/** A message about a field stays: the page shows it beside the field. */
const NAMES_FIELD = /^[a-z][\w.]*: /;

/** A refusal in the words of the console. */
export function inConsole(refusal: Problem): Problem {
  const text = NOT_FOUND[refusal.code];
  const isOfField = refusal.faults.some((fault) => NAMES_FIELD.test(fault));
  return text === undefined || isOfField ? refusal : problem(refusal.code, text);
}

/** Why a page cannot be shown, with the code of the API. */
export function Refusal({ problem: refusal }: { problem: Problem }) {
  const { href } = usePageContext();
  return (
    <div class="empty">
      <p>{refusalText(refusal)}</p>
      <p class="quiet">
        <code>{refusal.code}</code>
      </p>
      <p>
        <a href={href("/")}>Go to Today</a>
      </p>
    </div>
  );
}

/** The texts that a member typed into a form that is gone, so that they can copy them. */
export function TypedTexts({ texts }: { texts: readonly (readonly [name: string, text: string])[] }) {
  if (texts.length === 0) return null;
  return (
    <dl class="wrote">
      {texts.map(([name, text]) => (
        <div key={name}>
          <dt class="hint">{codeLabel(name)}</dt>
          <dd class="copytext">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
