import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import PostalMime from "postal-mime";
import { COMMAND } from "../../src/lib/package.ts";
import { type SmtpOptions, smtpServer } from "../mail/smtp.ts";
import { asMember, asOwner, Browser, OWNER, PASSWORD, pathOf } from "../support/http-browser.ts";
import { keptLog } from "../support/log.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const GRACE = { email: "grace@b.example", name: "Grace", role: "rep" };
const NEW = "another password entirely";
const home = (server: TestServer) => `/console/w/${server.workspaceId}`;
/** The path of the link in a message, as a mail program shows it. */
async function linkIn(raw = ""): Promise<string> {
  const { text = "" } = await PostalMime.parse(raw);
  return pathOf(/^https?:\/\/\S+\/console\/(?:reset|invitation)\/[\w-]{43}$/m.exec(text)?.[0] ?? null);
}
/** As a mail server writes it: the case of a domain does not matter. */
const lower = (addresses: readonly string[]) => addresses.map((address) => address.toLowerCase());

async function start(t: TestContext, options: SmtpOptions = {}) {
  const mail = await smtpServer(t, options);
  const clock = new FakeClock();
  const kept = keptLog();
  const env = { SMTP_URL: `smtp://127.0.0.1:${mail.server.port}`, MAIL_FROM: "Rostrum <r@b.example>" };
  const server = await startServer(t, { env, clock, log: kept.log });
  const owner = await asOwner(server, clock.now());
  return { ...mail, clock, server, owner, logged: kept.text };
}

const forget = (server: TestServer, email: string) => new Browser(server).post("/console/forgotten", { email });

test("a member who forgot the password gets a one-time reset link, valid for 30 minutes, that ends every session", async (t) => {
  const { server, owner, taken, clock } = await start(t);
  assert.match((await new Browser(server).get("/console/sign-in")).text, /href="\/console\/forgotten"/);
  assert.equal((await forget(server, ` ${OWNER.email.toUpperCase()} `)).status, 200);
  await until(() => taken.length === 1);
  const [{ raw, to } = { raw: "", to: [] }] = taken;
  assert.deepEqual(lower(to), lower([OWNER.email]));
  assert.match(raw, /^Auto-Submitted: auto-generated\r$/m);
  assert.match(raw, /^From: Rostrum <r@b\.example>\r$/m);
  const link = await linkIn(raw);
  const browser = new Browser(server);
  assert.equal((await browser.post(link, { password: NEW })).status, 303);
  assert.equal((await owner.get(home(server))).status, 303, "the old session is over");
  assert.equal((await new Browser(server).signIn(OWNER.email)).status, 401);
  assert.equal((await new Browser(server).signIn(OWNER.email, NEW)).status, 303);
  assert.equal((await new Browser(server).post(link, { password: PASSWORD })).status, 410);
  await forget(server, OWNER.email);
  await until(() => taken.length === 2);
  clock.advance(30 * 60_000);
  assert.equal((await new Browser(server).get(await linkIn(taken[1]?.raw))).status, 410);
});

test("an unknown address gets the same response, and no email", async (t) => {
  const { server, taken } = await start(t);
  const tokenless = (text: string) => text.replaceAll(/[0-9a-f-]{36}/g, "");
  const unknown = await forget(server, "nobody@b.example");
  const known = await forget(server, OWNER.email);
  assert.equal(tokenless(unknown.text), tokenless(known.text));
  assert.deepEqual([unknown.status, known.status], [200, 200]);
  assert.ok(!known.text.includes(OWNER.email));
  await until(() => taken.length === 1);
  await until(async () => !(await server.running.store.notices.areDue(Number.MAX_SAFE_INTEGER)));
  assert.deepEqual(
    taken.map(({ to }) => lower(to)),
    [lower([OWNER.email])],
  );
  assert.equal((await forget(server, "no address")).status, 400);
});

test("an account gets at most three emails an hour, the response never changes, and an address that asks often must wait", async (t) => {
  const { server, taken } = await start(t);
  for (let i = 0; i < 5; i += 1) assert.equal((await forget(server, OWNER.email)).status, 200);
  await asMember(server, GRACE);
  await until(() => taken.length >= 3);
  for (let i = 0; i < 15; i += 1) assert.equal((await forget(server, `nobody-${i}@b.example`)).status, 200);
  const waits = await forget(server, GRACE.email);
  assert.equal(waits.status, 429);
  assert.ok(Number(waits.headers.get("retry-after")) > 0);
  await until(async () => !(await server.running.store.notices.areDue(Number.MAX_SAFE_INTEGER)));
  assert.equal(taken.filter(({ to }) => lower(to)[0] === OWNER.email.toLowerCase()).length, 3);
});

