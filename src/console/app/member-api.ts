import type { IncomingMessage } from "node:http";
import type { MemberActor } from "../../core/actor.ts";
import type { Invoke } from "../../core/invoke.ts";
import { isFreeForm } from "../../core/json-schema.ts";
import type { Operation } from "../../core/operation.ts";
import { permissionsChanged } from "../../core/policy.ts";
import { problem } from "../../core/problem.ts";
import { readJsonBody, reply, replyProblem, requestId } from "../../http/json.ts";
import type { EarlyHandler } from "../../http/server.ts";
import { requireOwnOrigin } from "./origin.ts";

/** Finds the member whose session a request carries. @throws Problem not_signed_in */
export type SignIn = (request: IncomingMessage) => Promise<MemberActor>;

export const MEMBER_API_PREFIX = "/console/api/";

/**
 * Member access over HTTP: `POST /console/api/<operation>` with JSON, answered with the envelope. Browsers send the
 * session cookie for pages of other sites too, so the Origin must be this server's own.
 */
export function memberApi(
  operations: readonly Operation[],
  invoke: Invoke,
  signIn: SignIn,
  publicUrl: string | undefined,
): EarlyHandler {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));

  return (request, response, next) => {
    if (!request.url.startsWith(MEMBER_API_PREFIX)) return next();
    const id = requestId(request);
    const operation = byName.get(request.url.slice(MEMBER_API_PREFIX.length));
    if (operation === undefined) return replyProblem(response, problem("route_not_found"), id);
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      return replyProblem(response, problem("method_not_allowed", "Use POST for this path."), id);
    }
    let member: MemberActor | undefined;
    const caller = async () => {
      member = await signIn(request);
      requireOwnOrigin(request, publicUrl);
      return member;
    };
    // A body may arrive long after its headers. By then, the session may have ended or the permissions may have changed.
    const input = async () => {
      const body = await readJsonBody(request, isFreeForm(operation));
      const { id, role, approveOutbound } = await signIn(request);
      if (id !== member?.id || role !== member.role || approveOutbound !== member.approveOutbound) {
        throw permissionsChanged();
      }
      return body;
    };
    invoke(operation, {
      caller,
      surface: "console",
      requestId: id,
      address: () => request.ip,
      input,
      idempotencyKey: request.headers["idempotency-key"] as string | undefined,
    })
      .then((answer) => reply(response, answer, id))
      // invoke handles every error, so only the connection can have failed here.
      .catch(() => response.destroy());
  };
}
