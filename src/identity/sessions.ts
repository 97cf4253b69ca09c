import type { Clock, MemberActor } from "../core/context.ts";
import {
  AWAY_AFTER_MS,
  LAST_USE_PRECISION_MS,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
} from "../domain/access/session-limits.ts";
import { hashSecret } from "../lib/secrets.ts";
import type { Membership, People, Person } from "../store/people.ts";

/** The session of a person who is signed in. */
export interface Session {
  person: Pick<Person, "id" | "email" | "name"> & { hasPassword: boolean };
  /** Of the session's token, which only the browser has. */
  hash: Buffer;
}

/** Sessions that can be read. Nothing is cached: sign-out, removal and a change of role hold at the next request. */
export function createSessions(people: People, clock: Clock) {
  async function findLive(hash: Buffer) {
    const session = await people.session(hash);
    const now = clock.now();
    if (session === undefined) return undefined;
    if (now - session.createdAt >= SESSION_MAX_MS || now - session.seenAt >= SESSION_IDLE_MS) return undefined;
    return { ...session, now };
  }

  return {
    /** @param isUse false for requests that a page makes by itself, which must not keep an unused session alive */
    async find(token: string | undefined, isUse = true): Promise<Session | undefined> {
      if (token === undefined) return undefined;
      const hash = hashSecret(token);
      const session = await findLive(hash);
      if (session === undefined) return undefined;
      const { now, seenAt } = session;
      if (isUse && now - seenAt >= LAST_USE_PRECISION_MS) await people.seen(hash, now).catch(() => undefined);
      const { id, email, name, passwordHash } = session.person;
      return { person: { id, email, name, hasPassword: passwordHash !== null }, hash };
    },

    /** Whether the session still holds and its person is still a member. This does not count as a use of it. */
    async isActive({ person, hash }: Session, workspaceId: string): Promise<boolean> {
      const [session, member] = await Promise.all([findLive(hash), people.member(person.id, workspaceId)]);
      return session !== undefined && member !== undefined;
    },

    memberships: ({ person }: Session): Promise<Membership[]> => people.memberships(person.id),

    /** The member that the person is in a workspace. */
    async actor({ person }: Session, workspaceId: string): Promise<MemberActor | undefined> {
      const member = await people.member(person.id, workspaceId);
      if (member === undefined) return undefined;
      const { id, name, role, approveOutbound, visitedAt } = member;
      const now = clock.now();
      if (now - (visitedAt ?? 0) >= LAST_USE_PRECISION_MS) {
        await people.visited(id, now, now - AWAY_AFTER_MS).catch(() => undefined);
      }
      return { kind: "member", id, name, role, approveOutbound, workspaceId };
    },
  };
}
