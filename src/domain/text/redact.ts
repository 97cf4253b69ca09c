/** What notes must not carry into storage, each with its replacement. The order matters: the longest first. */
const SECRETS: readonly [RegExp, string][] = [
  // A URL's query and fragment carry sessions; the part before them shows where it was.
  [/[?#](?<=:\/\/[^\s?#]+.)\S*/g, "[query removed]"],
  [/[?#](?<=\.[a-z]{2,}\/[^\s?#]*.)\S+/gi, "[query removed]"],
  [/(?<![\w.%-])[\w.%-]+=[^\s&=]*=*&[^\s&=]*=\S*/g, "[query removed]"],
  [/[?&#][^\s?&#=]*=\S*/g, "[query removed]"],
  // Our own keys are recognized by their prefix anywhere; with other prefixes, it may be part of a word.
  [/ros_live_[\w-]{8,}/g, "[key removed]"],
  [
    /(?:whsec_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|\b[spr]k[_-]|AKIA(?=[A-Z\d]{12})|AIza(?=[\w-]{20}))[\w+/=-]{8,}/g,
    "[key removed]",
  ],
  [/"[^"]*"@[\p{L}\p{N}.-]+/gu, "[email removed]"],
  [/(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]+@\[[\w.:-]{1,64}\]/gu, "[email removed]"],
  // With whatever addresses are attached to it: a linear pattern cannot find where each of them begins.
  [
    /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]+@(?:(?=[\p{N}-]*\p{L})[\p{L}\p{N}-]+|[\p{L}\p{N}-]+(?=\.[\p{L}\p{N}-]))(?:\.[\p{L}\p{N}-]+)*(?:[\p{L}\p{N}._%+'-]*@[\p{L}\p{N}.-]*)*/gu,
    "[email removed]",
  ],
  [/(?<![\w-])(?=[\w-]*eyJ)[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, "[token removed]"],
  [/\b(?:Bearer|Basic)\s+[\w+/=.~-]{6,}/gi, "[token removed]"],
  [
    /((?:\b(?:pass|otp)|pass(?:word|wd|phrase)|pwd|secret|token|api[ _-]?key|cookie|session[ _-]?id|(?:verification|security|login|2fa)[ _-]?code|li_at)"?(?:\s*[:=]\s*|\s+is\s+))("[^"]*"|'[^']*'|\S+)/gi,
    "$1[removed]",
  ],
  // Long runs of letters and digits together, as random tokens are; words and plain numbers are not.
  [/(?<![\w+/-])(?=[+/_a-z-]*\d)(?=[+/_\d-]*[a-z])[\w+/-]{24,}={0,2}/gi, "[token removed]"],
];

/** Times and dates look like telephone numbers, and are kept. Three groups of digits behind a date are no part of it. */
const MOMENT =
  /(?<!\d)((?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)(?![./()\p{Pd}]?\p{Nd}|(?:[\s./()\p{Pd}]{1,3}\p{Nd}{2,3}){3})/u;
const TELEPHONE = /(?:\+|00)?(?:\(\+?\p{Nd}{1,4}\)|\p{Nd})(?:[\s./()\p{Pd}]{0,3}\p{Nd}){6,}/gu;

/** Text without keys, tokens, email addresses, telephone numbers and query strings. Takes time linear in its length. */
export function redact(text: string): string {
  const clean = SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
  // Every second part is a time or date.
  const parts = clean.split(MOMENT);
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(TELEPHONE, "[number removed]"))).join("");
}
