import assert from "node:assert/strict";
import { test } from "node:test";
import { rejectionText } from "../../src/console/pages/contacts/import.tsx";
import { smtpServer } from "../mail/smtp.ts";
import { asMember, asOwner, formOf } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const home = (server: TestServer) => `/console/w/${server.workspaceId}`;
const guideOf = (server: TestServer) => server.operator("get_setup_guide", {});
const doneOf = async (server: TestServer) => {
  const { email, contacts, key, call, teammate } = await guideOf(server);
  return [email, contacts, key, call, teammate].map(({ done }) => done);
};

/** A server without keys: that of the tests is revoked. */
async function fresh(t: Parameters<typeof startServer>[0]) {
  const server = await startServer(t, { files: false });
  for (const { id } of await server.operator("list_keys", {})) await server.operator("revoke_key", { key_id: id });
  return server;
}

test("the guide ticks itself off by what the workspace has, and ends when all is done", async (t) => {
  const server = await fresh(t);
  const { server: mail } = await smtpServer(t);
  const owner = await asOwner(server);
  assert.deepEqual(await doneOf(server), [false, false, false, false, false]);
  const empty = await owner.get(home(server));
  assert.match(empty.text, /Set up Rostrum/);
  assert.match(empty.text, /0<!-- --> of|0 of 5 steps done/);
  assert.doesNotMatch(empty.text, /No activity|all caught up/);

  const smtp = { host: "127.0.0.1", port: mail.port, security: "starttls" };
  await server.operator("set_mail_settings", { smtp, from: { address: "ops@b.example" } });
  assert.deepEqual(await doneOf(server), [false, false, false, false, false], "a test message shows that it works");
  await server.operator("send_test_email", { to: "a@b.example" });
  assert.equal((await owner.post(home(server), formOf(empty, "add_sample_contacts") ?? {})).status, 303);
  const form = formOf(empty, "create_key");
  assert.ok(form);
  const created = await owner.post(home(server), { ...form, name: "My first agent" });
  assert.equal(created.status, 200);
  const [key = ""] = /ros_live_[\w-]{43}/.exec(created.text) ?? [];
  assert.notEqual(key, "");
  assert.match(created.text, /Waiting for the first API call/);
  assert.deepEqual(await doneOf(server), [true, true, true, false, false]);
  assert.equal((await server.rest("GET", "/contacts", { key })).status, 200);
  await until(async () => (await guideOf(server)).call.done);
  assert.equal((await guideOf(server)).call.key_name, "My first agent");
  await server.operator("invite_member", { email: "g@b.example", name: "G", role: "rep" });
  assert.equal((await guideOf(server)).done, true);
  assert.doesNotMatch((await owner.get(home(server))).text, /Set up Rostrum/);
});

test("each person dismisses the guide for themselves, and can show it again", async (t) => {
  const server = await fresh(t);
  const owner = await asOwner(server);
  const admin = await asMember(server, { email: "admin@b.example", name: "Admin", role: "admin" });
  const shows = async (browser: typeof owner) => /Set up Rostrum/.test((await browser.get(home(server))).text);
  assert.deepEqual([await shows(owner), await shows(admin)], [true, true]);
  const form = formOf(await owner.get(home(server)), "set_setup_guide");
  const said = async ({ location }: { location: string | null }) => (await owner.get(location ?? "")).text;
  const hidden = await said(await owner.post(home(server), form ?? {}));
  assert.match(hidden, /Setup guide hidden\. You can show it again under Settings → Workspace\./);
  assert.deepEqual([await shows(owner), await shows(admin)], [false, true]);
  const settings = `${home(server)}/settings/workspace`;
  const back = formOf(await owner.get(settings), "set_setup_guide");
  assert.match(await said(await owner.post(settings, back ?? {})), /The setup guide is on your Today page again\./);
  assert.equal(await shows(owner), true);
  const rep = await asMember(server, { email: "rep@b.example", name: "Rep", role: "rep" });
  assert.equal(await shows(rep), false);
  await assert.rejects(server.operator("set_setup_guide", { hidden: true }), { code: "validation_failed" });
});

test("sample contacts are added once and removed together", async (t) => {
  const server = await startServer(t);
  const { added } = await server.operator("add_sample_contacts", {});
  assert.equal(added, 10);
  assert.equal((await server.operator("add_sample_contacts", {})).added, 0);
  await server.rest("POST", "/contacts", { body: { email: "own@b.example" } });
  const owner = await asOwner(server);
  const list = await owner.get(`${home(server)}/contacts`);
  const form = formOf(list, "remove_sample_contacts");
  assert.equal((await owner.post(`${home(server)}/contacts`, form ?? {})).status, 303);
  const { data } = (await server.rest("GET", "/contacts")).body;
  assert.deepEqual(
    data.map(({ email }: { email: string }) => email),
    ["own@b.example"],
  );
});

