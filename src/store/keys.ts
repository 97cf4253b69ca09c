import type { Scope } from "../domain/scopes.ts";
import type { Page } from "./page.ts";

export interface KeyRow {
  id: string;
  name: string;
  /** The key's first 14 characters. */
  prefix: string;
  scopes: Scope[];
  creator: string;
  /** Whose agent it is, by id; null where it was made before this was kept. */
  creatorId: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
  connectorName: string | null;
  socialnetAccountId: string | null;
}

/** By a person in settings, or by the sign-in of an MCP client. */
export type MintedBy = "settings" | "sign_in";

export interface Keys {
  insert(key: KeyRow, hash: Buffer): Promise<void>;
  list(page: Page, mintedBy?: MintedBy): Promise<{ rows: KeyRow[]; total: number }>;
  find(id: string): Promise<KeyRow | undefined>;
  /** False where the key is not of this workspace or was revoked already. */
  revoke(id: string, now: number): Promise<boolean>;
}

/** A key as authentication finds it. */
export interface KeyCredential {
  id: string;
  name: string;
  prefix: string;
  workspaceId: string;
  scopes: Scope[];
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  socialnetAccountId: string | null;
}
