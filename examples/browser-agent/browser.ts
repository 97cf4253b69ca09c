import { type BrowserContext, chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export interface BrowserOptions {
  /** The folder of the signed-in profile. Chromium lets only one process at a time use it. */
  profile: string;
  executable: string;
  headless?: boolean;
}

/** Opens the browser on its profile, with the cookies of the last run. */
export function openBrowser({ profile, executable, headless = true }: BrowserOptions): Promise<BrowserContext> {
  // A signal must not end the browser during a click: the agent closes it once it has finished.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launchPersistentContext(profile, { executablePath: executable, headless, args: FLAGS, ...signals });
}
