import { z } from "zod";
import { Problem, problem } from "../core/problem.ts";
import { RESET_LINK_MS } from "../domain/access/session-limits.ts";
import { emailKey } from "../domain/contacts/address.ts";
import { newId } from "../lib/ids.ts";
import { hashSecret, mintSecret } from "../lib/secrets.ts";
import type { Clock } from "../lib/time.ts";
import type { AuthLog, RequestSource, SignInEvent } from "../services/access/auth-log.ts";
import { DEMO_OWNER } from "../services/access/links.ts";
import { AnotherSubject, type Link, type Person, PersonExists } from "../store/people.ts";
import type { Store } from "../store/store.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import type { SignInLimits } from "./rate-limits.ts";
import { createSessions, type Session } from "./sessions.ts";
import { PROVIDER_SIGN_IN_MS, type SingleSignOn } from "./single-sign-on.ts";

/** A request to sign in, and the token of the session that the browser had before. */
export interface SignInRequest {
  address: string | undefined;
  /** Method and path without any token, for the auth log. */
  route: string;
  sessionToken: string | undefined;
}

export interface StartedSession {
  /** Only for the session cookie. */
  token: string;
}

export interface SignInServiceParts {
  store: Store;
  authLog: AuthLog;
  clock: Clock;
  limits: SignInLimits;
  /** Undefined if it is not configured. */
  singleSignOn: SingleSignOn | undefined;
  /** Whether links are emailed. */
  mailsLinks: () => boolean;
}

export type SignInService = ReturnType<typeof createSignInService>;

