import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { entryOf } from "../../scripts/on-demand.ts";
import { approve } from "../support/application.ts";
import type { Agent } from "../support/mcp.ts";
import { asApprover, revokeAll, works } from "../support/oauth.ts";
import { startServer, type TestServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

test("given only the endpoint URL, mcp-remote connects after a person signs in, until its key is revoked", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  const { client, address } = await startRemote(t, server);
  const connecting = client.connect();
  const asked = await address();
  const callback = `${asked.searchParams.get("redirect_uri")}?${await approve(browser, asked)}`;
  assert.equal((await fetch(callback)).status, 200);
  await connecting;
  await works(client.agent);
  const [{ connector_name }] = await server.operator("list_keys", { minted_by: "sign_in" });
  assert.match(connector_name, /mcp-remote|MCP CLI Proxy/i);
  await revokeAll(server);
  const seen = client.asked();
  const late = client.agent.callTool({ name: "socialnet_command", arguments: { command: "setup" } }).then(
    ({ isError }) => (isError ? "refused" : "done"),
    () => "refused",
  );
  await until(() => client.asked() > seen, 20_000);
  await client.agent.close();
  assert.equal(await late, "refused");
});

/** The proxy for clients without their own sign-in: it speaks stdio, and prints the sign-in URL. */
async function startRemote(t: TestContext, server: TestServer) {
  const proxy = entryOf("mcp-remote");
  const home = temporaryFolder(t);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [proxy, server.mcpUrl.href],
    // Prevents opening a browser.
    env: { HOME: home, MCP_REMOTE_CONFIG_DIR: home, PATH: "", BROWSER: "true" },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const client = new Client({ name: "probe", version: "1" });
  t.after(() => client.close());
  const addresses = () => [...said.matchAll(/^\s*(https?:\/\/\S+\/console\/authorize\?\S+)/gm)].map(([, url]) => url);
  return {
    client: {
      agent: client as unknown as Agent,
      connect: () => client.connect(transport, { timeout: 60_000 }),
      asked: () => addresses().length,
    },
    async address() {
      await until(() => addresses().length > 0, 30_000);
      return new URL(addresses()[0] ?? "");
    },
  };
}
