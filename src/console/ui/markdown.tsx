/** @jsxRuntime automatic @jsxImportSource preact */

import MarkdownIt, { type Token } from "markdown-it";
import type { ComponentChildren } from "preact";
import { revealed, withoutGaps } from "./labels.ts";

/**
 * The parser leaves out lists and quotes that are nested deeper, and what follows them. Emphasis has no limit there, but
 * the stack has one.
 */
const MAX_NESTING = 20;

/**
 * CommonMark, for people who review a document. Nothing of the source is left out, because a reviewer must see everything
 * that they approve: HTML, comments, entities and link definitions stay as text.
 */
const markdown = new MarkdownIt("commonmark", { html: false, maxNesting: MAX_NESTING }).disable([
  "reference",
  "entity",
]);
// No link can be followed, so each is shown as it is written.
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;

const PLAIN = new Set(["paragraph_open", "paragraph_close", "inline", "text", "text_special", "softbreak"]);

/** Whether a text has Markdown that people would see as signs. */
export function hasMarkdown(text: string): boolean {
  const isPlain = ({ type, children }: Token): boolean => PLAIN.has(type) && (children ?? []).every(isPlain);
  return !markdown.parse(text, {}).every(isPlain);
}

/**
 * Whether rendering keeps the whole text, and adds no gap that pushes a part of it out of the reviewer's sight.
 */
export function rendersWhole(text: string): boolean {
  const isWhole = ({ nesting, level, children }: Token): boolean =>
    (nesting !== 1 || level < MAX_NESTING - 1) && (children ?? []).every(isWhole);
  const tokens = markdown.parse(revealed(text), {});
  if (!tokens.every(isWhole) || !countsUp(tokens)) return false;
  const reads = textOf(tokens);
  return withoutGaps(reads) === reads;
}

/** Wider numbers of items could be cut off at the edge of a phone. */
const MAX_NUMBER = 999;

/** Whether items have the numbers that are rendered. Each is one more than the last, or repeats the first. */
function countsUp(tokens: readonly Token[]): boolean {
  const lists: { first: number; next: number }[] = [];
  return tokens.every((token) => {
    if (token.type === "ordered_list_open") {
      const first = Number(token.attrGet("start") ?? 1);
      lists.push({ first, next: first });
    } else if (token.type === "ordered_list_close") lists.pop();
    else if (token.type === "list_item_open" && token.info !== "") {
      const list = lists.at(-1);
      const number = Number(token.info);
      const isShown = number <= MAX_NUMBER && (number === list?.next || number === list?.first);
      if (list !== undefined) list.next += 1;
      return isShown;
    }
    return true;
  });
}

/** The rendered text. Headings, list items and links without text are empty, like line breaks. */
function textOf(tokens: readonly Token[]): string {
  const parts = tokens.map((token, i) => {
    const { type, block, nesting, info, content, children } = token;
    switch (type) {
      case "hr":
      case "image":
        return `[${type}]`;
      case "link_open":
        return `${token.attrGet("href")}${token.attrGet("title") ?? ""}`;
      case "hardbreak":
      case "softbreak":
      case "paragraph_close":
      case "heading_close":
        return "\n";
      case "fence":
      case "code_block":
        return `${info}${content}\n`;
    }
    if (children !== null) return textOf(children);
    const isEmpty = block && nesting === -1 && tokens[i - 1]?.nesting === 1;
    return isEmpty ? "\n" : content;
  });
  return parts.join("");
}

interface Props {
  text: string;
  /** The level of the heading above. */
  below: number;
}

/** A document as its readers will see it. Links show their address and can't be followed, because an agent wrote them. */
export function Markdown({ text, below }: Props) {
  return <div class="rendered">{nested(markdown.parse(revealed(text), {}), new Levels(below))}</div>;
}

/** A document may skip levels of headings. Screen readers announce none that is missing. */
class Levels {
  readonly #below: number;
  #last: number;

  constructor(below: number) {
    this.#below = below;
    this.#last = below;
  }

  next(level: number): number {
    this.#last = Math.min(this.#last + 1, this.#below + level, 6);
    return this.#last;
  }
}

/** A flat list of tokens, where each one that opens has what follows until it closes. */
function nested(tokens: readonly Token[], levels: Levels): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (token.nesting !== 1) {
      shown.push(leaf(token, levels));
      continue;
    }
    let end = at + 1;
    while (tokens[end]?.nesting !== -1 || tokens[end]?.level !== token.level) end += 1;
    shown.push(element(token, tokens.slice(at + 1, end), levels));
    at = end;
  }
  return shown;
}

function element(token: Token, inner: readonly Token[], levels: Levels): ComponentChildren {
  // Before what is in it, which may hold headings too.
  const level = token.type === "heading_open" ? levels.next(Number(token.tag.slice(1))) : 0;
  const children = nested(inner, levels);
  switch (token.type) {
    case "heading_open": {
      const Heading = `h${level}` as "h3";
      return <Heading>{children}</Heading>;
    }
    // In a list whose items are single lines.
    case "paragraph_open":
      return token.hidden ? children : <p>{children}</p>;
    case "blockquote_open":
      return <blockquote>{children}</blockquote>;
    case "bullet_list_open":
      return <ul>{children}</ul>;
    case "ordered_list_open":
      return <ol start={Number(token.attrGet("start") ?? 1)}>{children}</ol>;
    case "list_item_open":
      return <li>{children}</li>;
    case "strong_open":
      return <strong>{children}</strong>;
    case "em_open":
      return <em>{children}</em>;
    case "link_open":
      return <Linked token={token}>{children}</Linked>;
    default:
      return children;
  }
}

function leaf(token: Token, levels: Levels): ComponentChildren {
  switch (token.type) {
    case "inline":
      return nested(token.children ?? [], levels);
    case "fence":
    case "code_block":
      return (
        <div class="copytext">
          {token.info !== "" && <span class="hint">{revealed(token.info)}</span>}
          {token.content}
        </div>
      );
    case "code_inline":
      return <code>{token.content}</code>;
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr />;
    case "image":
      return (
        <span class="quiet">
          Image{token.content === "" ? "" : ` “${token.content}”`}: <Address token={token} name="src" />
        </span>
      );
    default:
      return token.content;
  }
}

function Linked({ token, children }: { token: Token; children: ComponentChildren[] }) {
  const [only, ...others] = children;
  const isAddress = others.length === 0 && only === token.attrGet("href");
  if (children.length === 0 || isAddress) return <Address token={token} name="href" />;
  return (
    <>
      <u>{children}</u> (<Address token={token} name="href" />)
    </>
  );
}

function Address({ token, name }: { token: Token; name: "href" | "src" }) {
  const title = token.attrGet("title");
  return (
    <>
      <code>{revealed(String(token.attrGet(name) ?? ""))}</code>
      {title !== null && ` “${revealed(String(title))}”`}
    </>
  );
}
