import assert from "node:assert/strict";
import { test } from "node:test";
import { readForm, toInput } from "../../src/console/app/form-data.ts";
import { createIdempotentForms } from "../../src/console/app/idempotent-forms.ts";
import { faultText, refusalText } from "../../src/console/ui/form.tsx";
import { problem, problems } from "../../src/core/problem.ts";
import { asOwner, Browser, freshSetupLink } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

test("a form keeps every value of a name in order, and one of more than 2,000 fields is refused", () => {
  const read = (fields: number) => readForm(Buffer.from("a=1&".repeat(fields - 1).concat("a=2")));
  const values = read(2_000).get("a") ?? [];
  assert.deepEqual([values.length, values[0], values.at(-1)], [2_000, "1", "2"]);
  assert.throws(() => read(2_001), { code: "payload_too_large" });
});

test("a form before sign-in accepts at most 16 KiB, one on a page 256 KiB, and both limits are reported", async (t) => {
  const server = await startServer(t);
  const large = { password: "x".repeat(17 * 1024) };
  for (const path of ["/console/sign-in", await freshSetupLink(server)]) {
    const refused = await new Browser(server).post(path, large);
    assert.equal(refused.status, 413, path);
    assert.match(refused.text, /larger than 16 KiB/);
  }
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/contacts`;
  const form = (kib: number) => ({ _do: "create_contact", first_name: "Ada", "notes:text": "x".repeat(kib * 1024) });
  assert.equal((await owner.post(path, form(100))).status, 303);
  assert.equal((await owner.post(path, form(257))).status, 413);
});

test("a name nested deeper than any input is ignored, without using the stack", () => {
  const deep = `a${".a".repeat(100_000)}`;
  const deepest = `b${".b".repeat(63)}`;
  const input = toInput(new Map([deep, deepest, `${deepest}.b`].map((name) => [name, ["1"]])));
  let depth = 0;
  for (let at: unknown = input; typeof at === "object"; at = (at as { b: unknown }).b) depth += 1;
  assert.deepEqual([Object.keys(input), depth], [["b"], 64]);
});

test("an accepted form is not run again; one that was refused or failed may be resent", async () => {
  let runs = 0;
  const once = createIdempotentForms<{ status: number }>(() => 0);
  const answering = (status: number) => async () => {
    runs += 1;
    return { status };
  };
  for (const [status, again] of [
    [303, 303],
    [409, 200],
    [503, 200],
  ] as const) {
    runs = 0;
    const sent = () => once("ada", `${status}`, answering(status));
    assert.deepEqual(await Promise.all([sent(), sent()]), [{ status }, { status }]);
    assert.equal(runs, 1);
    assert.deepEqual(await once("ada", `${status}`, answering(200)), { status: again });
  }
  const broken = async () => Promise.reject(new Error("broken"));
  await assert.rejects(once("ada", "b", broken), /broken/);
  assert.deepEqual(await once("ada", "b", answering(303)), { status: 303 });
});

test("a form without a stored answer runs once at a time, and again once it was answered", async () => {
  let runs = 0;
  const once = createIdempotentForms<{ status: number }>(() => 0);
  const sent = () => once("ada", "1", async () => ({ status: 300 + ++runs }), false);
  assert.deepEqual(await Promise.all([sent(), sent()]), [{ status: 301 }, { status: 301 }]);
  assert.deepEqual(await sent(), { status: 302 });
});

test("resending a form stops what a teammate restarted in between", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const owner = await asOwner(server, agent.clock.now());
  const root = `/console/w/${server.workspaceId}`;
  const pausedAt = async () => (await server.operator("get_workspace", {})).outreach.paused_at;
  const pause = { _do: "pause_outreach", _token: "p1", "reason:optional": "" };
  assert.equal((await owner.post(root, pause)).status, 303);
  await server.operator("resume_outreach", {});
  assert.equal((await owner.post(root, pause)).status, 303);
  assert.notEqual(await pausedAt(), null, "it says that it is paused, so it is");

  await server.operator("resume_outreach", {});
  const action = await agent.approved();
  const path = `${root}/agents/${agent.account.id}/actions/${action.id}`;
  const hold = { _do: "hold_socialnet_action", _token: "h1", action_id: action.id, "note:optional": "Wait." };
  assert.equal((await owner.post(path, hold)).status, 303);
  await server.operator("release_socialnet_action", { action_id: action.id });
  assert.equal((await owner.post(path, hold)).status, 303);
  assert.equal((await agent.look(action)).status, "held");

  // A form that restarts something must not repeat it: a teammate may have stopped it for a reason.
  const resume = { _do: "resume_outreach", _token: "r1" };
  await server.operator("pause_outreach", {});
  assert.equal((await owner.post(root, resume)).status, 303);
  await server.operator("pause_outreach", {});
  assert.equal((await owner.post(root, resume)).status, 303);
  assert.notEqual(await pausedAt(), null);
});

test("a person who sends many forms evicts only their own, and the number of remembered people is limited", async () => {
  let now = 0;
  const once = createIdempotentForms<{ status: number; by?: string }>(() => now);
  const answering = (by: string) => async () => ({ status: 303, by });
  await once("ada", "1", answering("first"));
  for (let i = 0; i < 400; i++) await once("grace", `${i}`, answering("x"));
  assert.equal((await once("ada", "1", answering("second"))).by, "first");
  assert.equal((await once("grace", "0", answering("again"))).by, "again");
  now = 700_000;
  await once("vic", "1", answering("x"));
  assert.equal((await once("ada", "1", answering("third"))).by, "third");
});

test("a form sent after the session has ended stays on the page, ready to send after the next sign-in", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/contacts`;
  const form = { _do: "create_contact", _token: "t1", first_name: "<Ada>", "last_name:optional": "" };
  const left = await new Browser(server).post(path, form);
  assert.equal(left.status, 401);
  assert.match(left.text, /name="first_name" value="&lt;Ada>"/);
  assert.match(left.text, /name="_token" value="t1"/);
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 0);
  assert.equal((await owner.post(path, form)).status, 303);
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
});

