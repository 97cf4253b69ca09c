import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { isLoopback } from "../../lib/http-client/addresses.ts";
import { type MailServer, type MailSetup, mergeSetup, type Sender } from "../../lib/mail-server.ts";
import { readSetup, sealMailSettings } from "../../services/access/mail-settings.ts";
import { requireMaySetSender } from "../../services/socialnet/accounts.ts";
import { atLeastOne } from "../fields.ts";
import { MailSettings, SECURITY, showMailSettings } from "./mail-schema.ts";

const HOST = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.(?!$)|$))+$|^[\da-f:.]{2,45}$/i;

function server(ports: Record<(typeof SECURITY)[number], number>, what: string) {
  const { tls, starttls } = ports;
  return z
    .strictObject({
      host: z
        .string()
        .trim()
        .toLowerCase()
        .refine((host) => host === "" || HOST.test(host), "must be a host name such as mail.example.com")
        .describe("A host name or an IP address. Empty: there is none."),
      port: z.int().min(1).max(65_535).optional().describe(`Default: ${tls} with tls, ${starttls} with starttls.`),
      security: z
        .enum(SECURITY)
        .default("tls")
        .describe("tls: encrypted from the first byte. starttls: begins in plain text and must upgrade to TLS."),
      username: z.string().max(320).trim().nullish().describe("Null or empty: no sign-in."),
      password: z
        .string()
        .max(1_000)
        .optional()
        .describe("Empty or omitted: keeps the stored one, if host, port and username stay the same."),
    })
    .nullable()
    .describe(what);
}

type GivenServer = NonNullable<z.output<ReturnType<typeof server>>>;

const SMTP_PORTS = { tls: 465, starttls: 587 };
const IMAP_PORTS = { tls: 993, starttls: 143 };

export const setMailSettings = personOperation({
  name: "set_mail_settings",
  area: "server",
  title: "Set the mail settings",
  description:
    "Sets how this server sends and reads email, for all its workspaces. Omitted fields keep their value. If you " +
    "send smtp or mailbox, send all its fields except the password, which keeps its value if omitted. To remove " +
    "smtp or mailbox, set it to null. Settings from the environment can't be changed here. Changing the sender " +
    "voids every sequence approval and requires the permission approve_outbound.",
  access: { permission: "operate" },
  effect: "write",
  input: z
    .strictObject({
      smtp: server(SMTP_PORTS, "The mail server. Null: none.").optional(),
      mailbox: server(
        IMAP_PORTS,
        "The sender's mailbox, which is read for replies and bounces. Null: none.",
      ).optional(),
      from: z
        .strictObject({
          name: z
            .string()
            .max(200)
            .trim()
            .regex(/^[^\p{Cc}<>"\\]*$/u, "can't have line breaks, quotes or angle brackets")
            .default(""),
          address: z.email().max(320).describe("An email address."),
        })
        .optional()
        .describe("The sender of every email. Replies go there."),
    })
    .refine(...atLeastOne(["smtp", "mailbox", "from"])),
  output: MailSettings,
  async handler(ctx, { smtp, mailbox, from }) {
    const { settings } = await ctx.store.workspace.mail();
    const { stored } = readSetup(ctx, settings);
    const before = await showMailSettings(ctx);
    const next: MailSetup = {
      smtp: smtp === undefined ? stored.smtp : serverOf(ctx, "smtp", smtp, stored.smtp),
      imap: mailbox === undefined ? stored.imap : serverOf(ctx, "mailbox", mailbox, stored.imap),
      from: from === undefined ? stored.from : senderOf(ctx, from, stored.from),
    };
    if (isDeepStrictEqual({ ...next }, { smtp: stored.smtp, imap: stored.imap, from: stored.from })) {
      return { data: before, record: ctx.workspaceId };
    }
    requireWhole(ctx, next);
    const effective = mergeSetup(ctx.deployment.mail, next);
    const sealed = sealMailSettings(ctx.vault, next);
    await ctx.store.workspace.setMailSettings(sealed, effective.smtp !== undefined, ctx.now);
    const after = await showMailSettings(ctx);
    const changed = { password_changed: passwordsOf(stored) !== passwordsOf(next) };
    await ctx.audit({
      recordId: ctx.workspaceId,
      before: withoutTest(before),
      after: { ...withoutTest(after), ...changed },
    });
    return { data: after, record: ctx.workspaceId };
  },
});

const withoutTest = ({ last_test: _, ...settings }: z.infer<typeof MailSettings>) => settings;

const passwordsOf = ({ smtp, imap }: MailSetup) => JSON.stringify([smtp?.login?.pass, imap?.login?.pass]);

const VARIABLES = { smtp: "SMTP_URL", mailbox: "IMAP_URL", from: "MAIL_FROM" } as const;

function refuseEnvironment(field: keyof typeof VARIABLES): never {
  const variable = VARIABLES[field];
  throw problem(
    "validation_failed",
    `${field}: is set by ${variable} on the server. Change ${variable} there, or remove it to set it here.`,
  );
}

/** @throws Problem validation_failed */
function serverOf(
  { deployment }: Pick<Context, "deployment">,
  field: "smtp" | "mailbox",
  given: GivenServer | null,
  stored: MailServer | undefined,
): MailServer | undefined {
  const environment = field === "smtp" ? deployment.mail.smtp : deployment.mail.imap;
  if (environment !== undefined) refuseEnvironment(field);
  if (given === null || given.host === "") return undefined;
  const { host, security, username, password } = given;
  const secure = security === "tls";
  const port = given.port ?? (field === "smtp" ? SMTP_PORTS : IMAP_PORTS)[security];
  const server = { host, port, secure, local: isLoopback(host), login: undefined };
  if (!username) {
    if (password) throw problem("validation_failed", `${field}.username: is required with a password.`);
    return server;
  }
  if (password) return { ...server, login: { user: username, pass: password } };
  // A stored password goes to the server that it was entered for, and to no other.
  const isSame = stored?.host === host && stored.port === port && stored.login?.user === username;
  if (isSame && stored.login !== undefined) return { ...server, login: stored.login };
  throw problem(
    "validation_failed",
    stored?.login === undefined
      ? `${field}.password: is required with a username.`
      : `${field}.password: must be entered again, because the server or the username changed.`,
  );
}

/** @throws Problem validation_failed, insufficient_scope */
function senderOf(ctx: Context, given: Sender, stored: Sender | undefined): Sender | undefined {
  if (isDeepStrictEqual(given, stored)) return stored;
  if (ctx.deployment.mail.from !== undefined) refuseEnvironment("from");
  requireMaySetSender(ctx, "from");
  return given;
}

/** @throws Problem validation_failed */
function requireWhole({ deployment }: Context, next: MailSetup): void {
  const from = deployment.mail.from ?? next.from;
  if ((next.smtp !== undefined || next.imap !== undefined) && from === undefined) {
    throw problem("validation_failed", "from: is required with a mail server or a mailbox.");
  }
  const { outboundGate, hasPublicLinks } = deployment;
  if (next.smtp === undefined || next.smtp.local || outboundGate !== "open" || hasPublicLinks) return;
  throw problem(
    "validation_failed",
    "smtp: needs ROSTRUM_PUBLIC_URL, an https address, while sending is on, because every email has an unsubscribe link to this server. Ask your server admin to set it.",
  );
}
