import escapeHtml from "escape-html";

/** Markup, made by `html` alone: whatever else is put into a page is text. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = string | number | Html | null | readonly Part[];

/** A page or a piece of one. What is filled in is escaped, save what `html` has made. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: literals }, ...parts.map(render)));
}

function render(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.markup;
  return typeof part === "object" ? part.map(render).join("") : escapeHtml(String(part));
}
