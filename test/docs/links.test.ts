import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { type ProblemCode, problems } from "../../src/core/problem.ts";
import { DELIVERY_STATUSES } from "../../src/domain/events/delivery.ts";
import { SEND_STATUSES } from "../../src/domain/outreach/sending.ts";
import { ENROLLMENT_STATUSES } from "../../src/domain/outreach/sequence.ts";
import { ROOT } from "../support/program.ts";
import { DOC_PAGES, LINKED_PAGES, readPage } from "./pages.ts";

const README_LINES = 150;

/** Text without code, where brackets are not links. */
const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");

/** The anchors of a page's headings, as code hosts make them. */
function anchorsOf(page: string): Set<string> {
  const headings = [
    ...readPage(page)
      .replace(/^```[\s\S]*?^```$/gm, "")
      .matchAll(/^#+ (.*)$/gm),
  ];
  const seen = new Map<string, number>();
  return new Set(
    headings.map(([, heading = ""]) => {
      const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
      const slug = text.replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

test("every link between pages points to an existing file and heading", () => {
  const broken = LINKED_PAGES.flatMap((page) => {
    const text = prose(readPage(page));
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
      ([, link, image]) => link ?? image ?? "",
    );
    return targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? page : normalize(join(dirname(page), path));
        if (!existsSync(join(ROOT, file))) return true;
        return anchor !== undefined && !anchorsOf(file).has(anchor);
      })
      .map((target) => `${page}: ${target}`);
  });
  assert.deepEqual(broken, []);
});

test("docs/README.md lists every page", () => {
  const index = readPage("docs/README.md");
  const missing = DOC_PAGES.filter((page) => page !== "README.md" && page !== "docs/README.md").filter(
    (page) => !index.includes(`](${page.replace("docs/", "")})`),
  );
  assert.deepEqual(missing, []);
});

test("the README is short", () => {
  assert.ok(readPage("README.md").trimEnd().split("\n").length <= README_LINES);
});

test("diagrams name every status of their records", () => {
  const diagram = (page: string, name: string) => {
    const [, found] =
      new RegExp(`<!-- diagram: ${name} -->\\n\`\`\`mermaid\\n([\\s\\S]*?)\`\`\``).exec(readPage(page)) ?? [];
    assert.ok(found, `${page} has the diagram ${name}`);
    return new Set([...found.matchAll(/^ {2}(\w+) --> (\w+)|--> (\w+)/gm)].flatMap((match) => match.slice(1)));
  };
  const drawn: [Set<string>, readonly string[]][] = [
    [diagram("docs/sequences.md", "enrollment"), ENROLLMENT_STATUSES],
    [diagram("docs/sequences.md", "message"), Object.keys(SEND_STATUSES)],
    [diagram("docs/events.md", "delivery"), DELIVERY_STATUSES],
  ];
  for (const [names, statuses] of drawn) {
    assert.deepEqual([...names].filter(Boolean).sort(), [...statuses].sort());
  }
});

test("the headings of docs/troubleshooting.md match the statuses and codes of the program", () => {
  const headings = [...readPage("docs/troubleshooting.md").matchAll(/^### (\d{3}) `(\w+)`/gm)];
  assert.ok(headings.length > 0);
  for (const [, status, code = ""] of headings) {
    assert.equal(problems[code as ProblemCode]?.status, Number(status), code);
  }
});
