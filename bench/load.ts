import { connect, type Socket } from "node:net";
import { percentile } from "./numbers.ts";

/** Makes the text of the next HTTP request. */
export type NextRequest = () => string | Buffer;

export interface Load {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Share of one core that the generator itself used: near 1, it measures itself. */
  generator: number;
}

export interface LoadOptions {
  /** Connections are spread over these. */
  ports: readonly number[];
  next: NextRequest;
  connections: number;
  ms: number;
}

/**
 * Keeps every connection busy with one request at a time for a while, then waits for the last answers. Raw sockets
 * and a parser of a few lines: node's own client costs more than the servers that it would measure.
 *
 * @throws where an answer is not a success
 */
export async function load({ ports, next, connections, ms }: LoadOptions): Promise<Load> {
  const run: Run = { next, deadline: 0, latencies: [], last: 0 };
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, i) => Client.open(ports[i % ports.length] as number, run)),
  );
  const cpu = process.cpuUsage();
  const started = performance.now();
  run.deadline = started + ms;
  const giveUp = setTimeout(() => {
    for (const client of clients) client.fail(new Error(`A request got no answer within ${ANSWER_WITHIN_MS} ms.`));
  }, ms + ANSWER_WITHIN_MS);
  try {
    await Promise.all(clients.map((client) => client.run()));
  } finally {
    clearTimeout(giveUp);
    for (const client of clients) client.close();
  }
  const seconds = (run.last - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = Float64Array.from(run.latencies).sort();
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    generator: (user + system) / 1e6 / seconds,
  };
}

/** A server that loses a request must not stop the run. */
const ANSWER_WITHIN_MS = 60_000;

interface Run {
  next: NextRequest;
  deadline: number;
  latencies: number[];
  last: number;
}

class Client {
  readonly #socket: Socket;
  readonly #run: Run;
  #sent = 0;
  #pending: Buffer | undefined;
  #finish: () => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  static async open(port: number, run: Run): Promise<Client> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new Client(socket, run);
  }

  constructor(socket: Socket, run: Run) {
    this.#socket = socket;
    this.#run = run;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error(`The server at port ${socket.remotePort} closed a connection.`)));
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
      this.#send();
    });
  }

  fail(error: Error): void {
    this.#fail(error);
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  #send(): void {
    const request = this.#run.next();
    this.#sent = performance.now();
    if (typeof request === "string") this.#socket.write(request, "latin1");
    else this.#socket.write(request);
  }

  #read(chunk: Buffer): void {
    const answer = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    if (!isComplete(answer)) {
      this.#pending = answer;
      return;
    }
    this.#pending = undefined;
    // The first digit of the status in "HTTP/1.1 200 OK".
    if (answer[9] !== 0x32) {
      this.#fail(new Error(`A request failed:\n${answer.toString("utf8", 0, 2_000)}`));
      return;
    }
    const now = performance.now();
    this.#run.latencies.push(now - this.#sent);
    this.#run.last = now;
    if (now < this.#run.deadline) this.#send();
    else this.#finish();
  }
}

function isComplete(answer: Buffer): boolean {
  const headEnd = answer.indexOf("\r\n\r\n");
  if (headEnd === -1) return false;
  const head = answer.toString("latin1", 0, headEnd);
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return answer.length >= headEnd + 4 + Number(length);
  return answer.toString("latin1", answer.length - 5) === "0\r\n\r\n";
}

/** The text of a request, ready to send. */
export function httpRequest(method: string, path: string, headers: Record<string, string>, body?: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}
