/** Accents and other marks that are written over or under a letter. */
const MARKS = /[\u0300-\u036f]+/g;
/** What is between words. PostgreSQL's `rostrum_words` splits at the same characters. */
const BETWEEN = /[\0-/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/;
const ASCII = /^[\0-\x7f]*$/;
const BETWEEN_ASCII = /[^a-z0-9]+/;

/** Longer words are compared by their beginning. */
const MAX_WORD = 64;

/** The words of a text, each once, without case and accents: "Zoë Smith-Müller" has zoe, smith and muller. */
export function wordsOf(text: string): string[] {
  const isAscii = ASCII.test(text);
  const plain = (isAscii ? text : text.normalize("NFKD").replace(MARKS, "")).toLowerCase();
  const words = new Set(plain.split(isAscii ? BETWEEN_ASCII : BETWEEN).map((word) => word.slice(0, MAX_WORD)));
  words.delete("");
  return [...words];
}

/** More words of a search are ignored. */
const MAX_WORDS = 8;

/** What is searched for. Each word must begin a word of the record. */
export interface WordSearch {
  words: string[];
  /** The words without those that may be the top-level domain of an address, which no index has. */
  indexed: string[];
}

/** The last label of an address: `com` in `ada@acme.com` and in `acme.com`. */
const LAST_LABEL = /\.([^.\s@]*)$/;

export function searchOf(text: string): WordSearch {
  const words = wordsOf(text).slice(0, MAX_WORDS);
  const labels = text.split(/\s+/).flatMap((part) => wordsOf(LAST_LABEL.exec(part)?.[1] ?? ""));
  return { words, indexed: words.filter((word) => !labels.includes(word)) };
}

/** Whether each word of a search begins a word of a record. */
export function beginsWords(search: readonly string[], words: readonly string[]): boolean {
  return search.every((begun) => words.some((word) => word.startsWith(begun)));
}

/** The words by which a contact is found, with and without the top-level domain of its address. */
export function contactText(
  firstName: string | null,
  lastName: string | null,
  company: string | null,
  email: string | null,
): string {
  return `${firstName ?? ""} ${lastName ?? ""} ${company ?? ""} ${email ?? ""}`;
}

/** An address without its top-level domain: nearly every contact would have that word. */
export function withoutTopLevel(email: string | null): string | null {
  return email === null ? null : email.slice(0, Math.max(0, email.lastIndexOf(".")));
}
