import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { findScreen } from "../src/console/app/screen.ts";
import { screens } from "../src/console/pages/index.ts";
import { launchChromium } from "../test/support/chromium.ts";

/**
 * Draws every screen of the demo, in light, in dark and as a phone shows it: `npm run screenshots -- [folder]`. They are
 * for people to look at; the folder, `screenshots` unless another is named, is not committed.
 *
 *     npm run screenshots -- --docs     # only the images of the README, into docs/images, which is committed
 */

const FOR_DOCS = process.argv[2] === "--docs";
const FOLDER = FOR_DOCS ? "docs/images" : (process.argv[2] ?? "screenshots");
/** The screen in the README. */
const README_PATH = "/review";
const WAYS = [
  { name: "light", colorScheme: "light", viewport: { width: 1_280, height: 850 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1_280, height: 850 } },
  { name: "phone", colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
] as const;
/** Pages of the entrance: before somebody has signed in, and after. */
const OUTSIDE = ["/console/sign-in", "/console/forgotten"];
const INSIDE = ["/console/account", "/console/workspaces"];
const WORKSPACE = /\/console\/w\/[0-9a-f-]{36}/;

const data = mkdtempSync(join(tmpdir(), "rostrum-screenshots-"));
/** The README shows a server that sends. */
const SENDING = FOR_DOCS ? { ROSTRUM_OUTBOUND_GATE: "open", ROSTRUM_SOCIALNET_EXECUTION: "on" } : {};
const server = spawn(process.execPath, ["--import", "tsx", "bin/rostrum.ts", "start", "--demo", "--port", "0"], {
  env: { ...process.env, ROSTRUM_DATA: data, ...SENDING },
  stdio: ["ignore", "pipe", "inherit"],
});
let browser: Browser | undefined;
try {
  const link = await printed(/https?:\/\/\S+\/console\/\S+/);
  browser = await launchChromium();
  mkdirSync(FOLDER, { recursive: true });
  const outside = new Map(OUTSIDE.map((path) => [path, new URL(path, link).href]));
  if (!FOR_DOCS) await draw(browser, outside.set("/console/setup", link));
  const page = await browser.newPage();
  await page.goto(link);
  await page.locator("main button[type=submit]").first().click();
  await page.waitForURL(WORKSPACE);
  if (FOR_DOCS) await drawForDocs(page);
  else await drawAll(browser, page, link, outside.size);
} finally {
  await browser?.close();
  server.kill("SIGINT");
  await new Promise((ended) => server.once("exit", ended));
  rmSync(data, { recursive: true, force: true });
}

/** What fits in a window, as a reader of the README sees it first. */
async function drawForDocs(page: Page): Promise<void> {
  const [workspace = ""] = WORKSPACE.exec(page.url()) ?? [];
  await page.setViewportSize({ width: 1_280, height: 800 });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(new URL(workspace + README_PATH, page.url()).href);
    await page.screenshot({ path: join(FOLDER, `review-${colorScheme}.png`) });
  }
  console.log(`The images of the README are in ${FOLDER}.`);
}

async function drawAll(drawn: Browser, page: Page, link: string, outside: number): Promise<void> {
  const found = await crawl(page);
  const missing = screens.filter(({ path }) => !found.has(path)).map(({ path }) => path);
  if (missing.length > 0) console.error(`No link of the demo leads to: ${missing.join(", ")}`);
  const storageState = await page.context().storageState();
  for (const path of INSIDE) found.set(path, new URL(path, link).href);
  await draw(drawn, found, storageState);
  console.log(`${found.size + outside} screens, each in ${WAYS.length} ways, are in ${FOLDER}.`);
}

type Signed = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function draw(drawn: Browser, addresses: Map<string, string>, storageState?: Signed): Promise<void> {
  for (const { name: way, ...options } of WAYS) {
    const context = await drawn.newContext({ ...options, ...(storageState && { storageState }) });
    const page = await context.newPage();
    for (const [path, address] of addresses) {
      await page.setViewportSize(options.viewport);
      await page.goto(address);
      // In a window as tall as the page, what stands at the window's edge stands at the page's.
      const height = await page
        .locator("body")
        .evaluate((body) => (body as unknown as { scrollHeight: number }).scrollHeight);
      await page.setViewportSize({ ...options.viewport, height: Math.max(height, options.viewport.height) });
      const name = path === "/" ? "today" : path.slice(1).replaceAll("/", "-").replaceAll(":", "");
      await page.screenshot({ path: join(FOLDER, `${name}.${way}.png`), fullPage: true });
    }
    await context.close();
  }
}

async function printed(what: RegExp): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const [found] = what.exec(line) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error("The server ended before it printed a link.");
}

/** One address of each screen that links lead to, from the page that is open. */
async function crawl(page: Page): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const waiting = [page.url()];
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const { pathname } = new URL(address);
    const path = findScreen(screens, pathname.replace(WORKSPACE, "") || "/")?.screen.path;
    if (path === undefined || found.has(path)) continue;
    found.set(path, address);
    await page.goto(address);
    const links = await page
      .locator("a[href]")
      .evaluateAll((all) => all.map((a) => (a as unknown as { href: string }).href));
    waiting.push(...links.filter((link) => WORKSPACE.test(link)));
  }
  return found;
}