const FILE = ["Email,First name,Company,Notes", "ada@b.example,Ada,Engines,x", "no address,Bob,,", ",,,"].join("\r\n");

test("a dropped file is previewed with its faults, imported, and its rejected rows can be downloaded", async (t) => {
  const server = await startServer(t);
  const rep = await asMember(server, { email: "rep@b.example", name: "Rep", role: "rep" });
  const path = `${home(server)}/contacts/import`;
  const upload = async (fields: Record<string, string | Blob | string[]>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (Array.isArray(value)) for (const one of value) body.append(name, one);
      else if (value instanceof Blob) body.append(name, value, "people.csv");
      else body.append(name, value);
    }
    const cookie = [...rep.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(server.listening + path, {
      method: "POST",
      body,
      headers: { origin: server.listening, cookie },
    });
    return { status: response.status, text: await response.text() };
  };
  const preview = await upload({ file: new Blob([`\uFEFF${FILE}`]) });
  assert.equal(preview.status, 200, preview.text);
  assert.match(preview.text, /1 new/);
  assert.match(preview.text, /1 rejected/);
  assert.match(preview.text, /Email is invalid\. Use the form name@example\.com\./);
  assert.equal((await server.operator("list_contacts", {})).length, 0);
  const columns = ["email", "first_name", "company", ""];
  const done = await upload({ text: FILE, column: columns, _act: "import" });
  assert.match(done.text, /Import complete/);
  const [, csv = ""] = /href="data:text\/csv;charset=utf-8,([^"]*)"/.exec(done.text) ?? [];
  assert.match(
    decodeURIComponent(csv),
    /^Email,First name,Company,Notes,row,reason\nno address,Bob,,,3,"email must be/,
  );
  const [contact, ...none] = await server.operator("list_contacts", {});
  assert.deepEqual([contact.email, contact.first_name, contact.company, none], ["ada@b.example", "Ada", "Engines", []]);
  const again = await upload({ text: FILE, column: columns, _act: "import" });
  assert.match(again.text, /Nothing changed, because this list was already imported\./);
  assert.doesNotMatch(again.text, /Import complete/);
  assert.equal((await upload({ file: new Blob([Buffer.from([0xc3, 0x28, 0x41])]) })).status, 400);
  assert.equal((await upload({ file: new Blob(["a".repeat(5_000_000)]) })).status, 413);
});

test("the preview says why a row is rejected in the words of the page", () => {
  const cases = [
    ["row: has no email, first name or last name. Add at least one.", "Row has no email, first name or last name."],
    ["row has 5 cells and the header has 4. Quote cells that contain the delimiter", "Row has 5 cells and the header"],
    ["socialnet_url must be a web address. Start it with https://", "Profile URL must be a web address."],
    ["tags.1 must be 100 characters or fewer", "Tags must be 100 characters or fewer."],
    ["Another text", "Another text"],
  ] as const;
  for (const [reason, says] of cases) assert.ok(rejectionText(reason).startsWith(says), rejectionText(reason));
});

test("pasted lines become contacts, with or without names and headers", async (t) => {
  const server = await startServer(t);
  const preview = (text: string) => server.operator("preview_import", { text });
  const lines = await preview('"Ada Lovelace" <ada@b.example>\n\ngrace@b.example\n');
  assert.deepEqual([lines.columns, lines.create, lines.reject], [["name", "email"], 2, 0]);
  const table = await preview("Ada Lovelace\tada@b.example\thttps://b.example\nBob\tbob@b.example\t\n");
  assert.deepEqual(table.columns, ["name", "email", "website"]);
  assert.equal(table.rows_total, 2);
  await assert.rejects(preview("Email\n"), { code: "validation_failed" });
  const text = Array.from({ length: 600 }, (_, i) => `p${i}@b.example`).join("\n");
  const counts: number[] = [];
  for (let finished = false; !finished; ) {
    const step = await server.operator("import_text", { text });
    assert.equal(step.imported_before, false);
    counts.push(step.rows_done);
    finished = step.finished;
  }
  assert.deepEqual(counts, [250, 500, 600]);
  const again = await server.operator("import_text", { text });
  assert.deepEqual([again.created, again.imported_before], [600, true], "again: nothing changes");
  const viewer = member(server, { role: "viewer" });
  assert.equal((await callAs(server, viewer, "import_text", { text })).status, 403);
});
