import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { flashMessageText } from "../../src/console/ui/flash-messages.ts";
import { newCard } from "../support/checklist.ts";
import { asMember, formOf } from "../support/http-browser.ts";
import { newAnswer, newConversation } from "../support/inbox.ts";
import { callAs, member } from "../support/member.ts";
import { DOCUMENT_ITEM } from "../support/pinned.ts";
import { newContact, newSequence } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const APPROVER = { email: "ap@b.example", name: "Grace", role: "rep", approve_outbound: true };

async function start(t: TestContext) {
  const agent = await withAgent(t);
  const { server } = agent;
  const browser = await asMember(server, APPROVER);
  const at = (path: string) => `/console/w/${server.workspaceId}${path}`;
  /** Sends a form of a page as the page shows it, with these fields. */
  const send = async (path: string, id: string, more: Record<string, string> = {}) => {
    const form = formOf(await browser.get(at(path)), id);
    assert.ok(form, `no form ${id} at ${path}`);
    return browser.post(at(path), { ...form, ...more });
  };
  return { agent, server, browser, at, send };
}

test("beside an answer's button, its page says when it is sent or saved, and until when it can be undone", async (t) => {
  const hintsOf = async (server: TestServer, id: string) => {
    const { text } = await browser.get(`/console/w/${server.workspaceId}/inbox/${id}`);
    // What delays it or saves it to a file is above the fields, and what is left of it beside the button.
    return [...text.matchAll(/class="card composer".*?<\/form>/gs)].map(([form]) => {
      const [, note = ""] = /class="needs-note">(.*?)<\/p>/s.exec(form) ?? [];
      const [, hint = ""] = /<div class="submit">.*?<p class="hint">(.*?)<\/p>/s.exec(form) ?? [];
      return `${note} ${hint}`.trim();
    });
  };
  const sending = await withAgent(t);
  let browser = await asMember(sending.server, APPROVER);
  const { id } = await newConversation(sending.server, { socialnet_url: "https://socialnet.example/in/ada-b" });
  const [byEmail = "", byAgent] = await hintsOf(sending.server, id);
  assert.match(
    byEmail,
    /^No mail server is connected, so your answer will be saved .* You have at least 10 seconds to undo this\.$/s,
  );
  assert.equal(byAgent, "The account's agent sends your answer as soon as sending is possible.");
  await sending.server.operator("pause_outreach", {});
  const paused = await hintsOf(sending.server, id);
  assert.match(
    paused[0] ?? "",
    /It will be saved once an admin resumes outreach\. .* You can undo this until the answer is saved to the file\.$/s,
  );
  assert.match(
    paused[1] ?? "",
    /^Outreach is paused, so your answer waits until an admin resumes it\. The account's agent sends your answer as soon as sending is possible\.$/,
  );

  const path = `/console/w/${sending.server.workspaceId}/inbox/${id}`;
  const form = formOf(await browser.get(path), "answer_on_network");
  const { location } = await browser.post(path, { ...form, copy: "Hello." });
  const answered = (await browser.get(location ?? "")).text;
  assert.match(answered, /Answer approved\. The account's agent sends your answer as soon as sending is possible\./);

  const off = await startServer(t);
  browser = await asMember(off, APPROVER);
  const contact = await newConversation(off);
  const [saved = ""] = await hintsOf(off, contact.id);
  assert.match(
    saved,
    /It will be saved once your server admin turns sending on\. .* You can undo this until the answer is saved to the file\.$/s,
  );
  const answer = await newAnswer(off, contact.id);
  const { text } = await browser.get(`/console/w/${off.workspaceId}/review/answer/${answer.id}`);
  assert.match(
    text,
    /saves this answer to a file instead of sending it\. Sending is off on this server, so the answer waits/,
  );
});

test("an answer goes back to its author with a note, and needs review again once it is edited", async (t) => {
  const { server, browser, at, send } = await start(t);
  const contact = await newConversation(server);
  const { id } = await newAnswer(server, contact.id);
  const path = `/review/answer/${id}`;
  assert.equal((await send(path, "change", { note: "" })).status, 400, "a change needs its note");
  const done = await send(path, "change", { note: "Offer two days." });
  assert.equal(done.status, 303, done.text);
  assert.match((await browser.open(done.location ?? "")).text, /Answer to Ada.*?changes requested with your note/s);
  const reviewed = async () => server.operator("get_review", { kind: "answer", id });
  assert.deepEqual([(await reviewed()).answer.status, (await reviewed()).waiting], ["changes_requested", false]);
  assert.deepEqual(await server.operator("list_review", {}), []);
  const { conversation } = await server.operator("get_conversation", { contact_id: contact.id });
  assert.deepEqual([conversation.status, conversation.unread], ["open", true], "its author finds it");
  const inbox = await browser.get(at(`/inbox/${contact.id}`));
  assert.match(inbox.text, /Professional network<\/dt><dd>Not connected to any of your accounts</);
  assert.match(inbox.text, /Changes requested.*Offer two days\./s);
  assert.ok(inbox.text.includes(`href="${at(`${path}?view=edit`)}"`));
  const approve = await callAs(server, member(server, { approveOutbound: true }), "approve_answer", { answer_id: id });
  assert.equal(approve.body.code, "answer_not_open", "nobody approves it meanwhile");

  const edited = await send(`${path}?view=edit`, "edit_answer", {
    subject: "Re: Hello",
    body: "Great. Tuesday or Friday?",
  });
  assert.equal(edited.status, 303, edited.text);
  const { waiting, answer, before } = await reviewed();
  assert.deepEqual([waiting, answer.status, answer.note], [true, "needs_review", null]);
  assert.deepEqual([before.body, before.note], ["Great. Tuesday?", "Offer two days."]);
  const shown = (await browser.get(edited.location ?? "")).text;
  assert.match(shown, /Offer two days\./);
  assert.match(shown, /Text: 2 words added, 0 words removed/);
  assert.match(shown, /Tuesday<ins> or Friday<\/ins>\?/);
  assert.match(shown, /Subject: unchanged/);
});

test("an opt-out cancels an answer for which changes were requested", async (t) => {
  const { server } = await start(t);
  const contact = await newConversation(server);
  const { id } = await newAnswer(server, contact.id);
  await server.operator("request_answer_change", { answer_id: id, note: "Later." });
  await server.operator("add_suppression", { email: contact.email });
  assert.equal((await server.operator("get_review", { kind: "answer", id })).answer.status, "cancelled");
  const edit = { answer_id: id, subject: "Re: Hello", body: "Anyway." };
  await assert.rejects(server.operator("edit_answer", edit), { code: "answer_not_open" });
});

test("an edited action shows what the edit changed, and a returned one the note and what was done about it", async (t) => {
  const { agent, server, browser, at, send } = await start(t);
  const { id } = await agent.planned();
  const path = `/review/action/${id}`;
  assert.doesNotMatch((await browser.get(at(path))).text, />Changes</, "nothing has changed yet");
  const edited = await send(`${path}?view=edit`, "edit_socialnet_action", { copy: "Hello Ada." });
  assert.equal(edited.location, at(`${path}?view=diff`));
  const compared = (await browser.get(edited.location ?? "")).text;
  assert.match(compared, /Compared with the text as first proposed\./);
  assert.match(compared, /Hello<ins> Ada<\/ins>\./);
  assert.match(compared, /id="approve"/);

  assert.match(compared, /Text updated\. Read it again before you decide\./);

  const sentBack = await send(path, "change", { note: "Ask one question" });
  assert.match(
    (await browser.get(sentBack.location ?? "")).text,
    /changes requested with your note\. It needs review again once its text is edited\./,
  );
  const [today = ""] = /[^<>]* needs changes: [^<]*/.exec((await browser.get(at(""))).text) ?? [];
  assert.match(today, /“Ask one question”\. Edit or cancel it\./);
  assert.match(flashMessageText({ operation: "request_action_change" }), /Your team sees your note on the Today page/);
  const returned = (await browser.get(at(path))).text;
  assert.match(returned, /Changes requested<\/dt><dd>Ask one question/);
  assert.doesNotMatch(returned, /id="approve"/);
  await agent.person("edit_socialnet_action", { action_id: id, copy: "Hello Ada. Tuesday?" });
  const again = (await browser.get(at(`${path}?view=diff`))).text;
  assert.match(again, /requested changes: “Ask one question”\./);
  assert.match(again, /Hello Ada\.<ins> Tuesday\?<\/ins>/);
  assert.match(again, /Text edited by<\/dt><dd>Server admin/);
  const [review] = await server.operator("list_review", {});
  assert.equal(review.id, id);
});

test("the editor has what a decision needs, no approve button, and keeps what was typed beside a newer text", async (t) => {
  const { agent, browser, at } = await start(t);
  const { id, contact } = await agent.planned();
  const path = at(`/review/action/${id}?view=edit`);
  const page = await browser.get(path);
  assert.doesNotMatch(page.text, /id="approve"|id="change"/);
  assert.ok(page.text.includes(contact.socialnet_url));
  assert.match(page.text, /<textarea[^>]* autofocus/i);
  const form = formOf(page, "edit_socialnet_action");
  await agent.person("edit_socialnet_action", { action_id: id, copy: "By a teammate." });
  const refused = await browser.post(path, { ...form, copy: "Mine." });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Text changed to “By a teammate\.” after you opened this page/);
  assert.match(refused.text, /<textarea[^>]*>\s*Mine\./);
  await agent.person("approve_socialnet_action", { action_id: id });
  assert.doesNotMatch(
    (await browser.get(path)).text,
    /<textarea[^>]* name="copy"/,
    "what is approved is not edited here",
  );
});

