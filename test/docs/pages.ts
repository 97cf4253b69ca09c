import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/program.ts";

/** A fenced block of a page, with the comment on the line above it. */
export interface Block {
  marker: string;
  language: string;
  code: string;
  /** Generated from the code by a script, and checked there. */
  generated: boolean;
  line: number;
}

/** The guides and the reference: every page in docs/, and the README. Paths are relative to the repository. */
export const DOC_PAGES: readonly string[] = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** All pages with links: also those for contributors, decisions and examples. */
export const LINKED_PAGES: readonly string[] = [
  ...DOC_PAGES,
  ...["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["docs/adr", "examples/browser-agent", "examples/fake-network"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** The blocks of a page that a spec runs, by their names there: `not run: … runs it as "name"`. */
export function recipesOf(page: string): Map<string, string> {
  const named = blocksOf(readPage(page)).flatMap(({ marker, code }): [string, string][] => {
    const [, name] = / runs it as "(.*)"$/.exec(marker) ?? [];
    return name === undefined ? [] : [[name, code]];
  });
  return new Map(named);
}

/** Every fenced block of a page, in order, except indented ones, as in lists. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  let marker = "";
  let generated = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (/^<!-- (generated|measured): /.test(line)) generated = true;
    if (line === "<!-- end -->") generated = false;
    const [, comment] = /^<!-- (.*) -->$/.exec(line) ?? [];
    const [, language] = /^```(\w*)$/.exec(line) ?? [];
    if (language !== undefined) {
      const end = lines.indexOf("```", at + 1);
      blocks.push({ marker, language, code: lines.slice(at + 1, end).join("\n"), generated, line: at + 1 });
      at = end;
    }
    marker = comment ?? "";
  }
  return blocks;
}
