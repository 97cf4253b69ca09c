/**
 * Prints what clients read of the API before they call it: the OpenAPI description, and the lists of tools and events
 * for a key of every scope, as one JSON document with sorted keys: `npm run --silent wire > before.json`.
 * `npm run wire -- --compare before.json` prints every difference to such a file, and fails where there is one.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startServer } from "../test/support/server.ts";
import { canonical, differences, type Json, wireOf } from "../test/support/wire.ts";

const { values } = parseArgs({ options: { compare: { type: "string" } } });
const document = await presentWire();
if (values.compare === undefined) {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
} else {
  const found = differences(canonical(readDocument(values.compare)), document);
  console.log(found.length === 0 ? "No difference." : `${found.join("\n")}\n${found.length} difference(s).`);
  if (found.length > 0) process.exitCode = 1;
}

async function presentWire(): Promise<Json> {
  const closing: (() => unknown)[] = [];
  const server = await startServer({ after: (close) => void closing.push(close as () => unknown) });
  try {
    return canonical({ ...(await wireOf(server)) });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** Skips the lines that npm prints before the document where it is not told to be silent. */
function readDocument(file: string): Json {
  const text = readFileSync(file, "utf8");
  return JSON.parse(text.slice(text.search(/^\{/m)));
}
