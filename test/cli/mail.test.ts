import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BadSetting, readConfig } from "../../src/config.ts";
import { deadPort } from "../http-client/receiver.ts";
import { smtpServer } from "../mail/smtp.ts";
import { temporaryFolder } from "../support/server.ts";
import { document, rostrum, rostrumEach } from "./process.ts";

const MAIL_FROM = "Acme <sales@acme.example>";

test("a mail server URL gives host, port, TLS and login, with the defaults of its scheme", () => {
  const of = (smtp: string, imap: string) => {
    const { smtpUrl, imapUrl, mailFrom } = readConfig({}, { SMTP_URL: smtp, IMAP_URL: imap, MAIL_FROM });
    assert.deepEqual(mailFrom, { name: "Acme", address: "sales@acme.example" });
    return [smtpUrl, imapUrl];
  };
  assert.deepEqual(of("smtps://a%40b:p%3A%2F@Mail.example", "imaps://a:b@mail.example:1993/"), [
    { host: "mail.example", port: 465, secure: true, local: false, login: { user: "a@b", pass: "p:/" } },
    { host: "mail.example", port: 1993, secure: true, local: false, login: { user: "a", pass: "b" } },
  ]);
  assert.deepEqual(of("smtp://localhost", "imap://[::1]"), [
    { host: "localhost", port: 587, secure: false, local: true, login: undefined },
    { host: "::1", port: 143, secure: false, local: true, login: undefined },
  ]);
  assert.deepEqual(readConfig({}, {}).smtpUrl, undefined);
});

test("an unusable mail setting stops the start by its name, and its value is never shown", () => {
  const bad = [
    ...["mail.example", "https://mail.example", "smtp://", "smtp://mail.example/x", "smtp://user@mail.example"],
    ...[
      "smtp://u:SECRET@mail.example?tls.rejectUnauthorized=false",
      "smtp://u:SECRET%@mail.example",
      "smtp://h:0",
      "x#y",
    ],
  ];
  for (const url of bad) {
    assert.throws(
      () => readConfig({}, { SMTP_URL: url, MAIL_FROM }),
      (error: Error) =>
        error instanceof BadSetting &&
        /^SMTP_URL must be smtps:/.test(error.message) &&
        !error.message.includes("SECRET"),
      url,
    );
  }
  assert.throws(
    () => readConfig({}, { IMAP_URL: "smtp://mail.example", MAIL_FROM }),
    /^Error: IMAP_URL must be imaps:/,
  );
  assert.throws(() => readConfig({}, { MAIL_FROM: "Acme" }), /^Error: MAIL_FROM must be an email address/);
  assert.throws(() => readConfig({}, { SMTP_URL: "smtp://mail.example" }), /^Error: SMTP_URL requires MAIL_FROM/);
  assert.throws(() => readConfig({}, { IMAP_URL: "imap://mail.example" }), /^Error: IMAP_URL requires MAIL_FROM/);
});

test("doctor contacts the mail server only when told to", async (t) => {
  const { server, taken } = await smtpServer(t);
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, "data"), { mode: 0o700 });
  const dead = `127.0.0.1:${await deadPort()}`;
  const sound = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM };
  const broken = { ...sound, SMTP_URL: `smtp://u:SECRET@${dead}`, IMAP_URL: `imap://u:SECRET@${dead}` };
  await rostrum(["workspace", "create", "one"], { cwd });
  const [plain, asked, failed, none] = await rostrumEach([
    { args: ["doctor", "--json"], cwd, env: broken },
    { args: ["doctor", "--mail", "--json"], cwd, env: sound },
    { args: ["doctor", "--mail", "--json"], cwd, env: broken },
    { args: ["doctor", "--mail", "--json"], cwd },
  ]);
  const mail = (finished: typeof plain) =>
    document(finished as NonNullable<typeof plain>)
      .data.findings.filter(({ check }: { check: string }) => check === "smtp" || check === "imap")
      .map(({ check, ok, detail }: Record<string, unknown>) => [check, ok, detail]);
  assert.deepEqual([plain?.status, mail(plain)], [0, []]);
  const unread = ["imap", true, "there is no mailbox; replies and bounces are not read"];
  assert.deepEqual(
    [asked?.status, mail(asked)],
    [0, [["smtp", true, `127.0.0.1:${server.port} responds; sends as sales@acme.example`], unread]],
  );
  assert.equal(failed?.status, 1);
  for (const [check, ok, detail] of mail(failed)) {
    assert.ok((check === "smtp" || check === "imap") && ok === false && detail.startsWith(`${dead}: `), detail);
  }
  assert.equal(mail(failed).length, 2);
  assert.ok(!failed?.stdout.includes("SECRET"));
  assert.deepEqual([none?.status, mail(none)[0]?.[1], mail(none)[1]], [0, true, unread]);
  assert.deepEqual(taken, []);
});
