import { type Vault, VaultError } from "../../lib/vault.ts";

/** The content of an unsubscribe link. */
export interface OptOut {
  workspaceId: string;
  contactId: string;
  sendId: string;
  /** The address that the message went to: the contact may have another one now, or be gone. */
  address: string;
}

/** The path of unsubscribe links. */
export const UNSUBSCRIBE_PATH = "/unsubscribe";

const PURPOSE = "unsubscribe";
const MAX_TOKEN = 2_000;

/**
 * The token of a link, sealed by the data key: it cannot be guessed or changed, and does not reveal the address. It has
 * no expiry and can be used again, because an opt-out must work as long as the message exists in a mailbox.
 */
export function unsubscribeToken(vault: Vault, { workspaceId, contactId, sendId, address }: OptOut): string {
  return vault.seal(JSON.stringify([workspaceId, contactId, sendId, address]), PURPOSE);
}

/**
 * @returns undefined for a token that this server did not issue; checking the seal takes the same time wherever it
 * differs
 */
export function readUnsubscribeToken(vault: Vault, token: string): OptOut | undefined {
  if (token.length > MAX_TOKEN) return undefined;
  try {
    const [workspaceId, contactId, sendId, address] = JSON.parse(vault.open(token, PURPOSE)) as [
      ...[string, string, string, string],
    ];
    return { workspaceId, contactId, sendId, address };
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

/** @param base the server's public address, without a trailing slash */
export function unsubscribeUrl(base: string, token: string): string {
  return `${base}${UNSUBSCRIBE_PATH}/${token}`;
}

/** The subject of a message that unsubscribes by mail. */
export function unsubscribeSubject(token: string): string {
  return `unsubscribe ${token}`;
}

/** The token in a subject; mail programs fold and pad it. */
export function tokenInSubject(subject: string): string | undefined {
  return /^\s*unsubscribe\s+(v1\.[0-9a-f]{8}\.[\w-]+)\s*$/i.exec(subject)?.[1];
}
