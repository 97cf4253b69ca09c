import type { MemberRow } from "./access.ts";

/** A person who signs in, once for the whole server. Times are milliseconds since the epoch. */
export interface Person {
  id: string;
  /** As given. Unique, ignoring case. */
  email: string;
  name: string;
  /** Null where the person cannot sign in by password. */
  passwordHash: string | null;
  /** When the person proved that they own the address; null while it is unverified. */
  provedAt: number | null;
  createdAt: number;
}

interface SessionRow {
  person: Person;
  createdAt: number;
  seenAt: number;
}

/** A workspace that a person is a member of. */
export interface Membership {
  workspaceId: string;
  workspaceName: string;
  member: MemberRow;
}

/** What a link that works once is good for. A callback's is kept once it was used, so that it is not used again. */
export type LinkKind = "setup" | "demo" | "invitation" | "reset" | "callback";

interface NewLink {
  hash: Buffer;
  kind: LinkKind;
  /** Of a reset, and of a demo that has its owner. */
  personId: string | null;
  /** Of an invitation. */
  memberId: string | null;
  /** The member who was shown an invitation's link; null where it proves the address: mailed, or the operator's. */
  shownTo: string | null;
  createdAt: number;
  expiresAt: number;
}

/** Who created a link for another person, for the audit of that person's workspaces. */
export interface Issuer {
  action: "issue_password_reset" | "renew_invitation";
  actorKind: "local_operator";
  actorId: string;
}

/** Who a person is, according to a single sign-on provider. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Verified there. */
  email: string;
}

/** A link that can still be used. */
export interface Link {
  kind: LinkKind;
  personId: string | null;
  /** Of an invitation: who is invited, and where to. */
  invited: Membership | null;
}

export interface NewPerson {
  email: string;
  name: string;
  passwordHash: string | null;
}

/**
 * Thrown by a set-up under an address that has an account, and by an invitation that does not prove an address which
 * another has, or was invited by elsewhere: nothing is written, and the link still holds.
 */
export class PersonExists extends Error {}

/** Thrown where the provider means another than before by an address: nothing is written. */
export class AnotherSubject extends Error {}

/** The moment of a write, and new ids made at it. */
export interface Moment {
  now: number;
  newId(): string;
}

interface NewSession {
  hash: Buffer;
  personId: string;
  /** The hash of the password that was entered. Undefined where the person signed in without one. */
  passwordHash: string | undefined;
  replaces: Buffer | undefined;
  now: number;
}

/**
 * People and how they sign in, over all workspaces. Whatever uses a link does so in one transaction that deletes it
 * first: of two who race with one link, one finds nothing.
 */
export interface People {
  find(id: string): Promise<Person | undefined>;
  findByEmail(email: string): Promise<Person | undefined>;
  /** The live member of a person in a workspace. */
  member(personId: string, workspaceId: string): Promise<(MemberRow & { visitedAt: number | null }) | undefined>;
  /** Records that the member viewed the workspace. Where the last view was before `over`, a new visit begins. */
  visited(memberId: string, now: number, over: number): Promise<void>;
  /** By the workspaces' names. */
  memberships(personId: string): Promise<Membership[]>;
  /** The pending invitations of this address. */
  invited(email: string): Promise<Membership[]>;
  /** Whether an administrator can sign in. */
  hasOwner(): Promise<boolean>;

  session(hash: Buffer): Promise<SessionRow | undefined>;
  /** Ends the session that it replaces. False where the password it is owed to is another one by now. */
  startSession(session: NewSession): Promise<boolean>;
  seen(hash: Buffer, now: number): Promise<void>;
  endSession(hash: Buffer): Promise<void>;

  link(hash: Buffer, now: number): Promise<Link | undefined>;
  issue(link: NewLink, by?: Issuer): Promise<void>;
  /** Marks a token as used until a moment. False where it was used before. */
  burn(hash: Buffer, now: number, until: number): Promise<boolean>;
  /**
   * Makes the person the owner of every workspace. Undefined where the link is invalid, or the server has an owner
   * already.
   *
   * @throws PersonExists
   */
  setUp(hash: Buffer, owner: NewPerson, moment: Moment): Promise<Person | undefined>;
  /** Uses the link of a demo that has its owner. */
  enterDemo(hash: Buffer, now: number): Promise<Person | undefined>;
  /**
   * Accepts an invitation as a new person, or as the person who is signed in. Undefined where the link has expired.
   *
   * @throws PersonExists
   */
  accept(
    hash: Buffer,
    by: { passwordHash: string } | { personId: string },
    moment: Moment,
  ): Promise<Person | undefined>;
  /**
   * Finds the person whom the provider identifies: by the bound subject; else by the address, which binds the subject;
   * else a new person, who takes every open invitation of the address. Undefined where there is none. An account with
   * an unverified address loses its password and its sessions, because they may belong to someone else.
   *
   * @throws AnotherSubject
   */
  identify(identity: Identity, moment: Moment): Promise<Person | undefined>;
  /** The pending invitation of this member. */
  invitee(memberId: string): Promise<Membership | undefined>;
  /** Ends all sessions of the person, and their other resets. */
  resetPassword(hash: Buffer, passwordHash: string, now: number): Promise<Person | undefined>;
  /** Ends all sessions of the person. False where the password is another one by now. */
  changePassword(personId: string, from: string | null, to: string): Promise<boolean>;
  /** Deletes sessions and links that have run out. */
  prunePeople(before: { created: number; seen: number; now: number }): Promise<void>;
}
