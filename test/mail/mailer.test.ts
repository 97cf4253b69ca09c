import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import PostalMime from "postal-mime";
import type { SMTPServerOptions } from "smtp-server";
import type { MailServer } from "../../src/lib/mail-server.ts";
import { createMailer } from "../../src/mail/mailer.ts";
import { encodeMessage } from "../../src/mail/mime.ts";
import { certificateFor } from "../http-client/certificate.ts";
import { LOADER, programFile } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";
import { message } from "./messages.ts";
import { scriptedSmtp } from "./scripted.ts";
import { smtpServer } from "./smtp.ts";

async function mailerTo(t: TestContext, server: MailServer) {
  const mailer = await createMailer({
    server,
    folder: "/nonexistent",
    timeouts: { connectMs: 2_000, silenceMs: 2_000 },
  });
  t.after(() => mailer.close(0));
  return mailer;
}

const LOGIN = { user: "sales", pass: "p@ss" };
const takesLogin: SMTPServerOptions["onAuth"] = (auth, _session, done) =>
  auth.username === LOGIN.user && auth.password === LOGIN.pass
    ? done(null, { user: auth.username })
    : done(Object.assign(new Error("no"), { responseCode: 535 }));

test("a message arrives complete, only for its recipient, with the Message-ID that the outcome names", async (t) => {
  const { server, taken } = await smtpServer(t);
  const sent = message({ body: `.\n..dots\n${"ü".repeat(2_000)}\nend` });
  const outcome = await (await mailerTo(t, server)).send(sent);
  assert.ok(outcome.status === "accepted" && outcome.messageId === sent.messageId && outcome.answer.startsWith("250"));
  const [one, ...more] = taken;
  assert.deepEqual(more, []);
  assert.deepEqual([one?.from, one?.to], ["sales@acme.example", ["ada@lovelace.example"]]);
  const email = await PostalMime.parse(one?.raw ?? "");
  assert.equal(email.messageId, sent.messageId);
  assert.ok(email.text?.startsWith(`.\n..dots\n${"ü".repeat(2_000)}\nend\n`));
});

test("a long message arrives byte for byte, also where its server reads more slowly than it is written", async (t) => {
  const { server, taken } = await smtpServer(t, { readsAfterMs: 300 });
  // More than the sockets of both sides hold, and in many pieces.
  const sent = message();
  const options = {
    ...sent.options,
    text: Array.from({ length: 500_000 }, (_, i) => `.Zeile ${i}: Größe der Maschinen`).join("\n"),
  };
  const expected = encodeMessage(options);
  assert.equal((await (await mailerTo(t, server)).send({ ...sent, options })).status, "accepted");
  // A new boundary each time.
  const [written, arrived] = [String(expected), taken[0]?.raw ?? ""].map((raw) => raw.replaceAll(/_NmP-\w+/g, ""));
  assert.ok(arrived === written, `${arrived?.length} of ${written?.length} bytes`);
  assert.ok((await PostalMime.parse(taken[0]?.raw ?? "")).text?.startsWith(`${options.text}\n`));
});

test("fifty messages share at most five connections, and each arrives once", async (t) => {
  let open = 0;
  let most = 0;
  const { server, taken } = await smtpServer(t, {
    onConnect(_session, done) {
      open += 1;
      most = Math.max(most, open);
      done();
    },
    onClose: () => {
      open -= 1;
    },
  });
  const mailer = await mailerTo(t, server);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => mailer.send(message())));
  assert.ok(outcomes.every(({ status }) => status === "accepted"));
  assert.equal(new Set(taken.map(({ raw }) => /^Message-ID: (.*)$/m.exec(raw)?.[1])).size, 50);
  assert.equal(most, 5);
});

