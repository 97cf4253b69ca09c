import { z } from "zod";

/** What the reference says about one command. */
export const CommandReference = z.object({
  does: z.string(),
  takes: z.string().describe("Its fields with their types. A name alone is text, ? marks an optional field."),
  answers: z.string().describe("The fields of data in its answer."),
  next: z.string().describe("What to do after it."),
});

interface Referred {
  name: string;
  does: string;
  takes: z.ZodRawShape;
  answers: z.ZodType;
  next: string;
}

/** The commands by name, each described in a few lines for a model. */
export function referenceOf(commands: readonly Referred[]): Record<string, z.infer<typeof CommandReference>> {
  const entries = commands.map(({ name, does, takes, answers, next }) => [
    name,
    { does, takes: typeOf(schemaOf(z.object(takes), "input")), answers: namesOf(schemaOf(answers, "output")), next },
  ]);
  return Object.fromEntries(entries);
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
