/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren, VNode } from "preact";
import { jsxTemplate } from "preact/jsx-runtime";
import { render } from "preact-render-to-string";

/** Renders a part of a page to one text now, and not with the rest. */
export function renderNow(part: ComponentChildren): VNode {
  const html = render(<>{part}</>);
  // V8 keeps the pieces of a concatenated text until a character is read.
  html.charCodeAt(0);
  return jsxTemplate([html]);
}

interface Props {
  /** Called while this is rendered, and not before. */
  children: () => ComponentChildren;
}

/**
 * A row of a long list. Elsewhere, every element and every piece of text lives until the whole page is rendered. With
 * many of them, V8 moves them to the old generation, whose collection takes long.
 */
export function Rendered({ children }: Props): VNode {
  return renderNow(children());
}
