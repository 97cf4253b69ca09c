import { z } from "zod";
import type { MemberActor } from "../core/actor.ts";
import { Problem, problem } from "../core/problem.ts";
import { AWAY_MS, RESET_MS, SEEN_AGAIN_MS, SESSION_IDLE_MS, SESSION_MS } from "../domain/access/session-limits.ts";
import { newId } from "../lib/ids.ts";
import type { Clock } from "../lib/time.ts";
import { AnotherSubject, type Link, type Membership, type Person, PersonExists } from "../store/people.ts";
import type { Store } from "../store/store.ts";
import type { AuthLog, PersonEvent } from "./auth-log.ts";
import { hashSecret, mintSecret } from "./links.ts";
import { hashPassword, passwordFits } from "./password.ts";
import type { SignInLimits } from "./rate-limits.ts";
import { AT_PROVIDER_MS, type SingleSignOn } from "./single-sign-on.ts";

/** Somebody who is signed in, and by which session. */
export interface Visitor {
  person: Pick<Person, "id" | "email" | "name"> & { hasPassword: boolean };
  /** Of the session; its token is with the browser alone. */
  hash: Buffer;
}

/** Where a request to come in came from, and the session that the browser held before. */
export interface Arrival {
  address: string | undefined;
  /** Method and path without the token, for the trail. */
  route: string;
  session: string | undefined;
}

export interface Entered {
  /** Of the new session: for the cookie, and for nothing else. */
  token: string;
}

export interface SignInServiceParts {
  store: Store;
  trail: AuthLog;
  clock: Clock;
  limits: SignInLimits;
  /** Where it is set up. */
  singleSignOn: SingleSignOn | undefined;
  /** Whether links are mailed. */
  mailsLinks: boolean;
}

export type SignInService = ReturnType<typeof createSignInService>;

