import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Node keeps the response in progress on the socket, and sets null after the last one. */
export type HttpSocket = Duplex & { _httpMessage?: ServerResponse | null };

/**
 * Has a request wait until those before it on its connection are answered, unless all of them are safe (RFC 9112, 9.3.2).
 * A client that sends a read right behind a write expects to see what it wrote.
 */
export class Pipelining {
  readonly #max: number;
  #waiting = 0;
  /** How many requests of each connection wait. */
  readonly #waitingOn = new WeakMap<Socket, { count: number }>();

  /** @param max the most requests that wait, on all connections */
  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a request may start now. */
  mayStart({ socket, method }: IncomingMessage, response: ServerResponse): boolean {
    // Node gives a response its socket once the answers before it are sent.
    const current = response.socket === null ? (socket as HttpSocket)._httpMessage : null;
    if (current == null) return true;
    const isFirst = (this.#waitingOn.get(socket)?.count ?? 0) === 0;
    return isFirst && SAFE_METHODS.has(method) && SAFE_METHODS.has(current.req.method);
  }

  /**
   * Calls back when it is the request's turn, or never if the client disconnects before.
   *
   * @returns false if too many requests wait
   */
  wait({ socket }: IncomingMessage, response: ServerResponse, start: () => void): boolean {
    if (this.#waiting >= this.#max) return false;
    if (socket.destroyed) return true;
    const waiting = this.#waitingOn.get(socket) ?? this.#watch(socket);
    waiting.count += 1;
    this.#waiting += 1;
    response.once("socket", () => {
      // No answer can be sent any more. Closing the connection frees the place.
      if (!socket.writable) return;
      waiting.count -= 1;
      this.#waiting -= 1;
      start();
    });
    return true;
  }

  /** Frees the places of a connection when it closes. After CONNECT, Node doesn't close the requests that wait. */
  #watch(socket: Socket): { count: number } {
    const waiting = { count: 0 };
    this.#waitingOn.set(socket, waiting);
    socket.once("close", () => {
      this.#waiting -= waiting.count;
      waiting.count = 0;
    });
    return waiting;
  }
}
