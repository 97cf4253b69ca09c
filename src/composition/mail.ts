import { type Config, isReachable, requirePublicUrl } from "../config.ts";
import type { AsSystem, MailTester } from "../core/context.ts";
import { newId } from "../lib/ids.ts";
import { type MailSetup, mergeSetup, senderText } from "../lib/mail-server.ts";
import { SECOND_MS } from "../lib/time.ts";
import type { Vault } from "../lib/vault.ts";
import { createMailer } from "../mail/mailer.ts";
import { composeNotificationEmail } from "../mail/notification-email.ts";
import { openMailSettings } from "../services/access/mail-settings.ts";
import { recordMailFrom } from "../services/outreach/approvals.ts";
import type { Store } from "../store/store.ts";
import { senderIn } from "../workers/mail-transport.ts";
import type { MailSource } from "../workers/start.ts";

/** The mail settings of a process's environment. */
export function environmentMail({ smtpUrl: smtp, imapUrl: imap, mailFrom: from }: Config): MailSetup {
  return { smtp, imap, from };
}

export type ServerMail = MailSource & {
  /** Whether members are mailed links: by a mail server, to an address that they can reach. */
  mailsLinks(): boolean;
};

/** Follows the mail settings: those of the environment, and those that any process stores from the console. */
export function createServerMail(
  config: Config,
  store: Pick<Store, "version" | "mailSettings">,
  vault: Vault,
): ServerMail {
  const environment = environmentMail(config);
  let setup = mergeSetup(environment, {});
  let seen: { version: number; sealed: string | null } | undefined;
  return {
    async read() {
      const version = store.version();
      if (seen?.version === version) return setup;
      const sealed = await store.mailSettings();
      if (seen?.sealed !== sealed) setup = mergeSetup(environment, openMailSettings(vault, sealed));
      seen = { version, sealed };
      return setup;
    },
    current: () => setup,
    mailsLinks: () => setup.smtp !== undefined && isReachable(config),
  };
}

/**
 * Reads the mail settings at a server's start.
 *
 * @throws BadSetting where links in emails would not work
 */
export async function requireUsableMail(config: Config, mail: MailSource): Promise<void> {
  const { smtp } = await mail.read();
  if (config.smtpUrl === undefined)
    requirePublicUrl({ ...config, smtpUrl: smtp }, "the mail server set in the console");
}

interface Recording {
  store: Store;
  asSystem: AsSystem;
  clock: { now(): number };
}

/** Records how mail is sent by now. People see who sends, and approve that: approvals of another sender are void. */
export async function recordSetup({ store, asSystem, clock }: Recording, setup: MailSetup): Promise<void> {
  await recordMailFrom(store, asSystem, senderText(senderIn(setup)), clock.now());
  const hasServer = setup.smtp !== undefined;
  const workspaces = await store.workspaces();
  const [first] = workspaces;
  const before = first && (await store.read(first.id).workspace.mail()).hasServer;
  if (before !== hasServer) await store.recordHasMailServer(hasServer, clock.now());
}

/** Emails that wait for a mail server are due once there is one. */
export async function hastenMail({ store, asSystem }: Recording): Promise<void> {
  for (const { id } of await store.workspaces()) {
    await asSystem(id, "hasten_mail", (ctx) => ctx.store.enrollments.hasten(ctx.now));
  }
}

/** A person waits for the answer. */
const TEST_TIMEOUTS = {
  connectMs: 10 * SECOND_MS,
  silenceMs: 15 * SECOND_MS,
  readyMs: 20 * SECOND_MS,
  answerMs: 20 * SECOND_MS,
};

export function createMailTester(url: () => string, clock: { now(): number }): MailTester {
  return {
    async test({ smtp, from, to }) {
      const mailer = await createMailer({ server: smtp, folder: "", timeouts: TEST_TIMEOUTS });
      const now = clock.now();
      const message = composeNotificationEmail(newId(now), from, to, now, { kind: "test", url: `${url()}/console` });
      try {
        const outcome = await mailer.send(message);
        if (outcome.status === "accepted") return { accepted: true, detail: outcome.answer };
        return { accepted: false, detail: "detail" in outcome ? outcome.detail : outcome.status };
      } finally {
        await mailer.close(0);
      }
    },
  };
}
