import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deadPort } from "../http-client/receiver.ts";
import { type SmtpOptions, smtpServer } from "../mail/smtp.ts";
import { engineEnv } from "../support/engine-under-test.ts";
import { asMember, formOf } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { audited, authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const FROM = { name: "Robin", address: "sales@acme.example" };
const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const OPEN = { ROSTRUM_OUTBOUND_GATE: "open" };
const ADMIN = { email: "admin@acme.example", name: "Sam", role: "super_admin" };
const refusal = (code: string, message = /./) => ({ code, message });

const settingsOf = (server: TestServer) => server.operator("get_mail_settings", {});
const sequenceOf = (server: TestServer, id: string) => server.operator("get_sequence", { sequence_id: id });

async function start(t: TestContext, smtp: SmtpOptions = {}, env: Record<string, string> = OPEN) {
  const mail = await smtpServer(t, smtp);
  const server = await startServer(t, { env, files: false });
  const { port } = mail.server;
  const connect = (rest: object = {}) =>
    server.operator("set_mail_settings", {
      smtp: { host: "127.0.0.1", port, security: "starttls", ...rest },
      from: FROM,
    });
  return { ...mail, server, port, connect };
}

test("a mail server connected in the console sends without a restart, and never shows its password", async (t) => {
  const onAuth: SmtpOptions["onAuth"] = ({ username, password }, _, done) =>
    done(null, password === "a secret of ours" ? { user: username } : undefined);
  const { server, connect, taken } = await start(t, { onAuth, authOptional: true });
  assert.deepEqual(await settingsOf(server), { smtp: null, mailbox: null, from: null, last_test: null });
  const set = await connect({ username: "robin", password: "a secret of ours" });
  assert.deepEqual(set.from, { ...FROM, source: "console" });
  const { username, has_password, source } = set.smtp;
  assert.deepEqual([username, has_password, source], ["robin", true, "console"]);
  await until(async () => (await server.operator("get_server", {})).process.mail.smtp === "ready");

  const tested = await server.operator("send_test_email", { to: "sam@acme.example" });
  assert.equal(tested.last_test.status, "accepted", tested.last_test.detail);
  assert.deepEqual(
    taken.map(({ to, from, user }) => [to, from, user]),
    [[["sam@acme.example"], FROM.address, "robin"]],
  );

  const contact = await newContact(server);
  const { id } = await newSequence(server, { steps: [MAIL] });
  await until(async () => (await sequenceOf(server, id)).approvals !== undefined);
  await until(async () => {
    await authorise(server, id, [contact.id]).catch(() => undefined);
    return (await enroll(server, { sequence_id: id, contact_id: contact.id })).status === 201;
  });
  await server.operator("set_sequence_status", { sequence_id: id, status: "active" });
  await until(() => taken.length === 2);
  assert.deepEqual(taken[1]?.to, [contact.email]);

  const logs = JSON.stringify([await audited(server, "set_mail_settings"), await audited(server, "send_test_email")]);
  assert.match(logs, /"password_changed":true/);
  assert.doesNotMatch(logs, /a secret of ours/);
});

test("settings survive a restart, and the environment wins", async (t) => {
  const { server, connect, port } = await start(t, {}, {});
  await connect();
  const { folder, running } = server;
  await running.close();
  const env = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "ops@acme.example" };
  const again = await startServer(t, { folder, env: { ...engineEnv(folder), ...env }, files: false });
  const { smtp, from } = await settingsOf(again);
  assert.deepEqual([smtp.port, smtp.source], [1, "environment"]);
  assert.deepEqual(from, { name: "", address: "ops@acme.example", source: "environment" });
  for (const given of [{ smtp: { host: "127.0.0.1", port } }, { from: { address: "a@b.example" } }, { smtp: null }]) {
    await assert.rejects(
      again.operator("set_mail_settings", given),
      refusal("validation_failed", /SMTP_URL|MAIL_FROM/),
    );
  }
  await again.running.close();
  const third = await startServer(t, { folder, env: engineEnv(folder), files: false });
  assert.equal((await settingsOf(third)).smtp.port, port);
  assert.equal((await third.operator("get_workspace_status", {})).deployment.email, "send");
});

test("every server on the database follows what is set on one of them", async (t) => {
  const { server, connect } = await start(t, {}, {});
  const other = await startServer(t, { folder: server.folder, env: engineEnv(server.folder), files: false });
  const smtpOf = async (on: TestServer) => (await on.operator("get_server", {})).process.mail.smtp;
  assert.equal(await smtpOf(other), "not_configured");
  await connect();
  await until(async () => (await smtpOf(other)) === "ready");
  await other.operator("set_mail_settings", { smtp: null });
  await until(async () => (await smtpOf(server)) === "not_configured");
});

