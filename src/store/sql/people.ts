import { ADMINISTRATORS, type Role } from "../../domain/access/roles.ts";
import { emailKey } from "../../domain/contacts/address.ts";
import type { MemberRow } from "../access.ts";
import {
  AnotherSubject,
  type LinkKind,
  type Membership,
  type Moment,
  type NewPerson,
  type People,
  type Person,
  PersonExists,
} from "../people.ts";
import { acrossWorkspaces, type Params } from "./statement.ts";

const PERSON = `p.id, p.email, p.name, p.password_hash AS passwordHash, p.proved_at AS provedAt,
  p.created_at AS createdAt`;
const MEMBER = `m.id, m.email, m.name, m.role, m.approve_outbound AS approveOutbound, m.created_at AS createdAt,
  m.removed_at AS removedAt`;
const MEMBERSHIP = `${MEMBER}, w.id AS workspaceId, w.name AS workspaceName`;
const IS_ADMINISTRATOR = `role IN (${ADMINISTRATORS.map((role) => `'${role}'`).join(", ")})`;

type MemberRecord = Omit<MemberRow, "approveOutbound"> & { approveOutbound: number };
type MembershipRecord = MemberRecord & { workspaceId: string; workspaceName: string };

function toMember({ id, email, name, role, approveOutbound, createdAt, removedAt }: MemberRecord): MemberRow {
  return { id, email, name, role, approveOutbound: approveOutbound === 1, createdAt, removedAt };
}

function toMembership({ workspaceId, workspaceName, ...member }: MembershipRecord): Membership {
  return { workspaceId, workspaceName, member: toMember(member) };
}

