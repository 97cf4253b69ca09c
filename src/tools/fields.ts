import { z } from "zod";

const given = (input: object, names: readonly string[]) =>
  names.filter((name) => (input as Record<string, unknown>)[name] !== undefined);

/** For `.refine`: at least one of an input's fields is there. The input stays a plain object on the wire. */
export function atLeastOne(names: readonly string[]): [(input: object) => boolean, string] {
  return [(input) => given(input, names).length > 0, `send at least one of ${names.join(", ")}`];
}

/** For `.refine`: exactly one of an input's fields is there. */
export function exactlyOne(...names: string[]): [(input: object) => boolean, string] {
  return [
    (input) => given(input, names).length === 1,
    `send exactly one of ${names.join(", ").replace(/, (\w+)$/, " and $1")}`,
  ];
}

/** A name out of a table of them, each told in the description. */
export function oneOf<K extends string>(table: Readonly<Record<K, string>>, about = "") {
  const told = Object.entries<string>(table).map(([name, means]) => `${name}: ${means}`);
  return z.enum(Object.keys(table) as [K, ...K[]]).describe([about, ...told].filter(Boolean).join(" "));
}
