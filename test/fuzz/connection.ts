import { connect, type Socket } from "node:net";
import type { Sent } from "./message.ts";

export interface Answer {
  status: number;
  headers: string;
  body: Buffer;
}

/** Time limit for an answer. A challenge to a URL that does not answer takes the longest. */
const ANSWER_MS = 30_000;
/** Time limit for an answer to bytes that may not be a request, before the connection is closed. */
const QUIET_MS = 40;

/**
 * One connection after another, each used for as long as the server keeps it open: what is broken is often sent on a
 * connection that was used before.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #notice: () => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws if a complete request gets no answer */
  async send(sent: Sent): Promise<Answer[]> {
    const socket = await this.#open();
    if (sent.cutAt !== undefined) {
      socket.write(sent.bytes.subarray(0, sent.cutAt), () => socket.resetAndDestroy());
      await this.#until(() => socket.destroyed, ANSWER_MS);
      return [];
    }
    socket.write(sent.bytes);
    const answers: Answer[] = [];
    const read = () => {
      for (
        let next = parse(this.#received, sent.isHead);
        next !== undefined;
        next = parse(this.#received, sent.isHead)
      ) {
        this.#received = this.#received.subarray(next.length);
        if (next.answer.status >= 200) answers.push(next.answer);
      }
      return answers.length > 0;
    };
    const isDone = () => read() || socket.destroyed;
    if (sent.isWhole) {
      if (!(await this.#until(isDone, ANSWER_MS))) throw new Error(`no answer within ${ANSWER_MS} ms`);
      if (answers.length === 0) throw new Error("the connection was closed without an answer");
    } else await this.#until(isDone, QUIET_MS);
    const [{ headers = "" } = {}] = answers;
    if (!sent.isWhole || /^connection: close/im.test(headers) || /text\/event-stream/.test(headers)) {
      socket.end();
      if (/text\/event-stream/.test(headers)) socket.destroy();
      await this.#until(() => socket.destroyed, ANSWER_MS);
      read();
      socket.destroy();
    }
    return answers;
  }

  close(): void {
    this.#socket?.destroy();
  }

  async #open(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed && this.#received.length === 0) return this.#socket;
    this.#socket?.destroy();
    this.#received = Buffer.alloc(0);
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#socket = socket;
    const notice = () => this.#notice();
    socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      notice();
    });
    socket.on("error", notice).on("close", notice).on("connect", notice);
    await this.#until(() => !socket.connecting, ANSWER_MS);
    return socket;
  }

  /** Waits for the socket's next event. */
  async #until(holds: () => boolean, ms: number): Promise<boolean> {
    if (holds()) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => end(false), ms);
      const end = (held: boolean) => {
        clearTimeout(timer);
        this.#notice = () => undefined;
        resolve(held);
      };
      this.#notice = () => {
        if (holds()) end(true);
      };
    });
  }
}

/** The first answer in the bytes, and its length. Undefined if it is incomplete. */
function parse(bytes: Buffer, isHead: boolean): { answer: Answer; length: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not an answer: ${head.slice(0, 200)}`);
  const at = end + 4;
  const answer = (from: number, to: number, length = to) => ({
    answer: { status, headers: head, body: bytes.subarray(from, to) },
    length,
  });
  // A stream has no end: its beginning is enough.
  if (isHead || status < 200 || status === 204 || status === 304 || /text\/event-stream/i.test(head))
    return answer(at, at);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) {
    const to = at + Number(length);
    return bytes.length < to ? undefined : answer(at, to);
  }
  if (!/^transfer-encoding: *chunked/im.test(head)) return answer(at, bytes.length);
  const chunks: Buffer[] = [];
  for (let from = at; ; ) {
    const line = bytes.indexOf("\r\n", from);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", from, line), 16);
    from = line + 2 + size + 2;
    if (bytes.length < from) return undefined;
    if (size === 0) return { answer: { status, headers: head, body: Buffer.concat(chunks) }, length: from };
    chunks.push(bytes.subarray(line + 2, from - 2));
  }
}
