import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BadCatalog, catalogFrom, readCatalogFile, shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { temporaryFolder } from "../support/server.ts";

const HEAD = ['version: "2026.11"', "items:"];
const ITEM = [
  "  - id: OT-01",
  "    frequency: once",
  "    area: Ownership",
  "    task: Write down who decides.",
  "    done_when: null",
  "    why: Somebody has to.",
  "    sources:",
  "      - &guide",
  "        name: A guide by name",
  "    applies_to: Every team",
  "    channels: all",
  "    automation: human_only",
  "    executor:",
  "      evidence_verdict: person",
  "      person_action: do",
  "      runner: person",
  "      priority: 1",
];
const SOUND = [...HEAD, ...ITEM].join("\n");
const second = (id: string) =>
  ITEM.join("\n").replace("OT-01", id).replace("- &guide\n        name: A guide by name", "- *guide");

function write(t: TestContext, content: string | Uint8Array): string {
  const file = join(temporaryFolder(t), "ours.yaml");
  writeFileSync(file, content);
  return file;
}

/** The text of a file's refusal, with FILE in place of its path. */
function refusal(file: string): string {
  let message: string | undefined;
  assert.throws(
    () => readCatalogFile(file),
    (error) => {
      message = (error as Error).message.replaceAll(file, "FILE");
      return error instanceof BadCatalog;
    },
  );
  return message as string;
}

test("a valid file is read, including sources that are listed twice", (t) => {
  const { version, items } = readCatalogFile(write(t, `${SOUND}\n${second("OT-02")}\n`));
  assert.equal(version, "2026.11");
  assert.deepEqual(
    items.map(({ id, sources }) => [id, sources]),
    [
      ["OT-01", [{ name: "A guide by name" }]],
      ["OT-02", [{ name: "A guide by name" }]],
    ],
  );
});

/** A change of the valid file and its error message, starting with the line. */
const REFUSED: [string, (text: string) => string, string][] = [
  ["a field that is missing", (text) => text.replace("    area: Ownership\n", ""), "3: OT-01, area: is required"],
  [
    "a field of the executor that is missing",
    (text) => text.replace("\n      priority: 1", ""),
    "15: OT-01, executor.priority: is required",
  ],
  [
    "a field that nobody knows",
    (text) => text.replace("area", "aera"),
    "3: OT-01, area: is required.\nFILE:5: OT-01, aera: is not a known field. Remove it",
  ],
  [
    "a value that is none",
    (text) => text.replace("once", "often"),
    "4: OT-01, frequency: must be one of once, daily, with_every_post, weekly, monthly, every_3_months, every_6_months, yearly, as_needed",
  ],
  [
    "a fault within a list",
    (text) => text.replace("name: A guide by name", "name: ''"),
    "11: OT-01, sources.0.name: can't be empty",
  ],
  [
    "a fault at the place of an alias",
    (text) => `${text}\n${second("OT-02")}`.replace("name: A guide by name", "name: ''"),
    "11: OT-01, sources.0.name: can't be empty.\nFILE:11: OT-02, sources.0.name: can't be empty",
  ],
  [
    "a version without quotes",
    (text) => text.replace('"2026.11"', "2026.10"),
    '1: version: must be text in quotes, such as "2026.11"',
  ],
  [
    "an unknown dependency",
    (text) => `${text}\n      dependencies:\n        - OT-77`,
    "21: OT-01, executor.dependencies.0: there is no item OT-77",
  ],
  ["an id twice", (text) => `${text}\n${second("OT-01")}`, "20: OT-01, id: OT-01 is already used by an earlier item"],
  [
    "a cycle",
    (text) => `${text}\n      dependencies: [OT-01]`,
    "20: OT-01, executor.dependencies: these items depend on each other: OT-01 → OT-01",
  ],
  ["an empty file", () => "", "1: must be an object"],
  ["a list in place of a catalog", () => "- a\n- b\n", "1: must be an object"],
  [
    "a NUL character",
    (text) => text.replace("Write down who decides.", '"Write \\0 down"'),
    "6: items.0.task: contains a NUL character. Remove it",
  ],
  [
    "a field twice",
    (text) => text.replace("    area: Ownership", "    area: Ownership\n    area: Brand"),
    "6: is not valid YAML: Map keys must be unique",
  ],
  [
    "an alias of nothing",
    (text) => text.replace("- &guide\n        name: A guide by name", "- *guide"),
    "10: is not valid YAML: nothing above is named &guide",
  ],
  [
    "a tag that means nothing here",
    (text) => text.replace("area: Ownership", "area: !!js/function Ownership"),
    "5: is not valid YAML: Unresolved tag: tag:yaml.org,2002:js/function",
  ],
];

for (const [name, change, says] of REFUSED) {
  test(`${name} is refused with its line`, (t) => {
    const message = refusal(write(t, change(SOUND)));
    assert.equal(message, `The checklist catalog can't be used.\nFILE:${says}.`);
  });
}

test("ten errors are listed and the rest are counted", (t) => {
  const many = Array.from({ length: 14 }, (_, index) => second(`OT-${index + 10}`).replace("weekly", "often"));
  const lines = refusal(write(t, [SOUND, ...many].join("\n").replaceAll("frequency: once", "frequency: often"))).split(
    "\n",
  );
  assert.equal(lines.length, 12);
  assert.equal(lines.at(-1), "… and 5 more.");
});

test("YAML aliases that expand too far are refused before they fill the memory", (t) => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const inner = level === 0 ? '"x"' : `*l${level - 1}`;
    return `l${level}: &l${level} [${Array(9).fill(inner).join(", ")}]`;
  });
  assert.match(refusal(write(t, levels.join("\n"))), /Excessive alias count/);
});

test("a missing file, a folder, a file that is too large and one that is not UTF-8 are refused by name", (t) => {
  const folder = temporaryFolder(t);
  const missing = refusal(join(folder, "none.yaml"));
  assert.match(missing, /^The checklist catalog FILE can't be read: ENOENT: /);
  mkdirSync(join(folder, "inner"));
  assert.match(refusal(join(folder, "inner")), /^The checklist catalog FILE can't be read: EISDIR/);
  assert.match(refusal(write(t, "#".repeat(1024 * 1024 + 1))), /^The checklist catalog FILE is larger than 1 MiB\./);
  const latin = Buffer.from(`# caf\u00e9\n${SOUND}`, "latin1");
  assert.match(refusal(write(t, latin)), /it isn't UTF-8\. Save it as UTF-8\.$/);
});

test("a catalog is read once, at first use, and the shipped one is the default", (t) => {
  const file = write(t, SOUND);
  const catalog = catalogFrom(file);
  const first = catalog();
  writeFileSync(file, "broken: [");
  assert.equal(catalog(), first);
  assert.throws(catalogFrom(file), BadCatalog);
  assert.equal(catalogFrom(undefined)(), shippedCatalog());
});

test("docs/checklist.md shows a valid file, and the error for a change to it", (t) => {
  const page = readFileSync(new URL("../../docs/checklist.md", import.meta.url), "utf8");
  const shown = (mark: string) =>
    new RegExp(`<!-- ${mark} -->\\n\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";
  const example = shown("example");
  assert.equal(readCatalogFile(write(t, example)).items.length, 1);
  const message = refusal(write(t, example.replace("priority: 1", "priority: 0")));
  assert.equal(`${message.replace("FILE", "ours.yaml")}\n`, shown("refusal"));
});
