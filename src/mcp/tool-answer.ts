/** How the answer of an operation is given to a model. */
import type { Answer } from "../core/invoke.ts";
import type { Operation } from "../core/operation.ts";
import type { ToolArguments } from "../core/schema.ts";
import { revealHidden } from "../domain/text/hidden.ts";

type Fields = Record<string, unknown>;

/** The envelope, in JSON. */
export interface ToolAnswer {
  text: string;
  isError: boolean;
}

/** The envelope with hidden characters revealed and as much detail as was asked for. */
export function toolAnswer(
  { tool }: Operation,
  { body, refusal }: Answer,
  detail: ToolArguments["detail"] | undefined,
): ToolAnswer {
  const isError = refusal !== undefined;
  const text = revealAnswer(body, ["copy", ...((tool || undefined)?.exact ?? [])]);
  if (detail !== "compact" || !tool) return { text, isError };
  const envelope = JSON.parse(text) as { data?: Fields | Fields[] | null };
  const { data } = envelope;
  if (!data) return { text, isError };
  const shorten = (entry: Fields) => without(entry, tool.compact ?? []);
  return {
    text: JSON.stringify({ ...envelope, data: Array.isArray(data) ? data.map(shorten) : shorten(data) }),
    isError,
  };
}

function without(entry: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(entry)
      .filter(([name]) => !fields.includes(name))
      .map(([name, value]) => {
        const inner = fields.flatMap((field) => (field.startsWith(`${name}.`) ? field.slice(name.length + 1) : []));
        if (inner.length === 0 || typeof value !== "object" || value === null) return [name, value];
        return [name, Array.isArray(value) ? value.map((one) => without(one, inner)) : without(value as Fields, inner)];
      }),
  );
}

/**
 * An answer with invisible characters shown by number, wherever outsiders' text may hold them.
 *
 * @param exact names of fields that are left alone: copy is sent to the character
 */
function revealAnswer(body: string, exact: readonly string[]): string {
  // JSON escapes control characters; all others stand in it as they are.
  if (revealHidden(body) === undefined && !body.includes("\\u00")) return body;
  const revealed = JSON.parse(body, (name: string, value: unknown) => {
    if (typeof value === "string") return exact.includes(name) ? value : shown(value);
    return name === "metadata" ? revealFreeForm(value) : value;
  });
  return JSON.stringify(revealed);
}

const shown = (text: string) => revealHidden(text) ?? text;

/** Of metadata, outsiders choose the names too. */
function revealFreeForm(value: unknown): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(revealFreeForm);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [shown(name), revealFreeForm(inner)]));
}
