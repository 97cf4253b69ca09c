import type { KeyActor } from "../core/actor.ts";
import type { ConnectingClient, ConnectionLog } from "../identity/connection-log.ts";

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

interface Message {
  method?: unknown;
  params?: { clientInfo?: unknown; _meta?: Record<string, unknown> };
}

/** Notes how far a client came with a message, where it was not known to work before. */
export function noteAnswer(
  connections: ConnectionLog,
  actor: KeyActor,
  from: ConnectingClient,
  { body, answer }: { body: unknown; answer: { status: number; body: string } },
): void {
  const { method, params } = (body ?? {}) as Message;
  if (answer.status >= 400) {
    connections.refusedKey({ code: "protocol_error", message: messageOf(answer.body) }, actor, from);
    return;
  }
  const stage = method === "tools/call" ? "first_call" : method === "tools/list" ? "first_list" : "key";
  connections.used(stage, actor, from, nameOf(params?.clientInfo ?? params?._meta?.[CLIENT_INFO]));
}

/** The name and version that a client gives itself. */
function nameOf(info: unknown): string | undefined {
  if (typeof info !== "object" || info === null) return undefined;
  const { title, name, version } = info as Record<string, unknown>;
  const said = typeof title === "string" ? title : name;
  if (typeof said !== "string") return undefined;
  return typeof version === "string" ? `${said} ${version}` : said;
}

function messageOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : "";
  } catch {
    return "";
  }
}
