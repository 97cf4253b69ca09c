import type { Database } from "better-sqlite3";
import { ADMINISTRATORS, type Role } from "../../domain/access/roles.ts";
import { emailKey } from "../../domain/contacts/contact.ts";
import type { MemberRow } from "../access.ts";
import {
  AnotherSubject,
  type Identity,
  type Issuer,
  type Link,
  type LinkKind,
  type Membership,
  type Moment,
  type NewLink,
  type NewPerson,
  type People,
  type Person,
  PersonExists,
  type Session,
} from "../people.ts";

const PERSON = `p.id, p.email, p.name, p.password_hash AS passwordHash, p.proved_at AS provedAt,
  p.created_at AS createdAt`;
const MEMBER = `m.id, m.email, m.name, m.role, m.approve_outbound AS approveOutbound, m.created_at AS createdAt,
  m.removed_at AS removedAt`;
const MEMBERSHIP = `${MEMBER}, w.id AS workspaceId, w.name AS workspaceName`;
const IS_ADMINISTRATOR = `role IN (${ADMINISTRATORS.map((role) => `'${role}'`).join(", ")})`;

type MemberRecord = Omit<MemberRow, "approveOutbound"> & { approveOutbound: number };
type MembershipRecord = MemberRecord & { workspaceId: string; workspaceName: string };

const toMember = ({ id, email, name, role, approveOutbound, createdAt, removedAt }: MemberRecord): MemberRow => ({
  ...{ id, email, name, role, createdAt, removedAt },
  approveOutbound: approveOutbound === 1,
});
const toMembership = (row: MembershipRecord): Membership => ({
  workspaceId: row.workspaceId,
  workspaceName: row.workspaceName,
  member: toMember(row),
});

type Reading = Pick<
  People,
  "find" | "findByEmail" | "member" | "memberships" | "invited" | "invitee" | "hasOwner" | "session" | "link"
>;

export function preparePeopleReader(db: Database): Reading {
  const find = db.prepare<[string], Person>(`SELECT ${PERSON} FROM people p WHERE p.id = ?`);
  const findByEmail = db.prepare<[string], Person>(`SELECT ${PERSON} FROM people p WHERE p.email_key = ?`);
  const member = db.prepare<[string, string], MemberRecord & { visitedAt: number | null }>(
    `SELECT ${MEMBER}, m.visited_at AS visitedAt FROM members m WHERE m.person_id = ? AND m.workspace_id = ? AND m.removed_at IS NULL`,
  );
  const memberships = db.prepare<[string], MembershipRecord>(
    `SELECT ${MEMBERSHIP} FROM members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.person_id = ? AND m.removed_at IS NULL ORDER BY w.name, w.id`,
  );
  // Workspaces are few beside people: each is asked by its own index, which CROSS JOIN holds the planner to.
  const invited = db.prepare<[string], MembershipRecord>(
    `SELECT ${MEMBERSHIP} FROM workspaces w CROSS JOIN members m ON m.workspace_id = w.id AND m.email_key = ?
     WHERE m.person_id IS NULL AND m.removed_at IS NULL ORDER BY w.name, w.id`,
  );
  const owner = db.prepare(
    `SELECT 1 FROM members WHERE person_id IS NOT NULL AND removed_at IS NULL AND ${IS_ADMINISTRATOR} LIMIT 1`,
  );
  const session = db.prepare<[Buffer], Person & { startedAt: number; seenAt: number }>(
    `SELECT ${PERSON}, s.created_at AS startedAt, s.seen_at AS seenAt
     FROM sessions s JOIN people p ON p.id = s.person_id WHERE s.hash = ?`,
  );
  const link = db.prepare<[Buffer, number], { kind: LinkKind; personId: string | null; memberId: string | null }>(
    `SELECT kind, person_id AS personId, member_id AS memberId FROM one_time_tokens WHERE hash = ? AND expires_at > ?`,
  );
  const invitee = db.prepare<[string], MembershipRecord>(
    `SELECT ${MEMBERSHIP} FROM members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.id = ? AND m.removed_at IS NULL AND m.person_id IS NULL`,
  );
  return {
    find: async (id) => find.get(id),
    findByEmail: async (email) => findByEmail.get(emailKey(email)),
    async member(personId, workspaceId) {
      const row = member.get(personId, workspaceId);
      return row && { ...toMember(row), visitedAt: row.visitedAt };
    },
    memberships: async (personId) => memberships.all(personId).map(toMembership),
    invited: async (email) => invited.all(emailKey(email)).map(toMembership),
    async invitee(memberId) {
      const row = invitee.get(memberId);
      return row && toMembership(row);
    },
    hasOwner: async () => owner.get() !== undefined,
    async session(hash): Promise<Session | undefined> {
      const row = session.get(hash);
      if (row === undefined) return undefined;
      const { startedAt, seenAt, ...person } = row;
      return { person, createdAt: startedAt, seenAt };
    },
    async link(hash, now): Promise<Link | undefined> {
      const row = link.get(hash, now);
      if (row === undefined) return undefined;
      const { kind, personId, memberId } = row;
      const found = memberId === null ? undefined : invitee.get(memberId);
      // An invitation ends with its member: removed, or come in by another link.
      if (kind === "invitation" && found === undefined) return undefined;
      return { kind, personId, invited: found === undefined ? null : toMembership(found) };
    },
  };
}

