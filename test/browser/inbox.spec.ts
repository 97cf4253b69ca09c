import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { setupLink } from "../../src/services/access/links.ts";
import { assertAccessible, closeBrowser, goTo, hit, newPage } from "../support/browser.ts";
import { OWNER, PASSWORD } from "../support/http-browser.ts";
import { newConversation } from "../support/inbox.ts";
import { startServer } from "../support/server.ts";

after(closeBrowser);

/** A signed-in owner of a workspace with two unread replies. */
async function open(t: TestContext, options: { javaScriptEnabled?: boolean } = {}) {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const page = await newPage(t, options);
  const setup = await setupLink({ people: server.running.store.people, url: server.listening, now: Date.now() }, false);
  await newConversation(server, { first_name: "Grace", last_name: "Hopper" });
  const ada = await newConversation(server, {
    last_name: "Lovelace",
    socialnet_url: "https://socialnet.example/in/ada",
  });
  await server.operator("create_socialnet_account", {
    label: "Robin",
    profile_url: "https://socialnet.example/in/robin",
  });
  await page.goto(setup ?? "");
  await page.getByLabel("Your name").fill(OWNER.name);
  await page.getByLabel("Email address").fill(OWNER.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  return { server, page, ada, at: `${server.listening}/console/w/${server.workspaceId}` };
}

test("a reply is answered in two clicks after the sign-in, with and without JavaScript, once however often one clicks", async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const { server, page, ada } = await open(t, { javaScriptEnabled });
    const first = page.locator(".tasks li", { hasText: "Ada Lovelace" });
    assert.match((await first.textContent()) ?? "", /Ada Lovelace replied: “Sounds good\.”/);
    await first.getByRole("link").click();
    await page.getByRole("heading", { name: "Ada Lovelace", level: 1 }).waitFor();
    await page.getByRole("form", { name: "Answer by email" }).getByLabel("Text").fill("Great. Tuesday?");
    const send = page.getByRole("button", { name: "Approve and save to file" });
    // The button takes no click for half a second.
    await page.waitForTimeout(600);
    await send.dblclick();
    await page.getByRole("button", { name: "Undo send" }).waitFor();
    const { answers, conversation } = await server.operator("get_conversation", { contact_id: ada.id });
    assert.deepEqual([answers.length, answers[0].body, conversation.status], [1, "Great. Tuesday?", "done"]);
    await page.getByRole("button", { name: "Undo send" }).click();
    await page.getByText("Its conversation is open again").waitFor();
  }
});

test("a conversation is closed, snoozed, assigned and marked, and the pages are accessible", async (t) => {
  const { server, page, ada, at } = await open(t);
  await goTo(page, "i");
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  await assertAccessible(page, "inbox");
  await page.goto(`${at}/inbox/${ada.id}`);
  await assertAccessible(page, "conversation");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByText("Assign…").click();
  await page.getByLabel("Teammate").selectOption({ label: OWNER.name });
  await page.waitForTimeout(600);
  await page.getByRole("button", { name: "Assign", exact: true }).click();
  await page.getByText(`Assigned to ${OWNER.name}`).waitFor();
  await page.waitForTimeout(600);
  await page.getByRole("button", { name: "Not interested" }).click();
  // The next conversation is there.
  await page.getByRole("heading", { name: "Grace Hopper", level: 1 }).waitFor();
  const { conversation } = await server.operator("get_conversation", { contact_id: ada.id });
  assert.deepEqual([conversation.status, conversation.mark], ["done", "not_interested"]);
  await page.getByText("Snooze…").click();
  await page.waitForTimeout(600);
  await page.getByRole("button", { name: "Snooze", exact: true }).click();
  await page.getByText("You're all caught up").waitFor();
});

test("on a wide screen the list stays beside the conversation; on a narrow one the page links back to it", async (t) => {
  const { page, ada, at } = await open(t);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${at}/inbox/${ada.id}?view=unassigned`);
  const list = page.getByRole("navigation", { name: "Conversations" });
  assert.equal(await list.locator("[aria-current=true] .title").textContent(), "Ada Lovelace");
  await assertAccessible(page, "conversation with its list");
  await page.setViewportSize({ width: 1280, height: 900 });
  await list.getByRole("link", { name: /Grace Hopper/ }).click();
  await page.getByRole("heading", { name: "Grace Hopper", level: 1 }).waitFor();
  assert.match(page.url(), /view=unassigned$/);
  assert.equal(await list.locator("[aria-current=true] .title").textContent(), "Grace Hopper");
  const columns = await page
    .locator(".queue, .talk > div")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
  assert.deepEqual(
    columns,
    [...columns].sort((a, b) => a - b),
  );
  assert.equal(new Set(columns).size, 3, "the list, the conversation and the person");
  // The unread one is first, so the other is the next one.
  await hit(page, "j");
  await page.getByRole("heading", { name: "Ada Lovelace", level: 1 }).waitFor();
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    assert.equal(await list.isVisible(), false);
    const back = page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Inbox" });
    assert.equal(await back.getAttribute("href"), `${new URL(at).pathname}/inbox?view=unassigned`);
    assert.equal(await back.isVisible(), true);
  }
});
