import { setMaxListeners } from "node:events";
import { CallError } from "./errors.ts";

/**
 * Ends a call when its time is up or when the caller aborts it. Only one stage of a call listens at a time, so one
 * callback is enough; an AbortController per call would add about a fifth to the CPU cost of the call.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.#end(this.#signal?.reason);
  #listener: ((reason: unknown) => void) | undefined;
  #ended = false;
  #reason: unknown;

  constructor(ms: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(() => this.#end(new CallError("timeout", { beforeSent: true })), ms);
    this.#signal = signal;
    if (signal === undefined) return;
    allowSharing(signal);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Replaces the listener. If the deadline has already passed, the new listener is called immediately. */
  listen(listener: ((reason: unknown) => void) | undefined): void {
    this.#listener = listener;
    if (this.#ended) listener?.(this.#reason);
  }

  /** Releases the timer and the signal. Call it when the call is over. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  #end(reason: unknown): void {
    this.#ended = true;
    this.#reason = reason;
    this.#listener?.(reason);
  }
}

const shared = new WeakSet<AbortSignal>();

/** Any number of calls may share one signal. Without this, Node warns at more than ten. */
function allowSharing(signal: AbortSignal): void {
  if (shared.has(signal)) return;
  shared.add(signal);
  setMaxListeners(0, signal);
}
