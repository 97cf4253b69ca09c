import { connect, type Socket } from "node:net";
import { percentile } from "../numbers.ts";
import { type Flood, serve } from "./serve.ts";

/**
 * Sends more than a server can answer: flood.js <port> <request in base64> <connections> <requests a second> <ms>
 *
 * With a rate, requests fall due at that rate whatever the server does, and latency counts from when one fell due. With
 * rate 0, every connection sends its next request as soon as it has an answer, as a client would that ignores
 * Retry-After.
 */

const [, , port = "", encoded = "", connections = "", rate = "", ms = ""] = process.argv;
const request = Buffer.from(encoded, "base64");
const most = Number(connections);
const perMs = Number(rate) / 1_000;
/** Time limit for the last answers. */
const LAST_MS = 5_000;
const TICK_MS = 2;
/** Delay before a dropped connection is reopened. */
const REOPEN_MS = 1_000;

const flood: Omit<Flood, "seconds" | "p50Ms" | "p99Ms"> = {
  offered: 0,
  unsent: 0,
  accepted: 0,
  refused: 0,
  dropped: 0,
  unanswered: 0,
};
const latencies: number[] = [];
const idle = new Set<Client>();
let open = 0;
let reopening = 0;
let inFlight = 0;
let sends = true;

class Client {
  readonly #socket: Socket;
  #due = 0;
  #isBusy = false;
  #length = -1;
  #read = 0;
  #status = 0;

  constructor(due?: number) {
    open += 1;
    this.#socket = connect({ port: Number(port), host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    clients.add(this);
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => this.#ended());
    if (due === undefined) idle.add(this);
    else this.send(due);
  }

  send(due: number): void {
    this.#due = due;
    this.#isBusy = true;
    this.#length = -1;
    flood.offered += 1;
    inFlight += 1;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#length === -1) {
      // The head of an answer arrives in one piece: it is small and written at once.
      const end = chunk.indexOf("\r\n\r\n");
      const head = chunk.toString("latin1", 0, end);
      this.#status = Number(head.slice(9, 12));
      this.#length = end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1]);
      this.#read = 0;
    }
    this.#read += chunk.length;
    if (this.#read < this.#length) return;
    this.#isBusy = false;
    inFlight -= 1;
    if (this.#status === 200) {
      flood.accepted += 1;
      latencies.push(performance.now() - this.#due);
    } else if (this.#status === 503) flood.refused += 1;
    else throw new Error(`The server answered ${this.#status}.`);
    this.#next();
  }

  #next(): void {
    if (perMs > 0) idle.add(this);
    else if (sends) this.send(performance.now());
  }

  #ended(): void {
    open -= 1;
    if (sends) flood.dropped += 1;
    if (this.#isBusy) inFlight -= 1;
    idle.delete(this);
    clients.delete(this);
    if (!sends) return;
    reopening += 1;
    setTimeout(() => {
      reopening -= 1;
      if (sends && perMs === 0) new Client(performance.now());
    }, REOPEN_MS);
  }
}

const clients = new Set<Client>();

function sendDue(started: number, sent: number): number {
  const now = performance.now();
  const due = Math.floor((now - started) * perMs);
  for (let i = sent; i < due; i++) {
    const at = started + i / perMs;
    const [client] = idle;
    if (client !== undefined) {
      idle.delete(client);
      client.send(at);
    } else if (open + reopening < most) new Client(at);
    else {
      flood.offered += 1;
      flood.unsent += 1;
    }
  }
  return due;
}

async function run(): Promise<Flood> {
  // Connecting is not measured.
  for (let i = 0; i < most; i++) {
    new Client();
    if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS * 5));
  }
  await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
  flood.dropped = 0;
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  if (perMs === 0) {
    for (const client of idle) client.send(performance.now());
    idle.clear();
  } else {
    let sent = 0;
    timer = setInterval(() => {
      sent = sendDue(started, sent);
    }, TICK_MS);
  }
  await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  clearInterval(timer);
  sends = false;
  const seconds = (performance.now() - started) / 1_000;
  const during = { ...flood };
  const last = performance.now() + LAST_MS;
  while (inFlight > 0 && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const client of clients) client.close();
  const sorted = Float64Array.from(latencies).sort();
  return { ...during, unanswered: inFlight, seconds, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}

serve({ port: 0, close: () => undefined, answers: { flood: run } });
