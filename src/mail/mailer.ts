import { chmod, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { createTransport, SendMailOptions } from "nodemailer";
import { diskFault } from "../lib/disk-fault.ts";
import { type MailServer, tlsOf } from "../lib/mail-server.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/time.ts";
import { Handover } from "./handover.ts";
import type { Message } from "./message.ts";
import type { bytesOf, encodeMessage } from "./mime.ts";
import { detailOf, type Outcome, outcomeOf, type SendFailure } from "./outcome.ts";

/** Hands messages to a mail server, or writes them to files. */
export interface Mailer {
  /** `files`: nothing is sent. */
  readonly kind: "smtp" | "files";
  /**
   * One attempt. It never rejects because of a server or the network: the outcome describes what happened.
   *
   * @param handOver - awaited once a server is ready for the message, before the first byte leaves; again where that
   * connection breaks first and another one is ready. Where it rejects, nothing leaves and `send` rejects with its
   * error. Writing to a file does not call it
   */
  send(message: Message, handOver?: () => Promise<void>): Promise<Outcome>;
  /** Connects and signs in, and sends nothing. Rejects with a message for the server admin. */
  verify(): Promise<void>;
  /** Waits this long for messages in progress; those that wait for a connection fail as transient. */
  close(withinMs?: number): Promise<void>;
}

interface Timeouts {
  /** To connect, greet and change to TLS. */
  connectMs: number;
  /** Of silence from the server. */
  silenceMs: number;
  /** Until the server is ready for the message, however many bytes it sends before that. */
  readyMs: number;
  /** From there until the server has answered the end of the message. */
  answerMs: number;
}

export interface MailerOptions {
  server: MailServer | undefined;
  /** Where messages are written if there is no server. */
  folder: string;
  timeouts?: Partial<Timeouts> | undefined;
}

/** The library is loaded here and not before, so that a process that sends nothing starts without it. */
export async function createMailer({ server, folder, timeouts }: MailerOptions): Promise<Mailer> {
  const { encodeMessage, bytesOf } = await import("./mime.ts");
  if (server === undefined) return createFileMailer(encodeMessage, folder);
  const { createTransport } = await import("nodemailer");
  return createSmtpMailer({ createTransport, bytesOf }, server, timeouts);
}

interface Library {
  createTransport: typeof createTransport;
  bytesOf: typeof bytesOf;
}

/** Connections to a mail server, and so the most messages in progress at a time. */
export const CONNECTIONS = 5;

/**
 * RFC 5321 (4.5.3.2) grants a server ten minutes to answer the end of a message. With a shorter timeout, a server that
 * scans messages before it accepts them would leave us not knowing whether a message was sent.
 */
const TIMEOUTS: Timeouts = {
  connectMs: 30 * SECOND_MS,
  silenceMs: 10 * MINUTE_MS,
  readyMs: 5 * MINUTE_MS,
  answerMs: 15 * MINUTE_MS,
};
const CLOSE_MS = 8 * SECOND_MS;

function createSmtpMailer(
  { createTransport, bytesOf }: Library,
  server: MailServer,
  partial: Partial<Timeouts> = {},
): Mailer {
  const timeouts = { ...TIMEOUTS, ...partial };
  const { host, port, secure, local, login } = server;
  const connecting = {
    host,
    port,
    secure,
    requireTLS: !local,
    tls: tlsOf(server),
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
  };
  const pool = createTransport({
    ...connecting,
    pool: true,
    maxConnections: CONNECTIONS,
    ...(login && { auth: login }),
    socketTimeout: timeouts.silenceMs,
    // For a connection that the server closed while it was idle. The caller retries every other failure.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const inProgress = new Set<Promise<Outcome>>();
  const handovers = new WeakMap<object, Handover>();
  pool.use("stream", ({ data, message }, done) => {
    const handover = handovers.get(data.envelope as object);
    if (handover !== undefined) {
      const bytes = bytesOf(message);
      // The pool calls it for each connection that takes the message.
      message.createReadStream = () => handover.stream(bytes);
    }
    done();
  });

  return {
    kind: "smtp",
    send(message, handOver) {
      const sending = attempt(message, handOver);
      inProgress.add(sending);
      return sending.finally(() => inProgress.delete(sending));
    },
    async verify() {
      await pool.verify();
    },
    async close(withinMs = CLOSE_MS) {
      pool.close();
      const late = new AbortController();
      await Promise.race([ended(), sleep(withinMs, undefined, { signal: late.signal })]);
      late.abort();
      pool.close({ force: true });
      await ended();
    },
  };

  async function attempt({ messageId, options }: Message, handOver?: () => Promise<void>): Promise<Outcome> {
    const deadline = new Deadline(timeouts.readyMs);
    const handover = new Handover(async () => {
      await handOver?.();
      deadline.extend(timeouts.answerMs);
    });
    const envelope = { ...options.envelope };
    handovers.set(envelope, handover);
    try {
      const international = [envelope.to, envelope.from].flat().find((address) => needsUtf8(String(address)));
      if (international !== undefined && !(await offersUtf8(connecting, deadline.signal))) {
        return { status: "unsendable", detail: lacksUtf8(String(international)) };
      }
      const sent = await pool.sendMail({ ...options, envelope, signal: deadline.signal });
      const { response, serverMessageId } = sent;
      return { status: "accepted", answer: detailOf(response), messageId: serverMessageId ?? messageId };
    } catch (error) {
      if (handover.refused !== undefined) throw handover.refused.error;
      const failure = deadline.passed ?? (error as SendFailure);
      return outcomeOf(failure, handover.state);
    } finally {
      deadline.clear();
    }
  }

  async function ended(): Promise<void> {
    await Promise.all(inProgress);
  }
}

/** Whether an address has letters beyond ASCII before its @. Those after it can be written in ASCII. */
function needsUtf8(address: string): boolean {
  return /\P{ASCII}/u.test(address.slice(0, address.lastIndexOf("@")));
}

/**
 * Whether the server takes such an address (RFC 6531). Without the extension the library hands it over all the same,
 * in bytes that each server reads in its own way. The pool does not tell what a server offers, so it is asked on a
 * connection of its own.
 */
async function offersUtf8(connecting: object, signal: AbortSignal): Promise<boolean> {
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const connection = new Connection({ ...connecting, socketTimeout: UTF8_TIMEOUT_MS });
  const abort = () => connection.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      // Not once: an error without a listener would stop the process.
      connection.on("error", reject);
      connection.once("end", () => reject(new Error("The mail server closed the connection.")));
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
  const offers = /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse));
  connection.quit();
  return offers;
}

const UTF8_TIMEOUT_MS = 30 * SECOND_MS;

function lacksUtf8(address: string): string {
  return detailOf(
    `email: ${address} has non-ASCII characters before the @, which the mail server doesn't support ` +
      "(SMTPUTF8). Use another address, or a mail server that does.",
  );
}

/** A server that answers each command just in time, or byte by byte, must not keep a connection for ever. */
class Deadline {
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout;
  #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What to report once it has passed. */
  get passed(): SendFailure | undefined {
    if (!this.signal.aborted) return undefined;
    return { message: `The mail server did not finish within ${Math.round(this.#ms / SECOND_MS)} seconds.` };
  }

  /** Counts this long from now. */
  extend(ms: number): void {
    if (this.signal.aborted) return;
    this.clear();
    this.#ms = ms;
    this.#timer = this.#start();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#abort.abort(), this.#ms);
  }
}

/** Writes messages to `<send>.eml`, for a person to read. A retry replaces the file. */
function createFileMailer(compose: typeof encodeMessage, folder: string): Mailer {
  const prepare = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  };
  return {
    kind: "files",
    async send({ sendId, options }) {
      try {
        return { status: "written", file: await write(sendId, options) };
      } catch (error) {
        // A full disk or a missing folder: nothing is sent, and no other message would fare better.
        return { status: "transient", ours: true, detail: detailOf((error as Error).message) };
      }
    },
    verify: prepare,
    async close() {},
  };

  async function write(sendId: string, options: SendMailOptions): Promise<string> {
    const message = compose(options);
    await prepare();
    const file = join(folder, `${sendId}.eml`);
    // Written under another name first, so that no process ever reads half a message.
    const draft = await open(`${file}.part`, "w", 0o600);
    try {
      await draft.writeFile(message).finally(() => draft.close());
      await rename(`${file}.part`, file);
    } catch (error) {
      await rm(`${file}.part`, { force: true });
      throw diskFault(error, file) ?? error;
    }
    return file;
  }
}
