import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, closeBrowser, newPage } from "../support/browser.ts";
import { asOwner, OWNER, PASSWORD } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";

after(closeBrowser);

const PHONE = { viewport: { width: 390, height: 844 } };

/** An empty server, with its owner on Today. Clicks count from here. */
async function firstRun(t: TestContext, options: Parameters<typeof newPage>[1] = {}) {
  const server = await startServer(t, { files: false });
  for (const { id } of await server.operator("list_keys", {})) await server.operator("revoke_key", { key_id: id });
  await asOwner(server);
  const page = await newPage(t, options);
  await page.goto(`${server.listening}/console/sign-in`);
  await page.getByLabel("Email address").fill(OWNER.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Set up Rostrum" }).waitFor();
  let clicks = 0;
  const click = async (name: string, by: "button" | "text" = "button") => {
    clicks += 1;
    await (by === "button" ? page.getByRole("button", { name }) : page.getByText(name)).first().click();
  };
  return { server, page, click, clicks: () => clicks };
}

const tick = (page: Page, step: string) => page.locator(`[data-refresh="guide-${step}"]`).getByText("Done");

test("an agent's first call on an empty server takes at most five clicks after sign-in, and the page sees it", async (t) => {
  const { server, page, click, clicks } = await firstRun(t);
  await click("3. Create an API key", "text");
  await click("Create key");
  const [key = ""] = /ros_live_[\w-]{43}/.exec(await page.locator("main").innerText()) ?? [];
  assert.notEqual(key, "");
  await page.getByText("Waiting for the first API call").waitFor();
  assert.equal((await server.rest("GET", "/contacts?limit=1", { key })).status, 200);
  await tick(page, "call").waitFor({ timeout: 20_000 });
  assert.ok(await page.getByText(key).first().isVisible(), "the key stays on the page");
  assert.ok(clicks() <= 5, `${clicks()} clicks`);
});

test("300 contacts are imported in at most five clicks after sign-in", async (t) => {
  const { server, page, click, clicks } = await firstRun(t);
  const rows = Array.from({ length: 300 }, (_, i) => `p${i}@b.example,First ${i},Last,Company ${i % 7}`);
  const file = join(server.folder, "people.csv");
  writeFileSync(file, ["Email,First name,Last name,Company", ...rows].join("\n"));
  await click("2. Add contacts", "text");
  // Choosing a file is a click, and previews it.
  const chooser = page.waitForEvent("filechooser");
  await page.getByLabel("CSV file").click();
  await (await chooser).setFiles(file);
  await page.getByText("300 new").waitFor();
  await assertAccessible(page, "the preview");
  await click("Import 300 rows");
  await page.getByText("Import complete").waitFor();
  await assertAccessible(page, "the result");
  assert.ok(clicks() + 1 <= 5, `${clicks() + 1} clicks`);
  assert.equal((await server.operator("get_workspace", {})).usage.contacts, 300);
});

test("the guide, the import and the email settings are accessible in light, in dark and on a phone", async (t) => {
  for (const options of [{}, { colorScheme: "dark" as const }, PHONE]) {
    const { server, page } = await firstRun(t, options);
    await page.locator("#guide details").evaluateAll((all) => {
      for (const one of all) one.setAttribute("open", "");
    });
    await assertAccessible(page, "the guide");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${overflow} px too wide`);
    for (const path of ["contacts/import", "settings/email"]) {
      await page.goto(`${server.listening}/console/w/${server.workspaceId}/${path}`);
      await assertAccessible(page, path);
    }
  }
});
