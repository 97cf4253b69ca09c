import { RESET_LINK_MS } from "../domain/access/session-limits.ts";
import type { Log } from "../lib/log.ts";
import { type Clock, DAY_MS, MINUTE_MS } from "../lib/time.ts";
import { composeNotificationEmail, type NotificationEmail } from "../mail/notification-email.ts";
import type { AuthLog } from "../services/access/auth-log.ts";
import { invitationLink, resetLink } from "../services/access/links.ts";
import type { Notice } from "../store/notifications.ts";
import type { Store } from "../store/store.ts";
import type { MailTransport } from "./mail-transport.ts";
import type { Job } from "./supervisor.ts";

export interface NotificationEmailParts {
  store: Store;
  authLog: AuthLog;
  clock: Clock;
  log: Log;
  /** The id of this process, which its leases carry. */
  instance: string;
  transport: () => MailTransport;
  url: () => string;
  /** Whether links are mailed; what waits is let go where they are not. */
  mailsLinks: () => boolean;
  /** What single sign-on is called, where it is set up. */
  provider: string | undefined;
}

/** The lease of a message in flight: longer than the mailer's deadlines let a server take. */
const LEASE_MS = 25 * MINUTE_MS;
const AT_A_TIME = 5;
const MAX_ATTEMPTS = 6;

/**
 * Mails links to people. Each is made as its letter is sent, and only what it hashes to is stored; a letter that is
 * tried again has another one.
 */
export function sendNotificationEmails(parts: NotificationEmailParts): Job & { ended(): Promise<unknown> } {
  const { store, clock, log, transport, mailsLinks } = parts;
  const { notices } = store;
  const underWay = new Set<Promise<void>>();

  async function send(notice: Notice): Promise<void> {
    const { id, kind, attempts } = notice;
    const { mailer, from } = transport();
    const letter = mailer && mailsLinks() && notice.expiresAt > clock.now() ? await write(parts, notice) : undefined;
    if (mailer === undefined || letter === undefined) return notices.settle(id);
    const outcome = await mailer.send(composeNotificationEmail(id, from, letter.to, clock.now(), letter.says));
    if (outcome.status !== "transient") {
      if (outcome.status === "permanent" || outcome.status === "unsendable")
        log.warn({ kind, detail: outcome.detail }, "an email to a teammate was refused");
      return notices.settle(id);
    }
    const again = clock.now() + MINUTE_MS * 2 ** (attempts - 1);
    if (attempts < MAX_ATTEMPTS && again < notice.expiresAt) return notices.retry(id, again);
    log.warn({ kind, detail: outcome.detail }, "an email to a teammate could not be sent and will not be retried");
    await notices.settle(id);
  }

  return {
    name: "send_notification_emails",
    everyMs: 1_000,
    // A slow mail server must not delay the other emails.
    async run() {
      const now = clock.now();
      const free = AT_A_TIME - underWay.size;
      if (free === 0 || !(await notices.areDue(now))) return;
      for (const notice of await notices.claim(now, now + LEASE_MS, free, parts.instance)) {
        const sending = send(notice).catch((error: unknown) =>
          log.error({ err: error }, "an email to a teammate was not sent"),
        );
        underWay.add(sending);
        sending.finally(() => underWay.delete(sending));
      }
    },
    /** To be waited for once the mailer is closed. */
    ended: () => Promise.all(underWay),
  };
}

/** The recipient and the text; undefined where there is no recipient, or the email is no longer needed. */
async function write(
  parts: NotificationEmailParts,
  notice: Notice,
): Promise<{ to: string; says: NotificationEmail } | undefined> {
  const { store, authLog, clock, url, provider } = parts;
  const { people } = store;
  const making = { people, url: url(), now: clock.now() };
  if (notice.kind === "invitation") {
    const invited = notice.memberId === null ? undefined : await people.invitee(notice.memberId);
    if (invited === undefined) return undefined;
    const lasts = notice.expiresAt - making.now;
    const link = await invitationLink(making, invited.member.id, lasts);
    const days = Math.max(1, Math.floor(lasts / DAY_MS));
    return {
      to: invited.member.email,
      says: { kind: "invitation", url: link, workspace: invited.workspaceName, days },
    };
  }
  const person = await people.findByEmail(notice.email ?? "");
  if (person === undefined) return undefined;
  if (person.passwordHash === null) {
    return { to: person.email, says: { kind: "no_password", signInUrl: `${making.url}/console/sign-in`, provider } };
  }
  const of = (await people.memberships(person.id)).map(({ workspaceId, member }) => ({
    workspaceId,
    memberId: member.id,
  }));
  authLog.signInEvent({ code: "reset_issued", address: null, route: "mail", of });
  const link = await resetLink(making, person.id);
  return { to: person.email, says: { kind: "reset", url: link, minutes: RESET_LINK_MS / MINUTE_MS } };
}