test("a page fragment requested after the session has ended leads to sign-in, and back to the page", async (t) => {
  const server = await startServer(t);
  const page = `/console/w/${server.workspaceId}/contacts?q=ada`;
  const headers = { "hx-request": "true", "hx-current-url": `${server.running.url}${page}` };
  const { status, headers: answered } = await new Browser(server).get(page, headers);
  assert.equal(status, 401);
  assert.equal(answered.get("hx-redirect"), `/console/sign-in?next=${encodeURIComponent(page)}`);
});

test("an error is shown only beside its own record; on another page it is at the top, with the typed text", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const made = await server.rest("POST", "/contacts", { body: { email: "a@x.example", first_name: "Ada" } });
  const other = await server.rest("POST", "/contacts", { body: { email: "b@x.example", first_name: "Bea" } });
  const at = (id: string) => `/console/w/${server.workspaceId}/contacts/${id}`;
  // The page of one record and a form about another, as after a queue has advanced.
  const form = { _do: "update_contact", id: made.body.data.id, first_name: "Only for Ada", email: "b@x.example" };
  const refused = await owner.post(at(other.body.data.id), form);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /id="lost-fault"[\s\S]*Only for Ada/);
  assert.doesNotMatch(refused.text, /<input[^>]*value="Only for Ada"/);
  const here = await owner.post(at(made.body.data.id), form);
  assert.match(here.text, /<input[^>]*value="Only for Ada"/);
  assert.doesNotMatch(here.text, /lost-fault/);
});

test("text typed about a record that was deleted in between is shown on the not-found page", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { body } = await server.rest("POST", "/contacts", { body: { email: "a@x.example" } });
  const path = `/console/w/${server.workspaceId}/contacts/${body.data.id}`;
  await server.operator("archive_contact", { contact_id: body.data.id });
  const refused = await owner.post(path, { _do: "update_contact", id: body.data.id, job_title: "Head of rosters" });
  assert.equal(refused.status, 404);
  assert.match(refused.text, /Not saved\.[\s\S]*Head of rosters/);
});

