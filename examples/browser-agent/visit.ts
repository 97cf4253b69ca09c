import type { Locator, Page, Request } from "playwright-core";
import type { Outcome, Seen } from "./outcomes.ts";

/** The texts that identify the network's pages. Another language needs another table. */
const WORDS = {
  captcha: /security check/i,
  restricted: /account is restricted/i,
  missing: /page doesn.t exist/i,
  sent: /^(Invitation|Message) sent/,
  notSent: /was not sent/i,
  limit: /invitation limit/i,
} as const;

const MOST_EVIDENCE = 2_000;

export type Wall = "login_required" | "captcha" | "restricted" | "missing";

/** A restricted account can do nothing, and nothing was done: the heartbeat reports the rest. */
const OF_WALL = {
  login_required: "login_required",
  captcha: "captcha",
  restricted: "not_sent",
  missing: "profile_unavailable",
} as const satisfies Record<Wall, Outcome>;

/** The obstacle on the open page. */
export async function wallOf(page: Page): Promise<Wall | undefined> {
  const heading = await page.getByRole("heading", { level: 1 }).first().innerText();
  if (await page.getByLabel("Password").isVisible()) return "login_required";
  if (WORDS.captcha.test(heading)) return "captcha";
  if (WORDS.restricted.test(heading)) return "restricted";
  return WORDS.missing.test(heading) ? "missing" : undefined;
}

/** Fills in the field that `prepare` finds on the profile, and clicks once. It never throws. */
async function sendFrom(
  page: Page,
  profileUrl: string,
  sent: Outcome,
  prepare: () => Promise<Seen | Locator>,
): Promise<Seen> {
  let button: Locator;
  try {
    await page.goto(profileUrl);
    const found = (await seenWall(page)) ?? (await prepare());
    if ("outcome" in found) return found;
    button = found;
    await button.click({ trial: true });
  } catch (error) {
    return { outcome: "not_sent", evidence: cut(`Nothing was clicked: ${firstLine(error)}`) };
  }
  return click(page, button, sent);
}

export function invite(page: Page, profileUrl: string, note: string): Promise<Seen> {
  return sendFrom(page, profileUrl, "connection_sent", async () => {
    if (await page.getByRole("link", { name: "Message" }).isVisible())
      return seen(page, "already_connected", "Connected.");
    if (await page.getByRole("button", { name: "Invitation pending" }).isVisible()) {
      return seen(page, "not_sent", "An invitation is pending.");
    }
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await fillExactly(dialog.getByLabel("Note"), note);
    return dialog.getByRole("button", { name: "Send invitation" });
  });
}

export function write(page: Page, profileUrl: string, text: string): Promise<Seen> {
  return sendFrom(page, profileUrl, "message_sent", async () => {
    const link = page.getByRole("link", { name: "Message" });
    if (!(await link.isVisible())) return seen(page, "not_sent", "Not connected.");
    await link.click();
    await page.waitForURL(/\/(messages|login|checkpoint)\b/);
    const wall = await seenWall(page);
    if (wall !== undefined) return wall;
    await fillExactly(page.getByLabel("Write a message"), text);
    return page.getByRole("button", { name: "Send message" });
  });
}

/**
 * The one click. From here on only the network's own confirmation shows the result: an error, an obstacle or a timeout
 * leaves it unknown, since the network may have acted already.
 */
async function click(page: Page, button: Locator, sent: Outcome): Promise<Seen> {
  const wall = page.getByRole("heading", { name: WORDS.captcha }).or(page.getByLabel("Password"));
  const word = page.getByRole("status").or(page.getByRole("alert")).or(wall).first();
  try {
    await Promise.all([button.click(), Promise.race([word.waitFor(), brokenConnection(page)])]);
    const text = await word.innerText();
    const heard = WORDS.sent.test(text) ? sent : WORDS.notSent.test(text) ? "not_sent" : "outcome_unknown";
    return await seen(page, heard === "not_sent" && WORDS.limit.test(text) ? "rate_limited" : heard, text);
  } catch (error) {
    return { outcome: "outcome_unknown", evidence: cut(`After the click: ${firstLine(error)}`) };
  }
}

/** Rejects if a page fails to load; otherwise it never settles. */
function brokenConnection(page: Page): Promise<never> {
  return new Promise((_, reject) => {
    page.on("requestfailed", (request: Request) => {
      if (request.isNavigationRequest()) reject(new Error("the connection broke before an answer."));
    });
  });
}

/** @throws if the field does not keep the exact text */
async function fillExactly(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  if ((await field.inputValue()) !== text.replaceAll("\r\n", "\n")) throw new Error("The field takes another text.");
}

async function seenWall(page: Page): Promise<Seen | undefined> {
  const wall = await wallOf(page);
  return wall && seen(page, OF_WALL[wall]);
}

async function seen(page: Page, outcome: Outcome, words?: string): Promise<Seen> {
  const said = words || (await page.getByRole("heading", { level: 1 }).first().innerText());
  return { outcome, evidence: cut(`${new URL(page.url()).pathname}: ${said}`) };
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0] ?? "";
}

function cut(text: string): string {
  return text.slice(0, MOST_EVIDENCE);
}
