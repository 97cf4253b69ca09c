import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AsSystem, Deployment } from "../../src/core/context.ts";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
import { createLog } from "../../src/lib/log.ts";
import { senderText } from "../../src/lib/mail-server.ts";
import { openVault } from "../../src/lib/vault.ts";
import { MAX_HEADER } from "../../src/mail/heading.ts";
import { readIncoming } from "../../src/mail/incoming.ts";
import { createMailer } from "../../src/mail/mailer.ts";
import { recordMailFrom } from "../../src/services/outreach/approvals.ts";
import { createOptOuts } from "../../src/services/outreach/suppression.ts";
import { Engine, type EngineParts } from "../../src/workers/engine.ts";
import type { MailTransport } from "../../src/workers/mail-transport.ts";
import { takeMessage } from "../../src/workers/mailbox.ts";
import { type SmtpOptions, smtpServer, type Taken } from "../mail/smtp.ts";
import { armed, authorise, enroll, newContact } from "./sequences.ts";
import { FakeClock, type ServerOptions, startServer, type TestServer } from "./server.ts";
import { until } from "./until.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Enough for a busy machine. */
export const DEADLINE_MS = 30_000;

export const OPEN: Deployment = {
  outboundGate: "open",
  socialnetExecution: "on",
  mail: {},
  hasPublicLinks: false,
};
export const FROM = { name: "Robin", address: "sales@acme.example" };

export interface SendingOptions extends ServerOptions {
  smtp?: SmtpOptions;
}

/** A server whose own workers send to a mail server on loopback, with a clock that only the test moves. */
export async function startSending(t: TestContext, { smtp = {}, ...options }: SendingOptions = {}) {
  const mail = await smtpServer(t, smtp);
  const clock = new FakeClock();
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${mail.server.port}`,
    MAIL_FROM: "Robin <sales@acme.example>",
    ROSTRUM_OUTBOUND_GATE: "open",
    ...options.env,
  };
  const server = await startServer(t, { clock, ...options, env });
  return { server, clock, taken: mail.taken };
}

export interface Driven {
  server: TestServer;
  clock: FakeClock;
  taken: Taken[];
  engine: Engine;
  /** Runs the engine for everything due now, and everything that becomes due by it. */
  run(): Promise<void>;
  asSystem: AsSystem;
  /** Adds a raw message to the mailbox, at a time that may be in the past. */
  receive(source: string, receivedAt?: number, reading?: Partial<Parameters<typeof takeMessage>[0]>): Promise<void>;
  /** Another engine on the same database, as another server's. */
  another(changes?: Partial<EngineParts & MailTransport>): Promise<Engine>;
}

/** A server without workers, and an engine that runs on demand: real mail, real database, no waiting. */
export async function driveEngine(t: TestContext, { smtp = {}, ...options }: SendingOptions = {}): Promise<Driven> {
  const mail = await smtpServer(t, smtp);
  const clock = (options.clock as FakeClock | undefined) ?? new FakeClock();
  const env = {
    ROSTRUM_WORKERS: "off",
    ROSTRUM_OUTBOUND_GATE: "open",
    ROSTRUM_SOCIALNET_EXECUTION: "on",
    ...options.env,
  };
  const server = await startServer(t, { ...options, clock, env });
  const { store } = server.running;
  const vault = openVault(dataKeyFile(server.folder), undefined);
  const { asSystem } = server.running;
  const another: Driven["another"] = async (changes = {}) => {
    const mailer = await createMailer({ server: mail.server, folder: join(server.folder, "mail") });
    t.after(() => mailer.close(0));
    const files = await createMailer({ server: undefined, folder: join(server.folder, "mail") });
    const transport = { mailer, files, from: FROM, mailServer: "sink", mailbox: mail.server, ...changes };
    const parts = { store, clock, vault, asSystem, deployment: OPEN, transport: () => transport };
    const metrics = { emailed: () => {}, mailRefused: () => {}, mailBackoff: () => {} };
    return new Engine({
      ...parts,
      metrics,
      instance: "test",
      url: () => server.listening,
      log: createLog("silent"),
      ...changes,
    });
  };
  await recordMailFrom(store, asSystem, senderText(FROM), clock.now());
  await store.recordHasMailServer(true, clock.now());
  const engine = await another();
  const optOuts = createOptOuts(vault, asSystem, store);
  return {
    server,
    clock,
    taken: mail.taken,
    engine,
    asSystem,
    another,
    run: () => runOut(server, clock, engine),
    receive: (text, receivedAt = clock.now(), reading = {}) => {
      const source = Buffer.from(text.replaceAll(/\r?\n/g, "\r\n"));
      const header = source.subarray(0, Math.min(source.indexOf("\r\n\r\n") + 4, MAX_HEADER));
      return takeMessage(
        {
          store,
          asSystem,
          log: createLog("silent"),
          mailboxSetAside: () => {},
          read: readIncoming,
          ...optOuts,
          ...reading,
        },
        { uid: 1, header, source: async () => source, receivedAt },
      );
    },
  };
}

/** Runs engines until nothing changes any more. */
export async function runOut(server: TestServer, clock: FakeClock, ...engines: Engine[]): Promise<void> {
  const { sends } = server.running.store.read(server.workspaceId);
  const count = async (status?: "queued" | "sending") => (await sends.list({ status }, { limit: 1, offset: 0 })).total;
  const inFlight = async () => (await count("queued")) + (await count("sending"));
  for (let before = -1; before !== (await count()); ) {
    before = await count();
    await Promise.all(engines.map((engine) => engine.run()));
    await until(async () => (await inFlight()) === 0, DEADLINE_MS);
  }
  // A retry creates no new row.
  if ((await server.running.store.engineDue.sequences(clock.now())).length > 0) {
    await Promise.all(engines.map((engine) => engine.run()));
    await until(async () => (await inFlight()) === 0, DEADLINE_MS);
  }
}

/** A contact in an active sequence. */
export async function onTheWay(server: TestServer, steps: object[], contact: object = {}) {
  const made = await armed(server, { sequence: { steps }, contact });
  await server.operator("set_sequence_status", { sequence_id: made.sequence.id, status: "active" });
  const reply = await enroll(server, made.ids);
  if (reply.status !== 201) throw new Error(reply.text);
  return { ...made, enrollment: reply.body.data };
}

/** Many contacts in one active sequence, in the order of their enrollment. */
export async function manyOnTheWay(server: TestServer, steps: object[], count: number) {
  const sequence = await server.operator("create_sequence", { name: "Many", steps });
  const contacts: any[] = [];
  for (let i = 0; i < count; i += 1) contacts.push(await newContact(server, { first_name: `N${i}` }));
  await authorise(
    server,
    sequence.id,
    contacts.map(({ id }) => id),
  );
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
  for (const { id } of contacts) await enroll(server, { sequence_id: sequence.id, contact_id: id });
  return { sequence, contacts };
}

/** The newest enrollment of the workspace, or of a contact. */
export async function theEnrollment(server: TestServer, contactId?: string): Promise<any> {
  const filter = contactId === undefined ? {} : { contact_id: contactId };
  return (await server.operator("list_enrollments", filter))[0];
}

export async function theSend(server: TestServer): Promise<any> {
  return (await server.operator("list_sends", {}))[0];
}

/** The entries of a contact's timeline, oldest first. */
export async function timeline(server: TestServer, contactId: string): Promise<any[]> {
  const list = await server.running.store.read(server.workspaceId).brain.activities([contactId]);
  return list.toReversed();
}

export async function told(server: TestServer, contactId: string): Promise<string[]> {
  return (await timeline(server, contactId)).map(({ type }) => type);
}

/** A header of an accepted message, unfolded. */
export function headerOf({ raw }: Taken, name: string): string | undefined {
  const head = raw.split(/\r?\n\r?\n/)[0]?.replaceAll(/\r?\n[ \t]+/g, " ") ?? "";
  return new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();
}

let replies = 0;

/** The contact's reply to an accepted message. */
export function answerTo(taken: Taken, headers: Record<string, string> = {}, body = "Sounds good, call me."): string {
  replies += 1;
  const all = {
    From: taken.to[0],
    To: "sales@acme.example",
    Subject: `Re: ${headerOf(taken, "subject")}`,
    "Message-ID": `<answer-${replies}@x.example>`,
    "In-Reply-To": headerOf(taken, "message-id"),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join("\n")}\n\n${body}\n`;
}

