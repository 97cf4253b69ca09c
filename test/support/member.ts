import { findOperation } from "../../src/cli/operator.ts";
import type { Actor, MemberActor } from "../../src/core/actor.ts";
import type { Envelope, TestServer } from "./server.ts";

const ID = "0190bbbb-0000-7000-8000-000000000001";

/** A member of the test's workspace: a rep by default. */
export function member(server: TestServer, changes: Partial<MemberActor> = {}): MemberActor {
  const { workspaceId } = server;
  return { kind: "member", id: ID, name: "Grace", workspaceId, role: "rep", approveOutbound: false, ...changes };
}

/** Calls an operation as its pages do, without a sign-in; returns status and envelope. */
export async function callAs(
  { running }: TestServer,
  caller: Actor,
  name: string,
  input: unknown,
): Promise<{ status: number; body: Envelope; text: string }> {
  const call = { caller, surface: "console", requestId: "test", input: () => input } as const;
  const { status, body } = await running.invoke(findOperation(name), call);
  return { status, body: JSON.parse(body) as Envelope, text: body };
}
