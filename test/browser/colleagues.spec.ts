import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { fillDemo } from "../../src/cli/demo/fill.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { setupLink } from "../../src/services/access/links.ts";
import { closeBrowser, newPage } from "../support/browser.ts";
import { PASSWORD } from "../support/http-browser.ts";
import { startServer, type TestServer, temporaryFolder } from "../support/server.ts";

after(closeBrowser);

/** The demo, and a member signed in by its printed link. */
async function demo(t: TestContext, timezoneId?: string): Promise<{ server: TestServer; page: Page }> {
  const folder = temporaryFolder(t);
  await fillDemo(readConfig({ data: folder }, {}), createLog("silent"));
  const server = await startServer(t, { folder, env: { ROSTRUM_WORKERS: "off" } });
  const page = await newPage(t, { ...(timezoneId && { timezoneId }), locale: "en-US" });
  const parts = { people: server.running.store.people, url: server.listening, now: Date.now() };
  await page.goto((await setupLink(parts, true)) ?? "");
  await page.locator("main button[type=submit]").first().click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  return { server, page };
}

test("an invited teammate signs in by the link in their own browser and gets their role's permissions", async (t) => {
  const { page } = await demo(t);
  await page.getByRole("link", { name: "Settings" }).first().click();
  const form = page.getByRole("form", { name: "Invite teammate" });
  await form.getByLabel("Name").fill("Grace Hopper");
  await form.getByLabel("Email").fill("grace@b.example");
  await form.getByLabel("Role").selectOption("viewer");
  await page.getByRole("button", { name: "Create invitation link" }).click();
  const link = (await page.locator(".reveal code").first().textContent()) ?? "";
  const theirs = await newPage(t);
  await theirs.goto(link);
  await theirs.getByLabel("Password").fill(PASSWORD);
  await theirs.locator("main button[type=submit]").first().click();
  await theirs.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  assert.equal(await theirs.getByRole("button", { name: "Pause outreach" }).count(), 0);
  await theirs.goto(link);
  await theirs.getByText("This link was already used").waitFor();
});

test("a failed delivery is resent with one click, and a key is revoked with two", async (t) => {
  const { server, page } = await demo(t);
  await page.getByRole("link", { name: /deliver\w+ failed/ }).click();
  const dead = async () => (await server.operator("list_deliveries", { status: "dead" })).length as number;
  const before = await dead();
  await page.getByRole("button", { name: "Retry" }).first().click();
  await page.getByText("Sending the delivery again.").waitFor();
  assert.equal(await dead(), before - 1);

  await page.getByRole("link", { name: "Settings" }).first().click();
  await page.getByRole("link", { name: "API keys" }).click();
  const row = page.getByRole("row").filter({ hasText: "Research assistant" });
  await row.getByText("Revoke…").click();
  await row.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Access revoked.").waitFor();
  const keys: { name: string; revoked_at: string | null }[] = await server.operator("list_keys", { limit: 100 });
  assert.ok(keys.find(({ name }) => name === "Research assistant")?.revoked_at);
});

test("hovering over a time shows it in the reader's own time zone", async (t) => {
  const { page } = await demo(t, "Asia/Tokyo");
  // The script that writes the time has run by then.
  await page.waitForLoadState();
  const time = page.locator("time").first();
  const at = new Date((await time.getAttribute("datetime")) ?? "");
  const format = { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" } as const;
  const inTokyo = new Intl.DateTimeFormat("en-US", { timeZone: "Asia/Tokyo", ...format });
  assert.equal(await time.getAttribute("title"), inTokyo.format(at));
});