/** A mail server's report about a message that it could not deliver. */
export function bounceOf(taken: Taken, status: string, diagnostic: string, recipient = taken.to[0]): string {
  const part = (type: string, text: string) => `--b1\nContent-Type: ${type}\n\n${text}\n`;
  const parts = [
    part("text/plain", "Your message could not be delivered."),
    part(
      "message/delivery-status",
      `Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; ${recipient}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${diagnostic}`,
    ),
    part("text/rfc822-headers", `Message-ID: ${headerOf(taken, "message-id")}`),
  ];
  const headers = {
    From: "Mail Delivery System <MAILER-DAEMON@mx.example>",
    Subject: "Undelivered Mail Returned to Sender",
    "Return-Path": "<>",
    "In-Reply-To": "",
    "Content-Type": 'multipart/report; report-type=delivery-status; boundary="b1"',
  };
  return answerTo(taken, headers, `${parts.join("")}--b1--`);
}

/** A mail provider's report that a recipient called our message spam (RFC 5965). */
export function complaintOf(taken: Taken, named?: string): string {
  const type = 'multipart/report; report-type=feedback-report; boundary="b"';
  const recipient = named === undefined ? "" : `\nOriginal-Rcpt-To: <${named}>`;
  return answerTo(
    taken,
    { "Content-Type": type, "In-Reply-To": "" },
    `--b\nContent-Type: text/plain\n\nComplaint\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1${recipient}\n--b\nContent-Type: message/rfc822\n\nMessage-ID: ${headerOf(taken, "message-id")}\n\nHello\n--b--`,
  );
}
