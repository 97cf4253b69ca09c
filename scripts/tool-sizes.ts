/**
 * How much the tools of the MCP endpoint take of a model's context. Clients cut long descriptions, and some model
 * providers refuse large tools.
 */
import { pathToFileURL } from "node:url";
import type { Actor } from "../src/core/actor.ts";
import { CONNECTOR_SCOPES } from "../src/domain/access/oauth.ts";
import { SCOPES } from "../src/domain/access/roles.ts";
import { createToolbox } from "../src/mcp/server.ts";
import { operations } from "../src/tools/index.ts";
import { fileIn } from "./on-demand.ts";

const LIMITS = { description: 1_024, tool: 2_000, list: 9_000, agentList: 3_500 };

/** The encoding of current OpenAI models. Others count up to a fifth more or less. */
const TOKENIZER = "esm/encoding/o200k_base.js";

const listOf = (scopes: readonly string[]) =>
  createToolbox(operations).listFor({ kind: "key", scopes: new Set(scopes) } as unknown as Actor).tools;

/**
 * The rows of the documentation's table.
 *
 * @throws Error naming each tool or list above its limit
 */
export async function toolSizes(): Promise<string[][]> {
  const { encode } = (await import(pathToFileURL(fileIn("gpt-tokenizer", TOKENIZER)).href)) as {
    encode(text: string): number[];
  };
  const tokens = (value: unknown) => encode(JSON.stringify(value)).length;
  const tools = listOf(Object.keys(SCOPES));
  const above = (what: string, size: number, limit: number) =>
    size > limit ? [`${what} is ${size}, above the limit of ${limit}.`] : [];
  const faults = [
    ...tools.flatMap(({ name, description = "" }) =>
      above(`The description of ${name}, in characters,`, description.length, LIMITS.description),
    ),
    ...tools.flatMap((tool) => above(`${tool.name}, in tokens,`, tokens(tool), LIMITS.tool)),
    ...above("The list for all scopes, in tokens,", tokens(tools), LIMITS.list),
    ...above("The list for a social agent's key, in tokens,", tokens(listOf(CONNECTOR_SCOPES)), LIMITS.agentList),
  ];
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const row = (name: string, characters: string, size: number, limit: number) => [
    name,
    characters,
    size.toLocaleString("en"),
    limit.toLocaleString("en"),
  ];
  return [
    ...tools.map((tool) => row(`\`${tool.name}\``, String(tool.description?.length ?? 0), tokens(tool), LIMITS.tool)),
    row("All tools", "", tokens(tools), LIMITS.list),
    row(`Tools of a social agent's key`, "", tokens(listOf(CONNECTOR_SCOPES)), LIMITS.agentList),
  ];
}
