/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../app/page-context.ts";
import { Icon } from "./icon.tsx";

/** The search of every page, which a script opens. Without scripts, the form in the top bar leads to the same results. */
export function Palette() {
  const { href } = usePageContext();
  return (
    <dialog id="palette" class="palette" aria-label="Search" data-find={href("/search", { part: "results" })}>
      <form role="search" action={href("/search")} method="get" class="search">
        <Icon name="search" />
        <input
          type="text"
          name="q"
          role="combobox"
          aria-label="Search"
          aria-expanded="false"
          aria-controls="palette-found"
          aria-autocomplete="list"
          placeholder="Search or run a command"
          maxLength={200}
          autoComplete="off"
          spellcheck={false}
          enterkeyhint="go"
        />
        <button type="button" data-close-palette>
          Close
        </button>
      </form>
      <p class="hidden" role="status" data-palette-status />
      <div id="palette-found" role="listbox" aria-label="Results" />
    </dialog>
  );
}