/** How people come in, and who they are then. Nothing is cached: what a session may is read anew for each request. */
export function createSignInService({ store, trail, clock, limits, singleSignOn, mailsLinks }: SignInServiceParts) {
  const { people, notices } = store;
  const moment = () => {
    const now = clock.now();
    return { now, newId: () => newId(now) };
  };

  async function record(code: PersonEvent, arrival: Omit<Arrival, "session">, personId: string | undefined) {
    const of = personId === undefined ? [] : await people.memberships(personId);
    const known = of.map(({ workspaceId, member }) => ({ workspaceId, memberId: member.id }));
    trail.visited({ code, address: arrival.address, route: arrival.route, of: known });
  }

  /** Every way in ends here: the token is always a new one, and the one from before is worth nothing. */
  async function enter(person: Person, arrival: Arrival, passwordHash?: string): Promise<Entered> {
    const { token, hash } = mintSecret();
    const replaces = arrival.session === undefined ? undefined : hashSecret(arrival.session);
    const session = { hash, personId: person.id, passwordHash, replaces, now: clock.now() };
    // A reset that came in between has ended what the password was good for.
    if (!(await people.startSession(session))) throw problem("wrong_credentials");
    await record("signed_in", arrival, person.id);
    return { token };
  }

  /** Only a wrong password stays counted: not a success, nor what was refused or broke for another reason. */
  async function tried<T>(
    account: string | undefined,
    address: string | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    await limits.spend(account, address);
    let isWrong = false;
    try {
      return await work();
    } catch (error) {
      isWrong = error instanceof Problem && FAILURES.some((code) => code === error.code);
      throw error;
    } finally {
      if (!isWrong) await limits.forgive(account, address);
    }
  }

  async function sessionOf(hash: Buffer) {
    const session = await people.session(hash);
    const now = clock.now();
    if (session === undefined) return undefined;
    if (now - session.createdAt >= SESSION_MS || now - session.seenAt >= SESSION_IDLE_MS) return undefined;
    return { ...session, now };
  }

  /** @param isUse false for what a page asks by itself: a session that nobody uses ends */
  async function find(token: string | undefined, isUse = true): Promise<Visitor | undefined> {
    if (token === undefined) return undefined;
    const hash = hashSecret(token);
    const session = await sessionOf(hash);
    if (session === undefined) return undefined;
    const { now, seenAt } = session;
    if (isUse && now - seenAt >= SEEN_AGAIN_MS) await people.seen(hash, now).catch(() => undefined);
    const { id, email, name, passwordHash } = session.person;
    return { person: { id, email, name, hasPassword: passwordHash !== null }, hash };
  }

  return {
    find,
    singleSignOn,
    mailsLinks,

    /** Whether a visitor is still signed in and a member. To ask counts as no use of the session. */
    async isStillHere({ person, hash }: Visitor, workspaceId: string): Promise<boolean> {
      const [session, member] = await Promise.all([sessionOf(hash), people.member(person.id, workspaceId)]);
      return session !== undefined && member !== undefined;
    },

    /** @throws Problem wrong_credentials, rate_limited, validation_failed */
    async signIn(email: string, password: string, arrival: Arrival): Promise<Entered> {
      const account = email.trim().toLowerCase();
      if (account.length > LONGEST_EMAIL) throw tooLong();
      const person = await tried(account, arrival.address, async () => {
        const found = await people.findByEmail(account);
        if ((await passwordFits(password, found?.passwordHash)) && found !== undefined) return found;
        await record("sign_in_failed", arrival, found?.id);
        throw problem("wrong_credentials");
      });
      const entered = await enter(person, arrival, person.passwordHash ?? undefined);
      limits.remember(account, arrival.address);
      return entered;
    },

    /**
     * Signs in whom the provider means. What the browser brings back works once.
     *
     * @throws Problem wrong_credentials, provider_failed, rate_limited
     */
    async signInBy(provider: SingleSignOn, search: string, sealed: string | undefined, arrival: Arrival) {
      const { person, next } = await tried(undefined, arrival.address, async () => {
        const failed = async (refusal: Problem) => {
          await record("sign_in_failed", arrival, undefined);
          return refusal;
        };
        const kept = provider.open(sealed);
        const until = (kept?.at ?? 0) + AT_PROVIDER_MS;
        if (kept === undefined || !(await people.burn(hashSecret(kept.state), clock.now(), until))) {
          throw await failed(
            problem("wrong_credentials", "This sign-in was not begun here, or took too long. Start again."),
          );
        }
        try {
          const identity = await provider.finish(search, kept);
          const found = await people.identify(identity, moment());
          if (found !== undefined) return { person: found, next: kept.next };
          throw problem(
            "wrong_credentials",
            `Nobody is known here by ${identity.email}. Ask an administrator of your workspace to invite this address.`,
          );
        } catch (error) {
          if (error instanceof Problem) throw await failed(error);
          if (!(error instanceof AnotherSubject)) throw error;
          throw await failed(
            problem(
              "wrong_credentials",
              `${provider.name} means somebody else by your address than it did before. Ask whoever runs this server.`,
            ),
          );
        }
      });
      return { ...(await enter(person, arrival)), next };
    },

    /**
     * Has a link mailed to whoever has this address. Whether anybody has it shows neither in the answer nor in its time.
     *
     * @throws Problem rate_limited, validation_failed
     */
    async askReset(email: string, arrival: Omit<Arrival, "session">): Promise<void> {
      const account = email.trim().toLowerCase();
      if (account.length > LONGEST_EMAIL) throw tooLong();
      if (!z.regexes.email.test(account)) throw problem("validation_failed", "email: is not an e-mail address.");
      if (!(await limits.letter(account, arrival.address))) return;
      const { now, newId } = moment();
      await notices.askReset({ id: newId(), email: account, now, expiresAt: now + RESET_MS });
      await record("reset_asked", arrival, undefined);
    },

    async signOut(visitor: Visitor, arrival: Omit<Arrival, "session">): Promise<void> {
      await people.endSession(visitor.hash);
      await record("signed_out", arrival, visitor.person.id);
    },

    memberships: (visitor: Visitor): Promise<Membership[]> => people.memberships(visitor.person.id),

    /** Who the visitor is in a workspace. */
    async actor({ person }: Visitor, workspaceId: string): Promise<MemberActor | undefined> {
      const member = await people.member(person.id, workspaceId);
      if (member === undefined) return undefined;
      const { id, name, role, approveOutbound, visitedAt } = member;
      const now = clock.now();
      if (now - (visitedAt ?? 0) >= SEEN_AGAIN_MS) await people.visited(id, now, now - AWAY_MS).catch(() => undefined);
      return { kind: "member", id, name, role, approveOutbound, workspaceId };
    },

    hasOwner: () => people.hasOwner(),

    /** What a link is good for; undefined where it is used, has run out, or never was. */
    link: (token: string): Promise<Link | undefined> => people.link(hashSecret(token), clock.now()),

    /** @throws Problem link_spent, validation_failed */
    async setUp(
      token: string,
      owner: { email: string; name: string; password: string } | "demo",
      arrival: Arrival,
    ): Promise<Entered> {
      const { passwordHash, ...who } =
        owner === "demo"
          ? { ...DEMO_OWNER, passwordHash: null }
          : { ...named(owner), passwordHash: await hashPassword(owner.password) };
      const made = await people.setUp(hashSecret(token), { ...who, passwordHash }, moment()).catch((error: unknown) => {
        if (!(error instanceof PersonExists)) throw error;
        throw problem(
          "validation_failed",
          "email: has an account here already; sign in with it, or use another address.",
        );
      });
      if (made === undefined) throw spent();
      return enter(made, arrival);
    },

    /** @throws Problem link_spent */
    async enterDemo(token: string, arrival: Arrival): Promise<Entered> {
      const person = await people.enterDemo(hashSecret(token), clock.now());
      if (person === undefined) throw spent();
      return enter(person, arrival);
    },

    /** @throws Problem link_spent, validation_failed, wrong_credentials */
    async accept(
      token: string,
      by: { password: string } | { visitor: Visitor },
      arrival: Arrival,
    ): Promise<Entered | undefined> {
      const who =
        "visitor" in by ? { personId: by.visitor.person.id } : { passwordHash: await hashPassword(by.password) };
      const person = await tried(undefined, arrival.address, () =>
        people.accept(hashSecret(token), who, moment()).catch(async (error: unknown) => {
          if (!(error instanceof PersonExists)) throw error;
          await record("invitation_refused", arrival, undefined);
          throw problem(
            "wrong_credentials",
            "This link alone sets up no account for this address. If it has one here, sign in with it and open the " +
              "link again; else ask whoever runs this server for a link.",
          );
        }),
      );
      if (person === undefined) throw spent();
      return "visitor" in by ? undefined : enter(person, arrival);
    },

    /** @throws Problem link_spent, validation_failed */
    async resetPassword(token: string, password: string, arrival: Arrival): Promise<Entered> {
      const passwordHash = await hashPassword(password);
      const person = await people.resetPassword(hashSecret(token), passwordHash, clock.now());
      if (person === undefined) throw spent();
      await record("password_set", arrival, person.id);
      return enter(person, arrival);
    },

    /**
     * Ends every session of the person, and starts one anew.
     *
     * @throws Problem wrong_credentials, rate_limited, validation_failed
     */
    async changePassword({ person }: Visitor, current: string, next: string, arrival: Arrival): Promise<Entered> {
      const kept = await tried(person.email.toLowerCase(), arrival.address, async () => {
        const found = await people.find(person.id);
        const fits = await passwordFits(current, found?.passwordHash);
        // A reset that came in between has ended what the current password was good for.
        if (found && fits && (await people.changePassword(person.id, found.passwordHash, await hashPassword(next)))) {
          return found;
        }
        await record("sign_in_failed", arrival, person.id);
        throw problem("wrong_credentials", "current: this is not your password.");
      });
      await record("password_set", arrival, person.id);
      return enter(kept, arrival);
    },
  };
}

const LONGEST_EMAIL = 320;
/** What stays counted against whoever tries. */
const FAILURES = ["wrong_credentials", "provider_failed"] as const;

function tooLong(): Problem {
  return problem("validation_failed", `email: is longer than ${LONGEST_EMAIL} characters.`);
}

/** @throws Problem validation_failed */
function named({ email, name }: { email: string; name: string }) {
  if (name === "" || name.length > 200) throw problem("validation_failed", "name: takes 1 to 200 characters.");
  if (email.length > LONGEST_EMAIL) throw tooLong();
  if (!z.regexes.email.test(email)) {
    throw problem("validation_failed", "email: is not an e-mail address.");
  }
  return { email, name };
}

/** Who looks around in a demo. */
export const DEMO_OWNER = { email: "robin@rostrum.example", name: "Robin Ashworth" };

function spent(): Problem {
  return problem("link_spent", "This link has been used, or has run out. Ask for a new one.");
}
