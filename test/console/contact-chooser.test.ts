import assert from "node:assert/strict";
import { test } from "node:test";
import { fillAgentScreens } from "../support/agent-screens.ts";
import { asOwner } from "../support/http-browser.ts";
import { newContact, newSequence } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { ON } from "../support/socialnet.ts";

test("every page that needs a contact asks for one first, in the same way, and then shows it at the top", async (t) => {
  const server = await startServer(t, { env: ON });
  const browser = await asOwner(server);
  const { id } = await newContact(server, { first_name: "Zoe", last_name: "Quist", socialnet_url: null });
  const sequence = await newSequence(server);
  const { account } = await fillAgentScreens(server);
  const page = async (path: string) => (await browser.get(`/console/w/${server.workspaceId}${path}`)).text;
  for (const path of ["/deals/new", `/agents/${account.id}/plan`]) {
    assert.match(await page(path), /id="chooser-q"/, path);
    assert.doesNotMatch(await page(path), /Change contact|class="empty"/, path);
  }
  assert.match(await page(`/agents/${account.id}/plan?q=zoe`), /Zoe Quist.*No profile URL/s);
  for (const path of ["/deals/new", `/agents/${account.id}/plan`, `/sequences/${sequence.id}/preview`]) {
    const text = await page(`${path}?contact=${id}`);
    assert.match(text, /<strong>Zoe Quist<\/strong>.*<details class="more"><summary>Change contact…/s, path);
    assert.ok(text.indexOf("Change contact…") < text.search(/class="empty"|>Deal<|The deal<|Messages to /), path);
  }
  assert.match(await page(`/sequences/${sequence.id}/preview?q=zoe`), /<details class="more" open>/);
});

test("an audience can be approved without scrolling to its end, and steps have readable names", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  await newContact(server);
  const { id } = await newSequence(server);
  const page = async (path: string) => (await browser.get(`/console/w/${server.workspaceId}${path}`)).text;
  const [, foot = ""] = /<div class="foot">(.*?)<\/div>/s.exec(await page(`/sequences/${id}/audience`)) ?? [];
  assert.match(foot, /<button[^>]* data-needs-checked[^>]*>Approve audience<.*class="ticked/s);
  const editor = await page(`/sequences/${id}/edit`);
  assert.match(editor, /<legend>Add step<\/legend>.*>Email<.*>Wait<.*>Connection request<.*Save sequence/s);
  assert.doesNotMatch(editor, /socialnet connect/);
});
