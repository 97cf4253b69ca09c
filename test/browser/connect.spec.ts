import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { Application } from "../support/application.ts";
import { assertAccessible, closeBrowser, newPage, violations } from "../support/browser.ts";
import { asMember, PASSWORD } from "../support/http-browser.ts";
import { APPROVER, asApprover, REDIRECT, registered, SignIn } from "../support/oauth.ts";
import { startServer } from "../support/server.ts";

after(closeBrowser);

const CALL = { name: "socialnet_command", arguments: { command: "setup" } };

/** Where a client on this machine waits for its code. */
async function callback(t: Parameters<typeof newPage>[0]) {
  const seen: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://here");
    if (url.pathname === "/callback") seen.push(url.searchParams);
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Done</title><p>You can close this window.");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { seen, redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback` };
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("in a browser, a client signs in, gets consent, returns, and calls its tool until the key is revoked in settings", async (t) => {
  const server = await startServer(t);
  await asApprover(server);
  await asMember(server, { email: "olive@b.example", name: "Olive", role: "owner" });
  const { seen, redirectUrl } = await callback(t);
  const application = new Application(undefined, redirectUrl);
  const dial = () => new StreamableHTTPClientTransport(server.mcpUrl, { authProvider: application as any });
  const transport = dial();
  await assert.rejects(new Client({ name: "probe", version: "1" }).connect(transport), /Unauthorized/i);

  const page = await newPage(t);
  const faults: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(application.address?.href ?? "");
  await signIn(page, APPROVER.email);
  await page.getByRole("heading", { name: "Approve this client?" }).waitFor();
  assert.ok(await page.getByText(new URL(redirectUrl).host).isVisible());
  await assertAccessible(page, "the consent");
  await page.getByRole("button", { name: "Approve Official Client" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(seen.length, 0, "an account without a name is asked for again");
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Profile URL").fill("https://socialnet.example/in/ada");
  await page.getByRole("button", { name: "Approve Official Client" }).click();
  await page.getByText("You can close this window.").waitFor();
  assert.equal(seen.length, 1);
  await transport.finishAuth(seen[0] as URLSearchParams);
  const client = new Client({ name: "probe", version: "1" });
  await client.connect(dial());
  t.after(() => client.close());
  assert.ok(!(await client.callTool(CALL)).isError);

  await page.goto(`${server.listening}/console/account`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, "olive@b.example");
  // On a phone, entries that don't fit in the bar are behind More.
  await page.getByText("More", { exact: true }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "API keys" }).click();
  const row = page.getByRole("row").filter({ hasText: "Official Client" });
  assert.match((await row.textContent()) ?? "", /Ada.*Ada Approver.*Connected/);
  assert.deepEqual(await violations(page), [], "settings");
  await row.getByText("Revoke…").click();
  await page.getByRole("button", { name: "Revoke access" }).click();
  await page.getByText("Access revoked.").waitFor();
  await assert.rejects(client.callTool(CALL));
  // A refused form is a page with that status.
  assert.deepEqual(
    faults.filter((text) => !/status of 400/.test(text)),
    [],
  );
});

test("in a browser, an error in the client's request also reaches the client right after sign-in", async (t) => {
  const server = await startServer(t);
  await asApprover(server);
  const { seen, redirectUrl } = await callback(t);
  const asked = new SignIn(server, await registered(server, redirectUrl), {
    redirect_uri: redirectUrl,
    code_challenge_method: "plain",
  });
  const page = await newPage(t);
  await page.goto(server.listening + asked.path);
  await signIn(page, APPROVER.email);
  await page.getByText("You can close this window.").waitFor({ timeout: 10_000 });
  assert.deepEqual([seen[0]?.get("error"), seen[0]?.get("state")], ["invalid_request", "the state"]);
});

test("a page that frames the consent shows nothing of it, and a page that posts to it changes nothing", async (t) => {
  const server = await startServer(t);
  await asApprover(server);
  const asked = new SignIn(server, await registered(server));
  const address = server.listening + asked.path;
  const evil = createServer((request, response) => {
    const body =
      request.url === "/frame"
        ? `<iframe src="${address.replaceAll("&", "&amp;")}"></iframe>`
        : `<form method="post" action="${address.replaceAll("&", "&amp;")}"><input name="decision" value="approve"></form>`;
    response.writeHead(200, { "content-type": "text/html" }).end(body);
  });
  evil.listen(0, "127.0.0.1");
  await once(evil, "listening");
  t.after(() => evil.close());
  const elsewhere = `http://localhost:${(evil.address() as AddressInfo).port}`;

  const page = await newPage(t);
  await page.goto(address);
  await signIn(page, APPROVER.email);
  await page.getByRole("heading", { name: "Approve this client?" }).waitFor();
  const refused = page.waitForEvent("console", { predicate: (message) => /frame-ancestors/.test(message.text()) });
  await page.goto(`${elsewhere}/frame`);
  await refused;
  assert.equal(await page.frames()[1]?.getByRole("button").count(), 0);
  await page.goto(`${elsewhere}/post`);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === "POST"),
    page.evaluate("document.forms[0].submit()"),
  ]);
  assert.equal(answer.status(), 403);
  assert.deepEqual(await server.operator("list_socialnet_accounts", {}), []);
});

test("pages for members without permission, and for picking a workspace, pass axe with names of any length", async (t) => {
  const server = await startServer(t);
  await asApprover(server);
  const viewer = await asMember(server, { email: "v@b.example", name: "Vera", role: "viewer" });
  const { path } = new SignIn(server, await registered(server, REDIRECT, "W".repeat(200)));
  const page = await newPage(t);
  await page.setViewportSize({ width: 390, height: 844 });
  const fits = async () => ((await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number) <= 0;
  await page.goto(server.listening + path);
  await signIn(page, "v@b.example");
  await page.getByText("Ada Approver, ada@b.example").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.ok(await fits());
  const { workspaceId } = await server.neighbour();
  const { invitation_url } = await server.operator("invite_member", { ...APPROVER, email: "v@b.example" }, workspaceId);
  await viewer.post(new URL(invitation_url).pathname, {});
  await page.goto(server.listening + path);
  await page.getByRole("heading", { name: /^Which workspace is W+ for\?$/ }).waitFor();
  assert.deepEqual(await violations(page), []);
  assert.ok(await fits());
  await page.getByRole("link", { name: /neighbour/ }).click();
  await page.getByRole("heading", { name: "Approve this client?" }).waitFor();
  assert.ok(await fits());
});