export const people = acrossWorkspaces<People>(
  {
    durable: ["startSession", "endSession", "burn", "prunePeople"],
    // Who is a member of which workspace.
    alone: ["issue", "identify", "setUp", "enterDemo", "accept", "resetPassword", "changePassword"],
    forgettable: ["visited", "seen"],
  },
  (db) => {
    const { greatest, joinInOrder } = db.dialect;

    const find = db.sql<{ id: string }, Person>(`SELECT ${PERSON} FROM people p WHERE p.id = @id`);
    const findByEmail = db.sql<{ emailKey: string }, Person>(
      `SELECT ${PERSON} FROM people p WHERE p.email_key = @emailKey`,
    );
    const insertPerson = db.sql(
      `INSERT INTO people (id, email, email_key, name, password_hash, proved_at, created_at)
       VALUES (@id, @email, @emailKey, @name, @passwordHash, @provedAt, @createdAt)`,
    );
    const setPassword = db.sql("UPDATE people SET password_hash = @passwordHash WHERE id = @id");
    const replacePassword = db.sql(
      "UPDATE people SET password_hash = @to WHERE id = @id AND password_hash IS NOT DISTINCT FROM @from",
    );
    const prove = db.sql("UPDATE people SET proved_at = coalesce(proved_at, @now) WHERE id = @id");
    const identified = db.sql<Params, Person>(
      `SELECT ${PERSON} FROM identities i JOIN people p ON p.id = i.person_id
       WHERE i.issuer = @issuer AND i.subject = @subject`,
    );
    const bindIdentity = db.sql(
      `INSERT INTO identities (issuer, subject, person_id, created_at) VALUES (@issuer, @subject, @personId, @now)
       ON CONFLICT (person_id, issuer) DO NOTHING`,
    );

    const member = db.sql<Params, MemberRecord & { visitedAt: number | null }>(
      `SELECT ${MEMBER}, m.visited_at AS visitedAt FROM members m
       WHERE m.person_id = @personId AND m.workspace_id = @workspaceId AND m.removed_at IS NULL`,
    );
    const visited = db.sql(
      `UPDATE members SET visited_at = ${greatest("coalesce(visited_at, 0)", "@now")},
         visited_before = CASE WHEN visited_at <= @over THEN visited_at ELSE visited_before END
       WHERE id = @memberId AND removed_at IS NULL`,
    );
    const memberships = db.sql<Params, MembershipRecord>(
      `SELECT ${MEMBERSHIP} FROM members m JOIN workspaces w ON w.id = m.workspace_id
       WHERE m.person_id = @personId AND m.removed_at IS NULL ORDER BY w.name, w.id`,
    );
    // Workspaces are few compared with people: each is read by its own index.
    const invitedTo = `workspaces w ${joinInOrder} members m ON m.workspace_id = w.id AND m.email_key = @emailKey
       WHERE m.person_id IS NULL AND m.removed_at IS NULL`;
    const invited = db.sql<Params, MembershipRecord>(`SELECT ${MEMBERSHIP} FROM ${invitedTo} ORDER BY w.name, w.id`);
    const openInvitations = db.value<Params, string>(
      `SELECT m.id FROM ${invitedTo} AND EXISTS
         (SELECT 1 FROM one_time_tokens t WHERE t.member_id = m.id AND t.kind = 'invitation' AND t.expires_at > @now)
       ORDER BY m.created_at, m.id`,
    );
    // Invited by another workspace too, where the member who was shown the link is no administrator.
    const invitedElsewhere = db.sql(
      `SELECT 1 FROM members mine JOIN workspaces w ON w.id <> mine.workspace_id
       ${joinInOrder} members m ON m.workspace_id = w.id AND m.email_key = mine.email_key
       WHERE mine.id = @memberId AND m.person_id IS NULL AND m.removed_at IS NULL AND NOT EXISTS
         (SELECT 1 FROM members shown JOIN members a ON a.person_id = shown.person_id AND a.workspace_id = w.id
          WHERE shown.id = @shownTo AND a.removed_at IS NULL AND a.${IS_ADMINISTRATOR})
       LIMIT 1`,
    );
    const invitee = db.sql<{ memberId: string }, MembershipRecord>(
      `SELECT ${MEMBERSHIP} FROM members m JOIN workspaces w ON w.id = m.workspace_id
       WHERE m.id = @memberId AND m.removed_at IS NULL AND m.person_id IS NULL`,
    );
    const join = db.sql<Params, { workspaceId: string; email: string; name: string }>(
      `UPDATE members SET person_id = @personId WHERE id = @memberId AND person_id IS NULL AND removed_at IS NULL
       RETURNING workspace_id AS workspaceId, email, name`,
    );
    const seats = db.sql<Params, { id: string; workspaceId: string }>(
      `SELECT id, workspace_id AS workspaceId FROM members WHERE person_id = @personId AND removed_at IS NULL
       UNION ALL SELECT id, workspace_id FROM members WHERE id = @memberId AND removed_at IS NULL`,
    );
    const owner = db.sql(
      `SELECT 1 FROM members WHERE person_id IS NOT NULL AND removed_at IS NULL AND ${IS_ADMINISTRATOR} LIMIT 1`,
    );
    const becomeOwner = db.sql<Params, { id: string; email: string; name: string; role: Role }>(
      `INSERT INTO members (id, workspace_id, person_id, email, email_key, name, role, approve_outbound, created_at)
       VALUES (@id, @workspaceId, @personId, @email, @emailKey, @name, 'owner', 1, @now)
       ON CONFLICT (workspace_id, email_key) WHERE removed_at IS NULL
       DO UPDATE SET person_id = @personId, role = 'owner', approve_outbound = 1
       RETURNING id, email, name, role`,
    );
    const workspaces = db.value<object, string>("SELECT id FROM workspaces ORDER BY id");
    const audit = db.sql(
      `INSERT INTO audit_log (workspace_id, at, action, actor_kind, actor_id, record_id, before, after)
       VALUES (@workspaceId, @at, @action, @actorKind, @actorId, @memberId, NULL, @after)`,
    );

    const session = db.sql<{ hash: Buffer }, Person & { startedAt: number; seenAt: number }>(
      `SELECT ${PERSON}, s.created_at AS startedAt, s.seen_at AS seenAt
       FROM sessions s JOIN people p ON p.id = s.person_id WHERE s.hash = @hash`,
    );
    // Holds the person: a password that is changed at the same time ends this session, or refuses it.
    const startSession = db.sql(
      `INSERT INTO sessions (hash, person_id, created_at, seen_at)
       SELECT @hash, id, @now, @now FROM people
       WHERE id = @personId AND (@passwordHash IS NULL OR password_hash = @passwordHash) ${db.dialect.holding}`,
    );
    const seen = db.sql(`UPDATE sessions SET seen_at = ${greatest("seen_at", "@now")} WHERE hash = @hash`);
    const endSession = db.sql("DELETE FROM sessions WHERE hash = @hash");
    const endSessions = db.sql("DELETE FROM sessions WHERE person_id = @personId");
    const pruneSessions = db.sql("DELETE FROM sessions WHERE created_at < @created OR seen_at < @seen");

    const link = db.sql<Params, { kind: LinkKind; personId: string | null; memberId: string | null }>(
      `SELECT kind, person_id AS personId, member_id AS memberId FROM one_time_tokens
       WHERE hash = @hash AND expires_at > @now`,
    );
    const issue = db.sql(
      `INSERT INTO one_time_tokens (hash, kind, person_id, member_id, shown_to, created_at, expires_at)
       VALUES (@hash, @kind, @personId, @memberId, @shownTo, @createdAt, @expiresAt)`,
    );
    const burn = db.sql(
      `INSERT INTO one_time_tokens (hash, kind, created_at, expires_at) VALUES (@hash, 'callback', @now, @until)
       ON CONFLICT (hash) DO NOTHING`,
    );
    const use = db.sql<
      { hash: Buffer; kind: LinkKind; now: number },
      { personId: string | null; memberId: string | null; shownTo: string | null }
    >(
      `DELETE FROM one_time_tokens WHERE hash = @hash AND kind = @kind AND expires_at > @now
       RETURNING person_id AS personId, member_id AS memberId, shown_to AS shownTo`,
    );
    const deleteResets = db.sql("DELETE FROM one_time_tokens WHERE person_id = @personId AND kind = 'reset'");
    const pruneLinks = db.sql("DELETE FROM one_time_tokens WHERE expires_at <= @now");

    async function addPerson(
      { email, name, passwordHash }: NewPerson,
      { now, newId }: Moment,
      isProved: boolean,
    ): Promise<Person> {
      const person = { id: newId(), email, name, passwordHash, provedAt: isProved ? now : null, createdAt: now };
      await insertPerson.run({ ...person, emailKey: emailKey(email) });
      return person;
    }

    async function acceptInvitation(person: Person, memberId: string, at: number): Promise<void> {
      const joined = await join.get({ personId: person.id, memberId });
      if (joined === undefined) throw new Error("The member that was just read is not there.");
      const { workspaceId, email, name } = joined;
      const after = JSON.stringify({ id: memberId, email, name });
      const entry = { workspaceId, at, action: "accept_invitation", actorKind: "member", actorId: memberId };
      await audit.run({ ...entry, memberId, after });
    }

    /** Ends sessions and reset links that were made before the account changed hands or its password changed. */
    async function signOutEverywhere(personId: string): Promise<void> {
      await endSessions.run({ personId });
      await deleteResets.run({ personId });
    }

    return {
      async find(id) {
        return find.get({ id });
      },
      async findByEmail(email) {
        return findByEmail.get({ emailKey: emailKey(email) });
      },
      async member(personId, workspaceId) {
        const row = await member.get({ personId, workspaceId });
        return row && { ...toMember(row), visitedAt: row.visitedAt };
      },
      async visited(memberId, now, over) {
        await visited.run({ memberId, now, over });
      },
      async memberships(personId) {
        return (await memberships.all({ personId })).map(toMembership);
      },
      async invited(email) {
        return (await invited.all({ emailKey: emailKey(email) })).map(toMembership);
      },
      async invitee(memberId) {
        const row = await invitee.get({ memberId });
        return row && toMembership(row);
      },
      async hasOwner() {
        return (await owner.get({})) !== undefined;
      },

      async session(hash) {
        const row = await session.get({ hash });
        if (row === undefined) return undefined;
        const { startedAt, seenAt, ...person } = row;
        return { person, createdAt: startedAt, seenAt };
      },
      async startSession({ replaces, passwordHash = null, ...started }) {
        if ((await startSession.run({ ...started, passwordHash })).changes === 0) return false;
        if (replaces !== undefined) await endSession.run({ hash: replaces });
        return true;
      },
      async seen(hash, now) {
        await seen.run({ hash, now });
      },
      async endSession(hash) {
        await endSession.run({ hash });
      },

      async link(hash, now) {
        const row = await link.get({ hash, now });
        if (row === undefined) return undefined;
        const { kind, personId, memberId } = row;
        const found = memberId === null ? undefined : await invitee.get({ memberId });
        // An invitation ends when its member is removed, or has accepted another link.
        if (kind === "invitation" && found === undefined) return undefined;
        return { kind, personId, invited: found === undefined ? null : toMembership(found) };
      },
      async issue(newLink, by) {
        await issue.run({ ...newLink });
        if (by === undefined) return;
        for (const { id: memberId, workspaceId } of await seats.all({ ...newLink })) {
          await audit.run({ ...by, workspaceId, memberId, at: newLink.createdAt, after: null });
        }
      },
      async burn(hash, now, until) {
        return (await burn.run({ hash, now, until })).changes === 1;
      },

      async setUp(hash, newOwner, moment) {
        const { now } = moment;
        const used = (await use.get({ hash, kind: "setup", now })) ?? (await use.get({ hash, kind: "demo", now }));
        if (used === undefined || (await owner.get({})) !== undefined) return undefined;
        const { email, name } = newOwner;
        const key = emailKey(email);
        // The link does not prove that its holder owns an account that exists.
        if ((await findByEmail.get({ emailKey: key })) !== undefined) throw new PersonExists();
        const person = await addPerson(newOwner, moment, true);
        for (const workspaceId of await workspaces.all({})) {
          const seat = { id: moment.newId(), workspaceId, personId: person.id, email, emailKey: key, name, now };
          const added = await becomeOwner.get(seat);
          const entry = { workspaceId, at: now, action: "set_up", actorKind: "member", actorId: added?.id };
          const after = JSON.stringify({ ...added, approve_outbound: true });
          await audit.run({ ...entry, memberId: added?.id, after });
        }
        return person;
      },

      async enterDemo(hash, now) {
        const used = await use.get({ hash, kind: "demo", now });
        return used?.personId == null ? undefined : find.get({ id: used.personId });
      },

      async accept(hash, by, moment) {
        const used = await use.get({ hash, kind: "invitation", now: moment.now });
        const { memberId = null, shownTo = null } = used ?? {};
        const member = memberId === null ? undefined : await invitee.get({ memberId });
        if (memberId === null || member === undefined) return undefined;
        const account = await findByEmail.get({ emailKey: emailKey(member.email) });
        if ("personId" in by) {
          if (account?.id !== by.personId) throw new PersonExists();
          await acceptInvitation(account, memberId, moment.now);
          return account;
        }
        // Holding the link proves no account, and no address either where a member was shown the link.
        if (account !== undefined) throw new PersonExists();
        if (shownTo !== null && (await invitedElsewhere.get({ memberId, shownTo })) !== undefined) {
          throw new PersonExists();
        }
        const { email, name } = member;
        const person = await addPerson({ email, name, passwordHash: by.passwordHash }, moment, shownTo === null);
        await acceptInvitation(person, memberId, moment.now);
        return person;
      },

      async identify({ issuer, subject, email }, moment) {
        const { now } = moment;
        const bound = await identified.get({ issuer, subject });
        if (bound !== undefined) return bound;
        const key = emailKey(email);
        const account = await findByEmail.get({ emailKey: key });
        const invitations = account === undefined ? await openInvitations.all({ emailKey: key, now }) : [];
        const [first] = invitations;
        const member = first === undefined ? undefined : await invitee.get({ memberId: first });
        if (account === undefined && member === undefined) return undefined;
        const person = account ?? (await addPerson({ ...(member as MemberRecord), passwordHash: null }, moment, true));
        const { changes } = await bindIdentity.run({ issuer, subject, personId: person.id, now });
        if (changes === 0) throw new AnotherSubject();
        for (const memberId of invitations) await acceptInvitation(person, memberId, now);
        if (person.provedAt === null) {
          await setPassword.run({ id: person.id, passwordHash: null });
          await signOutEverywhere(person.id);
          await prove.run({ id: person.id, now });
        }
        return person;
      },

      async resetPassword(hash, passwordHash, now) {
        const id = (await use.get({ hash, kind: "reset", now }))?.personId;
        if (id == null) return undefined;
        await setPassword.run({ id, passwordHash });
        await prove.run({ id, now });
        await signOutEverywhere(id);
        return find.get({ id });
      },
      async changePassword(id, from, to) {
        if ((await replacePassword.run({ id, from, to })).changes === 0) return false;
        await signOutEverywhere(id);
        return true;
      },
      async prunePeople(before) {
        await pruneSessions.run(before);
        await pruneLinks.run(before);
      },
    };
  },
);
