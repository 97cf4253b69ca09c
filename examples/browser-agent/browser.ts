import { type BrowserContext, chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export interface BrowserOptions {
  /** The folder that holds the signed-in profile. Chromium lets one process at a time use it. */
  profile: string;
  executable: string;
  headless?: boolean;
}

/** Opens the browser on its profile; the cookies of the last time are there. */
export function openBrowser({ profile, executable, headless = true }: BrowserOptions): Promise<BrowserContext> {
  // A signal must not end the browser under a click: the agent closes it once it has finished.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launchPersistentContext(profile, { executablePath: executable, headless, args: FLAGS, ...signals });
}
