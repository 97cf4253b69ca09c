import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf } from "../../src/console/ui/labels.ts";
import { asOwner } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { newSequence } from "../support/sequences.ts";
import { SENDER, withAgent } from "../support/socialnet.ts";

/** Zero-width, direction, filler, tag, joiner and variation characters, each of which could make two names look alike. */
const UNSEEN = "\u200B\u202E\u3164\u{E0041}\u2060\u00AD\uFE0F\u034F\u200D";
const ANY_UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u;

/** The visible text of a page: not the values of forms, which are returned exactly. */
function readOf(html: string): string {
  return html.replaceAll(/<textarea.*?<\/textarea>|<(?:[^>"]|"[^"]*")*>/gs, " ");
}

test("a name shows its hidden characters", () => {
  const name = { first_name: "A\u200Bda", last_name: "Love\u{E0041}lace", email: null };
  assert.equal(nameOf(name), "A[U+200B]da Love[U+E0041]lace");
  assert.equal(nameOf({ first_name: null, last_name: null, email: "a\u202Eb@x.example" }), "a[U+202E]b@x.example");
  assert.equal(nameOf({ first_name: "👩‍💻", last_name: "Größe", email: null }), "👩‍💻 Größe");
});

test("every page shows hidden characters, and forms keep each of them", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const owner = await asOwner(server);
  const { id: action, contact } = await agent.planned({ copy: `Hello${UNSEEN}there` });
  const [contact_id, account_id] = [contact.id, agent.account.id];
  const hidden = (text: string) => `${text}${UNSEEN}x`;
  const profile = `https://socialnet.example/in/ada${UNSEEN}`;
  await server.rest("PATCH", `/contacts/${contact_id}`, {
    body: {
      ...{ first_name: hidden("Ada"), last_name: hidden("Lee"), company: hidden("Acme"), job_title: hidden("Boss") },
      ...{ phone: hidden("1"), socialnet_url: profile, website: `https://x.example/${UNSEEN}` },
    },
  });
  await server.rest("POST", `/contacts/${contact_id}/tags`, { body: { tag: hidden("vip") } });
  const note = { type: "call_received", subject: hidden("Call"), body: hidden("Said") };
  await server.rest("POST", `/contacts/${contact_id}/activities`, { body: note });
  await agent.person("update_socialnet_account", { account_id, profile_url: `${SENDER}${UNSEEN}` });
  const deal = { contact_id, title: hidden("Deal") };
  assert.equal((await server.rest("POST", "/deals", { body: deal })).status, 201);
  const sequence = await newSequence(server);
  const ofSequence = { sequence_id: sequence.id, contact_ids: [contact_id] };
  const { id: approval } = await server.operator("approve_sequence", ofSequence);
  const pages = [
    ...["/", "/review", `/review/action/${action}`, `/review/sequence/${approval}`, "/review/action"],
    ...[`/agents/${account_id}/actions/${action}`, `/agents/${account_id}`, `/agents/${account_id}/plan`],
    ...[
      "/contacts",
      `/contacts/${contact_id}`,
      "/deals",
      "/deals/stage/prospecting",
      `/sequences/${sequence.id}/audience`,
    ],
    ...[`/sequences/${sequence.id}`, `/sequences/${sequence.id}/preview?contact=${contact_id}`, "/audit"],
    ...[`/agents/${account_id}/plan?contact=${contact_id}`, `/agents/${account_id}/rules`],
  ];
  let named = 0;
  for (const path of pages) {
    const { status, text } = await owner.open(`/console/w/${server.workspaceId}${path}`);
    assert.equal(status, 200, path);
    const read = readOf(text);
    const found = ANY_UNSEEN.exec(read);
    assert.equal(found, null, `${path}: ${read.slice((found?.index ?? 0) - 60, (found?.index ?? 0) + 20)}`);
    if (read.includes("[U+200B]")) named += 1;
  }
  assert.ok(named >= 10, `${named} pages show it`);
  const page = await owner.get(`/console/w/${server.workspaceId}/contacts/${contact_id}`);
  assert.ok(page.text.includes(`value="${hidden("Ada")}"`), "a field of a form keeps what it was given");
  const decided = await owner.get(`/console/w/${server.workspaceId}/review/action/${action}?view=edit`);
  assert.ok(decided.text.includes(`Hello${UNSEEN}there</textarea>`), "and so does a text");
  const planned = await server.operator("get_planned_action", { action_id: action });
  const read = ["account_profile_url", "contact_name", "contact_company", "recipient_url", "copy"];
  assert.deepEqual(Object.keys(planned.hidden), read);
});

test("an address with look-alike letters is marked wherever it is approved", async (t) => {
  const agent = await withAgent(t);
  const owner = await asOwner(agent.server);
  const contact = await agent.contact({ socialnet_url: "https://socialnet.example/in/\u0430da" });
  const { id } = await agent.planned({ contact });
  const { id: plain } = await agent.planned();
  const marked = (action: string, path: string) =>
    owner
      .get(`/console/w/${agent.server.workspaceId}${path.replace("ID", action)}`)
      .then(({ text }) => text.includes("Non-ASCII letters"));
  for (const path of ["/review/action/ID", `/agents/${agent.account.id}/actions/ID`]) {
    assert.deepEqual([await marked(id, path), await marked(plain, path)], [true, false], path);
  }
  assert.equal(await marked(id, "/review/action"), true);
});

test("a profile written by an agent is marked wherever it is approved", async (t) => {
  const agent = await withAgent(t);
  const owner = await asOwner(agent.server);
  const { id } = await agent.planned();
  for (const path of [`/review/action/${id}`, "/review/action", `/agents/${agent.account.id}/actions/${id}`]) {
    const { text } = await owner.get(`/console/w/${agent.server.workspaceId}${path}`);
    assert.match(text, /<span title="An agent wrote this value\."> ?<span[^>]*>Agent</, path);
  }
});

test("the editor of a message shows its invisible characters, because saving may approve them", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "reply", profileUrl: contact.socialnet_url, observedAt, externalKey: "r" };
  await agent.done("sync", { observations: [{ ...seen, excerpt: "Who are you?" }] });
  const answer = { contact_id: contact.id, account_id: agent.account.id, copy: "Pay to \u202E4321 now\u{E0041}." };
  const { body } = await callAs(agent.server, member(agent.server), "answer_on_network", answer);
  const owner = await asOwner(agent.server);
  const path = `/console/w/${agent.server.workspaceId}/review/action/${body.data.id}`;
  const edit = await owner.open(`${path}?view=edit`);
  assert.ok(readOf(edit.text).includes("Pay to [U+202E]4321 now[U+E0041]."));
});

test("every page that may approve a message shows its long gaps, which could hide the rest", async (t) => {
  const agent = await withAgent(t);
  const { id } = await agent.planned({ copy: `Hello.${"\n".repeat(500)}Pay now.` });
  const owner = await asOwner(agent.server);
  const pages = ["", "?view=raw", "?view=edit"].map((view) => `/review/action/${id}${view}`);
  for (const path of [...pages, "/review/action", `/agents/${agent.account.id}/actions/${id}`]) {
    const { text } = await owner.open(`/console/w/${agent.server.workspaceId}${path}`);
    assert.match(readOf(text), /Hello\.\n\[499 empty lines\]\nPay now\./, path);
  }
});
