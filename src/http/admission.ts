import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { failure } from "../core/envelope.ts";
import { problem } from "../core/problem.ts";
import { requestId } from "./json.ts";
import { Pipelining } from "./pipelining.ts";

/**
 * How long a turn of the event loop may start requests. Nearly all work here is synchronous: without this bound, a turn
 * would serve all that is ready, for seconds under load, and Node accepts only one connection a turn.
 */
const SLICE_MS = 10;
/**
 * A turn that takes longer was held up: by one slow piece of work, a garbage collection or other programs. What exceeds
 * it is not counted as waiting: all that waited would be refused at once, though the server can serve them.
 */
const HELD_UP_MS = 50;
/**
 * Turns in a row that start nothing while each accepts a connection: clients that are connecting wait for turns, not for
 * work. More of them would let clients that reconnect all the time stop the work. With 0, each turn does work.
 */
const MAX_ACCEPTING_TURNS = 8;
/** A request that has waited longer is refused: its client would rather ask again than wait on. */
const MAX_WAIT_MS = 250;
/** But only once requests have been waiting without a gap for this long: one slow request is no overload. */
const QUEUED_MS = 1_000;
/**
 * Refusals are sent at this rate at most. A refusal is cheap, but not free: clients that retry at once would take the time
 * of those that are served.
 */
const REFUSALS_PER_SECOND = 1_000;
/** How often those that are due are sent. */
const REFUSAL_TICK_MS = 10;
/** The shortest time that the header can name. */
const RETRY_AFTER_SECONDS = 1;

/** The bound that was reached: on requests in flight, on pipelined ones that wait, or on the time that one waits. */
export type Overload = "in_flight" | "wait";

/** What paths below `under` answer in place of the failure envelope. */
export interface OverloadAnswer {
  under: string;
  body: string;
  headers: Readonly<Record<string, string>>;
}

export interface AdmissionParts {
  /** The most requests that have arrived and whose answer has not begun. As many pipelined ones can wait. */
  maxInFlight: number;
  /** Paths that are served however busy the server is. */
  exempt: readonly string[];
  /** The first that fits is used. */
  answers: readonly OverloadAnswer[];
  onRefusal(overload: Overload): void;
}

export const OVERLOADED = problem("overloaded", undefined, { retryAfter: RETRY_AFTER_SECONDS });

export const OVERLOADED_ENVELOPE = {
  body: failure(OVERLOADED),
  headers: { "content-type": "application/json; charset=utf-8" },
};

/** A response that says when its head is written. */
export type BegunResponse = ServerResponse & { onBegin?: (() => void) | undefined };

interface Arrived {
  request: IncomingMessage;
  response: BegunResponse;
  serve: () => void;
  at: number;
}