test("a form redirects only to pages of its workspace", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const root = `/console/w/${server.workspaceId}`;
  for (const then of ["a\nb", "é\u0000", "../../../account", "//evil.example/", "contacts?q=ada#x"]) {
    const made = await owner.post(`${root}/accounts`, { _do: "create_account", name: `N${then.length}`, _then: then });
    assert.equal(made.status, 303, JSON.stringify(then));
    assert.ok(made.headers.get("location")?.startsWith(root), JSON.stringify(then));
  }
});

test("an error names the field by its label, and counts rows and entries from one", () => {
  const cases = [
    ["scopes: has fewer than 1 entries.", "scopes", "Scopes", "Scopes: select at least one."],
    ["steps.2.body: is empty.", "steps.2.body", "Text", "Step 3: Enter the text."],
    [
      "facts.1: is longer than 5 characters; shorten it.",
      "facts",
      "Facts",
      "Facts (entry 2) is longer than 5 characters; shorten it.",
    ],
    ["title: is required.", "title", "Title", "Enter the title."],
    ["url: is required.", "url", "URL", "Enter the URL."],
    ["name: is required.", "name", "Your name", "Enter your name."],
    [
      "done_on: can only be set with status done. Remove it.",
      "done_on",
      "Done on",
      "Set a date only if the status is Done.",
    ],
    [
      "ends_at: is required for trial and financed billing. Enter when it ends.",
      "ends_at",
      "Ends at (UTC)",
      "Enter an end date for Trial and Fixed term.",
    ],
    ["value: is not a number.", "value", "Value", "Value must be a number, like 20."],
    ["password: is shorter than 12 characters.", "password", "Password", "Password is shorter than 12 characters."],
    [
      "tags: must have at least one tag. To add a single tag, you can send it in tag instead.",
      "tags",
      "Tags",
      "Enter at least one tag.",
    ],
    [
      "note: can't be blank when you request changes. Say what to change.",
      "note",
      "Changes needed",
      "Enter the changes needed.",
    ],
    ["text: choose a file or paste some lines", "text", "Or paste lines", "Choose a file or paste some lines."],
    [
      "copy: is already planned for this contact in action 01a2. Edit that action instead.",
      "copy",
      "Text",
      "This action is already planned for this contact. Edit it instead.",
    ],
    [
      "windows.0.to: must be later than the start time.",
      "windows.0.to",
      "End time",
      "Sending hours 1: End time must be later than the start time.",
    ],
    [
      "read_from: the sender changed since you read it. Review it again.",
      "read_from",
      "Read from",
      "The sender changed after you opened this page. Check it, then submit again.",
    ],
    [
      "steps.1: was removed, but active contacts have already reached step 3.",
      "steps.1.subject",
      "Subject",
      "Step 2 was removed, but active contacts have already reached step 3.",
    ],
    ["steps: can have 20 entries at most.", "steps.0.subject", "Subject", "Steps can have 20 entries at most."],
    [
      "windows: changed after you opened this page.",
      "windows.0.days",
      "Sending hours 1: days",
      "Sending hours changed after you opened this page.",
    ],
    [
      "windows.0.days: must have at least one entry.",
      "windows.0.days",
      "Sending hours 1: days",
      "Sending hours 1: days: select at least one.",
    ],
    [
      "from: is required with a mail server or a mailbox.",
      "from.address",
      "Sender address",
      "Sender address is required with a mail server or a mailbox.",
    ],
    [
      "email: mail programs read this address as a@1.0.0.2.",
      "email",
      "Email",
      "Email: mail programs read this address as a@1.0.0.2. Correct it.",
    ],
    [
      "until: must be a date and time such as 2026-11-20T09:30:00Z.",
      "until",
      "Until",
      "Until: choose a date and time.",
    ],
    [
      "website: must be an absolute URL. Start it with https://.",
      "website",
      "Website",
      "Website must be a full URL. Start it with https://.",
    ],
  ] as const;
  for (const [message, name, label, says] of cases) assert.equal(faultText(message, name, label), says);
});

