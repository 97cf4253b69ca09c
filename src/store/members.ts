import type { Role } from "../domain/roles.ts";
import type { Page } from "./page.ts";

/** A person of the workspace. Times are milliseconds since the epoch. */
export interface MemberRow {
  id: string;
  /** As given; unique among live members without letter case. */
  email: string;
  name: string;
  role: Role;
  approveOutbound: boolean;
  createdAt: number;
  removedAt: number | null;
}

export type MemberFields = Pick<MemberRow, "name" | "role" | "approveOutbound">;

/** Thrown by a write that would give one address to two live members of a workspace. */
export class MemberExists extends Error {}

/** A link by which an invited member comes in: only what it hashes to is kept. */
export interface Invitation {
  memberId: string;
  hash: Buffer;
  /** The member who is shown it; null for the operator, whose word for the address counts. */
  shownTo: string | null;
  createdAt: number;
  expiresAt: number;
}

/** Removed members are invisible to all of these. */
export interface Members {
  find(id: string): Promise<MemberRow | undefined>;
  /** When the visit before this one ended; null where there was none. */
  lastVisit(id: string): Promise<number | null>;
  findByEmail(email: string): Promise<MemberRow | undefined>;
  /** Newest first. */
  list(page: Page): Promise<{ rows: MemberRow[]; total: number }>;
  /** @throws MemberExists */
  insert(member: MemberRow): Promise<void>;
  /** The ids of those who were invited and have not come in. */
  waiting(): Promise<string[]>;
  /** Has the member mailed a link of their own too, where mail is set up. */
  invite(invitation: Invitation, noticeId: string): Promise<void>;
  /** The same in place of every earlier link, mailed ones too. False where they are not invited any more: they are in. */
  renew(invitation: Invitation, noticeId: string): Promise<boolean>;
  /** False where no live member has this id, or where the workspace would be left without an administrator. */
  update(id: string, fields: MemberFields): Promise<boolean>;
  /** False where no live member has this id, or where the workspace would be left without an administrator. */
  remove(id: string, now: number): Promise<boolean>;
}