test("Review shows the conversation so far, in both directions", async (t) => {
  const { agent, server, browser, at } = await start(t);
  const contact = await newConversation(server, { socialnet_url: "https://socialnet.example/in/grace" });
  const sent = { type: "socialnet_message", subject: "Fair", body: "We spoke at the fair." };
  const logged = await server.rest("POST", `/contacts/${contact.id}/activities`, { body: sent });
  assert.equal(logged.status, 201, logged.text);
  const answer = await newAnswer(server, contact.id);
  const action = await agent.planned({ contact });
  for (const path of [`/review/answer/${answer.id}`, `/review/action/${action.id}`]) {
    const shown = /<details class="more" open[^>]*><summary>Conversation so far.*?<\/details>/s.exec(
      (await browser.get(at(path))).text,
    )?.[0];
    assert.match(shown ?? "", /We spoke at the fair\..*class="inbound".*Sounds good\./s, path);
  }
});

test("an audience shows every message of every contact in full, above the button, and pins each", async (t) => {
  const { server, browser, at } = await start(t);
  const steps = [
    { type: "email", subject: "For {{first_name}}", body: "Dear {{first_name}} of {{company}}.", delay_days: 0 },
    { type: "wait", days: 2 },
    { type: "email", subject: "Again", body: "Any news, {{first_name}}?", delay_days: 0 },
  ];
  const { id: sequence_id } = await newSequence(server, { steps });
  const names = ["Ann", "Bea", "Cleo", "Dora", "Eve"];
  const contacts = [];
  for (const first_name of names) contacts.push(await newContact(server, { first_name, company: `${first_name} Ltd` }));
  const contact_ids = contacts.map(({ id }) => id);
  const { id } = await server.operator("approve_sequence", { sequence_id, contact_ids });
  const page = await browser.get(at(`/review/sequence/${id}`));
  const above = page.text.slice(0, page.text.indexOf('id="approve"'));
  for (const name of names) {
    assert.ok(above.includes(`For ${name}`) && above.includes(`Dear ${name} of ${name} Ltd.`), name);
    assert.ok(above.includes(`Any news, ${name}?`), name);
  }
  assert.doesNotMatch(/aria-label="Contacts".*?<\/ul>/s.exec(above)?.[0] ?? "", /<details/, "nothing is folded");
  const hashes = formOf(page, "approve")?.["copy_hashes:hashes"] ?? [];
  assert.equal(hashes.length, names.length);
  const chosen = await browser.get(at(`/sequences/${sequence_id}/audience`));
  for (const name of names) assert.ok(chosen.text.includes(`Dear ${name} of ${name} Ltd.`), `${name}, before`);
});

