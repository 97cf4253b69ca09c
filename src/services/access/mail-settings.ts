import { z } from "zod";
import { isLoopback } from "../../lib/http-client/addresses.ts";
import { type MailServer, type MailSetup, mergeSetup, senderText, serverName } from "../../lib/mail-server.ts";
import type { Vault } from "../../lib/vault.ts";

/** What the settings are sealed for. */
const PURPOSE = "mail_settings";

const Login = z.object({ user: z.string(), pass: z.string() });
const Server = z.object({ host: z.string(), port: z.int(), secure: z.boolean(), login: Login.nullable() });
const Stored = z.object({
  smtp: Server.nullable(),
  imap: Server.nullable(),
  from: z.object({ name: z.string(), address: z.string() }).nullable(),
});

/**
 * Opens the mail settings that were made in the console.
 *
 * @throws VaultError where another key sealed them
 */
export function openMailSettings(vault: Vault, sealed: string | null): MailSetup {
  if (sealed === null) return {};
  const { smtp, imap, from } = Stored.parse(JSON.parse(vault.open(sealed, PURPOSE)));
  return {
    ...(smtp && { smtp: toServer(smtp) }),
    ...(imap && { imap: toServer(imap) }),
    ...(from && { from }),
  };
}

/** Null where there is nothing to keep. */
export function sealMailSettings(vault: Vault, { smtp, imap, from }: MailSetup): string | null {
  if (smtp === undefined && imap === undefined && from === undefined) return null;
  const stored: z.infer<typeof Stored> = {
    smtp: smtp ? fromServer(smtp) : null,
    imap: imap ? fromServer(imap) : null,
    from: from ?? null,
  };
  return vault.seal(JSON.stringify(stored), PURPOSE);
}

function toServer({ login, ...server }: z.infer<typeof Server>): MailServer {
  return { ...server, local: isLoopback(server.host), login: login ?? undefined };
}

function fromServer({ host, port, secure, login }: MailServer): z.infer<typeof Server> {
  return { host, port, secure, login: login ?? null };
}

/** Names what a test message was sent with: a result counts only for the same server and sender. */
export function setupName({ smtp, from }: MailSetup): string {
  return `${smtp ? serverName(smtp) : ""} ${from ? senderText(from) : ""}`;
}

/** How mail is set up by a process's environment and what is stored, and which of it is stored. */
export function readSetup(
  { vault, deployment }: { vault: Vault; deployment: { mail: MailSetup } },
  sealed: string | null,
): { setup: MailSetup; stored: MailSetup } {
  const stored = openMailSettings(vault, sealed);
  return { setup: mergeSetup(deployment.mail, stored), stored };
}