/**
 * Starts requests in the order in which they arrive, a slice in each turn of the event loop. A pipelined request
 * arrives once it may start. What it cannot start soon is refused with 503 `overloaded`, before any work.
 */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #pipelining: Pipelining;
  readonly #queue: Arrived[] = [];
  #started = 0;
  /** Since when requests have been waiting without a gap. */
  #queuedSince = Number.POSITIVE_INFINITY;
  #sliceBegan = 0;
  #turnBegan = 0;
  /** How long turns were held up, in all: waiting is measured on a clock that leaves it out. */
  #heldUpMs = 0;
  #isScheduled = false;
  #hasAccepted = false;
  #acceptingTurns = 0;
  /** Refusals that wait to be sent, at most one of each connection: no client can make this grow. */
  readonly #refused = new Map<Socket, Arrived>();
  #refusing: NodeJS.Timeout | undefined;
  #refusedUntil = 0;
  readonly #turn = () => this.#nextTurn();
  readonly #next = () => this.#startNext();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#pipelining = new Pipelining(parts.maxInFlight);
  }

  /** Serves the request now or soon, or refuses it. */
  admit(request: IncomingMessage, response: BegunResponse, serve: () => void): void {
    if (this.#parts.exempt.includes(pathOf(request))) {
      serve();
      return;
    }
    if (this.#pipelining.mayStart(request, response)) {
      this.#arrive(request, response, serve);
      return;
    }
    const waits = this.#pipelining.wait(request, response, () => this.#arrive(request, response, serve));
    if (!waits) this.#refuse({ request, response, serve, at: 0 }, "in_flight");
  }

  #arrive(request: IncomingMessage, response: BegunResponse, serve: () => void): void {
    const now = performance.now();
    const arrived = { request, response, serve, at: now - this.#heldUpMs };
    if (this.#queue.length + this.#started >= this.#parts.maxInFlight) {
      this.#refuse(arrived, "in_flight");
      return;
    }
    if (!this.#isScheduled) {
      this.#sliceBegan = now;
      this.#turnBegan = now;
      this.#schedule();
    }
    if (this.#queue.length === 0 && now - this.#sliceBegan < SLICE_MS) this.#start(arrived);
    else {
      if (this.#queue.length === 0) this.#queuedSince = arrived.at;
      this.#queue.push(arrived);
    }
  }

  /** A connection was accepted: others may be waiting for that. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  /** Sends every refusal that waits. */
  flush(): void {
    this.#sendRefusals(this.#refused.size);
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    const now = performance.now();
    this.#heldUpMs += Math.max(0, now - this.#turnBegan - HELD_UP_MS);
    this.#turnBegan = now;
    if (this.#queue.length === 0) return;
    this.#schedule();
    const accepts = this.#hasAccepted && this.#acceptingTurns < MAX_ACCEPTING_TURNS;
    this.#hasAccepted = false;
    this.#acceptingTurns = accepts ? this.#acceptingTurns + 1 : 0;
    if (accepts) return;
    this.#sliceBegan = now;
    this.#startNext();
  }

  #startNext(): void {
    for (let now = performance.now(); now - this.#sliceBegan < SLICE_MS; now = performance.now()) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      const clock = now - this.#heldUpMs;
      const isLate = clock - next.at > MAX_WAIT_MS && clock - this.#queuedSince > QUEUED_MS;
      if (this.#queue.length === 0) this.#queuedSince = Number.POSITIVE_INFINITY;
      if (next.request.socket.destroyed) continue;
      if (isLate) {
        this.#refuse(next, "wait");
        continue;
      }
      this.#start(next);
      // Most of its work is in promises. They are settled before the next tick: so this slice counts it.
      queueMicrotask(() => process.nextTick(this.#next));
      return;
    }
  }

  #start({ request, response, serve }: Arrived): void {
    let isCounted = false;
    let isOver = false;
    const enter = () => {
      if (isOver) return;
      isCounted = true;
      this.#started += 1;
    };
    const leave = () => {
      if (isCounted && !isOver) this.#started -= 1;
      isOver = true;
    };
    // A slow upload must not take the place of another request.
    if (isArriving(request)) request.once("end", enter);
    else enter();
    response.onBegin = leave;
    response.once("close", leave);
    serve();
  }

  #refuse(arrived: Arrived, overload: Overload): void {
    const { socket } = arrived.request;
    if (socket.destroyed) return;
    this.#parts.onRefusal(overload);
    // It sends on without waiting for answers, and each would be kept.
    if (this.#refused.has(socket)) {
      socket.destroy();
      return;
    }
    // Otherwise up to 64 KiB of each would be kept.
    arrived.request.resume();
    this.#refused.set(socket, arrived);
    if (this.#refusing !== undefined) return;
    this.#refusedUntil = performance.now() - REFUSAL_TICK_MS;
    this.#refusing = setInterval(() => this.#sendDueRefusals(), REFUSAL_TICK_MS);
    this.#sendDueRefusals();
  }

  #sendDueRefusals(): void {
    if (this.#refused.size === 0) {
      clearInterval(this.#refusing);
      this.#refusing = undefined;
      return;
    }
    const due = Math.floor(((performance.now() - this.#refusedUntil) / 1_000) * REFUSALS_PER_SECOND);
    this.#refusedUntil += (due / REFUSALS_PER_SECOND) * 1_000;
    this.#sendRefusals(due);
  }

  #sendRefusals(most: number): void {
    let sent = 0;
    for (const [socket, { request, response }] of this.#refused) {
      if (sent >= most) return;
      this.#refused.delete(socket);
      if (socket.destroyed) continue;
      sent += 1;
      const path = pathOf(request);
      const { body, headers } = this.#parts.answers.find(({ under }) => path.startsWith(under)) ?? OVERLOADED_ENVELOPE;
      response
        .writeHead(OVERLOADED.status, {
          ...headers,
          "content-length": String(Buffer.byteLength(body)),
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "x-request-id": requestId(request),
          "retry-after": String(RETRY_AFTER_SECONDS),
        })
        .end(body);
    }
  }
}

function pathOf({ url = "" }: IncomingMessage): string {
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}

/** Whether a body is still arriving that will be read. The one of a GET never is. */
function isArriving({ complete, method, headers }: IncomingMessage): boolean {
  if (complete || method === "GET" || method === "HEAD") return false;
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return length !== "0" || coding !== undefined;
}
