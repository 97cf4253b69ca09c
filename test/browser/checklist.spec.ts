import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, closeBrowser, goTo, newPage, signUp } from "../support/browser.ts";
import { entryOf, ITEMS, newCard, newPost, personal, startChecklist } from "../support/checklist.ts";
import { OWNER } from "../support/http-browser.ts";
import type { TestServer } from "../support/server.ts";

after(closeBrowser);

async function open(t: TestContext): Promise<{ server: TestServer; page: Page; faults: string[] }> {
  const items = [...ITEMS, personal("ON-07", 73, { dependencies: ["OT-02"] })];
  const server = await startChecklist(t, { items });
  const page = await newPage(t);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await signUp(page, server);
  return { server, page, faults };
}

test("by keyboard: filter the board, open an item, set its status and clear it", async (t) => {
  const { server, page, faults } = await open(t);
  await goTo(page, "k");
  await page.getByRole("heading", { name: "Checklist", level: 1 }).waitFor();
  await page.getByLabel("Done by", { exact: true }).selectOption("human_only");
  await page.getByRole("button", { name: "Apply filters" }).click();
  assert.equal(await page.getByRole("link", { name: "OT-02" }).count(), 0);
  await page.getByRole("link", { name: "OT-03" }).click();
  await page.getByLabel("Status", { exact: true }).selectOption("done");
  await page.getByLabel("Evidence or reason").fill("Written on the wall.");
  await page.getByRole("button", { name: "Save status" }).click();
  await page.getByText("Status updated.").waitFor();
  const { status, evidence, status_source } = await entryOf(server, "OT-03");
  assert.deepEqual([status, evidence, status_source], ["done", "Written on the wall.", "member"]);
  await page.getByText("Clear status…").click();
  await page.getByRole("button", { name: "Clear status" }).click();
  await page.getByText("No status recorded yet.").waitFor();
  assert.equal((await entryOf(server, "OT-03")).status, "not_assessed");
  assert.deepEqual(faults, []);
});

test("a published post is recorded with channel, time and URL, as a browser sends them", async (t) => {
  const { server, page, faults } = await open(t);
  await server.operator("decide_post", { post_id: await newPost(server, "ON-01"), decision: "approve" });
  await page.getByRole("link", { name: "Checklist", exact: true }).click();
  await page.getByRole("link", { name: "Posts" }).click();
  await page.getByText("Mark as published…").click();
  await page.getByLabel("Channel", { exact: true }).selectOption("bluesky");
  await page.getByLabel("Published at (UTC)").fill("2026-01-02T03:04");
  await page.getByLabel("URL", { exact: true }).fill("https://social.example/p/1");
  await page.getByRole("button", { name: "Mark as published" }).click();
  await page.getByRole("link", { name: "https://social.example/p/1" }).waitFor();
  const [post] = await server.operator("list_posts", {});
  assert.deepEqual([post.status, post.platform, post.ended_at], ["published", "bluesky", "2026-01-02T03:04:00.000Z"]);
  assert.deepEqual(faults, []);
});

test("voice, facts and a connection are saved from the settings, and shown with who saved them", async (t) => {
  const { server, page, faults } = await open(t);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Brand voice" }).click();
  await page.getByLabel("Guidelines").fill("Plain.\nWarm.");
  await page.getByRole("button", { name: "Save brand voice" }).click();
  await page.getByText(`Saved by ${OWNER.name}`).waitFor();
  await page.getByRole("link", { name: "Profile facts" }).click();
  await page.getByRole("textbox", { name: "Facts" }).fill("Routes, shifts and rosters.\nMade in London.");
  await page.getByRole("button", { name: "Save facts" }).click();
  await page.getByText(`Saved by ${OWNER.name}`).waitFor();
  await page.getByRole("link", { name: "Channels" }).click();
  const row = page.getByRole("row", { name: /^Bluesky/ });
  await row.getByText("Set up…").click();
  await row.getByLabel("Handle").fill("@rota.example");
  await row.getByRole("button", { name: "Save Bluesky" }).click();
  await page.getByText("@rota.example").waitFor();
  const voice = await server.operator("get_voice", {});
  assert.deepEqual(
    [voice.brand_voice.text, voice.profile_facts.facts, voice.social_connections[0].handle],
    ["Plain.\nWarm.", ["Routes, shifts and rosters.", "Made in London."], "@rota.example"],
  );
  assert.deepEqual(faults, []);
});

test("axe finds nothing on the checklist's pages with all content shown and everything expanded", async (t) => {
  const { server, page, faults } = await open(t);
  const denied = await newCard(server, "OT-01");
  await server.operator("decide_card", { card_id: denied, decision: "request_change", note: "Say who." });
  await newCard(server, "OT-01");
  await server.operator("decide_post", { post_id: await newPost(server, "ON-06"), decision: "approve" });
  await newPost(server, "ON-01");
  await server.operator("mark_checklist_item", { item_id: "OT-03", status: "blocked", evidence: "No time." });
  await server.operator("set_plan", { contact_allowance: 10 });
  await server.operator("save_social_connection", { channel: "x", state: "expired" });
  const paths = ["", "/due", "/posts", "/OT-01", "/OT-03", "/ON-06", "?channel=x"].map((path) => `/checklist${path}`);
  const settings = ["brand", "profile", "connections", "workspace"].map((path) => `/settings/${path}`);
  for (const path of [...paths, ...settings]) {
    await page.goto(`${server.listening}/console/w/${server.workspaceId}${path}`);
    await page.evaluate(
      'document.querySelectorAll("main details:not(.confirm)").forEach((one) => { one.open = true; })',
    );
    await assertAccessible(page, path);
  }
  assert.deepEqual(faults, []);
});