test("a change of the sender voids the approvals that people gave for the earlier one", async (t) => {
  const { server, connect } = await start(t, {}, {});
  await connect();
  const recorded = async () => (await server.operator("get_server", {})).process.mail.smtp === "ready";
  await until(recorded);
  const contact = await newContact(server);
  const { id } = await newSequence(server, { steps: [MAIL] });
  const { id: approval } = await authorise(server, id, [contact.id]);
  const statusOf = async () =>
    (await sequenceOf(server, id)).approvals.find((one: { id: string }) => one.id === approval).status;
  await server.operator("set_mail_settings", { smtp: { host: "127.0.0.1", port: 26, security: "starttls" } });
  await until(async () => (await settingsOf(server)).smtp.port === 26);
  assert.equal(await statusOf(), "applied", "another server is no other sender");
  await server.operator("set_mail_settings", { from: { ...FROM, address: "other@acme.example" } });
  await until(async () => (await statusOf()) === "voided");
  const [row] = await audited(server, "set_mail_from");
  assert.deepEqual(row.after.voided_approvals, [approval]);
});

test("only a server admin sees and changes the settings, and the sender takes approve_outbound", async (t) => {
  const { server } = await start(t, {}, {});
  const owner = member(server, { role: "owner", approveOutbound: true });
  for (const operation of ["get_mail_settings", "set_mail_settings", "send_test_email"]) {
    assert.equal((await callAs(server, owner, operation, { from: FROM })).status, 403, operation);
  }
  const admin = member(server, { role: "super_admin", approveOutbound: false });
  const refused = await callAs(server, admin, "set_mail_settings", { from: FROM });
  assert.equal(refused.status, 403);
  assert.match(refused.body.error ?? "", /approve_outbound/);
});

test("a stored password goes only to the server that it was entered for", async (t) => {
  const { server, connect, port } = await start(t, {}, {});
  await connect({ username: "robin", password: "a secret of ours" });
  const change = (smtp: object) =>
    server.operator("set_mail_settings", {
      smtp: { host: "127.0.0.1", port, security: "starttls", username: "robin", ...smtp },
    });
  assert.equal((await change({})).smtp.has_password, true);
  for (const smtp of [{ host: "mail.elsewhere.example" }, { port: 25 }, { username: "sam" }]) {
    await assert.rejects(change(smtp), refusal("validation_failed", /^smtp\.password must be entered again/));
  }
  await assert.rejects(
    server.operator("set_mail_settings", { mailbox: { host: "127.0.0.1", username: "robin" } }),
    refusal("validation_failed", /^mailbox\.password is required/),
  );
  assert.equal((await change({ username: null })).smtp.has_password, false);
});

test("settings that cannot work are refused with the field", async (t) => {
  const { server } = await start(t);
  const set = (given: object) => server.operator("set_mail_settings", given);
  await assert.rejects(set({ smtp: { host: "127.0.0.1" } }), refusal("validation_failed", /^from is required/));
  const away = { smtp: { host: "mail.acme.example" }, from: FROM };
  await assert.rejects(set(away), refusal("validation_failed", /^smtp needs ROSTRUM_PUBLIC_URL/));
  for (const host of ["a b", "http://mail.example", "mail.example:25", "user@mail.example"]) {
    await assert.rejects(set({ smtp: { host }, from: FROM }), refusal("validation_failed", /^smtp\.host /), host);
  }
  await assert.rejects(server.operator("send_test_email", { to: "a@b.example" }), refusal("mail_not_configured"));
});

test("the page saves the settings, sends a test message, and says how it ended", async (t) => {
  const { server, port, taken } = await start(t, {}, {});
  const admin = await asMember(server, { ...ADMIN, approve_outbound: true });
  const path = `/console/w/${server.workspaceId}/settings/email`;
  const page = await admin.get(path);
  assert.match(page.text, /No mail server: emails aren't sent/);
  const form = formOf(page, "set_mail_settings");
  assert.ok(form, page.text);
  const filled = { ...form, "from.address": FROM.address, "from.name": "Robin", "smtp.host": "127.0.0.1" };
  const unreachable = { ...filled, "smtp.security": "starttls", "smtp.port:number": String(await deadPort()) };
  const typo = await admin.post(path, { ...unreachable, "smtp.host": "no host" });
  assert.equal(typo.status, 400);
  assert.match(typo.text, /must be a host name/);
  const saved = await admin.post(path, unreachable);
  assert.equal(saved.status, 303, saved.text);
  const test = async () => admin.post(path, formOf(await admin.get(path), "send_test_email") ?? {});
  assert.equal((await test()).status, 303);
  assert.match((await admin.get(path)).text, /The test message was not sent/);
  assert.match((await admin.get(path)).text, /Failed.*ECONNREFUSED/s);

  const again = { ...unreachable, ...formOf(await admin.get(path), "set_mail_settings") };
  assert.equal((await admin.post(path, { ...again, "smtp.port:number": String(port) })).status, 303);
  assert.match((await admin.get(path)).text, /No test message has been sent with these settings/);
  assert.equal((await test()).status, 303);
  assert.match((await admin.get(path)).text, /Test message sent/);
  assert.deepEqual(taken[0]?.to, [ADMIN.email]);
});