/** Every way to sign in: password, single sign-on, setup link, invitation and password reset. */
export function createSignInService({ store, authLog, clock, limits, singleSignOn, mailsLinks }: SignInServiceParts) {
  const { people, notices } = store;
  const moment = () => {
    const now = clock.now();
    return { now, newId: () => newId(now) };
  };

  async function record(code: SignInEvent, { address, route }: RequestSource, personId: string | undefined) {
    const memberships = personId === undefined ? [] : await people.memberships(personId);
    const of = memberships.map(({ workspaceId, member }) => ({ workspaceId, memberId: member.id }));
    authLog.signInEvent({ code, address, route, of });
  }

  /** Every way to sign in ends here. The token is always a new one, and the browser's previous session ends. */
  async function startSession(person: Person, request: SignInRequest, passwordHash?: string): Promise<StartedSession> {
    const { token, hash } = mintSecret();
    const replaces = request.sessionToken === undefined ? undefined : hashSecret(request.sessionToken);
    const session = { hash, personId: person.id, passwordHash, replaces, now: clock.now() };
    // False if a password reset completed after the password was verified.
    if (!(await people.startSession(session))) throw problem("wrong_credentials");
    await record("signed_in", request, person.id);
    return { token };
  }

  /** Counts an attempt. Only wrong credentials stay counted: no success, and nothing that fails for another reason. */
  async function countFailures<T>(
    account: string | undefined,
    address: string | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> {
    await limits.spend(account, address);
    let isFailure = false;
    try {
      return await attempt();
    } catch (error) {
      isFailure = error instanceof Problem && COUNTED_FAILURES.some((code) => code === error.code);
      throw error;
    } finally {
      if (!isFailure) await limits.forgive(account, address);
    }
  }

  return {
    ...createSessions(people, clock),
    singleSignOn,
    mailsLinks,

    /** @throws Problem wrong_credentials, rate_limited, validation_failed */
    async signIn(email: string, password: string, request: SignInRequest): Promise<StartedSession> {
      const account = normalizeEmail(email);
      const person = await countFailures(account, request.address, async () => {
        const found = await people.findByEmail(account);
        if ((await verifyPassword(password, found?.passwordHash)) && found !== undefined) return found;
        await record("sign_in_failed", request, found?.id);
        throw problem("wrong_credentials");
      });
      const started = await startSession(person, request, person.passwordHash ?? undefined);
      limits.remember(account, request.address);
      return started;
    },

    /**
     * Completes a sign-in at the provider. The state that the browser brings back works once.
     *
     * @throws Problem wrong_credentials, provider_failed, rate_limited
     */
    async signInWithProvider(
      provider: SingleSignOn,
      search: string,
      sealedState: string | undefined,
      request: SignInRequest,
    ): Promise<StartedSession & { next: string }> {
      const { person, next } = await countFailures(undefined, request.address, async () => {
        const recordFailure = async (refusal: Problem) => {
          await record("sign_in_failed", request, undefined);
          return refusal;
        };
        const pending = provider.open(sealedState);
        const until = (pending?.at ?? 0) + PROVIDER_SIGN_IN_MS;
        if (pending === undefined || !(await people.burn(hashSecret(pending.state), clock.now(), until))) {
          throw await recordFailure(
            problem("wrong_credentials", "This sign-in started in another browser or took too long. Sign in again."),
          );
        }
        try {
          const identity = await provider.finish(search, pending);
          const found = await people.identify(identity, moment());
          if (found !== undefined) return { person: found, next: pending.next };
          throw problem(
            "wrong_credentials",
            `No account here has the email ${identity.email}. Ask a workspace admin to invite you.`,
          );
        } catch (error) {
          if (error instanceof Problem) throw await recordFailure(error);
          if (!(error instanceof AnotherSubject)) throw error;
          throw await recordFailure(
            problem(
              "wrong_credentials",
              `${provider.name} now links this email to a different account. Ask your server admin.`,
            ),
          );
        }
      });
      return { ...(await startSession(person, request)), next };
    },

    async signOut(session: Session, source: RequestSource): Promise<void> {
      await people.endSession(session.hash);
      await record("signed_out", source, session.person.id);
    },

    hasOwner: () => people.hasOwner(),

    /** Undefined if the link is used or expired, or never existed. */
    findLink: (token: string): Promise<Link | undefined> => people.link(hashSecret(token), clock.now()),

    /**
     * Uses a setup link: creates the server's owner, or the demo's.
     *
     * @throws Problem link_spent, validation_failed
     */
    async setUpOwner(
      token: string,
      owner: { email: string; name: string; password: string } | "demo",
      request: SignInRequest,
    ): Promise<StartedSession> {
      const person =
        owner === "demo"
          ? { ...DEMO_OWNER, passwordHash: null }
          : { ...checkOwner(owner), passwordHash: await hashPassword(owner.password) };
      const created = await people.setUp(hashSecret(token), person, moment()).catch((error: unknown) => {
        if (!(error instanceof PersonExists)) throw error;
        throw problem("validation_failed", "email: already has an account. Sign in with it, or use another email.");
      });
      if (created === undefined) throw linkSpent();
      return startSession(created, request);
    },

    /** @throws Problem link_spent */
    async signInToDemo(token: string, request: SignInRequest): Promise<StartedSession> {
      const person = await people.enterDemo(hashSecret(token), clock.now());
      if (person === undefined) throw linkSpent();
      return startSession(person, request);
    },

    /**
     * Joins a workspace, as a new person with a password or as the signed-in person. Undefined for the latter, whose
     * session continues.
     *
     * @throws Problem link_spent, validation_failed, wrong_credentials
     */
    async acceptInvitation(
      token: string,
      as: { password: string } | { session: Session },
      request: SignInRequest,
    ): Promise<StartedSession | undefined> {
      const invitee =
        "session" in as ? { personId: as.session.person.id } : { passwordHash: await hashPassword(as.password) };
      const person = await countFailures(undefined, request.address, () =>
        people.accept(hashSecret(token), invitee, moment()).catch(async (error: unknown) => {
          if (!(error instanceof PersonExists)) throw error;
          await record("invitation_refused", request, undefined);
          throw problem(
            "wrong_credentials",
            "This link can't create an account for this email. If you have an account on this server, sign in and " +
              "open the link again. Otherwise ask your server admin for a new link.",
          );
        }),
      );
      if (person === undefined) throw linkSpent();
      return "session" in as ? undefined : startSession(person, request);
    },

    /**
     * Emails a reset link to the account of this address. Neither the answer nor its timing shows whether there is one.
     *
     * @throws Problem rate_limited, validation_failed
     */
    async requestPasswordReset(email: string, source: RequestSource & { address: string | undefined }): Promise<void> {
      const account = normalizeEmail(email);
      if (!z.regexes.email.test(account)) throw invalidEmail();
      if (!(await limits.allowLinkEmail(account, source.address))) return;
      const { now, newId } = moment();
      await notices.askReset({ id: newId(), email: account, now, expiresAt: now + RESET_LINK_MS });
      await record("reset_asked", source, undefined);
    },

    /** @throws Problem link_spent, validation_failed */
    async resetPassword(token: string, password: string, request: SignInRequest): Promise<StartedSession> {
      const passwordHash = await hashPassword(password);
      const person = await people.resetPassword(hashSecret(token), passwordHash, clock.now());
      if (person === undefined) throw linkSpent();
      await record("password_set", request, person.id);
      return startSession(person, request);
    },

    /**
     * Ends every session of the person, and starts a new one.
     *
     * @throws Problem wrong_credentials, rate_limited, validation_failed
     */
    async changePassword(
      { person: { id, email } }: Session,
      current: string,
      next: string,
      request: SignInRequest,
    ): Promise<StartedSession> {
      const person = await countFailures(emailKey(email), request.address, async () => {
        const found = await people.find(id);
        const matches = await verifyPassword(current, found?.passwordHash);
        // changePassword is false if a password reset completed after the current password was verified.
        if (found && matches && (await people.changePassword(id, found.passwordHash, await hashPassword(next)))) {
          return found;
        }
        await record("sign_in_failed", request, id);
        throw problem("wrong_credentials", "current: is incorrect. Enter your current password.");
      });
      await record("password_set", request, person.id);
      return startSession(person, request);
    },
  };
}

/** What stays counted against the account and the address that try to sign in. */
const COUNTED_FAILURES = ["wrong_credentials", "provider_failed"] as const;

const MAX_EMAIL_LENGTH = 320;

/** The form in which accounts are compared. @throws Problem validation_failed */
function normalizeEmail(email: string): string {
  const address = email.trim();
  if (address.length > MAX_EMAIL_LENGTH) throw emailTooLong();
  return emailKey(address);
}

/** @throws Problem validation_failed */
function checkOwner({ email, name }: { email: string; name: string }) {
  if (name === "" || name.length > 200) throw problem("validation_failed", "name: must be 1 to 200 characters long.");
  if (email.length > MAX_EMAIL_LENGTH) throw emailTooLong();
  if (!z.regexes.email.test(email)) throw invalidEmail();
  return { email, name };
}

const emailTooLong = () => problem("validation_failed", `email: must be ${MAX_EMAIL_LENGTH} characters or fewer.`);
const invalidEmail = () => problem("validation_failed", "email: must be an email address such as name@example.com.");
const linkSpent = () => problem("link_spent", "This link was used or has expired. Ask for a new one.");