test("an invitation is also emailed with its own link, and whichever link is used first signs in", async (t) => {
  const { server, owner, taken } = await start(t);
  const shown = await owner.post(`${home(server)}/settings`, { _do: "invite_member", ...GRACE });
  assert.match(shown.text, /Invitation emailed to grace@b\.example/, "the page says so");
  const link = /\/console\/invitation\/[\w-]{43}/.exec(shown.text)?.[0] ?? "";
  await until(() => taken.some(({ to }) => to[0] === GRACE.email));
  const mailed = await linkIn(taken.at(-1)?.raw);
  assert.notEqual(mailed, link);
  const browser = new Browser(server);
  assert.equal((await browser.post(mailed, { password: PASSWORD })).status, 303);
  assert.equal((await browser.get(home(server))).status, 200);
  assert.equal((await new Browser(server).get(link)).status, 410);
});

test("a request does not wait for the mail server, and temporary refusals are retried with a new link", async (t) => {
  const refused: string[] = [];
  let opens = () => {};
  const opened = new Promise<void>((resolve) => {
    opens = resolve;
  });
  const { server, clock, taken } = await start(t, {
    answer: async ({ raw }) => {
      await opened;
      if (refused.push(raw) === 1) throw Object.assign(new Error("4.3.0 later"), { responseCode: 451 });
      return undefined;
    },
  });
  assert.equal((await forget(server, OWNER.email)).status, 200, "while the server has not answered");
  opens();
  await until(() => refused.length === 1);
  // In progress it is due after 15 minutes; once refused, after a minute.
  await until(() => server.running.store.notices.areDue(clock.now() + 60_000));
  clock.advance(61_000);
  await until(() => taken.length === 1);
  const [first, second] = await Promise.all(refused.map(linkIn));
  assert.notEqual(first, second);
  assert.equal((await new Browser(server).get(second ?? "")).status, 200);
});

test("no emailed link is in a file or in the log", async (t) => {
  const { server, taken, logged } = await start(t);
  await forget(server, OWNER.email);
  await server.operator("invite_member", GRACE);
  await until(() => taken.length === 2);
  const links = await Promise.all(taken.map(({ raw }) => linkIn(raw)));
  const tokens = links.map((link) => link.split("/").at(-1) ?? "?");
  const files = readdirSync(server.folder).filter((name) => name.startsWith("rostrum.db"));
  for (const name of files) {
    const bytes = readFileSync(join(server.folder, name), "latin1");
    for (const token of tokens) assert.ok(token.length === 43 && !bytes.includes(token), name);
  }
  for (const token of tokens) assert.ok(!logged().includes(token));
});

test("an account without a password is told how to sign in, and gets no link", async (t) => {
  const { server, taken } = await start(t);
  const { people } = server.running.store;
  await server.operator("invite_member", GRACE);
  await until(() => taken.length === 1);
  const moment = { now: Date.UTC(2026, 10, 20, 9), newId: () => "0190cccc-0000-7000-8000-000000000001" };
  await people.identify({ issuer: "https://id.example", subject: "1", email: GRACE.email }, moment);
  await forget(server, GRACE.email);
  await until(() => taken.length === 2);
  assert.match(taken[1]?.raw ?? "", /This account has no password/);
  assert.doesNotMatch(taken[1]?.raw ?? "", /\/console\/reset\//);
});

test("without a mail server the page names the admin and the command; without a public URL no links are emailed", async (t) => {
  const server = await startServer(t);
  const page = await new Browser(server).get("/console/forgotten");
  assert.match(
    page.text,
    /The command must run as the system user that runs the server/,
    "the admin runs the command, not the reader",
  );
  assert.match(page.text, /Email isn't set up/);
  assert.ok(page.text.includes(`${COMMAND} member reset-password`));
  assert.doesNotMatch(page.text, /<form/);
  assert.equal((await forget(server, OWNER.email)).status, 200);
  assert.equal(await server.running.store.notices.areDue(Number.MAX_SAFE_INTEGER), false);
});
