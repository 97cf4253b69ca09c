import { chmod, mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { createTransport, type SendMailOptions } from "nodemailer";
import { MINUTE_MS } from "../lib/time.ts";
import type { Message } from "./message.ts";
import { detailOf, type HandedOver, type Outcome, outcomeOf, type SendFailure } from "./outcome.ts";
import { type MailServer, tlsOf } from "./server.ts";

export interface Patience {
  /** To connect, greet and change to TLS. */
  connectMs: number;
  /** Without a word from the server. */
  silenceMs: number;
}

/**
 * RFC 5321 (4.5.3.2) grants a server ten minutes to answer the end of a message. Cut off sooner, one that scans what it
 * takes would leave a message that nobody can say is sent.
 */
const PATIENCE: Patience = { connectMs: 30_000, silenceMs: 10 * MINUTE_MS };
const CLOSE_MS = 8_000;

/** Follows how much of a message its connection has read. */
class Handover {
  #latest: Readable | undefined;
  #whole = false;

  /** The stream is looked at, and left as it is: what reads it decides its pace. */
  readonly watch = (stream: Readable): Readable => {
    this.#latest = stream;
    stream.once("end", () => {
      this.#whole = true;
    });
    return stream;
  };

  get state(): HandedOver {
    if (this.#whole) return "whole";
    return this.#latest?.readableDidRead ? "part" : "nothing";
  }
}

export function createSmtpMailer(server: MailServer, patience: Patience = PATIENCE): Mailer {
  const { host, port, secure, local, login } = server;
  const pool = createTransport({
    pool: true,
    ...{ host, port, secure, maxConnections: CONNECTIONS },
    requireTLS: !local,
    tls: tlsOf(server),
    ...(login && { auth: login }),
    connectionTimeout: patience.connectMs,
    greetingTimeout: patience.connectMs,
    dnsTimeout: patience.connectMs,
    socketTimeout: patience.silenceMs,
    // For a connection that the server closed while it was idle. Whatever else fails is the caller's to try again.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const underWay = new Set<Promise<Outcome>>();
  const handovers = new WeakMap<object, Handover>();
  pool.use("stream", ({ data, message }, done) => {
    const handover = handovers.get(data.envelope as object);
    if (handover !== undefined) message.processFunc(handover.watch);
    done();
  });

  return {
    kind: "smtp",
    send(message) {
      const sending = attempt(message);
      underWay.add(sending);
      return sending.finally(() => underWay.delete(sending));
    },
    async verify() {
      await pool.verify();
    },
    async close(withinMs = CLOSE_MS) {
      pool.close();
      const late = new AbortController();
      await Promise.race([ended(), pause(withinMs, undefined, { signal: late.signal })]);
      late.abort();
      pool.close({ force: true });
      await ended();
    },
  };

  async function attempt({ messageId, options }: Message): Promise<Outcome> {
    const handover = new Handover();
    const envelope = { ...options.envelope };
    handovers.set(envelope, handover);
    try {
      const { response, serverMessageId } = await pool.sendMail({ ...options, envelope });
      return { status: "accepted", answer: detailOf(response), messageId: serverMessageId ?? messageId };
    } catch (error) {
      return outcomeOf(error as SendFailure, handover.state);
    }
  }

  async function ended(): Promise<void> {
    await Promise.all(underWay);
  }
}

/** Connections to a mail server, and so messages in its hands at a time. */
export const CONNECTIONS = 5;

/** Hands messages over. */
export interface Mailer {
  /** `files`: nothing is sent. */
  readonly kind: "smtp" | "files";
  /** One attempt. It never rejects for what a server or the network did: the outcome says it. */
  send(message: Message): Promise<Outcome>;
  /** Connects and signs in, and sends nothing. Rejects with words for whoever runs the server. */
  verify(): Promise<void>;
  /** Lets what is under way come to its end, for so long; what waits for a connection fails as transient. */
  close(withinMs?: number): Promise<void>;
}

export interface MailerOptions {
  server: MailServer | undefined;
  /** Where messages are written if there is no server. */
  folder: string;
  patience?: Patience | undefined;
}

/** The library is loaded here and not before: a server that sends nothing starts without its weight. */
export async function createMailer({ server, folder, patience }: MailerOptions): Promise<Mailer> {
  if (server === undefined) return (await import("./mailer.ts")).createFileMailer(folder);
  return (await import("./mailer.ts")).createSmtpMailer(server, patience);
}

/** Writes messages down as `<send>.eml`, for a person to look at. One that is tried again replaces its file. */
export function createFileMailer(folder: string): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
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
        // A full disk, a folder that is gone: nothing is sent, and no other message would fare better.
        return { status: "transient", ours: true, detail: detailOf((error as Error).message) };
      }
    },
    verify: prepare,
    async close() {},
  };

  async function write(sendId: string, options: SendMailOptions): Promise<string> {
    const { message } = await composer.sendMail(options);
    await prepare();
    const file = join(folder, `${sendId}.eml`);
    // Under another name first: nobody ever reads half a message.
    const draft = await open(`${file}.part`, "w", 0o600);
    try {
      await draft.writeFile(message as Buffer);
    } finally {
      await draft.close();
    }
    await rename(`${file}.part`, file);
    return file;
  }
}
