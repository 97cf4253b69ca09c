import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fillDemo } from "../../src/cli/demo/fill.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { setupLink } from "../../src/services/access/links.ts";
import { assertAccessible, closeBrowser, goTo, hit, newPage } from "../support/browser.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

after(closeBrowser);

const SHOTS = process.env.SHOTS;

test("Today, the inbox, the board and the tables of the demo are accessible, and fit a phone", async (t) => {
  const folder = temporaryFolder(t);
  await fillDemo(readConfig({ data: folder }, {}), createLog("silent"));
  const server = await startServer(t, { folder, env: { ROSTRUM_WORKERS: "off" } });
  const page = await newPage(t, { locale: "en-US" });
  const parts = { people: server.running.store.people, url: server.listening, now: Date.now() };
  await page.goto((await setupLink(parts, true)) ?? "");
  await page.locator("main button[type=submit]").first().click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  await page.getByRole("heading", { name: "Scheduled next" }).waitFor();
  const [account] = await server.operator("search_accounts", { text: "Harbor" });
  const [conversation] = await server.operator("list_conversations", {});
  const at = `${server.listening}/console/w/${server.workspaceId}`;
  for (const [name, path] of [
    ["today", ""],
    ["inbox", "/inbox"],
    ["conversation", `/inbox/${conversation.contact_id}`],
    ["account", `/accounts/${account.id}`],
    ["accounts", "/accounts"],
    ["work", "/agents/work"],
    ["deals", "/deals"],
    ["audit", "/audit"],
    ["emails", "/sequences/sends"],
    ["keys", "/settings/keys"],
    ["deliveries", "/events/deliveries"],
  ] as const) {
    await page.goto(at + path);
    await assertAccessible(page, name);
    if (SHOTS === undefined) continue;
    for (const [kind, width, colorScheme] of [
      ["light", 1280, "light"],
      ["dark", 1280, "dark"],
      ["phone", 390, "light"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SHOTS}/${name}-${kind}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
  }
  // On a phone the whole row of a record opens it, and a stage of the board ends before the next one is cut.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${at}/accounts`);
  const row = await page.locator("tbody tr").first().boundingBox();
  assert.ok(row !== null && row.height < 72, `two lines are ${row?.height} px high`);
  await page.mouse.click(row.x + row.width / 2, row.y + row.height - 8);
  await page.waitForURL(/\/accounts\/[0-9a-f-]{36}$/);
  await page.goto(`${at}/deals`);
  const top = await page.locator(".top").boundingBox();
  assert.ok(top !== null && top.height <= 57, `the top bar is ${top?.height} px high`);
  const stage = await page.locator(".board > section").first().boundingBox();
  assert.ok(stage !== null && stage.x + stage.width < 390, "a whole stage is visible");
  await page.setViewportSize({ width: 1280, height: 900 });
  // Enter in the search finds contacts. It approves nobody, and who was selected stays so.
  const sequence = (await server.operator("list_sequences", {})).find(({ name }: any) => name === "A year later");
  await page.goto(`${at}/sequences/${sequence.id}/audience`);
  const before = (await server.operator("get_sequence", { sequence_id: sequence.id })).approvals.length;
  const ada = page.getByRole("checkbox", { name: /^Ada Okafor/ });
  await ada.check();
  await page.getByLabel("Email, name or company").fill("Mateo");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=Mateo&ids=/);
  await page.getByRole("checkbox", { name: /^Mateo Ferreira/ }).waitFor();
  assert.equal(await ada.isChecked(), true);
  assert.equal(await page.getByRole("checkbox").count(), 2);
  await assertAccessible(page, "audience");
  const { approvals } = await server.operator("get_sequence", { sequence_id: sequence.id });
  assert.equal(approvals.length, before);
});

test("no table cuts a text without a sign, and nothing is squeezed on a phone", async (t) => {
  const folder = temporaryFolder(t);
  await fillDemo(readConfig({ data: folder }, {}), createLog("silent"));
  const server = await startServer(t, { folder, env: { ROSTRUM_WORKERS: "off" } });
  const page = await newPage(t, { locale: "en-US", hasTouch: true, isMobile: true });
  const parts = { people: server.running.store.people, url: server.listening, now: Date.now() };
  await page.goto((await setupLink(parts, true)) ?? "");
  await page.locator("main button[type=submit]").first().click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  const [conversation] = await server.operator("list_conversations", {});
  const sequence = (await server.operator("list_sequences", {})).find(({ status }: any) => status === "active");
  const at = `${server.listening}/console/w/${server.workspaceId}`;
  const paths = [
    "",
    "/inbox",
    `/inbox/${conversation.contact_id}`,
    "/review",
    "/contacts",
    "/deals",
    "/sequences",
    `/sequences/${sequence.id}/audience`,
    "/checklist",
    "/checklist/due",
    "/agents",
    "/events",
    "/events/subscriptions",
    "/events/deliveries?status=dead",
    "/settings",
    "/settings/keys",
    "/settings/connections",
  ];
  for (const [width, height] of [
    [390, 844],
    [1280, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const path of paths) {
      await page.goto(at + path);
      assert.deepEqual(await page.evaluate(CUT_OR_SQUEEZED), [], `${path || "/"} at ${width} px`);
    }
  }
  // On a phone, what is needed most of a conversation has a button, and “More” shows the rest.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${at}/inbox/${conversation.contact_id}`);
  const assign = page.getByText("Assign…", { exact: true });
  for (const name of [/^Done/, /^Snooze…/, /^More$/])
    assert.equal(await page.locator(".handle").getByText(name).first().isVisible(), true, String(name));
  assert.equal(await assign.isVisible(), false);
  assert.equal(await page.locator(".handle .key").first().isVisible(), false, "no keys on a touch screen");
  await page.locator(".handle").getByText("More", { exact: true }).click();
  assert.equal(await assign.isVisible(), true);
  await assert.doesNotReject(page.getByText("Mark as unread").click({ trial: true }));
  await assign.click();
  assert.equal(await page.getByLabel("Teammate").isVisible(), true);
});

/** What a table cuts without an ellipsis and a title, and texts that are squeezed to a few letters a line. */
const CUT_OR_SQUEEZED = `(() => {
  const found = [];
  for (const td of document.querySelectorAll("td")) {
    const isSigned = getComputedStyle(td).textOverflow === "ellipsis" && td.title !== "";
    if (td.checkVisibility() && td.scrollWidth > td.clientWidth + 1 && !isSigned) found.push("cut: " + td.textContent);
  }
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const { parentElement: parent } = text;
    if (text.data.trim().length <= 10 || !parent.checkVisibility()) continue;
    if (parent.closest(".hidden, .headed, thead, caption, option, svg, label > select")) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const { width } = range.getBoundingClientRect();
    if (width > 1 && width < 4 * parseFloat(getComputedStyle(parent).fontSize)) found.push("squeezed: " + text.data);
  }
  return found;
})()`;

test("the inbox is worked through by keyboard: open, snooze, answer, submit, and the shortcuts are listed", async (t) => {
  const folder = temporaryFolder(t);
  await fillDemo(readConfig({ data: folder }, {}), createLog("silent"));
  const server = await startServer(t, { folder, env: { ROSTRUM_WORKERS: "off", ROSTRUM_OUTBOUND_GATE: "open" } });
  const page = await newPage(t, { locale: "en-US" });
  const parts = { people: server.running.store.people, url: server.listening, now: Date.now() };
  await page.goto((await setupLink(parts, true)) ?? "");
  await page.locator("main button[type=submit]").first().click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  const [first, second] = await server.operator("list_conversations", {});
  await goTo(page, "i");
  await hit(page, "j");
  await page.waitForURL(new RegExp(`/inbox/${first.contact_id}`));
  await hit(page, "?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const listed of ["Snooze", "Next conversation", "Submit the form you're typing in, also ⌘Enter"])
    assert.equal(await keys.getByText(listed, { exact: true }).count(), 1, listed);
  await page.keyboard.press("Escape");
  await hit(page, "s");
  await page.getByRole("button", { name: "Snooze", exact: true }).waitFor();
  assert.equal(await page.evaluate("document.activeElement.name"), "until");
  await page.keyboard.press("Control+Enter");
  // The next conversation is there.
  await page.waitForURL(new RegExp(`/inbox/${second.contact_id}`));
  assert.equal((await server.operator("list_conversations", { view: "snoozed" })).length, 2);
});
