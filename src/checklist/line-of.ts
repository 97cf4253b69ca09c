import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  visit,
} from "yaml";

/**
 * The line on which the value at a path begins: of a field the line of its name. Where the path leads to nothing, as to
 * a field that is missing, the line of what should hold it.
 */
export function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    const found = isMap(holder)
      ? holder.items.find(({ key }) => isScalar(key) && key.value === step)
      : isSeq(holder)
        ? holder.items[Number(step)]
        : undefined;
    if (found === undefined) break;
    node = isPair(found) ? found.value : found;
    offset = startOf(isPair(found) ? found.key : found) ?? offset;
  }
  return lines.linePos(offset).line;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0];
}

/** The aliases that stand for nothing: no node above them bears their name. */
export function strayAliases(document: Document): Alias[] {
  const stray: Alias[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Value(_, { anchor }) {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Alias(_, alias) {
      if (!anchors.has(alias.source)) stray.push(alias);
    },
  });
  return stray;
}
