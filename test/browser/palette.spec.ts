import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, hit, newPage, signUp, violations } from "../support/browser.ts";
import { startServer } from "../support/server.ts";

after(closeBrowser);

test("the palette finds records, pages and actions with the keyboard, on any page", async (t) => {
  const server = await startServer(t);
  const page = await newPage(t, { viewport: { width: 1_280, height: 900 } });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  await signUp(page, server);
  for (const first_name of ["Ada", "Grace"]) {
    await server.rest("POST", "/contacts", {
      body: { first_name, last_name: "Keys", email: `${first_name}@b.example` },
    });
  }
  const field = page.getByRole("combobox", { name: "Search" });
  const chosen = () => page.locator("#palette [aria-selected=true]").textContent();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Add contact" }).waitFor();
  assert.deepEqual(await violations(page), [], "before anything is typed");
  await field.pressSequentially("key gra");
  await page.getByRole("option", { name: /Grace Keys/ }).waitFor();
  assert.equal(await page.locator("#palette").getByRole("option").count(), 1);
  await field.fill("keys");
  await page.getByRole("option", { name: /Ada Keys/ }).waitFor();
  await page.getByRole("option", { name: "API keys" }).waitFor();
  assert.match((await chosen()) ?? "", /Grace/, "the first one is chosen");
  await page.keyboard.press("ArrowDown");
  assert.match((await chosen()) ?? "", /Ada/);
  const active = await field.getAttribute("aria-activedescendant");
  assert.match((await page.locator(`#${active}`).textContent()) ?? "", /Ada/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.match((await chosen()) ?? "", /Create API key/, "from the first to the last");
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await violations(page), [], colorScheme);
  }
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Grace Keys", level: 1 }).waitFor();

  await hit(page, "/");
  await field.fill("add cont");
  // At once: Enter waits for what belongs to the text.
  await page.keyboard.press("Enter");
  await page.locator("form#create_contact").getByLabel("First name").waitFor();
  assert.match(page.url(), /\/contacts#create_contact$/);

  await page.locator("h1").click();
  await page.keyboard.press("Control+k");
  await field.fill("zzz");
  await page.locator("#palette").getByText("No matches").waitFor();
  assert.deepEqual(await violations(page), [], "without results");
  await page.keyboard.press("Escape");
  assert.equal(await field.isVisible(), false);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("#search").click();
  await field.fill("pause");
  await page.getByRole("option", { name: "Pause outreach" }).waitFor();
  assert.deepEqual(await violations(page), [], "on a phone");
  await page.getByRole("option", { name: "Pause outreach" }).click();
  await page.getByText("Outreach paused.").first().waitFor();
  assert.deepEqual(faults, []);
});
