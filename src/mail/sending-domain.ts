import { NODATA, NOTFOUND } from "node:dns";
import { Resolver } from "node:dns/promises";

/** What DNS says about one of the records that let receivers trust the mail of a domain. */
export interface DomainFinding {
  record: "spf" | "dkim" | "dmarc" | "mx";
  ok: boolean;
  detail: string;
  /** The next step; null where nothing is wrong. */
  fix: string | null;
}

type Dns = Pick<Resolver, "resolveTxt" | "resolveMx">;

/** Selectors that common mail services use. DNS has no list of those of a domain. */
const SELECTORS =
  "default dkim mail smtp s1 s2 k1 k2 k3 google selector1 selector2 fm1 fm2 fm3 protonmail pm zoho sig1 mx amazonses mandrill mailjet krs resend".split(
    " ",
  );

/** An unanswered lookup is retried once. */
const QUERY = { timeout: 3_000, tries: 2 };

/**
 * Looks up the records that receivers check for mail of a domain: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489, from
 * the domain upwards), and MX, without which no reply arrives.
 *
 * @param selector the DKIM selector of the mail server; without one, common ones are tried
 * @throws Error of node:dns where the name server does not answer
 */
export async function inspectSendingDomain(
  domain: string,
  { selector, dns = new Resolver(QUERY) }: { selector?: string | undefined; dns?: Dns } = {},
): Promise<DomainFinding[]> {
  const texts = async (name: string) =>
    (await found(dns.resolveTxt(name))).map((parts) => parts.join("")).filter((text) => text !== "");
  return [
    spf(domain, await texts(domain)),
    await dkim(domain, selector === undefined ? SELECTORS : [selector], texts),
    await dmarc(domain, texts),
    mx(domain, await found(dns.resolveMx(domain))),
  ];
}

/** Returns nothing if the name or the record does not exist. */
async function found<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === NOTFOUND || code === NODATA) return [];
    throw error;
  }
}

function spf(domain: string, texts: readonly string[]): DomainFinding {
  const records = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  const [record = ""] = records;
  const fault = (detail: string, fix: string): DomainFinding => ({ record: "spf", ok: false, detail, fix });
  if (records.length === 0) {
    return fault(
      `${domain} has no SPF record`,
      `add a TXT record to ${domain} that names your mail server, such as "v=spf1 include:YOUR_PROVIDER ~all"`,
    );
  }
  if (records.length > 1) return fault(`${domain} has ${records.length} SPF records`, "merge them into one");
  if (/(?:^| )\+?all(?: |$)/i.test(record)) {
    return fault(`${domain} lets every server send: ${record}`, 'end the record with "~all" or "-all"');
  }
  return { record: "spf", ok: true, detail: record, fix: null };
}

async function dkim(
  domain: string,
  selectors: readonly string[],
  texts: (name: string) => Promise<string[]>,
): Promise<DomainFinding> {
  const keys = await Promise.all(
    selectors.map(async (selector) => {
      const records = await texts(`${selector}._domainkey.${domain}`);
      // A key without a value is revoked.
      return records.some((text) => /(?:^|;)\s*p=\s*[^;\s]/.test(text)) ? [selector] : [];
    }),
  );
  const used = keys.flat();
  if (used.length > 0) {
    return { record: "dkim", ok: true, detail: `${domain} has a key for ${used.join(", ")}`, fix: null };
  }
  const named = selectors.length === 1 ? `the selector ${selectors[0]}` : "a common selector";
  return {
    record: "dkim",
    ok: false,
    detail: `${domain} has no DKIM key under ${named}`,
    fix: "turn on DKIM at your mail provider. If it is on, pass its selector with --dkim-selector",
  };
}

async function dmarc(domain: string, texts: (name: string) => Promise<string[]>): Promise<DomainFinding> {
  const labels = domain.split(".");
  for (let from = 0; from <= labels.length - 2; from++) {
    const name = labels.slice(from).join(".");
    const record = (await texts(`_dmarc.${name}`)).find((text) => /^v=DMARC1\s*(?:;|$)/.test(text));
    if (record !== undefined) return { record: "dmarc", ok: true, detail: `${name}: ${record}`, fix: null };
  }
  return {
    record: "dmarc",
    ok: false,
    detail: `${domain} has no DMARC record`,
    fix: `add a TXT record to _dmarc.${domain}, such as "v=DMARC1; p=none; rua=mailto:YOU@${domain}"`,
  };
}

function mx(domain: string, servers: readonly { exchange: string }[]): DomainFinding {
  const receives = servers.filter(({ exchange }) => exchange !== "" && exchange !== ".");
  if (receives.length > 0)
    return { record: "mx", ok: true, detail: receives.map((one) => one.exchange).join(", "), fix: null };
  return {
    record: "mx",
    ok: false,
    detail: `${domain} has no MX record, so replies and bounces don't arrive`,
    fix: `add an MX record to ${domain}, or use a MAIL_FROM of a domain that receives mail`,
  };
}
