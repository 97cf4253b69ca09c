import { z } from "zod";

interface Referred {
  name: string;
  does: string;
  takes: z.ZodRawShape;
  answers: z.ZodType;
  next: string;
}

/** The commands in Markdown, each described in a few lines for a model. */
export function referenceOf(commands: readonly Referred[]): string {
  const sections = commands.map(({ name, does, takes, answers, next }) =>
    [
      `## ${name}\n`,
      `${does}\n`,
      `- Takes: ${typeOf(schemaOf(z.object(takes), "input"))}`,
      `- Returns: ${namesOf(schemaOf(answers, "output"))}`,
      `- Next: ${next}`,
    ].join("\n"),
  );
  const about = "A name alone is text. ? marks an optional field. Returns lists the fields of data.";
  return [`# Commands of socialnet_command\n\n${about}`, ...sections].join("\n\n");
}

/** The keywords of JSON Schema that commands use. */
interface Schema {
  type?: string;
  format?: string;
  enum?: readonly string[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  minimum?: number;
  maximum?: number;
}

const schemaOf = (schema: z.ZodType, io: "input" | "output") => z.toJSONSchema(schema, { io }) as Schema;

const namesOf = ({ properties = {} }: Schema) => listed(Object.keys(properties));

const listed = (fields: readonly string[]) => (fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`);

/** `{ actionId: uuid, notes? }`: of a field that takes any text, the name alone. */
function typeOf({ type = "", format, enum: values, anyOf, items, properties, required, ...range }: Schema): string {
  if (values !== undefined) return values.join(" | ");
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" | ");
  if (items !== undefined) return `[${typeOf(items)}]`;
  if (type === "string") return format ?? "";
  if (type === "integer") return `${range.minimum}..${range.maximum}`;
  if (properties === undefined) return type;
  const fields = Object.entries(properties).map(([name, field]) => {
    const told = typeOf(field);
    return `${name}${required?.includes(name) ? "" : "?"}${told === "" ? "" : `: ${told}`}`;
  });
  return listed(fields);
}
