import type { SignIn } from "../../src/console/app/member-api.ts";
import type { MemberActor } from "../../src/core/actor.ts";
import { problem } from "../../src/core/problem.ts";
import { member } from "./member.ts";
import type { Envelope, Reply, TestServer } from "./server.ts";

const COOKIE = "test-session=";

/** Stands in for sessions: the cookie is the member. */
export const signIn: SignIn = async ({ headers }) => {
  const { cookie = "" } = headers;
  if (!cookie.startsWith(COOKIE)) throw problem("not_signed_in");
  return JSON.parse(Buffer.from(cookie.slice(COOKIE.length), "base64url").toString()) as MemberActor;
};

export function sessionOf(who: MemberActor): Record<string, string> {
  return { cookie: COOKIE + Buffer.from(JSON.stringify(who)).toString("base64url") };
}

/** The actor of a member as invite_member answers it. */
export function actorOf(server: TestServer, { id, name, role, approve_outbound }: Envelope["data"]): MemberActor {
  return member(server, { id, name, role, approveOutbound: approve_outbound });
}

interface DoorRequest {
  as?: MemberActor | undefined;
  method?: string;
  /** Sent as it is, in place of the input. */
  raw?: string;
  /** A header that is undefined is left out. */
  headers?: Record<string, string | undefined>;
}

/** Calls an operation by the person door, as a page of the server's own would. */
export async function byDoor(
  server: TestServer,
  operation: string,
  input: unknown,
  { as, method = "POST", raw = JSON.stringify(input), headers = {} }: DoorRequest = {},
): Promise<Reply> {
  const sent = {
    origin: server.listening,
    "content-type": "application/json",
    ...(as === undefined ? {} : sessionOf(as)),
    ...headers,
  };
  const response = await fetch(`${server.listening}/console/api/${operation}`, {
    method,
    headers: Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ...(method === "GET" ? {} : { body: raw }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Envelope, text };
}
