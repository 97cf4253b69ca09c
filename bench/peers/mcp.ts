import { join } from "node:path";
import { env as ownEnv } from "node:process";
import { BUILD } from "../build.ts";
import { callingContact, EARLIER_PROTOCOL, listingTools, type McpTarget, round, type Sample } from "../cases.ts";
import { Child } from "../child.ts";
import { copyOf, type Seed } from "../seed.ts";
import type { Installed } from "./install.ts";
import type { PeerServer, Questions } from "./peer.ts";

/** Sessions that the requests are spread over, where a server keeps any: one for each connection. */
const SESSIONS = 50;

/** The tools of Rostrum on fastmcp: in sessions, and without. */
export function fastmcpServers({ folder }: Installed, seed: Seed): PeerServer[] {
  const main = join(folder, "node_modules/fastmcp/dist/FastMCP.js");
  const start = (mode: string) => () => startMcp("fastmcp", seed, [main, mode]);
  return [
    {
      name: "fastmcp, in sessions",
      start: start("sessions"),
      questions: async (sample, port) => {
        const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => openSession(port, seed.key)));
        const targets = sessions.map((session) => ({
          key: seed.key,
          modern: false,
          headers: { "mcp-session-id": session },
        }));
        return asking(sample, targets);
      },
    },
    {
      name: "fastmcp, stateless",
      start: start("stateless"),
      questions: (sample) => asking(sample, [{ key: seed.key, modern: false }]),
    },
  ];
}

/** The tools of Rostrum on the MCP SDK, as its guide shows a server. */
export function guideServers(seed: Seed): PeerServer[] {
  return [
    {
      name: "SDK as its guide shows",
      start: () => startMcp("sdk-guide", seed, []),
      questions: (sample) => asking(sample, [{ key: seed.key, modern: true }]),
    },
  ];
}

function startMcp(script: string, seed: Seed, args: string[]): Promise<Child> {
  const folder = copyOf(seed, [script, ...args.slice(1)].join("-"));
  return Child.start(script, [folder, ...args], undefined, BUILD, {
    execArgv: [],
    env: ownEnv,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

/** Each contact's request and as many lists of tools, by one target after the other, each with an id of its own. */
export function asking(sample: readonly Sample[], targets: readonly McpTarget[]): Questions {
  const targetOf = (n: number): McpTarget => ({ ...(targets[n % targets.length] as McpTarget), id: n + 1 });
  return {
    call: round(sample.map(({ id }, n) => callingContact(targetOf(n), id))),
    tools: round(sample.map((_, n) => listingTools(targetOf(n)))),
  };
}

async function openSession(port: number, key: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const post = async (message: object, more: Record<string, string> = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/mcp`, {
      method: "POST",
      headers: { ...headers, ...more },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`fastmcp refused a session: ${text}`);
    return response.headers.get("mcp-session-id");
  };
  const params = { protocolVersion: EARLIER_PROTOCOL, capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const session = await post({ id: 0, method: "initialize", params });
  if (session === null) throw new Error("fastmcp opened no session.");
  await post({ method: "notifications/initialized" }, { "mcp-session-id": session });
  return session;
}
