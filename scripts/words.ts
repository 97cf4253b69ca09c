/**
 * Refuses words that the project does not use, in everything that people and models read: the texts of the console and
 * the command line, error messages, tool descriptions, logs, the README and the docs. `npm run words` lists each with the
 * word to use. Code, and names in backticks or with an underscore, are not read: names on the wire keep their words.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { entryOf } from "./on-demand.ts";

/** Phrases, each with what to write. They match whole words, in any letter case. */
const PHRASES: readonly (readonly [phrase: string, use: string])[] = [
  ["anew|afresh", "again"],
  ["mend(?:s|ed|ing)?", "fix"],
  ["nobody|somebody|anybody|everybody", "name the actor: a teammate, an admin, the agent"],
  ["whoever|who may|whom it may", "name the actor: server admin, teammate"],
  ["whoever runs (?:this|the) server|who runs (?:this|the) server", "server admin"],
  ["hand(?:s|ed|ing)? in|handed over to a person", "submit"],
  [
    "come(?:s)? in|came in|coming in|be let in|let(?:s)? (?:\\w+ )?in(?:to)?(?= without| by|[.,;]|$)",
    "sign in, set up",
  ],
  ["held back|hold(?:s|ing)? back|hold it back|let(?:s)? (?:it|them) go on", "on hold, release"],
  ["put(?:s|ting)? (?:\\w+ )?into force|in force|comes into force", "activate, active"],
  ["wait(?:s|ing)? for (?:you|a person|a teammate|a member|people)", "needs review"],
  ["need(?:s)? you\\b(?! to)", "needs attention"],
  ["giv(?:es?|en|ing) up|gave up", "failed, timed out"],
  ["go(?:es)? on|going on|went on|under way", "continue, in progress"],
  ["on (?:its|their|the) way", "active"],
  ["has its end|have their end", "finished"],
  ["e-mails?", "email"],
  ["leave (?:it|them) out|left out|leaves? out", "remove, optional"],
  ["divided by (?:commas?|spaces?|semicolons?)", "separated by"],
  ["works? no more|run(?:s)? out\\b(?! of)|ran out\\b(?! of)", "expires, expired"],
  ["sends nothing|sends in part", "sending is off, partly off"],
  ["what (?:it|they|she|he|you) may do", "permissions, scopes"],
  ["what it did|what stands|and that stands|it stands|still stands", "activity, history, say what is the case"],
  ["patience", "timeout, deadline"],
  ["pulse", "health check"],
  ["whereabouts", "server address file"],
  ["standing", "status, state"],
  ["came by|come by|comes by", "source"],
  ["tak(?:es?|en|ing) (?:it |them )?out|took out", "remove, removed"],
  ["take(?:s|n)? back|took back|taking back", "withdraw, undo"],
  ["send(?:s)? back|say(?:s)? no", "request changes, reject"],
  ["bring(?:s)? in|brought in", "add"],
  ["mak(?:es?|ing) (?:a|an|the) (?:key|link|workspace|owner|contact|deal|account|webhook)", "create"],
  ["(?:on|by) (?:your|a (?:person|member|teammate)'s|their) word(?: alone)?", "confirmed by"],
  ["a (?:person|member|teammate)'s word", "confirmation"],
  ["founded|found(?:s)? a workspace", "created, create"],
  ["put(?:s)? off|putting off", "defer, postpone"],
  ["lapse(?:s|d)?", "expire"],
  ["not yours to|is yours to", "no access, you can"],
  ["there is no way back", "this can't be undone"],
  ["tick(?:s|ed)? (?:it|them|all|those|the)", "select"],
  ["looks? in\\b(?! the| a| it)", "check in"],
  ["invalid guid|is not a record|has fewer than|invalid input", "say what the value must be"],
  ["so it reads now|as it reads now", "the current version"],
];

const PATTERNS = PHRASES.map(([phrase, use]) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${phrase})(?![\\w-])`, "i"),
  use,
}));

interface Text {
  file: string;
  line: number;
  text: string;
}

interface Node {
  type: string;
  start: number;
  value?: unknown;
  name?: unknown;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const { parseSync } = (await import(pathToFileURL(entryOf("oxc-parser")).href)) as {
  parseSync(file: string, text: string): { program: Node };
};

const listed = (folder: string, endings: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => endings.test(file))
    .map((file) => join(folder, file))
    .sort();

const texts = [
  ...listed("src", /\.tsx?$/).flatMap(literalsOf),
  ...[...listed("docs", /\.md$/), "README.md", "CONTRIBUTING.md", "SECURITY.md"].flatMap(proseOf),
];
const faults = texts.flatMap(({ file, line, text }) =>
  PATTERNS.flatMap(({ pattern, use }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${file}:${line} “${found}” → ${use}`];
  }),
);
if (faults.length > 0) {
  process.stderr.write(`${faults.join("\n")}\n\n${faults.length} phrases to replace.\n`);
  process.exitCode = 1;
} else process.stdout.write(`${texts.length} texts have no word to replace\n`);

/** The texts of a source: strings of several words, and what a page shows. Keys, names and queries are none. */
function literalsOf(file: string): Text[] {
  const source = readFileSync(join(root, file), "utf8");
  const found: Text[] = [];
  const add = (node: Node, text: unknown) => {
    const isText = typeof text === "string" && (node.type === "JSXText" || /\p{L} \p{L}|^\p{Lu}\p{Ll}/u.test(text));
    if (!isText || /^(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|DROP|PRAGMA|FROM|WHERE)\b/.test(text.trim())) return;
    found.push({ file, line: source.slice(0, node.start).split("\n").length, text: withoutNames(text) });
  };
  walk(parseSync(file, source).program, (node) => {
    if (node.type === "Literal" || node.type === "JSXText") add(node, node.value);
    if (node.type === "TemplateElement") add(node, (node.value as { cooked?: string }).cooked);
  });
  return found;
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  const { type, name } = node as Node;
  if (type === "ImportDeclaration") return;
  const attribute = type === "JSXAttribute" ? (name as { name?: unknown }).name : undefined;
  if (typeof attribute === "string" && /^(?:class|href|id|name|type|rel|for|method|action|data-\w+)$/.test(attribute))
    return;
  if (type !== undefined) visit(node as Node);
  for (const inner of Object.values(node)) walk(inner, visit);
}

/** The lines of a page without code: blocks, spans, links' addresses and comments. */
function proseOf(file: string): Text[] {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  const prose = readFileSync(join(root, file), "utf8")
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/\]\([^)\s]*\)/g, "]");
  return prose.split("\n").map((text, index) => ({ file, line: index + 1, text: withoutNames(text) }));
}

/** Names on the wire are not prose: code spans, and words with an underscore. */
function withoutNames(text: string): string {
  return text.replace(/`[^`]*`/g, " ").replace(/\w*_\w+/g, " ");
}
