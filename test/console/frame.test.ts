import assert from "node:assert/strict";
import { test } from "node:test";
import { fillAgentScreens } from "../support/agent-screens.ts";
import { asMember, asOwner, type Browser } from "../support/http-browser.ts";
import { armed } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { ON } from "../support/socialnet.ts";

test("the server's printed URL leads a browser to the pages, and tells a program where the API is", async (t) => {
  const server = await startServer(t);
  const asked = (accept: string) => fetch(server.running.url, { headers: { accept }, redirect: "manual" });
  const browser = await asked("text/html,application/xhtml+xml,*/*;q=0.8");
  assert.deepEqual([browser.status, browser.headers.get("location")], [302, "/console"]);
  const program = await asked("*/*");
  assert.deepEqual([program.status, (await program.json()).code], [404, "route_not_found"]);
});

test("every page says if sending is off, and which setting turns it on", async (t) => {
  const told = async (env: Record<string, string>) => {
    const server = await startServer(t, { env });
    const { text } = await (await asOwner(server)).get(`/console/w/${server.workspaceId}/contacts`);
    const words = ["Sending off", "Sending partly off", ">Running<", "ROSTRUM_OUTBOUND_GATE=open"];
    return words.filter((word) => text.includes(word));
  };
  assert.deepEqual(await told({}), ["Sending off", "ROSTRUM_OUTBOUND_GATE=open"]);
  const open = { ROSTRUM_OUTBOUND_GATE: "open" };
  assert.deepEqual(await told(open), ["Sending partly off"]);
  const both = { ...open, ROSTRUM_SOCIALNET_EXECUTION: "on" };
  assert.deepEqual(await told(both), ["Sending partly off"], "without a mail server");
  const mail = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "a@b.example" };
  assert.deepEqual(await told({ ...both, ...mail }), [">Running<"]);
});

test("the status of sending says what is sent, what isn't, and who can change it", async (t) => {
  const server = await startServer(t);
  const told = async (browser: Browser) => {
    const { text } = await browser.get(`/console/w/${server.workspaceId}/contacts`);
    const running = text.slice(text.indexOf('class="running"'), text.indexOf('class="paused"'));
    const paused = text.slice(text.indexOf('class="paused"'), text.indexOf("data-outreach-status"));
    return { running, paused, plain: running.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ") };
  };
  const owner = await asOwner(server);
  const { running, paused, plain } = await told(owner);
  assert.match(plain, /Emails Off\. Your server admin can turn sending on\. No mail server is connected\./);
  assert.match(plain, /Professional network Off\. Your server admin can turn sending on\./);
  assert.match(plain, /Outreach Not paused\. Pausing stops all new sending and enrolling until you resume outreach\./);
  assert.match(running, /<button type="submit" class="pause"[^>]*>.*?Pause<span class="wide-only"> outreach</s);
  assert.match(paused, /Paused.*?You can resume it/s);
  await server.operator("pause_outreach", { reason: "holiday" });
  const now = await told(owner);
  assert.match(now.paused, /Paused\s*<time.*?You can resume it.*?audit\?action=pause_outreach/s);
  const viewer = await asMember(server, { email: "v@b.example", name: "Vic", role: "viewer" });
  const read = await told(viewer);
  assert.match(read.plain, /A workspace admin can pause it\./);
  assert.match(read.paused, /A workspace admin can resume it\./);
  assert.doesNotMatch(read.running, /<button/);
});

test("every page has breadcrumbs with the names of its parents; tabs and sections are siblings", async (t) => {
  const server = await startServer(t, { env: ON });
  const { contact, sequence } = await armed(server);
  const agent = await fillAgentScreens(server);
  const browser = await asOwner(server);
  const base = `/console/w/${server.workspaceId}`;
  const above = async (path: string) => {
    const { text } = await browser.get(base + path);
    const line = /<nav class="up small"[^>]*>(.*?)<\/nav>/s.exec(text)?.[1] ?? "";
    return [...line.matchAll(/<a href="([^"]*)">([^<]*)</g)].map(([, to, name]) => `${name} ${to?.slice(base.length)}`);
  };
  const sequences = ["Sequences /sequences", `${sequence.name} /sequences/${sequence.id}`];
  const agents = ["Agents /agents", `${agent.account.label} /agents/${agent.account.id}`];
  assert.deepEqual(await above(`/contacts/${contact.id}`), ["Contacts /contacts"]);
  assert.deepEqual(await above("/deals/stage/proposal"), ["Deals /deals"]);
  assert.deepEqual(await above("/sequences/sends"), ["Sequences /sequences"]);
  for (const page of ["preview", "simulate", "edit", "audience"]) {
    assert.deepEqual(await above(`/sequences/${sequence.id}/${page}`), sequences, page);
  }
  for (const page of ["rules", "health", "plan", `actions/${agent.action.id}`]) {
    assert.deepEqual(await above(`/agents/${agent.account.id}/${page}`), agents, page);
  }
  for (const page of ["", "/contacts", "/settings/keys", "/checklist/due"])
    assert.deepEqual(await above(page), [], page);
});

test("a section's primary action is on the line of its heading", async (t) => {
  const server = await startServer(t, { env: ON });
  const browser = await asOwner(server);
  for (const [room, does] of [
    ["contacts", "Add contact"],
    ["accounts", "Add company"],
    ["deals", "Add deal"],
    ["sequences", "New sequence"],
    ["agents", "Add social account"],
  ] as const) {
    const { text } = await browser.get(`/console/w/${server.workspaceId}/${room}`);
    const [, head = ""] = /<div class="head">(.*?)<\/h1>/s.exec(text) ?? [];
    const line = text.slice(text.indexOf(head), text.indexOf(head) + 900);
    assert.match(line, new RegExp(`class="button primary"[^>]*>\\s*${does}`), room);
  }
});
