/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren, VNode } from "preact";
import { jsxTemplate } from "preact/jsx-runtime";
import { render } from "preact-render-to-string";

/**
 * Renders a part of a page now, and not with the rest: a row of a long list, for one. Otherwise, every element and every
 * piece of text lives until the whole page is rendered. With many of them, V8 moves them to the old generation, whose
 * collection takes long.
 */
export function renderNow(part: ComponentChildren): VNode {
  return htmlNode(flat(render(<>{part}</>)));
}

/**
 * HTML as a part of a page.
 *
 * @param html must be escaped already: it is inserted as it is
 */
export function htmlNode(html: string): VNode {
  return jsxTemplate([html]);
}

/**
 * The same text in one piece: V8 keeps a concatenated text as a tree of its pieces until a character is read. The result
 * is used, so that the compiler can't drop the read.
 */
function flat(text: string): string {
  return Number.isNaN(text.charCodeAt(0)) ? "" : text;
}
