/** What notes must not carry into storage, each with what stands in its place. The order matters: the longest first. */
const SECRETS: readonly [RegExp, string][] = [
  // A URL's query and fragment carry sessions; what stands before it tells where it was.
  [/(\bhttps?:\/\/[^\s?#]+)[?#]\S*/gi, "$1[query removed]"],
  [/\b[\w.+%-]+@[a-z\d-]+(?:\.[a-z\d-]+)+\b/gi, "[e-mail removed]"],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, "[token removed]"],
  [/\bBearer\s+\S+/gi, "[token removed]"],
  [
    /\b(?:ros_live|whsec|sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|AKIA|AIza)[_-]?[\w+/=-]{8,}/g,
    "[key removed]",
  ],
  [
    /\b(pass(?:word|wd|phrase)?|pwd|secret|token|api[ _-]?key|cookie|session[ _-]?id|otp|(?:verification|security|login|2fa)[ _-]?code|li_at)(\s*[:=]\s*)("[^"]*"|'[^']*'|\S+)/gi,
    "$1$2[removed]",
  ],
  [/(^|\s)[?&][\w.%[\]-]+=\S*/g, "$1[query removed]"],
  [/\b[\w.%-]+=[^\s&]+(?:&[\w.%-]+=[^\s&]*)+/g, "[query removed]"],
  // Long runs of letters and digits together, as random tokens are; words and plain numbers are not.
  [/\b(?=[\w+/-]*\d)(?=[\w+/-]*[a-z])[\w+/-]{24,}={0,2}/gi, "[token removed]"],
];

/** Times and dates look like telephone numbers, and are worth keeping. */
const MOMENT = /(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)/;
const TELEPHONE = /(?<![\w.])(?:\+|00)?(?:\(\d{1,4}\)|\d)(?:[\s./()-]{0,2}\d){6,14}(?!\w)/g;

/** Text without keys, tokens, e-mail addresses, telephone numbers and query strings. */
export function redact(text: string): string {
  const clean = SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
  // Every second part is a moment.
  const parts = clean.split(MOMENT);
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(TELEPHONE, "[number removed]"))).join("");
}
