import type { Config } from "../../config.ts";
import { isServed } from "../../http/command-socket.ts";
import { CLIENT_ADDRESS_HEADER, HEALTH_PATHS } from "../../http/health.ts";
import { domainOf, type MailServer, type MailSetup } from "../../lib/mail-server.ts";
import { verifyMailbox } from "../../mail/mailbox.ts";
import { createMailer } from "../../mail/mailer.ts";
import { inspectSendingDomain } from "../../mail/sending-domain.ts";
import { type Finding, fault, fine } from "./finding.ts";

/** An address that no caller has (RFC 5737). A server that believes it would believe any caller. */
const FORGED = "192.0.2.1";
const PROXY_TIMEOUT_MS = 5_000;

/** Calls the running server by its public URL, and compares what it takes for the caller's address. */
export async function proxy({ publicUrl, trustProxy, data }: Config): Promise<Finding[]> {
  if (publicUrl === undefined || !(await isServed(data))) return [];
  const headers = { "x-forwarded-for": FORGED };
  const signal = AbortSignal.timeout(PROXY_TIMEOUT_MS);
  const [alive] = HEALTH_PATHS;
  let seen: string | null;
  try {
    const response = await fetch(`${publicUrl}${alive}`, { headers, signal, redirect: "error" });
    seen = response.ok ? response.headers.get(CLIENT_ADDRESS_HEADER) : null;
    if (seen === null) {
      const detail = `${publicUrl}${alive} does not reach this server (status ${response.status})`;
      return [fault("proxy", detail, "make the proxy forward all paths to this server, or correct ROSTRUM_PUBLIC_URL")];
    }
  } catch (error) {
    const cause = (error as Error & { cause?: Error }).cause ?? (error as Error);
    const detail = `${publicUrl} can't be reached from this machine: ${cause.message}`;
    return [fault("proxy", detail, "check DNS, the certificate and the proxy, or correct ROSTRUM_PUBLIC_URL")];
  }
  if (seen === FORGED) {
    const fix =
      "make the proxy replace or append to X-Forwarded-For, and list only your own proxies in ROSTRUM_TRUST_PROXY";
    return [fault("proxy", "the server trusts an X-Forwarded-For header that the client sent", fix)];
  }
  if (trustProxy === undefined && publicUrl.startsWith("https:")) {
    const detail = `behind the proxy, all clients have the same IP address, ${seen}`;
    const fix =
      "set ROSTRUM_TRUST_PROXY to the proxy's IP address, or to loopback if it runs on this machine, and restart";
    return [fault("proxy", detail, fix)];
  }
  return [fine("proxy", `${publicUrl} responds, and sees this machine as ${seen}`)];
}

/** Shorter than when sending, because a person waits for the answer. */
const TIMEOUTS = { connectMs: 10_000, silenceMs: 10_000 };

/** Connects and signs in; nothing is sent, and nothing in the mailbox is touched. */
export async function mail({ smtp, imap, from }: MailSetup, { smtpUrl, imapUrl }: Config): Promise<Finding[]> {
  const smtpSetting = smtpUrl === undefined ? CONSOLE : "SMTP_URL";
  const imapSetting = imapUrl === undefined ? CONSOLE : "IMAP_URL";
  return [
    smtp === undefined
      ? fine("smtp", "there is no mail server; emails are not sent")
      : await answers("smtp", smtpSetting, smtp, () => verifySmtp(smtp), `sends as ${from?.address}`),
    imap === undefined
      ? fine("imap", "there is no mailbox; replies and bounces are not read")
      : await answers("imap", imapSetting, imap, () => verifyMailbox(imap), "the inbox can be read"),
  ];
}

const CONSOLE = "the mail settings in the console under Settings → Email";

/** The records that receivers check for the sender's domain. Mail that stays on this machine needs none. */
export async function sendingDomain({ smtp, from }: MailSetup, selector: string | undefined): Promise<Finding[]> {
  if (smtp === undefined || smtp.local || from === undefined) return [];
  const domain = domainOf(from.address);
  try {
    const found = await inspectSendingDomain(domain, { selector });
    return found.map(({ record, ...finding }) => ({ check: record, ...finding }));
  } catch (error) {
    const detail = `the DNS lookup for ${domain} failed: ${(error as Error).message}`;
    return [fault("dns", detail, "check the DNS settings of this machine, then run doctor again")];
  }
}

async function verifySmtp(server: MailServer): Promise<void> {
  const mailer = await createMailer({ server, folder: "", timeouts: TIMEOUTS });
  try {
    await mailer.verify();
  } finally {
    await mailer.close(0);
  }
}

async function answers(check: string, variable: string, server: MailServer, verify: () => Promise<void>, well: string) {
  const address = `${server.host}:${server.port}`;
  try {
    await verify();
    return fine(check, `${address} responds; ${well}`);
  } catch (error) {
    const detail = `${address}: ${(error as Error).message}`;
    return fault(check, detail, `correct ${variable}, and check that this machine can reach ${address}`);
  }
}
