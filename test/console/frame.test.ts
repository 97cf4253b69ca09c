import assert from "node:assert/strict";
import { test } from "node:test";
import { asOwner } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";

test("the address that the server prints leads a browser to the pages; a program is told where the API is", async (t) => {
  const server = await startServer(t);
  const asked = (accept: string) => fetch(server.running.url, { headers: { accept }, redirect: "manual" });
  const browser = await asked("text/html,application/xhtml+xml,*/*;q=0.8");
  assert.deepEqual([browser.status, browser.headers.get("location")], [302, "/console"]);
  const program = await asked("*/*");
  assert.deepEqual([program.status, (await program.json()).code], [404, "route_not_found"]);
});

test("every page says where the server lets nothing out, and by which setting it would", async (t) => {
  const told = async (env: Record<string, string>) => {
    const server = await startServer(t, { env });
    const { text } = await (await asOwner(server)).get(`/console/w/${server.workspaceId}/contacts`);
    const words = ["Sends nothing", "Sends in part", ">Running<", "ROSTRUM_OUTBOUND_GATE=open"];
    return words.filter((word) => text.includes(word));
  };
  assert.deepEqual(await told({}), ["Sends nothing", "ROSTRUM_OUTBOUND_GATE=open"]);
  const open = { ROSTRUM_OUTBOUND_GATE: "open" };
  assert.deepEqual(await told(open), ["Sends in part"]);
  assert.deepEqual(await told({ ...open, ROSTRUM_SOCIALNET_EXECUTION: "on" }), [">Running<"]);
});
