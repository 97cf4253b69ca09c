/** A check that exactly one of an input's fields is given. The input stays a plain object on the wire. */
export function exactlyOne(...names: string[]): [(input: object) => boolean, string] {
  const given = (input: object) => names.filter((name) => (input as Record<string, unknown>)[name] !== undefined);
  return [
    (input) => given(input).length === 1,
    `send exactly one of ${names.join(", ").replace(/, (\w+)$/, " and $1")}`,
  ];
}