test("on this machine TLS is used if offered, with any certificate", async (t) => {
  const options = { ...certificateFor(["elsewhere.example"]), disabledCommands: [], onAuth: takesLogin };
  const { server, taken } = await smtpServer(t, options, { login: LOGIN });
  const mailer = await mailerTo(t, server);
  await mailer.verify();
  assert.equal((await mailer.send(message())).status, "accepted");
  assert.deepEqual([taken[0]?.secure, taken[0]?.user], [true, "sales"]);
});

test("on another machine nothing is sent in plain text: no login, no address, no message", async (t) => {
  const scripted = await scriptedSmtp(t, {}, { local: false, login: LOGIN });
  const mailer = await mailerTo(t, scripted.server);
  const outcome = await mailer.send(message());
  assert.deepEqual([outcome.status, "ours" in outcome && outcome.ours], ["transient", true]);
  await assert.rejects(mailer.verify());
  assert.deepEqual([...new Set(scripted.lines.map((line) => line.split(" ")[0]))].sort(), ["EHLO", "STARTTLS"]);
});

for (const secure of [true, false]) {
  test(`on another machine an untrusted certificate is refused (${secure ? "smtps" : "STARTTLS"})`, async (t) => {
    const options = { ...certificateFor(["127.0.0.1"]), secure, disabledCommands: [], onAuth: takesLogin };
    const { server, taken } = await smtpServer(t, options, { local: false, secure, login: LOGIN });
    const mailer = await mailerTo(t, server);
    const outcome = await mailer.send(message());
    assert.deepEqual([outcome.status, "ours" in outcome && outcome.ours], ["transient", true]);
    assert.match("detail" in outcome ? outcome.detail : "", /self-signed/i);
    await assert.rejects(mailer.verify(), /self-signed/i);
    assert.deepEqual(taken, []);
  });

  test(`on another machine a trusted certificate is accepted (${secure ? "smtps" : "STARTTLS"})`, async (t) => {
    const certificate = certificateFor(["127.0.0.1"]);
    const options = { ...certificate, secure, disabledCommands: [], onAuth: takesLogin };
    const { server, taken } = await smtpServer(t, options, { local: false, secure, login: LOGIN });
    const ca = join(temporaryFolder(t), "ca.pem");
    writeFileSync(ca, certificate.cert);
    // A process reads its trusted certificates at start.
    const program = `
      import { createMailer } from ${JSON.stringify(programFile("src/mail/mailer.ts"))};
      import { message } from ${JSON.stringify(programFile("test/mail/messages.ts"))};
      const mailer = await createMailer({ server: ${JSON.stringify(server)}, folder: "/nonexistent" });
      console.log((await mailer.send(message())).status);
      await mailer.close();`;
    const args = [...LOADER, "--input-type=module", "-e", program];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 });
    assert.equal(stdout.trim(), "accepted");
    assert.deepEqual([taken[0]?.secure, taken[0]?.user], [true, "sales"]);
  });
}

test("a message over the server's size limit is refused permanently, and does not count against its recipient", async (t) => {
  const { server } = await smtpServer(t, { size: 1_000 });
  const outcome = await (await mailerTo(t, server)).send(message({ body: "x".repeat(5_000) }));
  assert.deepEqual([outcome.status, "hard" in outcome && outcome.hard], ["permanent", false]);
});

test("a server's own Message-ID replaces ours, since replies will name that one", async (t) => {
  const scripted = await scriptedSmtp(t, { end: "250 2.0.0 OK <abc@DB9.prod.outlook.com> [Hostname=x]" });
  const outcome = await (await mailerTo(t, scripted.server)).send(message());
  assert.equal("messageId" in outcome && outcome.messageId, "<abc@DB9.prod.outlook.com>");
});

