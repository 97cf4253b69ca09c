/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { AUTHORIZE_PATH, isRegistered } from "../../domain/connector.ts";
import type { ClientDirectory } from "../../oauth/clients.ts";
import { Problem } from "../../problem.ts";

/** Whether a sign-in leads on to a client's request. */
export const asksForClient = (next: string): boolean => next.startsWith(`${AUTHORIZE_PATH}?`);

/** Which client has somebody sign in, as far as a stranger may be told: what it says of itself. Nothing is fetched. */
export async function askingClient(
  clients: Pick<ClientDirectory, "find">,
  next: string,
): Promise<ComponentChildren | undefined> {
  if (!asksForClient(next)) return undefined;
  const id = new URL(next, "http://here").searchParams.get("client_id") ?? "";
  const who = isRegistered(id) ? await nameOf(clients, id) : hostOf(id);
  return (
    <>
      An MCP client
      {who !== undefined && (
        <>
          {" "}
          that calls itself “<bdi>{who}</bdi>”
        </>
      )}{" "}
      asks to act for you. Sign in to see what it asks for: signing in lets nothing in yet.
    </>
  );
}

async function nameOf(clients: Pick<ClientDirectory, "find">, id: string): Promise<string | undefined> {
  try {
    return (await clients.find(id, "")).name;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

const hostOf = (id: string): string | undefined => (URL.canParse(id) ? new URL(id).host : undefined);
