/** Filled, a subject and a body may grow beyond what their templates may measure; so far and no further. */
const MAX_SUBJECT = 998;
export const MAX_BODY = 100_000;

const LINE_BREAK = /[\p{Cc}\u2028\u2029]/u;

/** Why an e-mail with these words cannot be sent, for a person who can mend it; undefined where it can. */
export function letterFault(words: { subject: string; body: string; names: readonly string[] }): string | undefined {
  const { subject, body, names } = words;
  if (subject.trim() === "") return "subject: is empty.";
  if (subject.length > MAX_SUBJECT) return `subject: has more than ${MAX_SUBJECT} characters once filled.`;
  if (body.length > MAX_BODY) return `body: has more than ${MAX_BODY} characters once filled.`;
  if (LINE_BREAK.test(subject)) return "subject: has a line break or a control character.";
  return names.some((name) => LINE_BREAK.test(name)) ? "name: has a line break or a control character." : undefined;
}
