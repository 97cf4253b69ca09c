/**
 * Draws every screen of the demo, in light, in dark and as a phone shows it: `npm run screenshots -- [folder]`. They are
 * for people to look at; the folder, `screenshots` unless another is named, is not committed.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, chromium, type Page } from "playwright-core";
import { screens } from "../src/console/pages/index.ts";
import { findScreen } from "../src/console/screen.ts";

const FOLDER = process.argv[2] ?? "screenshots";
const WAYS = [
  { name: "light", colorScheme: "light", viewport: { width: 1_280, height: 850 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1_280, height: 850 } },
  { name: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;
const WORKSPACE = /\/console\/w\/[0-9a-f-]{36}/;

const data = mkdtempSync(join(tmpdir(), "rostrum-screenshots-"));
const server = spawn(process.execPath, ["--import", "tsx", "bin/rostrum.ts", "start", "--demo", "--port", "0"], {
  env: { ...process.env, ROSTRUM_DATA: data },
  stdio: ["ignore", "pipe", "inherit"],
});
let browser: Browser | undefined;
try {
  const link = await printed(/https?:\/\/\S+\/console\/\S+/);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const page = await browser.newPage();
  await page.goto(link);
  await page.locator("main button[type=submit]").first().click();
  await page.waitForURL(WORKSPACE);
  const found = await crawl(page);
  const missing = screens.filter(({ path }) => !found.has(path)).map(({ path }) => path);
  if (missing.length > 0) console.error(`No link of the demo leads to: ${missing.join(", ")}`);
  const storageState = await page.context().storageState();
  mkdirSync(FOLDER, { recursive: true });
  for (const { name: way, ...options } of WAYS) {
    const context = await browser.newContext({ ...options, storageState });
    const one = await context.newPage();
    for (const [path, address] of found) {
      await one.goto(address);
      const name = path === "/" ? "today" : path.slice(1).replaceAll("/", "-").replaceAll(":", "");
      await one.screenshot({ path: join(FOLDER, `${name}.${way}.png`), fullPage: true });
    }
    await context.close();
  }
  console.log(`${found.size} screens, each in ${WAYS.length} ways, are in ${FOLDER}.`);
} finally {
  await browser?.close();
  server.kill("SIGTERM");
  await new Promise((ended) => server.once("exit", ended));
  rmSync(data, { recursive: true, force: true });
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
