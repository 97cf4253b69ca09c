import { Readable } from "node:stream";
import type { HandedOver } from "./outcome.ts";

/** How much of a message is passed on at a time. */
const PIECE_BYTES = 64 * 1024;

/** Holds a message back until its hand-over is recorded, and tracks how much of it its connection has read. */
export class Handover {
  readonly #begin: () => Promise<void>;
  #latest: Readable | undefined;
  #whole = false;
  /** Why it was not handed over, where that was decided here. */
  refused: { error: unknown } | undefined;

  constructor(begin: () => Promise<void>) {
    this.#begin = begin;
  }

  get state(): HandedOver {
    if (this.#whole) return "whole";
    return this.#latest?.readableDidRead ? "part" : "nothing";
  }

  /**
   * The message for one connection. The connection reads it once its server has asked for it. The pool uses another
   * connection if a used one breaks before the first byte. That may take minutes, so each connection asks again whether
   * the message may leave.
   */
  stream(message: Buffer): Readable {
    let asked = false;
    let passed = 0;
    const pass = () => {
      stream.push(message.subarray(passed, passed + PIECE_BYTES));
      passed += PIECE_BYTES;
      if (passed >= message.length) stream.push(null);
    };
    const stream = new Readable({
      read: () => {
        if (asked) return pass();
        asked = true;
        this.#begin().then(
          () => {
            // The connection may have ended while waiting.
            if (!stream.destroyed && this.#latest === stream) pass();
          },
          (error: unknown) => {
            if (this.#latest !== stream) return;
            this.refused = { error };
            stream.destroy(error as Error);
          },
        );
      },
    });
    stream.once("end", () => {
      if (this.#latest === stream) this.#whole = true;
    });
    this.#latest = stream;
    // A refusal for the connection before this one says nothing of this one.
    this.refused = undefined;
    return stream;
  }
}
