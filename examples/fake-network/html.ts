import escapeHtml from "escape-html";

/** Markup, created only by `html`: anything else put into a page is text. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = string | number | Html | null | readonly Part[];

/** A page or a part of one. Values are escaped, except markup created by `html`. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: literals }, ...parts.map(render)));
}

function render(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.markup;
  return typeof part === "object" ? part.map(render).join("") : escapeHtml(String(part));
}
