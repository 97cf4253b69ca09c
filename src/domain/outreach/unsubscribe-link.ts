import { type Vault, VaultError } from "../../lib/vault.ts";

/** What an unsubscribe link stands for. */
export interface OptOut {
  workspaceId: string;
  contactId: string;
  sendId: string;
  /** That the message went to: the contact may have another one by now, or be gone. */
  address: string;
}

/** Where the links of messages lead. */
export const UNSUBSCRIBE_PATH = "/unsubscribe";

const PURPOSE = "unsubscribe";
const MAX_TOKEN = 2_000;

/**
 * A link's token, sealed by the data key: nobody can guess one, change one or read the address in one. It has no
 * expiry, and is not used up: an opt-out works as long as a message lies in somebody's mailbox.
 */
export function unsubscribeToken(vault: Vault, { workspaceId, contactId, sendId, address }: OptOut): string {
  return vault.seal(JSON.stringify([workspaceId, contactId, sendId, address]), PURPOSE);
}

/** @returns undefined for what is no token of ours; the check of its seal takes the same time wherever it differs */
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

/** What the subject of a message to our mailbox says, to unsubscribe by mail. */
export function unsubscribeSubject(token: string): string {
  return `unsubscribe ${token}`;
}

/** The token in a subject; mail programs fold and pad it. */
export function tokenInSubject(subject: string): string | undefined {
  return /^\s*unsubscribe\s+(v1\.[0-9a-f]{8}\.[\w-]+)\s*$/i.exec(subject)?.[1];
}
