import type { IncomingMessage } from "node:http";
import type { Request } from "express";
import type { Arrival, Entrance, Visitor } from "../auth/entrance.ts";
import { problem } from "../problem.ts";
import { placeOf, sessionToken } from "./cookies.ts";
import type { SignIn } from "./door.ts";

/** console.js sends it where a page that is open fetches itself anew. */
const REFRESH_HEADER = "rostrum-refresh";

export function visitorOf(
  entrance: Entrance,
  request: IncomingMessage,
  publicUrl: string | undefined,
): Promise<Visitor | undefined> {
  const isUse = request.headers[REFRESH_HEADER] === undefined;
  return entrance.find(sessionToken(request, placeOf(request, publicUrl)), isUse);
}

export function arrivalOf(request: Request, route: string, publicUrl: string | undefined): Arrival {
  const session = sessionToken(request, placeOf(request, publicUrl));
  return { address: request.ip, route: `${request.method} ${route}`, session };
}

/** The person door: which workspace is meant is said in a header where the person has several. */
export function doorSignIn(entrance: Entrance, publicUrl: string | undefined): SignIn {
  return async (request) => {
    const visitor = await visitorOf(entrance, request, publicUrl);
    if (visitor === undefined) throw problem("not_signed_in");
    const given = request.headers["rostrum-workspace"];
    const [only, ...more] = given === undefined ? await entrance.memberships(visitor) : [];
    if (more.length > 0) {
      throw problem("validation_failed", "Rostrum-Workspace: send the id of the workspace that is meant.");
    }
    const actor = await entrance.actor(visitor, given === undefined ? (only?.workspaceId ?? "") : String(given));
    if (actor === undefined) throw problem("not_signed_in", "You are no member of this workspace.");
    return actor;
  };
}
