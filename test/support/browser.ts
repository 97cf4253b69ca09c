import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { PASSWORD } from "../../examples/fake-network/network.ts";
import { type FakeSite, startFakeNetwork } from "../../examples/fake-network/site.ts";
import { setupLink } from "../../src/services/access/links.ts";
import { launchChromium } from "./chromium.ts";
import { OWNER, PASSWORD as OWNER_PASSWORD } from "./http-browser.ts";
import type { TestServer } from "./server.ts";

/** One browser for all tests of a process; each test has its own pages. */
let browser: Promise<Browser> | undefined;

export async function newPage(t: Pick<TestContext, "after">, options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= launchChromium();
  const context = await (await browser).newContext(options);
  t.after(() => context.close());
  return context.newPage();
}

/** Must be called after the last test of a file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

/** Opens the printed setup link, and creates the owner by the form. The page is then on Today. */
export async function signUp(page: Page, server: TestServer): Promise<void> {
  const parts = { people: server.running.store.people, url: server.listening, now: Date.now() };
  await page.goto((await setupLink(parts, false)) ?? "");
  await fillSetup(page);
}

/** Creates the owner on the page of the setup link. */
export async function fillSetup(page: Page): Promise<void> {
  await page.getByLabel("Your name").fill(OWNER.name);
  await page.getByLabel("Email address").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER_PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
}

export async function startSite(t: Pick<TestContext, "after">): Promise<FakeSite> {
  const site = await startFakeNetwork();
  t.after(() => site.close());
  return site;
}

/** Signs a person in through the form. */
export async function signIn(page: Page, site: Pick<FakeSite, "url">, handle: string): Promise<void> {
  await page.goto(site.url);
  await page.getByLabel("Name").fill(handle);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "My profile" }).waitFor();
}

/** Presses a key once the page takes shortcuts: its script has loaded, and a double press is over. */
export async function hit(page: Page, key: string): Promise<void> {
  await page.locator("html[data-settled]").waitFor({ state: "attached" });
  await page.keyboard.press(key);
}

/** Goes to a section by keyboard: `g`, then the section's key. */
export async function goTo(page: Page, section: string): Promise<void> {
  const loaded = page.waitForEvent("load");
  await hit(page, "g");
  await page.keyboard.press(section);
  await loaded;
}

/** axe skips `target-size` unless it is named. Only violations are described, to save time. */
const AXE_OPTIONS = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: { "target-size": { enabled: true } },
  resultTypes: ["violations"],
};

/** The violations on the current page: the rule and the first element of each. */
export async function violations(page: Page): Promise<string[]> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(AXE_OPTIONS)})`)) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/**
 * Asserts that axe finds nothing on the open page, wide in light and narrow in dark, and that nothing is wider than it.
 * Nor on a screen of 320 px, which is what WCAG 1.4.10 asks for.
 */
export async function assertAccessible(page: Page, about: string): Promise<void> {
  await page.setViewportSize({ width: 320, height: 844 });
  await assertFits(page, `${about} 320`);
  for (const [colorScheme, width] of [["light", 1_280] as const, ["dark", 390] as const]) {
    // Otherwise colors are still changing from the other scheme.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 844 });
    assert.deepEqual(await violations(page), [], `${about} ${colorScheme} ${width}`);
    await assertFits(page, `${about} ${width}`);
  }
}

async function assertFits(page: Page, about: string): Promise<void> {
  const [wider, widest] = (await page.evaluate(`(() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    const out = [...document.body.querySelectorAll("*")].filter(
      (element) => over > 0 && element.checkVisibility() && element.getBoundingClientRect().right > innerWidth,
    );
    return [over, out.at(-1)?.outerHTML.slice(0, 200)];
  })()`)) as [number, string | undefined];
  assert.ok(wider <= 0, `${about}: ${wider} px wider than the screen: ${widest}`);
}
