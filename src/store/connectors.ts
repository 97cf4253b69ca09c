import type { KeyRow } from "./keys.ts";

/** A client that registered itself. Times are milliseconds since the epoch. */
export interface RegisteredClient {
  id: string;
  name: string;
  redirectUris: string[];
  createdAt: number;
}

/** What a person approved, for the client that has the code. */
export interface Grant {
  /** Of the key that the code is for. */
  keyId: string;
  /** Who approved. */
  memberId: string;
  clientId: string;
  connectorName: string;
  redirectUri: string;
  resource: string;
  /** The SHA-256 of the client's verifier, in base64url. */
  challenge: string;
  socialnetAccountId: string;
  createdAt: number;
  expiresAt: number;
}

/** Keys that come of a sign-in: what was approved, by whom, and for which client. */
export interface Connectors {
  /** Keeps what a code stands for. A client that registered itself is kept from here on; false where it is gone. */
  approve(grant: Grant, codeHash: Buffer, registered: boolean): Promise<boolean>;
  /** Uses the code up, whatever comes of it: of all who bring it, one gets the grant. */
  take(codeHash: Buffer): Promise<Grant | undefined>;
  /** Remembers the key that the code became. */
  minted(grant: Grant, codeHash: Buffer): Promise<void>;
  /** The key that a code, used up by now, has become. */
  keyOf(codeHash: Buffer): Promise<string | undefined>;
  /** The client that a key was minted for. */
  clientOf(keyId: string): Promise<string | undefined>;
  /** Ends whatever a member has let in: live keys, which it answers as they were, and codes. */
  endOf(memberId: string, now: number): Promise<KeyRow[]>;
}

/** The same over all workspaces: what comes without saying which one is meant. */
export interface Clients {
  find(id: string): Promise<RegisteredClient | undefined>;
  /** False where as many as `most` are registered that nobody has approved anything for. */
  register(client: RegisteredClient, most: number): Promise<boolean>;
  /** The workspace of a code, used up or not. */
  workspaceOf(codeHash: Buffer): Promise<string | undefined>;
  /** Deletes what has run out: codes, registrations nobody used, and what is left of keys revoked long ago. */
  pruneClients(before: { now: number; unused: number; revoked: number }): Promise<void>;
}
