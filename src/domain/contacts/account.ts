/** The form in which accounts are found by name: without letter case. */
export function nameKey(name: string): string {
  return name.trim().toLowerCase();
}

const LABEL = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const HOST_NAME = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);

/**
 * The form in which domains are stored and compared: lower case (punycode beyond ASCII), without scheme, path, port and
 * leading `www.`. Null where the text has no host name with a dot.
 */
export function hostName(text: string): string | null {
  const address = `https://${text.trim().replace(/^[a-z][a-z\d+.-]*:\/\//i, "")}`;
  if (!URL.canParse(address)) return null;
  const { hostname, username } = new URL(address);
  const host = hostname.replace(/\.$/, "").replace(/^www\.(?=.*\.)/, "");
  return username === "" && HOST_NAME.test(host) ? host : null;
}
