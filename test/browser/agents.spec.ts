import assert from "node:assert/strict";
import { test } from "node:test";
import { closeBrowser, newPage, signUp } from "../support/browser.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { Agent, ON } from "../support/socialnet.ts";

test.after(closeBrowser);

test("in an empty workspace a member adds an account, connects an agent, plans, approves and sees the action sent", async (t) => {
  const server = await startServer(t, { env: ON });
  const page = await newPage(t);
  await signUp(page, server);
  await page.getByRole("link", { name: "Agents" }).click();
  await page.getByText("No social accounts yet").waitFor();
  await page.getByRole("link", { name: "Add social account" }).click();
  await page.getByLabel("Name").fill("Robin");
  await page.getByLabel("Profile URL").fill("https://socialnet.example/in/robin");
  await page.getByRole("button", { name: "Add account" }).click();
  await page.getByRole("heading", { name: "Connect agent to Robin" }).waitFor();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = (await page.locator(".reveal code").first().textContent()) ?? "";

  const command = async (input: object) => {
    const { body, text } = await server.rest("POST", "/socialnet/actions", { key, body: input });
    assert.ok(body.data, text);
    return body.data;
  };
  const { account } = await command({ command: "setup" });
  await command({ command: "heartbeat", session: "ready", profileUrl: "https://socialnet.example/in/robin" });
  const { data: ada } = (
    await server.rest("POST", "/contacts", {
      body: { first_name: "Ada", socialnet_url: "https://socialnet.example/in/ada" },
    })
  ).body;
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("Ready", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Plan action" }).click();
  await page.getByRole("searchbox", { name: "Email, name or company" }).fill("ada");
  await page.getByRole("button", { name: "Search contacts" }).click();
  await page.getByRole("link", { name: "Ada" }).click();
  await page.getByLabel("Type", { exact: true }).selectOption("message");
  await page.getByLabel("Text", { exact: true }).fill("Hello Ada.");
  await page.getByRole("button", { name: "Plan action" }).click();
  await page.getByRole("heading", { name: "Message to Ada" }).waitFor();
  await page.getByRole("button", { name: "Approve and send" }).click();
  await page.getByText("Action approved. The agent can now send it.").waitFor();

  const { data: actions } = (await server.rest("GET", "/socialnet/actions", { key })).body;
  const actionId = actions[0].id;
  const { leaseToken } = await command({ command: "claim", actionId });
  assert.equal((await command({ command: "start", actionId, leaseToken })).copy, "Hello Ada.");
  await command({ command: "result", actionId, leaseToken, outcome: "message_sent", evidence: "It stands there." });
  await page.reload();
  await page.getByText("Message sent").first().waitFor();
  await page.getByText("“It stands there.”").waitFor();
  assert.equal(account.label, "Robin");
  assert.equal((await server.operator("brain_contact", { id: ada.id })).activities[0].type, "socialnet_message_sent");
});

test("an open page never swaps the text under an approval: it says that something changed and refuses the old version", async (t) => {
  const server = await startServer(t, { env: ON });
  const page = await newPage(t);
  await signUp(page, server);
  const agent = await Agent.of(server, new FakeClock(Date.now()));
  const action = await agent.planned({ copy: "Read this." });
  const begun = page.waitForResponse((response) => response.url().endsWith("/live"));
  await page.goto(
    `${server.listening}/console/w/${server.workspaceId}/agents/${agent.account.id}/actions/${action.id}`,
  );
  await begun;
  await agent.person("edit_socialnet_action", { action_id: action.id, copy: "Wire 5000 today." });
  await page.getByText("This item changed after you opened the page.").waitFor();
  assert.equal(await page.getByText("Wire 5000 today.").count(), 0);
  await page.getByRole("button", { name: "Approve and send" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await agent.statusOf(action), "planned");
});

test("sending hours can be typed or drawn, and the page shows what is saved", async (t) => {
  const server = await startServer(t, { env: ON });
  const page = await newPage(t);
  await page.setViewportSize({ width: 1_280, height: 1_000 });
  await signUp(page, server);
  const profile_url = "https://socialnet.example/in/robin";
  const { id } = await server.operator("create_socialnet_account", { label: "Robin", profile_url });
  await page.goto(`${server.listening}/console/w/${server.workspaceId}/agents/${id}/rules`);
  const row = (day: string) => page.getByRole("row", { name: day });
  const field = (day: string) => row(day).getByRole("textbox");
  const drag = async (day: string, fromHour: number, toHour: number) => {
    const box = await row(day).locator("svg").boundingBox();
    assert.ok(box);
    const at = (hour: number) => box.x + (box.width * hour) / 24;
    await page.mouse.move(at(fromHour + 0.25), box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(at((fromHour + toHour) / 2), box.y + box.height / 2);
    await page.mouse.move(at(toHour - 0.25), box.y + box.height / 2);
    await page.mouse.up();
  };
  const open = page.getByText("can be sent at any hour");
  assert.equal(await open.isVisible(), true);
  await drag("Monday", 9, 17);
  assert.equal(await open.isVisible(), false, "what an empty week is stands there for as long as it is empty");
  assert.equal(await field("Monday").inputValue(), "09:00-17:00");
  await drag("Monday", 12, 13);
  assert.equal(await field("Monday").inputValue(), "09:00-12:00, 13:00-17:00", "drawn over again, it is taken away");
  await drag("Sunday", 23, 24);
  assert.equal(await field("Sunday").inputValue(), "23:00-24:00");
  await field("Tuesday").fill("8:15-10, 11-12");
  assert.equal(await row("Tuesday").locator("rect").count(), 2);
  await drag("Tuesday", 10, 11);
  assert.equal(await field("Tuesday").inputValue(), "08:15-12:00");
  await page.getByRole("button", { name: "Save hours" }).click();
  await page.getByText("Account updated").waitFor();
  const { windows } = await server.operator("get_socialnet_account", { account_id: id });
  assert.deepEqual(windows, [
    { days: [1], from: "09:00", to: "12:00" },
    { days: [1], from: "13:00", to: "17:00" },
    { days: [2], from: "08:15", to: "12:00" },
    { days: [7], from: "23:00", to: "24:00" },
  ]);
});
