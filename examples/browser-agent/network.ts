import type { BrowserContext, Locator, Page } from "playwright-core";
import type { Observation, Seen, Session, SocialNetwork } from "./outcomes.ts";
import { invite, wallOf, write } from "./visit.ts";

const MOST_EXCERPT = 500;

export interface NetworkOptions {
  /** A browser in which a person is signed in. */
  browser: BrowserContext;
  /** The network's origin: the signed-in browser opens nothing else. */
  url: string;
  /** Time limit of a page. */
  timeoutMs?: number;
}

/** Drives the network's pages by what a person would see on them. */
export class PageNetwork implements SocialNetwork {
  readonly #browser: BrowserContext;
  readonly #url: string;
  readonly #timeoutMs: number;

  constructor({ browser, url, timeoutMs = 20_000 }: NetworkOptions) {
    this.#browser = browser;
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  look(): Promise<{ session: Session; profileUrl?: string }> {
    return this.#inTab(async (page) => {
      await page.goto(this.#url);
      const wall = await wallOf(page);
      if (wall === "missing") throw new Error(`There is no such network at ${this.#url}.`);
      if (wall !== undefined) return { session: wall };
      const own = page.getByRole("link", { name: "My profile" });
      return { session: "ready", profileUrl: this.#absolute(await own.getAttribute("href")) };
    });
  }

  connect(profileUrl: string, note: string): Promise<Seen> {
    return this.#atProfile(profileUrl, (page, address) => invite(page, address, note));
  }

  message(profileUrl: string, text: string): Promise<Seen> {
    return this.#atProfile(profileUrl, (page, address) => write(page, address, text));
  }

  inbox(): Promise<Observation[]> {
    return this.#inTab(async (page) => {
      await page.goto(new URL("/inbox", this.#url).href);
      const items = (list: string) => page.getByRole("list", { name: list }).getByRole("listitem").all();
      const seen: Observation[] = [];
      for (const item of await items("Accepted invitations")) {
        seen.push({ kind: "connection_accepted", ...(await this.#read(item)) });
      }
      for (const item of await items("Messages")) {
        const kind = /\breplied\b/.test(await item.locator("span").innerText()) ? "reply" : "message_received";
        const excerpt = (await item.locator("q").innerText()).slice(0, MOST_EXCERPT);
        seen.push({ kind, ...(await this.#read(item)), excerpt });
      }
      return seen.sort((a, b) => a.observedAt.localeCompare(b.observedAt));
    });
  }

  async #atProfile(profileUrl: string, act: (page: Page, address: string) => Promise<Seen>): Promise<Seen> {
    const address = addressOn(this.#url, profileUrl);
    if (address !== undefined) return this.#inTab((page) => act(page, address));
    return { outcome: "profile_unavailable", evidence: `${profileUrl} is no address of this network.` };
  }

  /** One tab per visit: closing it stops whatever a broken or hanging page still does. */
  async #inTab<T>(visit: (page: Page) => Promise<T>): Promise<T> {
    const page = await this.#browser.newPage();
    page.setDefaultTimeout(this.#timeoutMs);
    try {
      return await visit(page);
    } finally {
      await page.close().catch(() => undefined);
    }
  }

  async #read(item: Locator): Promise<Pick<Observation, "profileUrl" | "observedAt" | "externalKey">> {
    return {
      profileUrl: this.#absolute(await item.getByRole("link").first().getAttribute("href")),
      observedAt: (await item.locator("time").getAttribute("datetime")) ?? "",
      externalKey: (await item.getAttribute("id")) ?? "",
    };
  }

  #absolute(href: string | null): string {
    return new URL(href ?? "", this.#url).href;
  }
}

/** The URL of a profile on this network, as its pages write it: people omit the scheme or add `www.`. */
function addressOn(network: string, profileUrl: string): string | undefined {
  const absolute = /^[a-z][a-z\d+.-]*:\/\//i.test(profileUrl) ? profileUrl : `https://${profileUrl}`;
  if (!URL.canParse(absolute)) return undefined;
  const [own, given] = [new URL(network), new URL(absolute)];
  const bare = ({ host }: URL) => host.replace(/^www\./, "");
  return bare(own) === bare(given) ? new URL(own.origin + given.pathname + given.search + given.hash).href : undefined;
}
