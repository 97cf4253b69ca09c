/** A part of a line. Whatever is not one of these is text, so nothing of the source is ever left out. */
export type Inline =
  | { is: "text" | "code"; text: string }
  | { is: "strong" | "em"; of: Inline[] }
  | { is: "link" | "image"; text: string; url: string };

/** A part of a document. */
export type Block =
  | { is: "heading"; level: number; of: Inline[] }
  | { is: "paragraph" | "quote"; of: Inline[] }
  | { is: "code"; info: string; text: string }
  | { is: "list"; ordered: boolean; items: { number: number | undefined; of: Inline[] }[] }
  | { is: "rule" };

const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;
const ITEM = /^[ \t]*(?:[-*+]|(\d{1,9})[.)])[ \t]+(\S.*)$/;
const QUOTE = /^>[ \t]?(.*)$/;
const RULE = /^(?:---+|\*\*\*+|___+)[ \t]*$/;
const FENCE = /^(```+|~~~+)(.*)$/;

/** Whether a text has Markdown that people would see as signs. */
export function hasMarkdown(text: string): boolean {
  return /^(?:#{1,6}[ \t]+\S|[-*+][ \t]+\S|\d{1,9}[.)][ \t]+\S|>|```|~~~)|\*\*\S|`[^`\n]+`|\]\(/m.test(text);
}

/**
 * The common part of Markdown, for people who review a document: headings, lists, quotes, code, emphasis and links. It is
 * no full parser on purpose. HTML, comments, tables and link definitions stay as they are written, because a reviewer must
 * see everything that they approve.
 */
export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  /** Lines of the paragraph or quote that is being read. */
  let open: { is: "paragraph" | "quote"; lines: string[] } | undefined;
  /** Fences that no later line ends. */
  const endless = new Set<string>();
  const endOf = (from: number, fence: string | undefined): number => {
    if (fence === undefined || endless.has(fence)) return -1;
    const end = lines.findIndex((line, i) => i > from && line.trimEnd() === fence);
    // It is no code then: the rest of the document is read as usual.
    if (end === -1) endless.add(fence);
    return end;
  };
  const close = () => {
    if (open !== undefined) blocks.push({ is: open.is, of: parseInline(open.lines.join("\n")) });
    open = undefined;
  };
  const add = (is: "paragraph" | "quote", line: string) => {
    if (open?.is !== is) close();
    open ??= { is, lines: [] };
    open.lines.push(line);
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const [, fence, info = ""] = FENCE.exec(line) ?? [];
    const end = endOf(at, fence);
    const [, marks = "", title] = HEADING.exec(line) ?? [];
    const [, number, item] = ITEM.exec(line) ?? [];
    const quoted = QUOTE.exec(line)?.[1];
    if (end !== -1) {
      close();
      blocks.push({ is: "code", info: info.trim(), text: lines.slice(at + 1, end).join("\n") });
      at = end;
    } else if (RULE.test(line)) {
      close();
      blocks.push({ is: "rule" });
    } else if (title !== undefined) {
      close();
      blocks.push({ is: "heading", level: marks.length, of: parseInline(title) });
    } else if (item !== undefined) {
      close();
      const of = { number: number === undefined ? undefined : Number(number), of: parseInline(item) };
      const last = blocks.at(-1);
      const isNext = at > 0 && last?.is === "list" && ITEM.test(lines[at - 1] as string);
      if (isNext && last.ordered === (number !== undefined)) last.items.push(of);
      else blocks.push({ is: "list", ordered: number !== undefined, items: [of] });
    } else if (quoted !== undefined) add("quote", quoted);
    else if (line.trim() === "") close();
    else add("paragraph", line);
  }
  close();
  return blocks;
}

const INLINE = new RegExp(
  [
    /\\([\\`*_{}[\]()#+\-.!>])/u,
    /`([^`\n]+)`/u,
    /\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*/u,
    /(?<![\p{L}\p{N}*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\p{L}\p{N}*])/u,
    /(?<![p{L}p{N}_])_([^\s_](?:[^_\n]*[^\s_])?)_(?![p{L}p{N}_])/u,
    /(!?)\[([^[\]\n]*)\]\(([^()\s]+)\)/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

/** The parts of a line or a paragraph. */
function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let read = 0;
  const plain = (until: number) => {
    if (until > read) parts.push({ is: "text", text: text.slice(read, until) });
  };
  for (const found of text.matchAll(INLINE)) {
    const [all, escaped, code, strong, star, underscore, image, label, url] = found;
    plain(found.index);
    read = found.index + all.length;
    const em = star ?? underscore;
    if (escaped !== undefined) parts.push({ is: "text", text: escaped });
    else if (code !== undefined) parts.push({ is: "code", text: code });
    else if (strong !== undefined) parts.push({ is: "strong", of: parseInline(strong) });
    else if (em !== undefined) parts.push({ is: "em", of: parseInline(em) });
    else parts.push({ is: image === "!" ? "image" : "link", text: label ?? "", url: url ?? "" });
  }
  plain(text.length);
  return parts;
}
