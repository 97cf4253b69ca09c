import type { Request, RequestHandler, Response } from "express";
import { requestId } from "../http/request-id.ts";
import type { Log } from "../log.ts";
import { Problem, type ProblemCode, problem } from "../problem.ts";
import type { Store } from "../store/store.ts";

/** A refusal in the form of OAuth (RFC 6749, 5.2; RFC 7591, 3.2.2). */
export class OAuthRefusal extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

export interface Answered {
  status: number;
  body?: Record<string, unknown>;
}

const ERRORS: { [code in ProblemCode]?: string } = { rate_limited: "temporarily_unavailable" };

/** An endpoint that programs POST to: whatever goes wrong is answered as OAuth has it, and never kept by a cache. */
export function endpoint(
  { log, store }: { log: Log; store: Pick<Store, "isUnavailable"> },
  answer: (request: Request) => Promise<Answered>,
): RequestHandler {
  return async (request, response) => {
    try {
      const { status, body } = await answer(request);
      send(response, status, body);
    } catch (thrown) {
      const refusal = refusalOf(thrown, store);
      if (refusal.status === 500) log.error({ err: thrown, requestId: requestId(request) }, "an error of a sign-in");
      if (thrown instanceof Problem) {
        if (thrown.retryAfter !== undefined) response.setHeader("retry-after", thrown.retryAfter);
        // What is left of the upload is not worth reading.
        if (thrown.code === "payload_too_large") response.setHeader("connection", "close");
      }
      send(response, refusal.status, { error: refusal.error, error_description: refusal.message });
    }
  };
}

function refusalOf(thrown: unknown, store: Pick<Store, "isUnavailable">): OAuthRefusal {
  if (thrown instanceof OAuthRefusal) return thrown;
  if (thrown instanceof Problem) {
    return new OAuthRefusal(ERRORS[thrown.code] ?? "invalid_request", thrown.message, thrown.status);
  }
  if (store.isUnavailable(thrown)) {
    return new OAuthRefusal("temporarily_unavailable", problem("db_unavailable").message, 503);
  }
  return new OAuthRefusal("server_error", "Something went wrong on our side.", 500);
}

function send(response: Response, status: number, body: Record<string, unknown> | undefined): void {
  const headers = { "cache-control": "no-store", pragma: "no-cache", "x-content-type-options": "nosniff" };
  if (body === undefined) return void response.writeHead(status, headers).end();
  response.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}