test("a refusal about what a page read names no field", () => {
  const cases = [
    ["read_reply_id: the contact has written again. Read the new reply, then decide.", "The contact has written again"],
    ["contact_id: this contact has no email address. Add one, or answer elsewhere.", "This contact has no email"],
    [
      "enrollment_id: has an unconfirmed email. Set the outcome of the email with settle_send first.",
      "An email to this contact is",
    ],
    ["The record changed after you read it. Read it again and decide again.", "This item changed after you opened"],
    ["Send at least one of these fields: label, daily_limits.", "Enter at least one value."],
    ["set_plan needs the permission administer.", "You don't have the permission to do this."],
    ["approve_sequence needs the permission approve_outbound.", "This needs the permission to approve"],
    ["Only teammates with approve_outbound can set outcome to retry. Ask one of them.", "This needs the permission"],
    ["Setting automation_mode to automatic also requires the permission approve_outbound.", "To turn on automatic"],
    ["approve_outbound: can only be granted by an admin who has it, or by the server admin.", "Only the server admin"],
    [
      "Only super admins and the server admin can add, change or remove a super_admin. Ask one of them.",
      "Only super admins and the server admin can add, change or remove a super admin. Ask one of them.",
    ],
    [problems.outbound_gate_closed.means, "Sending is off on this server. Ask your server admin"],
    ["lifecycle: can't be customer until a teammate moves a deal to closed_won.", "The contact's stage changed"],
    [
      "This deal is at closed_lost. Move it to closed_won before you confirm it.",
      "This deal is no longer at Closed won.",
    ],
    ["sequence_id: has no activated approval for its current version.", "No activated audience covers"],
    ["approval_id: is not active for the current version of the sequence.", "No activated audience covers"],
    [
      "outcome: can't be retry because the enrollment has ended. Choose sent or not_sent.",
      "This email can't be sent again",
    ],
    ["to: must be a@x.example or b@x.example. Send one of them.", "The contact's address changed after you opened"],
    ["automation_mode: can't be automatic yet, because 2 planned actions are new.", "2 planned actions are new or"],
    ["automation_mode: can't be automatic yet, because action 01a2 is new.", "A planned action is new or changed"],
    [
      "steps_hash: does not match because the sender of this server's email is changing. Review it in a minute.",
      "The sender of this server's email is changing.",
    ],
    ["send_ids: must have at least one entry.", "Emails: select at least one."],
    ["text: has no rows below its header. Add some.", "The list has no rows"],
    ["columns: must fill at least one field", "Choose a field for at least one column."],
    ["from_row: this import continues at row 250, not at 0.", "This list is being imported in another tab"],
    ["socialnet_account_id: is not your account. Ask an admin to assign it to you.", "This account isn't yours."],
    ["email: is used by another contact in this workspace.", "Email is used by another contact"],
    ["contact_ids.3: is not the id of a contact. Remove it, or send another id.", "A selected contact was archived"],
    ["owner_id: is not the id of a current member. Choose a current member.", "This teammate was removed"],
    ["Changing label also requires the permission approve_outbound.", "To change this, you also need"],
    ["Changing from also requires the permission approve_outbound.", "To change the sender, you also need"],
    [
      "read_hold: is outdated, because the action is now on hold with an approval. Read the action again.",
      "This action is now on hold and approved.",
    ],
    [
      "read_hold: is outdated, because the action is now on hold without an approval. Read the action again.",
      "This action is now on hold and not approved.",
    ],
    [
      "read_hold: is outdated, because the action is now not on hold. Read the action again.",
      "This action is no longer on hold.",
    ],
    [
      "The self_hosted plan allows 5 contacts and you have 5. Archive some, or ask an admin to change the plan.",
      "Your plan's limit is reached: this workspace can have 5 contacts.",
    ],
    [
      "The webhook or subscription of this delivery has ended or is suspended. Add it again to get new events.",
      "This delivery can't be sent again",
    ],
    [
      "The webhook URL did not answer the challenge (http_5xx). Check that the endpoint is online and answers it.",
      "The endpoint URL didn't answer the challenge. Error: HTTP 5xx.",
    ],
    ["Your permissions changed during this request. Send it again.", "Your permissions changed in the meantime."],
    ["Something went wrong on the server. Give the correlationId to your server admin.", "Something went wrong"],
  ] as const;
  for (const [message, says] of cases) {
    const text = refusalText(problem("version_conflict", message));
    assert.ok(text.startsWith(says), text);
    assert.doesNotMatch(text, /[a-z]_[a-z]|correlationId/);
  }
});

