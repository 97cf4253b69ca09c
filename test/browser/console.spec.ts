import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { screens } from "../../src/console/pages/index.ts";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import { setupLink } from "../../src/services/access/links.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { deadPort } from "../http-client/receiver.ts";
import { fillAgentScreens } from "../support/agent-screens.ts";
import { assertAccessible, closeBrowser, fillSetup, goTo, hit, newPage, violations } from "../support/browser.ts";
import { newCard } from "../support/checklist.ts";
import { onTheWay } from "../support/engine.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { OWNER } from "../support/http-browser.ts";
import { newReply } from "../support/inbox.ts";
import { armed, enroll } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { ON } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

after(closeBrowser);

const CARD_ITEM = shippedCatalog().items.find((item) => acceptedOutputKinds(item).includes("document"))?.id;

interface Opened {
  server: TestServer;
  page: Page;
  /** The browser's complaints: errors, refused policies, requests to other origins. */
  faults: string[];
}

async function open(t: TestContext, javaScriptEnabled = true, env: Record<string, string> = {}): Promise<Opened> {
  const server = await startServer(t, { env: { ...ON, ...env } });
  const page = await newPage(t, { viewport: { width: 1_280, height: 900 }, javaScriptEnabled });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== server.listening) faults.push(`asked ${request.url()}`);
  });
  const parts = { people: server.running.store.people, url: server.listening, now: Date.now() };
  await page.goto((await setupLink(parts, false)) ?? "");
  return { server, page, faults };
}

for (const scripts of [true, false]) {
  test(`first run ${scripts ? "with" : "without"} scripts: the setup link creates the owner, who creates a working key, pauses and resumes`, async (t) => {
    const { server, page, faults } = await open(t, scripts);
    await fillSetup(page);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "API keys" }).click();
    // A key exists, so the form is closed until the link to it opens it, also without scripts.
    await page.getByRole("link", { name: "Create API key" }).click();
    await page.getByLabel("Name").fill("first agent");
    await page.getByRole("checkbox", { name: /contacts\.read/ }).check();
    await page.getByRole("button", { name: "Create key" }).click();
    const key = (await page.locator(".reveal code").first().textContent()) ?? "";
    assert.equal((await server.rest("GET", "/contacts", { key })).status, 200);

    await page.getByRole("link", { name: "Deals" }).click();
    assert.equal(await page.getByText("Resume…").isVisible(), false);
    await page.getByRole("button", { name: "Pause outreach" }).click();
    await page.getByText("Outreach paused. Nothing new is sent").waitFor();
    assert.notEqual((await server.operator("get_workspace", {})).outreach.paused_at, null);
    await page.getByText("Resume…").click();
    assert.notEqual((await server.operator("get_workspace", {})).outreach.paused_at, null, "resuming asks first");
    await page.getByRole("button", { name: "Resume outreach" }).click();
    await page.getByText("Outreach resumed.").waitFor();
    assert.equal((await server.operator("get_workspace", {})).outreach.paused_at, null);
    assert.deepEqual(faults, []);
  });
}

test("axe finds nothing on any page, wide in light and narrow in dark, and no page is wider than the screen", async (t) => {
  const { server, page, faults } = await open(t);
  assert.deepEqual(await violations(page), [], "the setup page");
  await fillSetup(page);
  await server.operator("set_member", { email: OWNER.email, role: "super_admin" });
  const { contact, sequence, ids } = await armed(server);
  await enroll(server, ids);
  const deal = (await server.rest("POST", "/deals", { body: { contact_id: contact.id, title: "Engine" } })).body.data;
  await server.operator("invite_member", { email: "g@b.example", name: "Grace", role: "rep" });
  const account = await server.operator("create_account", { name: "Acme" });
  const agent = await fillAgentScreens(server);
  const card = await newCard(server, CARD_ITEM);
  await newReply(server, contact);
  const inWorkspace = screens.map(({ path }) => {
    const of = {
      inbox: contact.id,
      contacts: contact.id,
      accounts: account.id,
      deals: deal.id,
      checklist: "ON-14",
      agents: agent.account.id,
      review: card,
    };
    const id = of[path.split("/")[1] as keyof typeof of] ?? sequence.id;
    const ids = { ":id": id, ":kind": "card", ":stage": "proposal", ":action": agent.action.id };
    return `/console/w/${server.workspaceId}${path.replace(/:\w+/g, (name) => ids[name as keyof typeof ids])}`;
  });
  for (const path of [...inWorkspace, "/console/account", "/console/workspaces"]) {
    await page.goto(server.listening + path);
    await assertAccessible(page, path);
  }
  await page.context().clearCookies();
  for (const path of ["sign-in", "forgotten"]) {
    await page.goto(`${server.listening}/console/${path}`);
    assert.deepEqual(await violations(page), [], path);
  }
  assert.deepEqual(faults, []);
});

