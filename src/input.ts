import type { z } from "zod";
import { findUnstorable } from "./domain/text.ts";
import { type Operation, pathNames } from "./operation.ts";
import { type Problem, problem } from "./problem.ts";

/** Values of the names in an operation's path. */
export type Params = Readonly<Record<string, string>>;

/** Tools and the command line send one flat object; a route tells its path from the rest. */
export async function splitFlat(
  operation: Operation,
  read: () => unknown,
): Promise<{ params: Params; input: () => unknown }> {
  const names = pathNames(operation);
  if (names.length === 0) return { params: {}, input: read };
  const flat = await read();
  if (typeof flat !== "object" || flat === null) return { params: {}, input: () => flat };
  const inPath = ([name, value]: [string, unknown]) => names.includes(name) && typeof value === "string";
  const all = Object.entries(flat);
  return {
    params: Object.fromEntries(all.filter(inPath)) as Params,
    input: () => Object.fromEntries(all.filter((entry) => !inPath(entry))),
  };
}

/** @throws Problem invalid_id for a name of the path, validation_failed for anything else */
export function parseInput(operation: Operation, params: Params, raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw problem("validation_failed", "body: send a JSON object.");
  }
  const shadowed = Object.keys(params).find((name) => Object.hasOwn(raw, name));
  const parsed = operation.input.safeParse({ ...raw, ...params });
  if (!parsed.success) throw inputProblem(parsed.error, params);
  if (shadowed !== undefined && isStrict(operation.input)) {
    throw problem("validation_failed", `${shadowed}: is taken from the path; leave it out of the body.`);
  }
  const unstorable = findUnstorable(parsed.data);
  if (unstorable !== undefined) throw problem("validation_failed", `${unstorable.path}: ${unstorable.fault}.`);
  return parsed.data;
}

function inputProblem(error: z.ZodError, params: Params): Problem {
  const issue = error.issues[0];
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown].join(".") || "body";
  const inPath = issue?.path.length === 1 && Object.hasOwn(params, String(issue.path[0]));
  const message = unknown.length > 0 ? "is not a field of this operation; leave it out" : issue?.message;
  return problem(inPath ? "invalid_id" : "validation_failed", `${path}: ${message?.replace(/\.$/, "")}.`);
}

/** Whether a schema refuses fields that it does not know; of a pipe, what goes in decides. */
function isStrict(schema: z.ZodType): boolean {
  const { catchall, in: entry } = schema.def as { catchall?: z.ZodType; in?: z.ZodType };
  return entry === undefined ? catchall?.def.type === "never" : isStrict(entry);
}
