import { hasHidden } from "./hidden.ts";

/** Warnings that a reviewer sees about a value: why it may be more than a name. */
export const MARKS = {
  agent: "An agent wrote this value.",
  long: "This value is longer than 120 characters.",
  link: "This value looks like a link, a domain, an email address or an IP address.",
  phone: "This value looks like a phone number.",
  code: "This value looks like a code or markup.",
  hidden: "This value has invisible characters. Messages omit most of them, but profile URLs keep them.",
  letters: "This value has non-ASCII letters, which can look like other letters.",
} as const;
export type Mark = keyof typeof MARKS;

/** Names, companies and job titles are shorter than this. */
const MAX_USUAL = 120;

/** Dots that browsers read as the dot of a domain. */
const DOT = "[.\\u3002\\uFF0E\\uFF61]";

const LOOKS: readonly [Mark, Pick<RegExp, "test">][] = [
  ["link", /\/\/|\\\\|\bwww\b|mailto:|\b(?:https?|ftp|tel|javascript|data):|hxxp/iu],
  ["link", new RegExp(`[\\p{L}\\p{M}\\p{N}-]${DOT}(?=\\p{L}[\\p{L}\\p{M}]|xn--)`, "iu")],
  ["link", /(?<![\p{N}.])\p{N}{1,4}(?:\.\p{N}{1,4}){3}(?![\p{N}.])/u],
  ["link", /\b0x[\da-f]{1,8}(?=[./?#:])/iu],
  ["link", /(?:[\da-f]{0,4}:){2,}[\da-f]{0,4}/iu],
  ["link", /\[\s*(?:\.|dot)\s*\]|\(\s*dot\s*\)|\S@\S/iu],
  ["phone", /\p{N}(?:[\s./()\p{Pd}+]{0,3}\p{N}){6,}/u],
  ["code", /(?<!\p{N})\p{N}{4,8}(?!\p{N})/u],
  ["code", { test: (text) => (text.match(/[\p{L}\p{N}_-]{6,}/gu) ?? []).some(mixesLettersAndDigits) }],
  ["code", /[<>`{}[\]|]|&#?\w+;|\$\w/u],
];

function mixesLettersAndDigits(word: string): boolean {
  return /\p{L}/u.test(word) && (word.match(/\p{N}/gu)?.length ?? 0) >= 2;
}

const isLong = (text: string) => text.length > MAX_USUAL && [...text].length > MAX_USUAL;
const isHiding = (text: string) => hasHidden(text) || /\p{Cc}/u.test(text);

/**
 * What a person should notice about a value.
 *
 * @param shown the value as it is sent
 * @param stored the value as it was written
 */
export function marksOf(shown: string, stored: string, agentWrote: boolean): Mark[] {
  const marks = new Set<Mark>();
  if (agentWrote) marks.add("agent");
  if (isLong(shown)) marks.add("long");
  // Letters and digits in other shapes, such as full width, are read as the plain ones.
  const plain = shown.normalize("NFKC");
  const readings = plain === shown ? [shown] : [shown, plain];
  for (const [mark, looks] of LOOKS) if (readings.some((text) => looks.test(text))) marks.add(mark);
  if (isHiding(stored)) marks.add("hidden");
  return (Object.keys(MARKS) as Mark[]).filter((mark) => marks.has(mark));
}

const BEYOND_ASCII = /(?!\p{Default_Ignorable_Code_Point})\P{ASCII}/u;

/**
 * The same for an email address or the address of a profile, which says itself that it is a link. Another one may look
 * just like it.
 */
export function addressMarksOf(address: string, agentWrote: boolean): Mark[] {
  return [
    ...(agentWrote ? (["agent"] as const) : []),
    ...(isLong(address) ? (["long"] as const) : []),
    ...(isHiding(address) ? (["hidden"] as const) : []),
    ...(BEYOND_ASCII.test(address) ? (["letters"] as const) : []),
  ];
}
