import type { TestContext } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { PASSWORD } from "../../examples/fake-network/network.ts";
import { type FakeSite, startFakeNetwork } from "../../examples/fake-network/site.ts";

export const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** One browser for all tests of a file; each test has pages of its own in it. */
let browser: Promise<Browser> | undefined;

export async function newPage(t: Pick<TestContext, "after">, options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= chromium.launch({ executablePath: EXECUTABLE, headless: true, args: FLAGS });
  const context = await (await browser).newContext(options);
  t.after(() => context.close());
  return context.newPage();
}

/** To be called once, after the last test of a file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

export async function startSite(t: Pick<TestContext, "after">): Promise<FakeSite> {
  const site = await startFakeNetwork();
  t.after(() => site.close());
  return site;
}

/** Signs a person in, as they would do it. */
export async function signIn(page: Page, site: Pick<FakeSite, "url">, handle: string): Promise<void> {
  await page.goto(site.url);
  await page.getByLabel("Name").fill(handle);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "My profile" }).waitFor();
}
