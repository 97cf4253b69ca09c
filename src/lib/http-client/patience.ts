import { setMaxListeners } from "node:events";
import { CallError } from "./call-error.ts";

/**
 * How long a call waits: to its deadline, or until its caller gives it up. One stage of the call at a time listens,
 * so this needs no event target; an AbortController for each call would cost a fifth of the call.
 */
export class Patience {
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #giveUp = () => this.#end(this.#signal?.reason);
  #listener: ((reason: unknown) => void) | undefined;
  #ended = false;
  #reason: unknown;

  constructor(ms: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(() => this.#end(new CallError("timeout", { beforeSent: true })), ms);
    this.#signal = signal;
    if (signal === undefined) return;
    // One signal may stop any number of calls.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", this.#giveUp, { once: true });
  }

  /** Hands what ends it to this listener, instead of the one before; at once, if it has ended. */
  listen(listener: ((reason: unknown) => void) | undefined): void {
    this.#listener = listener;
    if (this.#ended) listener?.(this.#reason);
  }

  /** Lets go of the timer and the signal: the call is over. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#giveUp);
  }

  #end(reason: unknown): void {
    this.#ended = true;
    this.#reason = reason;
    this.#listener?.(reason);
  }
}