test("an approved document and an answer that has not left can be undone from the next page", async (t) => {
  const { server, browser, at, send } = await start(t);
  const card = await newCard(server, DOCUMENT_ITEM);
  const approved = await send(`/review/card/${card}`, "approve");
  const next = await browser.open(approved.location ?? "");
  assert.match(next.text, /data-key="z" data-key-label="Undo approval"/);
  const undone = await browser.post(at("/review"), formOf(next, "undo") ?? {});
  assert.equal(undone.location, at(`/review/card/${card}`));
  assert.equal((await server.operator("get_review", { kind: "card", id: card })).card.status, "pending");

  const { id } = await newAnswer(server, (await newConversation(server)).id);
  const shown = (await browser.get(at(`/review/answer/${id}`))).text;
  assert.match(shown, /<dt>From<\/dt><dd>[^<>]*address not set, because no mail server is connected</);
  assert.match(shown, /In the contact's thread\. Message IDs:\s+&lt;ours@x\.example/);
  const sent = await send(`/review/answer/${id}`, "approve");
  const after = await browser.open(sent.location ?? "");
  assert.match(after.text, /data-key="z" data-key-label="Undo send"/);
  const { contact_id } = (await server.operator("get_review", { kind: "answer", id })).answer;
  const waiting = /Answers not sent.*?<\/li>/s.exec((await browser.get(at(`/inbox/${contact_id}`))).text)?.[0] ?? "";
  assert.match(waiting, /Approved/, "it is saved to a file");
  assert.doesNotMatch(waiting, /Sending/);
  await browser.post(at("/review"), formOf(after, "undo") ?? {});
  assert.equal((await server.operator("get_review", { kind: "answer", id })).answer.status, "cancelled");
});
