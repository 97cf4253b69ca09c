import { z } from "zod";
import type { Context } from "../../core/context.ts";
import type { MailServer } from "../../lib/mail-server.ts";
import { iso } from "../../lib/time.ts";
import { readSetup, setupName } from "../../services/access/mail-settings.ts";
import { time } from "../fields.ts";

/** How a connection is encrypted, and the usual ports. */
export const SECURITY = ["tls", "starttls"] as const;

const source = z
  .enum(["environment", "console"])
  .describe("Where it is set. What the environment sets can't be changed here.");

type Source = z.infer<typeof source>;

const ServerShown = z.object({
  host: z.string(),
  port: z.int(),
  security: z.enum(SECURITY),
  username: z.string().nullable(),
  has_password: z.boolean(),
  source,
});

export const MailSettings = z.object({
  smtp: ServerShown.nullable().describe("The mail server. Null: there is none, and no email is sent."),
  mailbox: ServerShown.nullable().describe("The sender's mailbox, read for replies and bounces. Null: none is read."),
  from: z
    .object({ name: z.string(), address: z.string(), source })
    .nullable()
    .describe("The sender of every email. Null if none is set."),
  last_test: z
    .object({ at: time, to: z.string(), status: z.enum(["accepted", "failed"]), detail: z.string() })
    .nullable()
    .describe("The last test message with these settings. Null if none was sent."),
});

type Shown = z.infer<typeof MailSettings>;

/** The mail settings of the server, without passwords. */
export async function showMailSettings(ctx: Pick<Context, "store" | "vault" | "deployment">): Promise<Shown> {
  const { settings, test } = await ctx.store.workspace.mail();
  const { setup } = readSetup(ctx, settings);
  const { mail } = ctx.deployment;
  const of = (here: unknown) => (here === undefined ? "console" : "environment");
  return {
    smtp: setup.smtp ? toShown(setup.smtp, of(mail.smtp)) : null,
    mailbox: setup.imap ? toShown(setup.imap, of(mail.imap)) : null,
    from: setup.from ? { ...setup.from, source: of(mail.from) } : null,
    last_test:
      test === null || test.setup !== setupName(setup)
        ? null
        : { at: iso(test.at), to: test.to, status: test.accepted ? "accepted" : "failed", detail: test.detail },
  };
}

function toShown({ host, port, secure, login }: MailServer, source: Source) {
  return {
    host,
    port,
    security: secure ? ("tls" as const) : ("starttls" as const),
    username: login?.user ?? null,
    has_password: login !== undefined,
    source,
  };
}
