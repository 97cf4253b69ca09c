import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import type { Rostrum } from "./rostrum.ts";

/** Wakes the waiter. A ring without a waiter wakes the next one. */
export class Alarm {
  #rung = new AbortController();

  ring(): void {
    this.#rung.abort();
  }

  /** Resolves at a ring, at the time, or when the signal is aborted. */
  async wait(until: number, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#rung.signal]);
    await sleep(Math.max(0, until - Date.now()), undefined, { signal: either }).catch(() => undefined);
    this.#rung = new AbortController();
  }
}

/** The POSTs that the agent receives: an event, which only says "check", a challenge, or the final notification. */
const Message = z.union([
  z.looseObject({ type: z.literal("verification"), challenge: z.string() }),
  z.looseObject({
    type: z.literal("terminated"),
    error: z.looseObject({ data: z.looseObject({ reason: z.string() }) }),
  }),
  z.looseObject({
    type: z.undefined().optional(),
    eventId: z.string(),
    name: z.string(),
    data: z.looseObject({ changed: z.array(z.string()).optional() }),
  }),
]);
type Message = z.infer<typeof Message>;

function isOwnReport(message: Message): boolean {
  return message.type === undefined && message.data.changed?.join() === "schedules";
}

const MOST_BODY_BYTES = 262_144;

export interface ReceiverOptions {
  port: number;
  host?: string;
  alarm: Alarm;
  log: Logger;
}

/** The agent's own URL for events. Only callers with the secret are accepted. */
export async function startReceiver({ port, host = "127.0.0.1", alarm, log }: ReceiverOptions) {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const webhook = new Webhook(secret);

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const message = Message.parse(webhook.verify(body, request.headers as Record<string, string>));
    if (message.type === "verification") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ challenge: message.challenge }));
      return;
    }
    response.writeHead(204).end();
    if (message.type === "terminated") log.warn({ reason: message.error.data.reason }, "the subscription is over");
    // An agent's report of its own schedule wakes no agent: two of one account would keep waking each other.
    else if (isOwnReport(message)) return;
    else log.info({ event: message.name, eventId: message.eventId }, "woken");
    alarm.ring();
  }

  const server = createServer((request, response) => {
    take(request, response).catch(() => response.writeHead(401).end());
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    secret,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) throw new Error("too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Maintains the subscriptions to every event of the key. If it can't, the agent follows its schedule. */
export class Subscriptions {
  readonly #rostrum: Rostrum;
  readonly #delivery: { url: string; secret: string };
  readonly #log: Logger;
  /** When to renew each: halfway through its lifetime. */
  readonly #renewAt = new Map<string, number>();

  constructor(rostrum: Rostrum, delivery: { url: string; secret: string }, log: Logger) {
    this.#rostrum = rostrum;
    this.#delivery = delivery;
    this.#log = log;
  }

  /** When to call `keep` again. */
  get renewAt(): number {
    return Math.min(...this.#renewAt.values());
  }

  async keep(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if ((this.#renewAt.get(name) ?? 0) > Date.now()) continue;
      try {
        const end = await this.#rostrum.subscribe(name, this.#delivery);
        this.#renewAt.set(name, Math.floor((Date.now() + end) / 2));
      } catch (error) {
        this.#renewAt.delete(name);
        this.#log.warn({ err: error, event: name }, "not subscribed");
      }
    }
  }

  /** Unsubscribes, so that the server does not call an agent that is gone. */
  async end(): Promise<void> {
    for (const name of this.#renewAt.keys()) {
      await this.#rostrum.unsubscribe(name, this.#delivery.url).catch((error: unknown) => {
        this.#log.warn({ err: error, event: name }, "not unsubscribed");
      });
    }
  }
}
