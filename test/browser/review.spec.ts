import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import type { ReviewKind } from "../../src/domain/checklist/review.ts";
import { setupLink } from "../../src/services/access/links.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { assertAccessible, closeBrowser, goTo, hit, newPage } from "../support/browser.ts";
import { newCard, newPost } from "../support/checklist.ts";
import { OWNER, PASSWORD } from "../support/http-browser.ts";
import { newAnswer, newConversation } from "../support/inbox.ts";
import { newContact, newSequence } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { SENDER } from "../support/socialnet.ts";

after(closeBrowser);

const itemFor = (kind: "document" | "social_post") =>
  shippedCatalog().items.find((item) => acceptedOutputKinds(item).includes(kind))?.id;

const [, otherDocument = ""] = shippedCatalog()
  .items.filter((item) => acceptedOutputKinds(item).includes("document"))
  .map(({ id }) => id);

/** A signed-in owner, and one item of each kind that needs review. */
async function open(t: TestContext) {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const page = await newPage(t);
  await page.goto(
    (await setupLink({ people: server.running.store.people, url: server.listening, now: Date.now() }, false)) ?? "",
  );
  await page.getByLabel("Your name").fill(OWNER.name);
  await page.getByLabel("Email address").fill(OWNER.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  const account = await server.operator("create_socialnet_account", { label: "Ada", profile_url: SENDER });
  const contact = await newContact(server, { socialnet_url: "https://socialnet.example/in/p" });
  const plan = { account_id: account.id, contact_id: contact.id, kind: "message", copy: "Hello." };
  const action = (await server.operator("plan_socialnet_action", plan)).id;
  const { id: sequence_id } = await newSequence(server);
  const sequence = (await server.operator("approve_sequence", { sequence_id, contact_ids: [contact.id] })).id;
  const card = await newCard(server, itemFor("document"));
  const publish = await newPost(server, itemFor("social_post"));
  await server.operator("decide_post", { post_id: publish, decision: "approve" });
  const post = await newPost(server, itemFor("social_post"));
  return { server, page, ids: { action, sequence, card, post, publish } as Record<ReviewKind, string> };
}

async function statusOf(server: TestServer, kind: ReviewKind, id: string): Promise<string> {
  const { action, card, post, approval } = await server.operator("get_review", { kind, id });
  return (action ?? card ?? post ?? approval).status;
}

async function press(page: Page, key: string): Promise<void> {
  const loaded = page.waitForEvent("load");
  await hit(page, key);
  await loaded;
}

test("with the keyboard alone, everything of every kind is approved one by one until the queue is empty", async (t) => {
  const { server, page, ids } = await open(t);
  await goTo(page, "r");
  await page.getByRole("heading", { name: /^Message to /, level: 1 }).waitFor();
  await press(page, "j");
  assert.match(page.url(), /\/review\/sequence\//);
  await press(page, "k");
  assert.match(page.url(), /\/review\/action\//);
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("Next item").waitFor();
  await page.keyboard.press("Escape");
  const ends = {
    action: "approved",
    sequence: "applied",
    card: "approved",
    post: "approved",
    publish: "published",
  } as const;
  for (const [kind, status] of Object.entries(ends) as [ReviewKind, string][]) {
    assert.ok(page.url().includes(`/review/${kind}/${ids[kind]}`), page.url());
    if (kind === "publish") {
      // The key that approves everywhere else publishes nothing.
      await hit(page, "a");
      await page.waitForTimeout(300);
      assert.equal(await statusOf(server, kind, ids[kind]), "approved");
    }
    await press(page, kind === "publish" ? "p" : "a");
    assert.equal(await statusOf(server, kind, ids[kind]), status);
  }
  // The post approved a moment ago can now be published.
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/review`);
  await press(page, "p");
  assert.equal(await statusOf(server, "publish", ids.post), "published");
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/review`);
  await page.getByText("You're all caught up").waitFor();
});

test("a key held down or pressed twice decides only the item that was shown", async (t) => {
  const { server, page, ids } = await open(t);
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/review`);
  await page.locator("html[data-settled]").waitFor({ state: "attached" });
  const next = page.waitForURL(/undo=/);
  // Without a release in between, as a keyboard repeats a key.
  for (let i = 0; i < 60; i++) await page.keyboard.down("a");
  await next;
  await page.locator("html[data-settled]").waitFor({ state: "attached" });
  for (let i = 0; i < 20; i++) await page.keyboard.down("a");
  assert.equal(await statusOf(server, "action", ids.action), "approved");
  assert.equal(await statusOf(server, "sequence", ids.sequence), "approved", "not applied");
  await page.keyboard.up("a");
  await press(page, "a");
  assert.equal(await statusOf(server, "sequence", ids.sequence), "applied");
  await page.keyboard.press("a");
  assert.equal(await statusOf(server, "card", ids.card), "pending");
});

test("single-key shortcuts can be switched off, and are also listed from the account menu", async (t) => {
  const { server, page, ids } = await open(t);
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/review`);
  await page.getByText("Account: ").locator("..").click();
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("checkbox", { name: "Enable single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await hit(page, "a");
  await page.reload();
  await hit(page, "a");
  assert.equal(await statusOf(server, "action", ids.action), "planned");
});

test("by keyboard: request changes, reject, edit a text, and withdraw an approval", async (t) => {
  const { server, page, ids } = await open(t);
  const at = (kind: ReviewKind) =>
    page.goto(`${server.listening}/console/w/${server.workspaceId}/review/${kind}/${ids[kind]}`);
  await at("card");
  await hit(page, "c");
  await page.keyboard.type("Shorter, and a name.");
  await page.keyboard.press("Tab");
  await press(page, "Enter");
  assert.equal(await statusOf(server, "card", ids.card), "change_requested");
  await at("post");
  await hit(page, "d");
  await page.keyboard.press("Tab");
  await press(page, "Enter");
  assert.equal(await statusOf(server, "post", ids.post), "declined");
  await at("action");
  await press(page, "e");
  await page.locator("textarea:focus").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(" Good morning.");
  await press(page, "Control+Enter");
  await page.locator("ins", { hasText: "Good morning." }).waitFor();
  await page.locator("h1").click();
  await press(page, "a");
  assert.equal(await statusOf(server, "action", ids.action), "approved");
  await press(page, "z");
  assert.equal(await statusOf(server, "action", ids.action), "planned");
});

test("by keyboard alone, four kinds are reviewed: a message is sent back and revised, an edit is compared, an audience and a document are approved and undone", async (t) => {
  const { server, page, ids } = await open(t);
  const contact = await newConversation(server, { first_name: "Grace", last_name: "Hopper" });
  const answer = (await newAnswer(server, contact.id)).id;
  await page.reload();
  await goTo(page, "r");
  await page.waitForURL(new RegExp(`/review/answer/${answer}$`));
  await page.getByText("Sounds good.").first().waitFor();
  // Changes to a message.
  await hit(page, "c");
  await page.keyboard.type("Offer two days.");
  await press(page, "Control+Enter");
  const { answer: sentBack } = await server.operator("get_review", { kind: "answer", id: answer });
  assert.deepEqual([sentBack.status, sentBack.note], ["changes_requested", "Offer two days."]);
  // The next one is an action: sent back too, revised, and compared.
  await page.waitForURL(new RegExp(`/review/action/${ids.action}`));
  await hit(page, "c");
  await page.keyboard.type("Say good morning.");
  await press(page, "Control+Enter");
  assert.equal(await statusOf(server, "action", ids.action), "held");
  await page.waitForURL(/\/review\/sequence\//);
  await page.getByText("Hello Ada").first().waitFor();
  await press(page, "a");
  assert.equal(await statusOf(server, "sequence", ids.sequence), "applied");
  // A document is approved, undone, and rejected.
  await page.waitForURL(/\/review\/card\//);
  await press(page, "a");
  assert.equal(await statusOf(server, "card", ids.card), "approved");
  await press(page, "z");
  assert.equal(await statusOf(server, "card", ids.card), "pending");
  await page.waitForURL(new RegExp(`/review/card/${ids.card}`));
  await hit(page, "d");
  await page.keyboard.press("Tab");
  await press(page, "Enter");
  assert.equal(await statusOf(server, "card", ids.card), "denied");
  // The author edits the answer, which returns to review with its difference.
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/review/answer/${answer}`);
  await press(page, "e");
  await page.locator("textarea:focus").waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" Or Friday?");
  await press(page, "Control+Enter");
  await page.locator("ins", { hasText: "Or Friday?" }).waitFor();
  await page.locator("h1").click();
  await press(page, "a");
  const { answer: approved } = await server.operator("get_review", { kind: "answer", id: answer });
  assert.equal(approved.status, "approved");
});

test("axe finds nothing on any kind, wide in light and narrow in dark, and nothing is wider than a phone", async (t) => {
  const { server, page, ids } = await open(t);
  const contact = await newConversation(server);
  const { id: answer } = await newAnswer(server, contact.id);
  await server.operator("request_answer_change", { answer_id: answer, note: "Shorter." });
  const markdown = newCard(server, otherDocument, {
    output_kind: "document",
    title: "Voice",
    body: `## Plan\n\n- **one**\n- two\n\n> said\n\n\`${"x".repeat(200)}\`\n\n[here](https://a.example/${"y".repeat(200)})`,
  });
  await server.operator("edit_socialnet_action", { action_id: ids.action, copy: `Hello. ${"z".repeat(300)}` });
  const paths = [
    ...Object.entries(ids).map(([kind, id]) => `/review/${kind}/${id}`),
    ...["edit", "diff", "raw"].map((view) => `/review/action/${ids.action}?view=${view}`),
    `/review/card/${await markdown}`,
    `/review/answer/${answer}`,
    `/review/answer/${answer}?view=edit`,
    ...["/review/action", "/review", ""],
  ];
  for (const path of paths) {
    await page.goto(`${server.listening}/console/w/${server.workspaceId}${path}`);
    await assertAccessible(page, path);
    if (process.env.SHOTS)
      await page.screenshot({
        path: `${process.env.SHOTS}/${path.replaceAll(/[^a-z]/g, "-").slice(0, 40)}.png`,
        fullPage: true,
      });
  }
});

test("an open confirmation is in view, focuses its first field, and is not covered", async (t) => {
  const { server, page, ids } = await open(t);
  const item = itemFor("document") ?? "";
  await server.operator("mark_checklist_item", { item_id: item, status: "blocked" });
  const [contact] = (await server.rest("GET", "/contacts")).body.data;
  const paths = [
    `review/action/${ids.action}`,
    `review/card/${ids.card}`,
    `checklist/${item}`,
    `contacts/${contact.id}`,
  ];
  for (const [width, height] of [
    [1_280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const path of paths) {
      await page.goto(`${server.listening}/console/w/${server.workspaceId}/${path}`);
      const opens = page.locator("main details.confirm > summary");
      assert.ok((await opens.count()) > 0, path);
      for (const summary of await opens.all()) {
        // Some of them are behind “More”.
        const more = page.locator("main :is(.fold, .actions) > summary");
        if (!(await summary.isVisible())) await more.first().click();
        const at = `${path} ${width} ${await summary.textContent()}`;
        // At the lowest possible position.
        await summary.evaluate((element) => element.scrollIntoView({ block: "end" }));
        await summary.click();
        const sheet = summary.locator("xpath=following-sibling::form");
        const [field] = await sheet.locator("textarea, select, input:not([type=hidden])").all();
        if (field !== undefined) await field.and(page.locator(":focus")).waitFor({ timeout: 2_000 });
        // The button takes no click right after it appears. Until it does, Playwright scrolls to reach it.
        await page.waitForTimeout(600);
        // Checked like a real click: scrolled into view and not covered.
        await sheet.locator("button[type=submit]").last().click({ trial: true, timeout: 2_000 });
        const { top, bottom, right } = await sheet.evaluate((element) => element.getBoundingClientRect());
        assert.ok(right <= width, `${at}: ${right}`);
        if (width > 800) assert.ok(top >= 0 && bottom <= height, `${at}: ${top} to ${bottom}`);
        await page.keyboard.press("Escape");
      }
    }
  }
});

test("after a decision the next item's heading is focused, and the last item is named above it", async (t) => {
  const { server, page, ids } = await open(t);
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/review/card/${ids.card}`);
  await page.getByText("Request changes…").click();
  await page.locator("#change-note:focus").fill("Shorter.");
  await page.getByRole("button", { name: "Request changes" }).click();
  await page.locator("#one:focus").waitFor();
  const told = page.getByRole("status").filter({ hasText: "changes requested with your note" });
  await told.getByRole("link", { name: "View" }).click();
  await page.waitForURL(new RegExp(`/review/card/${ids.card}$`));
  assert.equal(await page.locator("#one:focus").count(), 0, "who only looks is not moved");
});

test("on a phone a section's count is beside its icon, not over it", async (t) => {
  const { server, page } = await open(t);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/review`);
  const link = page.locator('.sidebar > ul a[href$="/review"]');
  const right = await link.locator(".icon").evaluate((icon) => icon.getBoundingClientRect().right);
  const count = await link.locator(".count").evaluate((mark) => mark.getBoundingClientRect());
  assert.ok(count.left >= right, `${count.left} ${right}`);
  assert.ok(count.width < 32, `${count.width}`);
});

/** Two actions with texts so long that the bar with the buttons stays at the bottom of the window. */
async function longQueue(t: TestContext) {
  const { server, page, ids } = await open(t);
  await server.operator("cancel_socialnet_action", { action_id: ids.action });
  const [account] = await server.operator("list_socialnet_accounts", {});
  const planned: string[] = [];
  for (const name of ["One", "Two"]) {
    const url = `https://socialnet.example/in/${name}`;
    const { id: contact_id } = await newContact(server, { first_name: name, socialnet_url: url });
    const copy = `Dear ${name}.\n${"line\n\n".repeat(40)}end`;
    const plan = { account_id: account.id, contact_id, kind: "message", copy };
    planned.push((await server.operator("plan_socialnet_action", plan)).id);
  }
  const statuses = () => Promise.all(planned.map((id) => statusOf(server, "action", id)));
  return { page, at: `${server.listening}/console/w/${server.workspaceId}`, planned, statuses };
}

test("a double click decides only the item that was shown", async (t) => {
  const { page, at, statuses } = await longQueue(t);
  await page.goto(`${at}/review`);
  await page.locator("html[data-settled]").waitFor({ state: "attached" });
  const box = await page.locator("#approve button").boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const next = page.waitForURL(/undo=/);
  await page.mouse.click(x, y);
  await next;
  await page.mouse.click(x, y);
  await page.locator("html[data-settled]").waitFor({ state: "attached" });
  assert.deepEqual(await statuses(), ["approved", "planned"]);
  await page.locator("#approve button").click();
  await page.getByText("is approved").waitFor();
  assert.deepEqual(await statuses(), ["approved", "approved"], "a click on a page that was there for a moment counts");
});

test("no button of a form takes a click while the second one of a double click may still come", async (t) => {
  const { page, at, planned } = await longQueue(t);
  await page.addInitScript(() => {
    document.addEventListener("DOMContentLoaded", () => {
      const buttons = [...document.querySelectorAll("main button[type=submit]")];
      const states = buttons.map((button) => getComputedStyle(button).pointerEvents);
      document.documentElement.dataset.clicks = states.join();
    });
  });
  await page.goto(`${at}/review`);
  const account = await page.getByRole("link", { name: "Ada", exact: true }).first().getAttribute("href");
  for (const path of [page.url(), `${at}/review/action`, new URL(`${account}/actions/${planned[0]}`, at).href]) {
    await page.goto(path);
    const clicks = (await page.locator("html").getAttribute("data-clicks")) ?? "";
    assert.match(clicks, /^none(,none)*$/, path);
    await page.locator("html[data-settled]").waitFor({ state: "attached" });
    await page.locator("main button[type=submit]").first().hover({ trial: true });
  }
});

test("the key after g is no shortcut of the page, however late it comes, nor of the next page", async (t) => {
  const { page, at, statuses } = await longQueue(t);
  await page.goto(`${at}/review`);
  await hit(page, "g");
  await page.waitForTimeout(1_300);
  await page.keyboard.press("a");
  await page.waitForURL(/\/accounts/);
  assert.deepEqual(await statuses(), ["planned", "planned"]);
  await page.goto(`${at}/review`);
  await hit(page, "g");
  await page.reload();
  await hit(page, "a");
  await page.waitForURL(/\/accounts/);
  assert.deepEqual(await statuses(), ["planned", "planned"]);
});

test("on the way back, what was checked is not put on another item, and Review is at the item that it showed", async (t) => {
  const { page, at, planned } = await longQueue(t);
  await page.goto(`${at}/review/action`);
  const boxes = page.getByRole("checkbox", { name: "I've read this and approve it" });
  await boxes.first().check();
  await page.goto(`${at}/contacts`);
  await page.goBack();
  await page.getByRole("button", { name: "Approve selected" }).waitFor();
  for (const box of await boxes.all()) assert.equal(await box.isChecked(), false);
  await page.goto(`${at}/review`);
  assert.ok(page.url().includes(`/review/action/${planned[0]}`));
});
