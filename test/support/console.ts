import type { SignIn } from "../../src/console/app/member-api.ts";
import type { MemberActor } from "../../src/core/actor.ts";
import { problem } from "../../src/core/problem.ts";
import { send } from "./http.ts";
import { member } from "./member.ts";
import type { Envelope, Reply, TestServer } from "./server.ts";

const COOKIE = "test-session=";

/** Replaces sessions: the cookie is the member. */
export const signIn: SignIn = async ({ headers }) => {
  const { cookie = "" } = headers;
  if (!cookie.startsWith(COOKIE)) throw problem("not_signed_in");
  return JSON.parse(Buffer.from(cookie.slice(COOKIE.length), "base64url").toString()) as MemberActor;
};

export function sessionOf(who: MemberActor): Record<string, string> {
  return { cookie: COOKIE + Buffer.from(JSON.stringify(who)).toString("base64url") };
}

/** The actor of a member returned by invite_member. */
export function actorOf(server: TestServer, { id, name, role, approve_outbound }: Envelope["data"]): MemberActor {
  return member(server, { id, name, role, approveOutbound: approve_outbound });
}

interface DoorRequest {
  as?: MemberActor | undefined;
  method?: string;
  /** Sent unchanged, instead of the input. */
  raw?: string;
  /** A header that is undefined is not sent. */
  headers?: Record<string, string | undefined>;
}

/** Calls an operation over the member API, as the server's own pages do. */
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
  const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const url = `${server.listening}/console/api/${operation}`;
  const answer = await send(url, method, Object.fromEntries(given), method === "GET" ? undefined : raw);
  return Object.assign(answer, { body: JSON.parse(answer.text) as Envelope });
}
