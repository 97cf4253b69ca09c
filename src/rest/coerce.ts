import type { JsonSchema } from "../schemas.ts";

/**
 * A query's text as the JSON types that the operation's schema names. Text that is no such value is left as text, for
 * the schema to refuse. A name given twice becomes an array, which only a schema that takes one accepts.
 */
export function coerceQuery(query: string, properties: Readonly<Record<string, JsonSchema>>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  if (query === "") return input;
  const given = new URLSearchParams(query);
  for (const name of new Set(given.keys())) {
    const texts = given.getAll(name).map((text) => coerceText(text, properties[name]?.type));
    Object.defineProperty(input, name, {
      value: texts.length === 1 ? texts[0] : texts,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return input;
}

function coerceText(text: string, type: unknown): unknown {
  if (type === "integer" || type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}
