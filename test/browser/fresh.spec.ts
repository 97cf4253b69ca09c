import assert from "node:assert/strict";
import { test } from "node:test";
import { closeBrowser, newPage, signUp } from "../support/browser.ts";
import { armed } from "../support/sequences.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { Agent, ON } from "../support/socialnet.ts";

test.after(closeBrowser);

test("a page updates while it is open, keeps the focus, and does not touch open forms", async (t) => {
  const server = await startServer(t, { env: { ...ON, ROSTRUM_OUTBOUND_GATE: "open", ROSTRUM_WORKERS: "off" } });
  const page = await newPage(t);
  await signUp(page, server);
  const at = `${server.listening}/console/w/${server.workspaceId}`;
  const open = async (path: string) => {
    // Every write after the stream has begun is announced.
    const begun = page.waitForResponse((response) => response.url().endsWith("/live"));
    await page.goto(`${at}${path}`);
    await begun;
  };

  const agent = await Agent.of(server, new FakeClock());
  await open(`/agents/${agent.account.id}/connect`);
  await page.getByText("No agent has checked in yet.").waitFor();
  await agent.heartbeat();
  await page.getByText("Last check-in:").waitFor();

  const { ids, sequence } = await armed(server);
  await open(`/sequences/${sequence.id}`);
  await page.getByRole("link", { name: /^On hold/ }).focus();
  await server.rest("POST", "/sequences/enroll", { body: ids });
  await page.getByRole("table").getByText("Active", { exact: true }).waitFor();
  assert.match(String(await page.evaluate(() => document.activeElement?.textContent)), /^On hold/);
  await page.getByText("Remove…").click();
  const sheet = page.getByRole("button", { name: "Remove contact" });
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
  await server.operator("stop_enrollment", { enrollment_id: (await server.operator("list_enrollments", {}))[0].id });
  // Longer than a page waits before it checks again, since no signal says that a page left something unchanged.
  await page.waitForTimeout(4_500);
  assert.ok(await sheet.isVisible(), "what is open stays open");
  await page.keyboard.press("Escape");
  await page.getByRole("table").getByText("Removed").waitFor();
});
