import assert from "node:assert/strict";
import { test } from "node:test";
import { asMember } from "../support/http-browser.ts";
import { authorise, newContact, newSequence } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

const APPROVER = { email: "ap@b.example", name: "Grace", role: "rep", approve_outbound: true };
const STEP = { type: "email", subject: "Hi {{first_name}}", body: "{{job_title}} of {{company}}", delay_days: 0 };

/** The hidden fields of a form, each with all its values. */
function hiddenOf(text: string, id: string): [string, string][] {
  const form = new RegExp(`<form[^>]* id="${id}"[^>]*>(.*?)</form>`, "s").exec(text)?.[1] ?? "";
  const inputs = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return [...inputs].map(([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"')]);
}

async function start(t: Parameters<typeof startServer>[0]) {
  const server = await startServer(t);
  const sequence = await newSequence(server, { steps: [STEP] });
  const browser = await asMember(server, APPROVER);
  const at = `/console/w/${server.workspaceId}/sequences/${sequence.id}/audience`;
  return { server, sequence, browser, at };
}

test("the audience shows every value of every contact, marked, and hidden characters by number", async (t) => {
  const { server, browser, at } = await start(t);
  const job_title = `Call 0800 555 0199 or see http://evil.example ${"x".repeat(300)}`;
  await newContact(server, { first_name: "Ada\u202E", last_name: "Lovelace", job_title });
  const { text } = await browser.get(at);
  assert.ok(text.includes(job_title), "in full");
  for (const mark of ["Agent", "Long", "Link", "Phone number", "Hidden characters"])
    assert.ok(text.includes(mark), mark);
  assert.match(text, /Ada\[U\+202E\] Lovelace/);
  assert.match(text, /Mail server&#39;s address|Mail server's address/);
});

test("the form approves what it showed: a change in between is refused, shown, and approved once it was seen", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const ada = await newContact(server, { job_title: "Countess" });
  const approvals = async () => (await server.operator("get_sequence", { sequence_id: sequence.id })).approvals;
  const send = (text: string) => {
    const form: Record<string, string[]> = { "contact_ids:list": [ada.id] };
    for (const [name, value] of hiddenOf(text, "approve_sequence")) form[name] = [...(form[name] ?? []), value];
    return browser.post(at, form);
  };
  const read = await browser.get(at);
  await server.rest("PATCH", `/contacts/${ada.id}`, { body: { job_title: "Call 0800 555 0199" } });
  const refused = await send(read.text);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /changed while you were reviewing them/);
  assert.match(refused.text, /<del>Countess<\/del>/);
  assert.deepEqual(await approvals(), []);
  const done = await send(refused.text);
  assert.equal(done.status, 303, done.text);
  assert.equal((await approvals()).length, 1);
});

test("who applies an audience sees every value too, and who has changed since", async (t) => {
  const { server, sequence, browser } = await start(t);
  const [ada, bob] = [await newContact(server, { job_title: "Countess" }), await newContact(server)];
  const { id } = await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [ada.id, bob.id] });
  await server.rest("PATCH", `/contacts/${bob.id}`, { body: { job_title: "Evil genius" } });
  const { text } = await browser.get(`/console/w/${server.workspaceId}/review/sequence/${id}`);
  for (const value of ["Countess", "Evil genius", ada.email, bob.email]) assert.ok(text.includes(value), value);
  assert.equal(text.split("it would be on hold").length, 2, "of one of them");
  await authorise(server, sequence.id, [ada.id]);
});