test("a refusal names a status by its label, and no index of a selected item", () => {
  const cases = [
    ["This action is needs_review. Only an action that is planned or held can be changed this way.", "Unconfirmed"],
    ["This answer is cancelled. It can't be changed this way.", "Canceled"],
    ["This post is already changes_requested. Read it again.", "Changes requested"],
    ["This email has the status failed. Only an unconfirmed email can be marked.", "Failed"],
    ["This approval is applied. Only an approval that is not active yet can be withdrawn.", "Activated"],
  ] as const;
  for (const [message, label] of cases) {
    const said = `changed to “${label}” after you opened this page. Review it again.`;
    assert.ok(refusalText(problem("version_conflict", message)).endsWith(said), message);
    const ofItem = refusalText(problem("version_conflict", `items.0: ${message} Nothing was approved.`));
    assert.ok(
      ofItem.startsWith("Nothing was approved, because one of the selected items can't be approved. The status"),
      ofItem,
    );
    assert.ok(ofItem.endsWith(said), ofItem);
  }
  const edited = "items.0: content_hash is not the hash of the current text. Read it again. Nothing was approved.";
  assert.match(refusalText(problem("version_conflict", edited)), /The text changed after you opened this page\./);
});

test("an error in a step is shown beside its field, with the page's step number", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { text } = await owner.post(`/console/w/${server.workspaceId}/sequences/new`, {
    _do: "create_sequence",
    _form: "create_sequence",
    name: "Hello",
    "steps.0.type": "wait",
    "steps.0.days:number": "2",
    "steps.1.type": "email",
    "steps.1.subject": "Hello",
    "steps.1.body": "",
  });
  const [, body = ""] = /<label for="create_sequence-steps-1-body">(.*?)<\/div>/s.exec(text) ?? [];
  assert.match(body, /role="alert" id="create_sequence-fault">Step 2: Enter the message\.</);
  assert.equal(text.split('role="alert"').length, 2, "said once");
});

test("further errors name their fields by the labels of the page", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { text } = await owner.post(`/console/w/${server.workspaceId}/sequences/new`, {
    _do: "create_sequence",
    _form: "create_sequence",
    name: "",
    "steps.0.type": "wait",
    "steps.0.days:number": "soon",
    "steps.1.type": "email",
    "steps.1.subject": "Hello",
    "steps.1.body": "Hello",
    "steps.1.delay_days:number": "soon",
  });
  const [, more = ""] = /aria-label="More errors">(.*?)<\/ul>/s.exec(text) ?? [];
  assert.match(more, /Step 1: Wait \(days\) must be a number, like 20\.</);
  assert.match(more, /Step 2: Days after the previous step must be a number, like 20\.</);
});

test("a forged form with lists in place of text is refused and shown again", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  for (const [field, value] of [
    ["steps.0.note.0", "x"],
    ["steps.0.note.1.deep", "x"],
    ["steps.0.delay_days.0", "1"],
  ] as const) {
    const { status, text } = await owner.post(`/console/w/${server.workspaceId}/sequences/new`, {
      ...{ _do: "create_sequence", _form: "create_sequence", name: "Hello" },
      ...{ "steps.0.type": "socialnet_connect", [field]: value },
    });
    assert.equal(status, 400, field);
    assert.match(text, /create_sequence-steps-0-note/, field);
  }
});
