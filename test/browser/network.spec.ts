import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { type FakeNetwork, MODES, type Mode } from "../../examples/fake-network/network.ts";
import { closeBrowser, newPage, signIn, startSite } from "../support/browser.ts";

after(closeBrowser);

async function visit(t: TestContext, handle = "robin") {
  const [site, page] = [await startSite(t), await newPage(t)];
  await signIn(page, site, handle);
  const profile = (of: string) => page.goto(`${site.url}/in/${of}`);
  return { site, network: site.network, page, profile };
}

const sent = ({ executions }: FakeNetwork) => executions.map(({ at: _, ...execution }) => execution);
const heading = (page: Page) => page.getByRole("heading", { level: 1 }).innerText();

async function invite(page: Page, note: string): Promise<void> {
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill(note);
  await page.getByRole("button", { name: "Send invitation" }).click();
}

test("the password is required, and sign-in redirects only to the requested page of this site", async (t) => {
  const [site, page] = [await startSite(t), await newPage(t)];
  await page.goto(`${site.url}/in/ada-okafor`);
  await page.getByLabel("Name").fill("robin");
  await page.getByLabel("Password").fill("a guess");
  await page.getByRole("button", { name: "Sign in" }).click();
  assert.equal(await page.getByRole("alert").innerText(), "Name or password is wrong.");
  await page.getByLabel("Name").fill("robin");
  await page.getByLabel("Password").fill("a test password");
  await page.getByRole("button", { name: "Sign in" }).click();
  assert.equal(await heading(page), "Ada Okafor");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(`${site.url}/inbox`);
  assert.equal(await heading(page), "Sign in");
  for (const next of ["//elsewhere.example/", "https://elsewhere.example/", "/\\elsewhere.example"]) {
    const body = new URLSearchParams({ handle: "robin", password: "a test password", next });
    const answer = await fetch(`${site.url}/login`, { method: "POST", body, redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/"], next);
  }
});

test("an invitation becomes pending, accepting it makes a connection to message, and both see the conversation", async (t) => {
  const { site, network, page, profile } = await visit(t);
  await profile("ada-okafor");
  await invite(page, "Hello\nAda");
  assert.equal(await page.getByRole("status").innerText(), "Invitation sent to Ada Okafor.");
  await page.reload();
  assert.equal(await page.getByRole("status").count(), 0, "a notice is shown once");
  assert.ok(await page.getByRole("button", { name: "Invitation pending" }).isDisabled());
  assert.deepEqual(sent(network), [
    { kind: "connection_request", from: "robin", to: "ada-okafor", copy: "Hello\nAda" },
  ]);

  const hers = await newPage(t);
  await signIn(hers, site, "ada-okafor");
  await hers.getByRole("link", { name: "Inbox" }).click();
  await hers.getByRole("button", { name: "Accept" }).click();
  await profile("ada-okafor");
  await page.getByRole("link", { name: "Message" }).click();
  await page.getByLabel("Write a message").fill("Shall we talk?");
  await page.getByRole("button", { name: "Send message" }).click();
  assert.equal(await page.getByRole("status").innerText(), "Message sent.");
  assert.match(await page.getByRole("log").innerText(), /Shall we talk\?/);
  await hers.reload();
  assert.match(await hers.getByRole("list", { name: "Messages" }).innerText(), /Robin Ashworth wrote/);
  await page.goto(`${site.url}/inbox`);
  assert.match(await page.getByRole("list", { name: "Accepted invitations" }).innerText(), /Ada Okafor accepted/);
});

test("user input is escaped", async (t) => {
  const { site, network, page, profile } = await visit(t);
  await profile("priya-raman");
  assert.ok(await page.getByText("Founder of <Lumen> Orchard").isVisible());
  const nasty = `<script>document.title = "owned"</script>"'&amp;`;
  network.write("priya-raman", "robin", nasty);
  await page.goto(`${site.url}/inbox`);
  assert.equal(await page.locator("q").textContent(), nasty);
  assert.equal(await page.title(), "Inbox");
});

test("the site requests no other origin", async (t) => {
  const { site, page, profile } = await visit(t);
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(site.url)) foreign.push(request.url());
  });
  await profile("ada-okafor");
  await page.goto(`${site.url}/inbox`);
  await page.goto(`${site.url}/control`);
  assert.deepEqual(foreign, []);
});

