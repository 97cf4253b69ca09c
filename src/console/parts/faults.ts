/** What the API says of a value, and how a page says it: the whole of what stands after the field's label. */
const AS_PEOPLE_SAY: readonly (readonly [says: RegExp, words: string])[] = [
  [/^is required$/, " is missing; fill it in"],
  [/^is empty$/, " is empty; fill it in"],
  [/^has fewer than 1 entries$/, ": choose at least one"],
  [/^has fewer than (\d+) entries$/, ": choose at least $1"],
  [/^is none of .*$/s, ": choose one of those that are offered"],
  [/^is not an e-mail address$/, " is not an e-mail address; enter one like ada@example.com"],
  [/^is not a whole number$/, " is not a whole number; enter one in figures, like 20"],
  [/^is not a number$/, " is not a number; enter one in figures, like 20"],
  [/^is not an? (string|array|object|boolean)$/, " cannot be read; enter it anew"],
];

const FIELD = /^([a-z][\w.]*): (.*?)\.?$/s;

/** Which field a refusal is about, as the operation's input names it. */
export function pathOfFault(message: string): string | undefined {
  return FIELD.exec(message)?.[1];
}

/**
 * A refusal of one field, for whoever looks at the page: the field by its label there, rows and entries counted from
 * one. What the API says in words of its own stays.
 */
export function faultInWords(message: string, name: string, label: string): string {
  const [, path = "", says = message] = FIELD.exec(message) ?? [];
  const known = AS_PEOPLE_SAY.find(([pattern]) => pattern.test(says));
  const words = known === undefined ? ` ${says}` : says.replace(known[0], known[1]);
  const entry = /^(\d+)(\.|$)/.exec(path.slice(name.length + 1))?.[1];
  return `${rowOf(name)}“${label}”${entry === undefined ? "" : `, entry ${Number(entry) + 1},`}${words}.`;
}

/** `steps.2.body` stands in the third step. */
function rowOf(name: string): string {
  const [, rows = "", at] = /^([a-z]\w*?)s?\.(\d+)\./.exec(name) ?? [];
  return at === undefined
    ? ""
    : `${rows.charAt(0).toUpperCase()}${rows.slice(1).replaceAll("_", " ")} ${Number(at) + 1}: `;
}
