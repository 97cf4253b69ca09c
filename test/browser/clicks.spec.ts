import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { closeBrowser, newPage, signUp } from "../support/browser.ts";
import { ITEMS, newCard, startChecklist } from "../support/checklist.ts";
import { PASSWORD } from "../support/http-browser.ts";
import { armed, newContact } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";

after(closeBrowser);

/** How many clicks after sign-in some of the most frequent tasks may take. Typing is free. */

/** A signed-in owner on Today, with a click that counts. */
async function open(t: TestContext, server: TestServer) {
  const page = await newPage(t);
  await signUp(page, server);
  let clicks = 0;
  return {
    page,
    clicks: () => clicks,
    /** Clicks once the page takes clicks: for half a second after it loads, its forms ignore them. */
    async click(target: Locator): Promise<void> {
      clicks += 1;
      await target.waitFor();
      await page.waitForTimeout(600);
      await target.click();
    },
  };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first();
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first();

test("outreach is paused with one click and resumed with two", async (t) => {
  const server = await startServer(t);
  const { page, click, clicks } = await open(t, server);
  const pausedAt = async () => (await server.operator("get_workspace", {})).outreach.paused_at;
  await click(button(page, "Pause outreach"));
  await page.getByText("Outreach paused. Nothing new is sent").waitFor();
  assert.notEqual(await pausedAt(), null);
  assert.equal(clicks(), 1);
  await click(page.getByText("Resume…"));
  await click(button(page, "Resume outreach"));
  await page.getByText("Outreach resumed.").waitFor();
  assert.equal(await pausedAt(), null);
  assert.equal(clicks(), 3);
});

test("a viewer is invited with three clicks, and sees only what a viewer can do", async (t) => {
  const server = await startServer(t);
  const { page, click, clicks } = await open(t, server);
  await click(link(page, "Settings"));
  const form = page.getByRole("form", { name: "Invite teammate" });
  await form.getByLabel("Name").fill("Grace Hopper");
  await form.getByLabel("Email").fill("grace@b.example");
  await click(form.getByLabel("Role"));
  await form.getByLabel("Role").selectOption("viewer");
  await click(button(page, "Create invitation link"));
  const invitation = (await page.locator(".reveal code").first().textContent()) ?? "";
  assert.ok(clicks() <= 3, `${clicks()} clicks`);

  await newContact(server, { last_name: "Lovelace" });
  const theirs = await newPage(t);
  await theirs.goto(invitation);
  await theirs.getByLabel("Password").fill(PASSWORD);
  await theirs.locator("main button[type=submit]").first().click();
  await theirs.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  assert.equal(await theirs.getByText("Needs attention").count(), 0);
  for (const path of ["", "/contacts", "/deals", "/sequences", "/review", "/checklist", "/agents", "/settings"]) {
    await theirs.goto(`${server.listening}/console/w/${server.workspaceId}${path}`);
    const changing = await theirs
      .locator("form[method=post] input[name=_do]")
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    assert.deepEqual(changing, [], path);
  }
});

test("an agent's document is approved with two clicks", async (t) => {
  const server = await startChecklist(t, { items: ITEMS });
  const card = await newCard(server, "OT-01");
  const { page, click, clicks } = await open(t, server);
  await click(
    page
      .locator("main")
      .getByRole("link", { name: /OT-01|document/i })
      .first(),
  );
  await click(page.getByRole("button", { name: /^Approve document/ }));
  await page.getByText("You're all caught up").waitFor();
  assert.equal(clicks(), 2);
  assert.equal((await server.operator("get_review", { kind: "card", id: card })).card.status, "approved");
});

test("a sequence of three steps goes from draft to running in ten clicks", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  for (const name of ["Ada", "Grace", "Mary"]) {
    await newContact(server, { first_name: name, email: `${name.toLowerCase()}@b.example`, company: "Engines" });
  }
  const email = { type: "email", subject: "Hello {{first_name}}", body: "How is {{company}}?", delay_days: 0 };
  const { id } = await server.operator("create_sequence", {
    name: "Spring",
    steps: [email, { type: "wait", days: 3 }, { ...email, subject: "Still there, {{first_name}}?" }],
  });
  const { page, click, clicks } = await open(t, server);
  await click(link(page, "Sequences"));
  await click(link(page, "Spring"));
  await click(link(page, "Approve audience"));
  assert.equal(await button(page, "Approve audience").isDisabled(), true, "no one is selected");
  await click(button(page, "Select 3 contacts"));
  await click(button(page, "Approve audience"));
  await click(link(page, "Activate audience…"));
  await click(page.getByRole("button", { name: /^Activate audience/ }));
  await click(button(page, "Enroll contacts"));
  await click(page.getByText("Activate sequence…"));
  await click(page.getByRole("button", { name: /^Activate (sequence|and save)/ }));
  await page.getByText("Active, not sending", { exact: true }).waitFor();
  assert.ok(clicks() <= 10, `${clicks()} clicks`);
  assert.equal((await server.operator("get_sequence", { sequence_id: id })).status, "active");
  assert.equal((await server.operator("list_enrollments", { sequence_id: id })).length, 3);
});

test("the editor says that an edit cancels approvals as soon as a step differs, and no longer once it doesn't", async (t) => {
  const server = await startServer(t);
  const { sequence } = await armed(server);
  const { page } = await open(t, server);
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/sequences/${sequence.id}/edit`);
  const label = () => page.locator("main form button.primary").last().textContent();
  await page.getByLabel("Name").fill("Another name");
  assert.equal(await label(), "Save sequence");
  const subject = page.getByLabel("Subject").first();
  const before = await subject.inputValue();
  await subject.fill("Another subject");
  assert.equal(await label(), "Save and cancel approvals");
  await subject.fill(before);
  assert.equal(await label(), "Save sequence");
});