type Writing = {
  [Name in Exclude<keyof People, keyof Reading>]: (
    ...args: Parameters<People[Name]>
  ) => Awaited<ReturnType<People[Name]>>;
};

/** Each runs inside one job of the writer. */
export function preparePeople(db: Database): Writing {
  const insertPerson = db.prepare<[Person & { emailKey: string }]>(
    `INSERT INTO people (id, email, email_key, name, password_hash, proved_at, created_at)
     VALUES (@id, @email, @emailKey, @name, @passwordHash, @provedAt, @createdAt)`,
  );
  const findPerson = db.prepare<[string], Person>(`SELECT ${PERSON} FROM people p WHERE p.id = ?`);
  const findByEmail = db.prepare<[string], Person>(`SELECT ${PERSON} FROM people p WHERE p.email_key = ?`);
  const setPassword = db.prepare<[string | null, string]>("UPDATE people SET password_hash = ? WHERE id = ?");
  const replacePassword = db.prepare<[string, string, string | null]>(
    "UPDATE people SET password_hash = ? WHERE id = ? AND password_hash IS ?",
  );
  const insertSession = db.prepare<[{ hash: Buffer; personId: string; passwordHash: string | null; now: number }]>(
    `INSERT INTO sessions (hash, person_id, created_at, seen_at)
     SELECT @hash, id, @now, @now FROM people
     WHERE id = @personId AND (@passwordHash IS NULL OR password_hash = @passwordHash)`,
  );
  const endSession = db.prepare<[Buffer]>("DELETE FROM sessions WHERE hash = ?");
  const endSessions = db.prepare<[string]>("DELETE FROM sessions WHERE person_id = ?");
  const seen = db.prepare<[number, Buffer]>("UPDATE sessions SET seen_at = max(seen_at, ?) WHERE hash = ?");
  const visited = db.prepare<[{ memberId: string; now: number; over: number }]>(
    `UPDATE members SET visited_at = max(coalesce(visited_at, 0), @now),
       visited_before = iif(visited_at <= @over, visited_at, visited_before)
     WHERE id = @memberId AND removed_at IS NULL`,
  );
  const issue = db.prepare<[NewLink]>(
    `INSERT INTO one_time_tokens (hash, kind, person_id, member_id, shown_to, created_at, expires_at)
     VALUES (@hash, @kind, @personId, @memberId, @shownTo, @createdAt, @expiresAt)`,
  );
  const burn = db.prepare<[Buffer, number, number]>(
    `INSERT INTO one_time_tokens (hash, kind, created_at, expires_at) VALUES (?, 'callback', ?, ?)
     ON CONFLICT (hash) DO NOTHING`,
  );
  type Used = { personId: string | null; memberId: string | null; shownTo: string | null };
  const use = db.prepare<[Buffer, LinkKind, number], Used>(
    `DELETE FROM one_time_tokens WHERE hash = ? AND kind = ? AND expires_at > ?
     RETURNING person_id AS personId, member_id AS memberId, shown_to AS shownTo`,
  );
  const prove = db.prepare<[number, string]>("UPDATE people SET proved_at = coalesce(proved_at, ?) WHERE id = ?");
  const identified = db.prepare<[string, string], Person>(
    `SELECT ${PERSON} FROM identities i JOIN people p ON p.id = i.person_id WHERE i.issuer = ? AND i.subject = ?`,
  );
  const bind = db.prepare<[string, string, string, number]>(
    `INSERT INTO identities (issuer, subject, person_id, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (person_id, issuer) DO NOTHING`,
  );
  const openInvitations = db
    .prepare<[string, number], string>(
      `SELECT m.id FROM workspaces w CROSS JOIN members m ON m.workspace_id = w.id AND m.email_key = ?
       WHERE m.person_id IS NULL AND m.removed_at IS NULL AND EXISTS
         (SELECT 1 FROM one_time_tokens t WHERE t.member_id = m.id AND t.kind = 'invitation' AND t.expires_at > ?)
       ORDER BY m.created_at, m.id`,
    )
    .pluck();
  // Invited by another workspace too, where whoever was shown the link administers nothing.
  const invitedElsewhere = db.prepare<{ memberId: string; shownTo: string }>(
    `SELECT 1 FROM members mine JOIN workspaces w ON w.id <> mine.workspace_id
     CROSS JOIN members m ON m.workspace_id = w.id AND m.email_key = mine.email_key
     WHERE mine.id = @memberId AND m.person_id IS NULL AND m.removed_at IS NULL AND NOT EXISTS
       (SELECT 1 FROM members shown JOIN members a ON a.person_id = shown.person_id AND a.workspace_id = w.id
        WHERE shown.id = @shownTo AND a.removed_at IS NULL AND a.${IS_ADMINISTRATOR})
     LIMIT 1`,
  );
  const forgetResets = db.prepare<[string]>("DELETE FROM one_time_tokens WHERE person_id = ? AND kind = 'reset'");
  const owned = db
    .prepare<[], number>(
      `SELECT count(*) FROM (SELECT 1 FROM members
       WHERE person_id IS NOT NULL AND removed_at IS NULL AND ${IS_ADMINISTRATOR} LIMIT 1)`,
    )
    .pluck();
  const workspaces = db.prepare<[], string>("SELECT id FROM workspaces ORDER BY id").pluck();
  const own = db.prepare<[Record<string, unknown>], { id: string; email: string; name: string; role: Role }>(
    `INSERT INTO members (id, workspace_id, person_id, email, email_key, name, role, approve_outbound, created_at)
     VALUES (@id, @workspaceId, @personId, @email, @emailKey, @name, 'owner', 1, @now)
     ON CONFLICT (workspace_id, email_key) WHERE removed_at IS NULL
     DO UPDATE SET person_id = @personId, role = 'owner', approve_outbound = 1
     RETURNING id, email, name, role`,
  );
  const join = db.prepare<[string, string], { id: string; workspaceId: string; email: string; name: string }>(
    `UPDATE members SET person_id = ? WHERE id = ? AND person_id IS NULL AND removed_at IS NULL
     RETURNING id, workspace_id AS workspaceId, email, name`,
  );
  const invitee = db.prepare<[string], { email: string; name: string }>(
    "SELECT email, name FROM members WHERE id = ? AND person_id IS NULL AND removed_at IS NULL",
  );
  const audit = db.prepare<[Record<string, unknown>]>(
    `INSERT INTO audit_log (workspace_id, at, action, actor_kind, actor_id, record_id, before, after)
     VALUES (@workspaceId, @at, @action, @actorKind, @actorId, @memberId, NULL, @after)`,
  );
  const seats = db.prepare<{ personId: string | null; memberId: string | null }, { id: string; workspaceId: string }>(
    `SELECT id, workspace_id AS workspaceId FROM members WHERE person_id = @personId AND removed_at IS NULL
     UNION ALL SELECT id, workspace_id FROM members WHERE id = @memberId AND removed_at IS NULL`,
  );
  const pruneSessions = db.prepare<[number, number]>("DELETE FROM sessions WHERE created_at < ? OR seen_at < ?");
  const pruneLinks = db.prepare<[number]>("DELETE FROM one_time_tokens WHERE expires_at <= ?");

  function newPerson({ email, name, passwordHash }: NewPerson, { now, newId }: Moment, isProved: boolean): Person {
    const person = { id: newId(), email, name, passwordHash, provedAt: isProved ? now : null, createdAt: now };
    insertPerson.run({ ...person, emailKey: emailKey(email) });
    return person;
  }

  function comeIn(person: Person, memberId: string, at: number): void {
    const member = join.get(person.id, memberId);
    if (member === undefined) throw new Error("The member that was just read is not there.");
    const { workspaceId, email, name } = member;
    audit.run({
      ...{ workspaceId, at, action: "accept_invitation", actorKind: "member", actorId: memberId, memberId },
      after: JSON.stringify({ id: memberId, email, name }),
    });
  }

  /** Whatever was set up under the address before ends. */
  function shutOut(personId: string): void {
    endSessions.run(personId);
    forgetResets.run(personId);
  }

  return {
    startSession({ replaces, passwordHash = null, ...session }) {
      if (insertSession.run({ ...session, passwordHash }).changes === 0) return false;
      if (replaces !== undefined) endSession.run(replaces);
      return true;
    },
    seen: (hash, now) => void seen.run(now, hash),
    visited: (memberId, now, over) => void visited.run({ memberId, now, over }),
    endSession: (hash) => void endSession.run(hash),
    issue(link: NewLink, by?: Issuer) {
      issue.run(link);
      if (by === undefined) return;
      for (const { id: memberId, workspaceId } of seats.all(link)) {
        audit.run({ ...by, workspaceId, memberId, at: link.createdAt, after: null });
      }
    },
    burn: (hash, now, until) => burn.run(hash, now, until).changes === 1,

    setUp(hash, owner, moment) {
      const used = use.get(hash, "setup", moment.now) ?? use.get(hash, "demo", moment.now);
      if (used === undefined || owned.get() === 1) return undefined;
      // Whoever has the link is not yet whoever has the account.
      if (findByEmail.get(emailKey(owner.email)) !== undefined) throw new PersonExists();
      const person = newPerson(owner, moment, true);
      for (const workspaceId of workspaces.all()) {
        const { email, name } = owner;
        const id = moment.newId();
        const row = { id, workspaceId, personId: person.id, email, emailKey: emailKey(email), name, now: moment.now };
        const member = own.get(row);
        audit.run({
          ...{ workspaceId, at: moment.now, action: "set_up", memberId: member?.id },
          ...{ actorKind: "member", actorId: member?.id },
          after: JSON.stringify({ ...member, approve_outbound: true }),
        });
      }
      return person;
    },

    enterDemo(hash, now) {
      const used = use.get(hash, "demo", now);
      return used?.personId == null ? undefined : findPerson.get(used.personId);
    },

    accept(hash, by, moment) {
      const { memberId = null, shownTo = null } = use.get(hash, "invitation", moment.now) ?? {};
      const invited = memberId === null ? undefined : invitee.get(memberId);
      if (memberId === null || invited === undefined) return undefined;
      const known = findByEmail.get(emailKey(invited.email));
      if ("personId" in by) {
        if (known?.id !== by.personId) throw new PersonExists();
        comeIn(known, memberId, moment.now);
        return known;
      }
      // Whoever has the link is not yet whoever has the account, or the address: that one proves it.
      if (known !== undefined) throw new PersonExists();
      if (shownTo !== null && invitedElsewhere.get({ memberId, shownTo }) !== undefined) throw new PersonExists();
      const person = newPerson({ ...invited, passwordHash: by.passwordHash }, moment, shownTo === null);
      comeIn(person, memberId, moment.now);
      return person;
    },

    identify({ issuer, subject, email }: Identity, moment) {
      const bound = identified.get(issuer, subject);
      if (bound !== undefined) return bound;
      const known = findByEmail.get(emailKey(email));
      const invitations = known === undefined ? openInvitations.all(emailKey(email), moment.now) : [];
      const [first] = invitations;
      const invited = first === undefined ? undefined : invitee.get(first);
      const person = known ?? (invited && newPerson({ ...invited, passwordHash: null }, moment, true));
      if (person === undefined) return undefined;
      if (bind.run(issuer, subject, person.id, moment.now).changes === 0) throw new AnotherSubject();
      for (const memberId of invitations) comeIn(person, memberId, moment.now);
      if (person.provedAt === null) {
        setPassword.run(null, person.id);
        shutOut(person.id);
        prove.run(moment.now, person.id);
      }
      return person;
    },

    resetPassword(hash, passwordHash, now) {
      const used = use.get(hash, "reset", now);
      if (used?.personId == null) return undefined;
      setPassword.run(passwordHash, used.personId);
      prove.run(now, used.personId);
      shutOut(used.personId);
      return findPerson.get(used.personId);
    },
    changePassword(personId, from, to) {
      if (replacePassword.run(to, personId, from).changes === 0) return false;
      shutOut(personId);
      return true;
    },
    prunePeople({ created, seen: idle, now }) {
      pruneSessions.run(created, idle);
      pruneLinks.run(now);
    },
  };
}
