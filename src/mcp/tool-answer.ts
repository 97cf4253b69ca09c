/** How the answer of an operation is given to a model. */
import type { Operation } from "../core/operation.ts";
import type { ToolArguments } from "../core/schema.ts";
import { revealHidden } from "../domain/text/hidden.ts";

type Fields = Record<string, unknown>;

interface ToolAnswer {
  text: string;
  structured: Record<string, unknown>;
}

/** The envelope as text and as values, with hidden characters revealed and as much detail as was asked for. */
export function toolAnswer({ tool }: Operation, body: string, detail: ToolArguments["detail"] | undefined): ToolAnswer {
  const answer = revealAnswer(body, ["copy", ...((tool || undefined)?.exact ?? [])]);
  const { data } = answer.structured as { data?: Fields | Fields[] | null };
  if (detail !== "compact" || !tool || !data) return answer;
  const shorten = (entry: Fields) => without(entry, tool.compact ?? []);
  const structured = { ...answer.structured, data: Array.isArray(data) ? data.map(shorten) : shorten(data) };
  return { text: JSON.stringify(structured), structured };
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
function revealAnswer(body: string, exact: readonly string[]): ToolAnswer {
  // JSON escapes control characters; all others stand in it as they are.
  if (revealHidden(body) === undefined && !body.includes("\\u00")) return { text: body, structured: JSON.parse(body) };
  const structured = JSON.parse(body, (name: string, value: unknown) => {
    if (typeof value === "string") return exact.includes(name) ? value : shown(value);
    return name === "metadata" ? revealFreeForm(value) : value;
  });
  return { text: JSON.stringify(structured), structured };
}

const shown = (text: string) => revealHidden(text) ?? text;

/** Of metadata, outsiders choose the names too. */
function revealFreeForm(value: unknown): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(revealFreeForm);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [shown(name), revealFreeForm(inner)]));
}
