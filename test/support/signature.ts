import { isObject, type Json, type JsonObject } from "./wire.ts";

/** A type longer than this is written as a list, one field per line. */
const LONGEST_LINE = 100;

/**
 * The fields of a JSON Schema, each with its TypeScript type: the schema's own fields, and theirs. Deeper levels are
 * `{…}`. A schema that is not an object has only its type.
 */
export function signature(schema: JsonObject): Json {
  const { properties } = schema;
  if (!isObject(properties)) return lines(typeOf(schema, 2));
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name + mark(schema, name), lines(typeOf(field, 1))]),
  );
}

function lines(type: string): Json {
  if (type.length <= LONGEST_LINE || !type.includes("{ ")) return type;
  return type.replaceAll("{ ", "{\n  ").replaceAll("; ", ";\n  ").replaceAll(" }", "\n}").split("\n");
}

function typeOf(schema: Json | undefined, levels: number): string {
  if (!isObject(schema)) return "unknown";
  const type = bareType(schema, levels);
  return schema.default === undefined ? type : `${type} = ${literal(schema.default)}`;
}

function bareType(schema: JsonObject, levels: number): string {
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === "string") return $ref.split("/").at(-1) as string;
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return values.map(literal).join(" | ");
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one, levels)).join(" | ");
  if (Array.isArray(oneOf)) return oneOf.map((one) => typeOf(one, levels)).join(" | ");
  if (Array.isArray(allOf)) return allOf.map((one) => typeOf(one, levels)).join(" & ");
  if (Array.isArray(type)) return type.map((one) => bareType({ ...schema, type: one }, levels)).join(" | ");
  if (type === "array") return listOf(typeOf(schema.items, levels));
  if (type === "object") return objectType(schema, levels);
  if (type === "string" && typeof schema.format === "string") return schema.format;
  return typeof type === "string" ? type : "unknown";
}

/** In single quotes, which JSON does not escape. */
const literal = (value: Json) => (typeof value === "string" ? `'${value}'` : JSON.stringify(value));

const listOf = (item: string) => (/ [|&=] /.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`);

function objectType(schema: JsonObject, levels: number): string {
  const { properties, additionalProperties } = schema;
  if (!isObject(properties)) {
    return isObject(additionalProperties) ? `Record<string, ${typeOf(additionalProperties, levels)}>` : "object";
  }
  if (levels === 0) return "{…}";
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${mark(schema, name)}: ${typeOf(field, levels - 1)}`,
  );
  return `{ ${fields.join("; ")} }`;
}

const mark = ({ required }: JsonObject, name: string) =>
  Array.isArray(required) && required.includes(name) ? "" : "?";
