import { Readable } from "node:stream";
import type { HandedOver } from "./outcome.ts";

/** At least this much of a message is passed on at a time, except at its end. */
const PASSED_BYTES = 16 * 1024;

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

  /** The connection reads the stream once the server has asked for the message: its reader decides the pace. */
  readonly watch = (stream: Readable): Readable => {
    this.#latest = stream;
    const held = new Readable({
      read: () => {
        if (this.#latest === stream && stream.readableFlowing === null) this.#release(stream, held);
        else stream.resume();
      },
    });
    held.once("end", () => {
      if (this.#latest === stream) this.#whole = true;
    });
    return held;
  };

  get state(): HandedOver {
    if (this.#whole) return "whole";
    return this.#latest?.readableDidRead ? "part" : "nothing";
  }

  /**
   * The pool takes another connection where one that it used before breaks before the first byte. That may take minutes,
   * so it is asked again whether the message may leave.
   */
  #release(stream: Readable, held: Readable): void {
    const isReplaced = () => this.#latest !== stream;
    this.#begin().then(
      () => {
        // The connection may have ended while waiting.
        if (held.destroyed || isReplaced()) return;
        let pieces: Buffer[] = [];
        let bytes = 0;
        const pass = () => {
          const isReady = held.push(Buffer.concat(pieces));
          pieces = [];
          bytes = 0;
          return isReady;
        };
        stream.on("error", (error) => held.destroy(error));
        stream.once("end", () => {
          pass();
          held.push(null);
        });
        // The library makes a dozen pieces of a message, and each would be written to the socket on its own.
        stream.on("data", (piece: Buffer) => {
          pieces.push(piece);
          bytes += piece.length;
          if (bytes >= PASSED_BYTES && !pass()) stream.pause();
        });
      },
      (error: unknown) => {
        if (isReplaced()) return;
        this.refused = { error };
        held.destroy(error as Error);
      },
    );
  }
}
