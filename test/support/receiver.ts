import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Webhook } from "standardwebhooks";

export interface Received {
  headers: IncomingMessage["headers"];
  path: string;
  text: string;
  body: any;
  at: number;
}

/** Answers a delivery; the default is 204. */
export type Respond = (received: Received, response: ServerResponse) => void;

/**
 * A subscriber's endpoint: a real server that verifies what it receives, as an independent implementation would. It
 * repeats challenges, and records deliveries.
 */
export class Receiver {
  readonly secret =
    `whsec_${Buffer.from(`a secret of thirty-two bytes, or ${Math.random()}`).toString("base64").slice(0, 44)}`;
  readonly challenges: Received[] = [];
  readonly deliveries: Received[] = [];
  /** Deliveries whose signature was invalid. */
  readonly forged: Received[] = [];
  respond: Respond = (_, response) => response.writeHead(204).end();
  challengeAnswer: (received: Received, response: ServerResponse) => void = ({ body }, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ challenge: body.challenge }));
  readonly #waiting: (() => void)[] = [];
  port = 0;

  static async start(t: Pick<TestContext, "after">): Promise<Receiver> {
    const receiver = new Receiver();
    const server = createServer((request, response) => receiver.#take(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    receiver.port = (server.address() as AddressInfo).port;
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook?team=a%20b`;
  }

  /** Resolves once this many deliveries have arrived. */
  async waitFor(count: number): Promise<Received[]> {
    while (this.deliveries.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.deliveries;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const received = {
      headers: request.headers,
      path: request.url ?? "",
      text,
      body: JSON.parse(text),
      at: Date.now(),
    };
    try {
      new Webhook(this.secret).verify(text, request.headers as Record<string, string>);
    } catch {
      this.forged.push(received);
    }
    if (received.body.type === "verification") {
      this.challenges.push(received);
      this.challengeAnswer(received, response);
      return;
    }
    this.deliveries.push(received);
    this.respond(received, response);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
