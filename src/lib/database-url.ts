/** The URL of a database without its password, for people and logs. */
export function shownUrl(url: string): string {
  // Up to the last @: a password may have one that is not encoded.
  return url.replace(/^(\w+:\/\/[^:@/?#]*):.*@/s, "$1:***@").replace(/([?&]password=)[^&]*/g, "$1***");
}
