/** @jsxRuntime automatic @jsxImportSource preact */

import type { Problem } from "../../core/problem.ts";
import { usePageContext } from "../app/page-context.ts";
import { codeLabel } from "./labels.ts";

/** Why a page cannot be shown, with the message and code of the API. */
export function Refusal({ problem }: { problem: Problem }) {
  const { href } = usePageContext();
  return (
    <div class="empty">
      <p>{problem.message}</p>
      <p class="quiet">
        <code>{problem.code}</code>
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
