import type { IncomingMessage, ServerResponse } from "node:http";
import { failure } from "../core/envelope.ts";
import { problem } from "../core/problem.ts";
import { requestId } from "./json.ts";

/**
 * How long a turn of the event loop may start requests. Nearly all work here is synchronous: without this bound, a turn
 * would serve all that is ready, for seconds under load, and Node accepts only one connection a turn.
 */
const SLICE_MS = 10;
/** Turns in a row that start nothing, while each accepts a connection. */
const MAX_ACCEPTING_TURNS = 8;
/** A request that has waited longer is refused, once requests have been waiting without a gap for `STANDING_MS`. */
const MAX_WAIT_MS = 250;
/** One slow request makes others wait; that alone is no overload. */
const STANDING_MS = 1_000;
/** Refusals are sent at this rate at most: clients that retry at once then take little time from those that are served. */
const REFUSALS_PER_SECOND = 1_000;
const REFUSAL_TICK_MS = 10;
const RETRY_AFTER_SECONDS = 1;

/** The bound that was reached: on requests in flight, or on the time that one waits. */
export type Overload = "in_flight" | "wait";

/** What paths below `under` answer in place of the failure envelope. */
export interface OverloadAnswer {
  under: string;
  body: string;
  headers: Readonly<Record<string, string>>;
}

export interface AdmissionParts {
  /** The most requests that have arrived and whose answer has not begun. */
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
 * Starts requests in the order in which they arrive, a slice in each turn of the event loop. What it cannot start soon is
 * refused with 503 `overloaded`, before any work.
 */
export class Admission {
  readonly #parts: AdmissionParts;
  #queue: Arrived[] = [];
  #head = 0;
  #started = 0;
  /** Since when requests have been waiting without a gap. */
  #standingSince = Number.POSITIVE_INFINITY;
  #sliceBegan = 0;
  #isScheduled = false;
  #hasAccepted = false;
  #acceptingTurns = 0;
  #refused: Arrived[] = [];
  #refusing: NodeJS.Timeout | undefined;
  #refusedUntil = 0;
  readonly #turn = () => this.#nextSlice();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Serves the request now or soon, or refuses it. */
  admit(request: IncomingMessage, response: BegunResponse, serve: () => void): void {
    if (this.#parts.exempt.includes(request.url ?? "")) {
      serve();
      return;
    }
    const arrived = { request, response, serve, at: performance.now() };
    if (this.#waiting + this.#started >= this.#parts.maxInFlight) {
      this.#refuse(arrived, "in_flight");
      return;
    }
    if (!this.#isScheduled) {
      this.#sliceBegan = arrived.at;
      this.#schedule();
    }
    if (this.#waiting === 0 && arrived.at - this.#sliceBegan < SLICE_MS) this.#start(arrived);
    else {
      if (this.#waiting === 0) this.#standingSince = arrived.at;
      this.#queue.push(arrived);
    }
  }

  /** A connection was accepted: others may be waiting for that. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  /** Sends every refusal that waits. */
  flush(): void {
    this.#sendRefusals(this.#refused.length);
  }

  get #waiting(): number {
    return this.#queue.length - this.#head;
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  #nextSlice(): void {
    this.#isScheduled = false;
    if (this.#waiting === 0) return;
    this.#schedule();
    const accepts = this.#hasAccepted && this.#acceptingTurns < MAX_ACCEPTING_TURNS;
    this.#hasAccepted = false;
    this.#acceptingTurns = accepts ? this.#acceptingTurns + 1 : 0;
    if (accepts) return;
    let now = performance.now();
    this.#sliceBegan = now;
    for (; this.#waiting > 0 && now - this.#sliceBegan < SLICE_MS; now = performance.now()) {
      const next = this.#queue[this.#head++] as Arrived;
      if (next.response.closed) continue;
      const isLate = now - next.at > MAX_WAIT_MS && now - this.#standingSince > STANDING_MS;
      if (isLate) this.#refuse(next, "wait");
      else this.#start(next);
    }
    if (this.#waiting === 0) this.#standingSince = Number.POSITIVE_INFINITY;
    if (this.#head > this.#parts.maxInFlight || this.#waiting === 0) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
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
    // A slow upload takes nobody's place.
    if (hasBody(request) && !request.complete) request.once("end", enter);
    else enter();
    response.onBegin = leave;
    response.once("close", leave);
    serve();
  }

  #refuse(arrived: Arrived, overload: Overload): void {
    this.#parts.onRefusal(overload);
    this.#refused.push(arrived);
    if (this.#refusing !== undefined) return;
    this.#refusedUntil = performance.now() - REFUSAL_TICK_MS;
    this.#refusing = setInterval(() => this.#sendDueRefusals(), REFUSAL_TICK_MS);
    this.#sendDueRefusals();
  }

  #sendDueRefusals(): void {
    if (this.#refused.length === 0) {
      clearInterval(this.#refusing);
      this.#refusing = undefined;
      return;
    }
    const due = Math.floor(((performance.now() - this.#refusedUntil) / 1_000) * REFUSALS_PER_SECOND);
    this.#refusedUntil += (due / REFUSALS_PER_SECOND) * 1_000;
    this.#sendRefusals(due);
  }

  #sendRefusals(most: number): void {
    for (const { request, response } of this.#refused.splice(0, most)) {
      const url = request.url ?? "";
      const { body, headers } = this.#parts.answers.find(({ under }) => url.startsWith(under)) ?? OVERLOADED_ENVELOPE;
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

function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return length !== "0" || coding !== undefined;
}
