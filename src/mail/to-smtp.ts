import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { CONNECTIONS, type Mailer } from "./mailer.ts";
import type { Message } from "./message.ts";
import { detailOf, type HandedOver, type Outcome, outcomeOf, type SendFailure } from "./outcome.ts";
import type { MailServer } from "./server.ts";
import { tlsOf } from "./tls.ts";

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
const PATIENCE: Patience = { connectMs: 30_000, silenceMs: 10 * 60_000 };
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
