import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The headless shell has the same engine and no window system: it takes two thirds of the CPU time. */
const DEFAULTS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;

export const CHROMIUM = process.env.CHROMIUM ?? DEFAULTS.find((path) => existsSync(path)) ?? DEFAULTS[1];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}
