/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { usePageContext } from "../app/page-context.ts";

interface Props {
  /** The ids of the forms in it. It stays open if one of them was refused. */
  forms: readonly string[];
  children: ComponentChildren;
}

/** A menu of the actions that a page needs rarely. Their forms open in the menu. */
export function MoreActions({ forms, children }: Props) {
  const { failed } = usePageContext();
  return (
    <details class="menu actions" open={failed !== undefined && forms.includes(failed.form)}>
      <summary class="button">More</summary>
      <div class="list">{children}</div>
    </details>
  );
}
