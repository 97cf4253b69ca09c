import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { closeBrowser, newPage } from "../support/browser.ts";
import { startServer } from "../support/server.ts";

after(closeBrowser);

async function openReference(t: TestContext) {
  const server = await startServer(t);
  const page = await newPage(t, { viewport: { width: 1_280, height: 900 } });
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const foreign = () =>
    requests.filter((url) => /^(https?|wss?):/.test(url) && new URL(url).origin !== server.listening);
  return { server, page, requests, foreign };
}

test("the reference renders every operation in a browser, requests no other origin, and logs no error", async (t) => {
  const { server, page, requests, foreign } = await openReference(t);
  const faults: string[] = [];
  page.on("requestfailed", (request) => faults.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`${message.text()} ${message.location().url}`);
  });
  await page.addInitScript(`const violations = [];
    window.violations = violations;
    document.addEventListener("securitypolicyviolation", (event) => {
      violations.push(event.violatedDirective + " " + event.blockedURI + " in " + event.sourceFile);
    });`);

  await page.goto(`${server.listening}/docs`);
  const { paths } = (await (await fetch(`${server.base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { summary: string }>>;
  };
  const titles = Object.values(paths).flatMap((path) => Object.values(path).map(({ summary }) => summary));
  assert.ok(titles.includes("Create a contact"));
  for (const title of titles) {
    await page.getByRole("heading", { name: title }).first().scrollIntoViewIfNeeded();
    assert.ok(await page.getByText(title).first().isVisible(), title);
  }
  await page.getByText("Create a contact").first().click();
  await page.evaluate("new Promise((idle) => requestIdleCallback(idle))");
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });

  assert.deepEqual(foreign(), []);
  assert.ok(requests.length >= 4, "page, scripts, bundle and description");
  assert.deepEqual(await page.evaluate("window.violations"), []);
  assert.deepEqual(faults, []);
});

test("a request tried out in the reference goes to this server, not to a proxy", async (t) => {
  const { server, page, requests, foreign } = await openReference(t);
  await page.goto(`${server.listening}/docs`);
  await page.getByPlaceholder("Token").filter({ visible: true }).first().fill(server.key);
  await page
    .getByRole("button", { name: /Test Request/ })
    .first()
    .click();
  const answered = page.waitForResponse((response) => response.url().startsWith(`${server.base}/contacts`));
  await page
    .getByRole("button", { name: /^Send get request/ })
    .first()
    .click();
  assert.equal((await answered).status(), 200);
  assert.deepEqual(foreign(), []);
  assert.ok(requests.every((url) => !url.includes(server.key)));
});