test("without a server messages are written as private .eml files, and none is sent", async (t) => {
  const folder = join(temporaryFolder(t), "mail");
  const mailer = await createMailer({ server: undefined, folder });
  assert.equal(mailer.kind, "files");
  await mailer.verify();
  const sent = message({ body: "first" });
  for (const text of ["first", "again"]) {
    const file = join(folder, `${sent.sendId}.eml`);
    const outcome = await mailer.send({ ...message({ sendId: sent.sendId, body: text }) });
    assert.deepEqual(outcome, { status: "written", file });
    assert.deepEqual(readdirSync(folder), [`${sent.sendId}.eml`]);
    const raw = readFileSync(file, "utf8");
    assert.ok(!/[^\r]\n/.test(raw), "lines end as mail programs want it");
    const email = await PostalMime.parse(raw);
    assert.deepEqual([email.messageId, email.text?.startsWith(text)], [sent.messageId, true]);
    assert.deepEqual([statSync(folder).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o600]);
  }
  await mailer.close();
});

test("a message that doesn't fit on the disk fails temporarily, and leaves no partial file", async (t) => {
  const folder = temporaryFolder(t);
  const mailer = await createMailer({ server: undefined, folder });
  const sent = message({});
  // Every write there fails with ENOSPC.
  symlinkSync("/dev/full", join(folder, `${sent.sendId}.eml.part`));
  const outcome = await mailer.send(sent);
  assert.equal(outcome.status, "transient");
  assert.match((outcome as { detail: string }).detail, /\.eml: the disk is full\. Free some space/);
  assert.deepEqual(readdirSync(folder), []);
  assert.equal((await mailer.send(sent)).status, "written");
  await mailer.close();
});

const OFFERS = "250-scripted.example\r\n250-SMTPUTF8\r\n250 8BITMIME";
const to = (address: string) => message({ to: { address, name: "" } });

test("an address that the server does not support is refused before anything is sent", async (t) => {
  const scripted = await scriptedSmtp(t, {});
  const mailer = await mailerTo(t, scripted.server);
  const outcome = await mailer.send(to("müller@x.example"));
  assert.equal(outcome.status, "unsendable");
  assert.match(
    "detail" in outcome ? outcome.detail : "",
    /^email: müller@x\.example has non-ASCII characters .+SMTPUTF8.+Use another/,
  );
  assert.deepEqual(
    scripted.lines.filter((line) => /^(?:MAIL|RCPT|DATA)/i.test(line)),
    [],
  );
  assert.equal((await mailer.send(to("ada@exämple.com"))).status, "accepted", "a domain has a form in ASCII");
  assert.ok(scripted.lines.includes("RCPT TO:<ada@xn--exmple-cua.com>"), scripted.lines.join());
  assert.equal((await mailer.send(to("ada@x.example"))).status, "accepted");
});

test("a non-ASCII address is sent unchanged to a server that supports it", async (t) => {
  const scripted = await scriptedSmtp(t, { ehlo: OFFERS });
  const mailer = await mailerTo(t, scripted.server);
  assert.equal((await mailer.send(to("müller@x.example"))).status, "accepted");
  assert.ok(scripted.lines.some((line) => line.startsWith("MAIL FROM:<sales@acme.example> SMTPUTF8")));
  const over = { ...certificateFor(["elsewhere.example"]), disabledCommands: [], onAuth: takesLogin };
  const { server, taken } = await smtpServer(t, over, { login: LOGIN });
  assert.equal((await (await mailerTo(t, server)).send(to("müller@x.example"))).status, "accepted", "over TLS too");
  assert.deepEqual(taken[0]?.to, ["müller@x.example"]);
});

test("a server whose features can't be read is retried, as for any message", async (t) => {
  for (const script of [
    { greeting: "cut" },
    { greeting: "421 4.3.2 Not now" },
    { ehlo: "cut" },
    { greeting: "hang" },
  ]) {
    const scripted = await scriptedSmtp(t, script);
    const outcome = await (await mailerTo(t, scripted.server)).send(to("müller@x.example"));
    assert.deepEqual([outcome.status, "ours" in outcome && outcome.ours], ["transient", true], JSON.stringify(script));
  }
});