test("a form resent by the browser counts once, and a newly filled one counts again", async (t) => {
  const { network, page, profile } = await visit(t);
  await profile("ada-okafor");
  const form = page.locator("form[action$=connect]");
  const once = await form.locator("[name=once]").inputValue();
  const post = (token: string) =>
    page.request.post(`${page.url()}/connect`, { form: { once: token, note: "Hello" }, maxRedirects: 0 });
  assert.deepEqual([(await post(once)).status(), (await post(once)).status()], [303, 303]);
  assert.equal(network.executions.length, 1);
  await post("another");
  assert.equal(network.executions.length, 2, "recorded although the first is pending");
});

test("a note over the length limit is refused, and nothing is sent", async (t) => {
  const { network, page, profile } = await visit(t);
  await profile("ada-okafor");
  await page.request.post(`${page.url()}/connect`, { form: { once: "1", note: "x".repeat(301) }, maxRedirects: 0 });
  await page.reload();
  assert.match(await page.getByRole("alert").innerText(), /at most 300 characters.*not sent/);
  assert.deepEqual(network.executions, []);
});

/** What a visitor of each mode sees on a profile, and after sending an invitation if possible. */
const SEEN: { [mode in Mode]: { profile: string; after?: RegExp; sent: number } } = {
  normal: { profile: "Ada Okafor", after: /^Invitation sent/, sent: 1 },
  login_wall: { profile: "Sign in", sent: 0 },
  captcha: { profile: "Let’s do a quick security check", sent: 0 },
  captcha_at_profiles: { profile: "Let’s do a quick security check", sent: 0 },
  captcha_on_send: { profile: "Ada Okafor", after: /security check/, sent: 0 },
  restricted: { profile: "Your account is restricted", sent: 0 },
  unavailable: { profile: "This page doesn’t exist", sent: 0 },
  rate_limited: { profile: "Ada Okafor", after: /weekly invitation limit/, sent: 0 },
  refuses: { profile: "Ada Okafor", after: /not sent/, sent: 0 },
  slow: { profile: "Ada Okafor", after: /^Invitation sent/, sent: 1 },
  ambiguous: { profile: "Ada Okafor", sent: 1 },
};

for (const mode of Object.keys(MODES) as Mode[]) {
  test(`for one visitor the network can be ${mode}: ${MODES[mode]}`, async (t) => {
    const { site, network, page, profile } = await visit(t);
    network.slowMs = 300;
    network.setMode(mode, "robin");
    const started = performance.now();
    await profile("ada-okafor");
    if (mode === "slow") assert.ok(performance.now() - started >= 300);
    const expected = SEEN[mode];
    assert.equal(await heading(page), expected.profile);
    if (mode === "ambiguous") {
      const broken = page.waitForEvent("requestfailed");
      await invite(page, "Hello");
      assert.match((await broken).failure()?.errorText ?? "", /RESET|EMPTY/);
    } else if (expected.after !== undefined) {
      await invite(page, "Hello");
      await page.getByText(expected.after).first().waitFor();
    }
    assert.equal(network.executions.length, expected.sent);

    const other = await newPage(t);
    await signIn(other, site, "mateo-ferreira");
    await other.goto(`${site.url}/in/ada-okafor`);
    assert.equal(await heading(other), "Ada Okafor");
  });
}

test("a manual page switches modes for all visitors or one, and shows what was received", async (t) => {
  const { site, network, page, profile } = await visit(t);
  await profile("ada-okafor");
  await invite(page, "Hello");
  await page.goto(`${site.url}/control`);
  assert.match(await page.getByRole("list", { name: "Executions" }).innerText(), /from robin to ada-okafor.*Hello/);
  await page.getByRole("combobox", { name: "Mode" }).selectOption("captcha");
  await page.getByRole("button", { name: "Switch" }).click();
  await page.getByLabel("Towards").selectOption("robin");
  await page.getByRole("combobox", { name: "Mode" }).selectOption("restricted");
  await page.getByRole("button", { name: "Switch" }).click();
  const modes = await page.getByRole("list", { name: "Modes" }).innerText();
  assert.match(modes, /Everybody: captcha[\s\S]*Robin Ashworth: restricted/);
  assert.deepEqual([network.modeFor("ada-okafor"), network.modeFor("robin")], ["captcha", "restricted"]);
  await profile("ada-okafor");
  assert.equal(await heading(page), "Your account is restricted");
});