test("the Server page fits a phone while the mail server fails and after a backup that failed", async (t) => {
  const mail = { SMTP_URL: `smtp://127.0.0.1:${await deadPort()}`, MAIL_FROM: "Ada <ada@acme.example>" };
  const { server, page, faults } = await open(t, true, { ...mail, ROSTRUM_OUTBOUND_GATE: "open" });
  await fillSetup(page);
  await server.operator("set_member", { email: OWNER.email, role: "super_admin" });
  await onTheWay(server, [{ type: "email", subject: "Hello", body: "Hi", delay_days: 0 }]);
  writeFileSync(join(server.folder, "backups"), "in the way");
  await server.operator("back_up_server", {});
  await until(async () => {
    const { mail, backup } = (await server.operator("get_server", {})).process;
    return mail.smtp === "backing_off" && (isPostgres || backup.failed !== null);
  }, 30_000);
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/settings/server`);
  await page.getByText("Rejects emails or can't be reached").waitFor();
  await assertAccessible(page, "the Server page");
  const gap = (await page.evaluate(
    `document.querySelector('form[action*="back_up"], form:has([value="back_up_server"])')?.getBoundingClientRect().top -
     document.querySelector('[role="alert"]')?.getBoundingClientRect().bottom`,
  )) as number;
  assert.ok(isPostgres || gap >= 8, `${gap} px between the error and the button`);
  assert.deepEqual(faults, []);
});

test("keyboard shortcuts navigate between sections, and search shows results while typing", async (t) => {
  const { server, page, faults } = await open(t);
  await fillSetup(page);
  for (const first_name of ["Ada", "Grace", "Adele"]) {
    await server.rest("POST", "/contacts", { body: { first_name, email: `${first_name}@b.example` } });
  }
  await goTo(page, "c");
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Grace" }).waitFor();
  await hit(page, "f");
  await page.keyboard.type("ad");
  await page.getByText("2 matches").waitFor();
  assert.equal(await page.getByRole("link", { name: "Grace" }).count(), 0);
  await page.waitForURL(/\?q=ad$/);
  await page.keyboard.press("Enter");
  await page.getByText("2 matches").waitFor();
  await page.locator("h1").click();
  await hit(page, "?");
  await page.getByRole("dialog").getByText("Sequences").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Account: Olive Owner").locator("..").click();
  await page.getByRole("button", { name: "Dark" }).click();
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  assert.match(page.url(), /\?q=ad$/, "where it was chosen");
  await page.reload();
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark", "and kept");
  assert.deepEqual(faults, []);
});

test("an open page shows a pause without reloading, and a phone's bar has the other sections behind More", async (t) => {
  const { server, page, faults } = await open(t);
  await fillSetup(page);
  const state = page.locator(".outreach .state:visible");
  // No mail server is connected.
  assert.match((await state.textContent()) ?? "", /Sending partly off/);
  await server.operator("pause_outreach", { reason: "holiday" });
  await page.getByText("Resume…").waitFor();
  assert.match((await state.textContent()) ?? "", /Paused/);
  await page.getByText("Resume…").click();
  await page.getByText("Pause reason: holiday").waitFor();
  await page.getByRole("button", { name: "Resume outreach" }).click();
  await page.getByText("Outreach resumed.").first().waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await page.getByRole("link", { name: "Settings" }).count(), 0, "no room for it in the bar");
  await page.getByText("More", { exact: true }).click();
  assert.deepEqual(await violations(page), [], "the bar, opened");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Teammates", level: 1 }).waitFor();
  await page.getByText("More", { exact: true }).click();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("link", { name: "Settings" }).count(), 0);
  assert.deepEqual(faults, []);
});
