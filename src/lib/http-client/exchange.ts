import { type Client, errors } from "undici";
import { CallError, callErrorFrom } from "./call-error.ts";
import type { Patience } from "./patience.ts";

export interface Request {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  /** Bytes of the answer's body to keep; 0 discards it. */
  read: number;
}

export interface Answer {
  /** Redirects are answers like any other. */
  status: number;
  headers: { retryAfter: string | undefined; contentType: string | undefined };
  /** The first bytes of the body, `read` at most. */
  body: Buffer;
}

/** Reading a short answer that nobody wants to its end is cheaper than a new connection. */
const DISCARDED = 64 * 1024;

/**
 * One request on one connection, and its answer. An answer with a longer body than is read is cut there, and its
 * connection destroyed; after a failure, destroying the client is left to whoever handed it over.
 *
 * @throws CallError; what ended the patience, where that is not a CallError
 */
export function exchange(
  client: Client,
  { method, url, headers, body, read }: Request,
  patience: Patience,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let settled = false;
    let sent = false;
    let head: Omit<Answer, "body">;
    let kept: Buffer | undefined;
    let received = 0;

    const settle = () => {
      settled = true;
      patience.listen(undefined);
    };
    patience.listen((reason) => {
      settle();
      reject(sent && reason instanceof CallError ? new CallError(reason.reason, { beforeSent: false }) : reason);
    });
    const answer = () => {
      settle();
      resolve({ ...head, body: kept?.subarray(0, received) ?? Buffer.alloc(0) });
    };
    if (settled) return;

    client.dispatch(
      { path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart() {
          sent = true;
        },
        onResponseStart(_controller, status, given) {
          head = {
            status,
            headers: { retryAfter: first(given["retry-after"]), contentType: first(given["content-type"]) },
          };
        },
        onResponseData(controller, chunk) {
          if (settled) return;
          if (read > 0) {
            // In one piece: a body of many tiny chunks costs no more than its bytes.
            kept ??= Buffer.allocUnsafe(read);
            chunk.copy(kept, received);
          }
          received += chunk.length;
          if (received <= (read || DISCARDED)) return;
          answer();
          controller.abort(new Error("the rest is not wanted"));
        },
        onResponseEnd() {
          if (!settled) answer();
        },
        onResponseError(_controller, error) {
          if (settled) return;
          settle();
          // A header or a path that cannot be sent is the caller's mistake, and no answer of the network.
          reject(error instanceof errors.InvalidArgumentError ? error : callErrorFrom(error, !sent));
        },
      },
    );
  });
}

/** A header that was sent twice is a list. */
function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
