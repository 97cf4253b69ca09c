import { setupLink } from "../../src/services/access/links.ts";
import { type Answer, send } from "./http.ts";
import type { TestServer } from "./server.ts";

export const PASSWORD = "correct horse battery";

/** The browser behavior that the console needs: keeps cookies, sends the Origin of its own pages, shows redirects. */
export class Browser {
  readonly server: TestServer;
  readonly cookies = new Map<string, string>();

  constructor(server: TestServer) {
    this.server = server;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send("GET", path, headers);
  }

  /** As `get`, and goes on to where the page leads. */
  async open(path: string): Promise<Page> {
    const page = await this.get(path);
    return page.status === 303 && page.location !== null ? this.get(page.location) : page;
  }

  async post(path: string, form: Form, headers: Record<string, string | undefined> = {}): Promise<Page> {
    const sent = { origin: this.server.listening, "content-type": "application/x-www-form-urlencoded", ...headers };
    const body = new URLSearchParams(
      Object.entries(form).flatMap(([name, value]) => [value].flat().map((v) => [name, v])),
    );
    const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return this.#send("POST", path, Object.fromEntries(given), body.toString());
  }

  async #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = { ...headers, ...(cookie === "" ? {} : { cookie }) };
    const answer = await send(new URL(path, this.server.listening), method, sent, body);
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0/i.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    // The places where an address may wrap are no part of its text.
    return { status: answer.status, headers: answer.headers, text: answer.text.replaceAll("<wbr/>", ""), location };
  }

  get session(): string | undefined {
    return [...this.cookies].find(([name]) => /rostrum_session|__Host-rostrum/.test(name))?.[1];
  }

  async signIn(email: string, password = PASSWORD): Promise<Page> {
    return this.post("/console/sign-in", { email, password });
  }

  /** The value of a hidden field of a page's first form that calls an operation. */
  static hidden(page: Page, name: string): string {
    return new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? "";
  }
}

type Form = Record<string, string | readonly string[]>;

export interface Page extends Answer {
  location: string | null;
}

/** The hidden fields of the form with this id, as a browser would send them; undefined if the page has no such form. */
export function formOf({ text }: Page, id: string): Record<string, string[]> | undefined {
  const form = new RegExp(`<form[^>]* id="${id}"[^>]*>(.*?)</form>`, "s").exec(text)?.[1];
  if (form === undefined) return undefined;
  const fields: Record<string, string[]> = {};
  for (const [, name = "", value = ""] of form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
    fields[name] = [
      ...(fields[name] ?? []),
      value.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"),
    ];
  }
  return fields;
}

/** A link of this server without its origin. */
export const pathOf = (url: string | null) => new URL(url ?? "http://none/none").pathname;

export async function freshSetupLink(
  { running, listening }: TestServer,
  demo = false,
  now = Date.now(),
): Promise<string> {
  return pathOf(await setupLink({ people: running.store.people, url: listening, now }, demo));
}

export const OWNER = { name: "Olive Owner", email: "Olive@Rostrum.example" };

/** A browser with the owner signed in. */
export async function asOwner(server: TestServer, now?: number): Promise<Browser> {
  const browser = new Browser(server);
  const entered = await browser.post(await freshSetupLink(server, false, now), { ...OWNER, password: PASSWORD });
  if (entered.status !== 303) throw new Error(entered.text);
  return browser;
}

interface Invited {
  email: string;
  name: string;
  role: string;
  approve_outbound?: boolean;
}

/** A browser with a new member signed in. */
export async function asMember(server: TestServer, who: Invited, workspaceId = server.workspaceId): Promise<Browser> {
  const { invitation_url } = await server.operator("invite_member", who, workspaceId);
  const browser = new Browser(server);
  const entered = await browser.post(pathOf(invitation_url), { password: PASSWORD });
  if (entered.status !== 303) throw new Error(entered.text);
  return browser;
}
