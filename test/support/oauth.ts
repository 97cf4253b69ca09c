import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { asMember, Browser, type Page } from "./http-browser.ts";
import type { Agent } from "./mcp.ts";
import type { Reply, TestServer } from "./server.ts";

export const REDIRECT = "http://127.0.0.1:4711/callback";
export const NAME = "Test Client";
const PROFILE = "https://socialnet.example/in/ada";

const base64url = (bytes: Buffer) => bytes.toString("base64url");

export interface OAuthReply {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

async function replyOf(response: Response): Promise<OAuthReply> {
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, body: text.startsWith("{") ? JSON.parse(text) : undefined };
}

export async function postForm(server: TestServer, path: string, form: Record<string, string> | string) {
  const body = typeof form === "string" ? form : new URLSearchParams(form).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return replyOf(await fetch(server.listening + path, { method: "POST", headers, body }));
}

export async function register(server: TestServer, metadata: unknown = { redirect_uris: [REDIRECT] }) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(metadata);
  return replyOf(await fetch(`${server.listening}/oauth/register`, { method: "POST", headers, body }));
}

export async function registered(server: TestServer, redirect = REDIRECT, name = NAME): Promise<string> {
  const { status, body, text } = await register(server, { client_name: name, redirect_uris: [redirect] });
  if (status !== 201) throw new Error(text);
  return body.client_id;
}

/** A client's authorization request, and the secrets that it keeps meanwhile. */
export class SignIn {
  readonly server: TestServer;
  readonly verifier = base64url(randomBytes(32));
  readonly query: Record<string, string>;

  constructor(server: TestServer, clientId: string, changes: Record<string, string | undefined> = {}) {
    this.server = server;
    const challenge = base64url(createHash("sha256").update(this.verifier).digest());
    const query = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: REDIRECT,
      state: "the state",
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource: server.mcpUrl.href,
      ...changes,
    };
    this.query = Object.fromEntries(
      Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  get path(): string {
    return `/console/authorize?${new URLSearchParams(this.query)}`;
  }

  open(browser: Browser): Promise<Page> {
    return browser.get(this.path);
  }

  /** Sends the form of an opened page, as filled in by the person. */
  async decide(browser: Browser, form: Record<string, string> = {}, path = this.path): Promise<Page> {
    const page = await browser.get(path);
    const consent = Browser.hidden(page, "consent");
    return browser.post(path, { consent, decision: "approve", ...NEW_ACCOUNT, ...form });
  }

  async code(browser: Browser, form: Record<string, string> = {}): Promise<string> {
    const page = await this.decide(browser, form);
    const code = answerOf(page).get("code");
    if (code === null) throw new Error(`${page.status} ${page.location} ${page.text}`);
    return code;
  }

  redeem(code: string, changes: Record<string, string | undefined> = {}): Promise<OAuthReply> {
    const { client_id = "", redirect_uri = "", resource = "" } = this.query;
    const form = {
      grant_type: "authorization_code",
      code,
      client_id,
      redirect_uri,
      resource,
      code_verifier: this.verifier,
      ...changes,
    };
    const sent = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return postForm(this.server, "/oauth/token", Object.fromEntries(sent));
  }
}

export const NEW_ACCOUNT = { account: "new", "new_account.label": "Ada", "new_account.profile_url": PROFILE };

/** The parameters that a client receives at its redirect URI. */
export function answerOf({ location }: Page): URLSearchParams {
  return location?.includes("?") ? new URL(location, "http://none").searchParams : new URLSearchParams();
}

export const APPROVER = { email: "ada@b.example", name: "Ada Approver", role: "rep", approve_outbound: true };

/** A rep who can also approve sends. */
export function asApprover(server: TestServer, workspaceId = server.workspaceId): Promise<Browser> {
  return asMember(server, APPROVER, workspaceId);
}

/** A connected client, and its credentials. */
export async function connected(server: TestServer, browser: Browser, clientId?: string) {
  const signIn = new SignIn(server, clientId ?? (await registered(server)));
  const code = await signIn.code(browser);
  const { body } = await signIn.redeem(code);
  return { signIn, code, key: body.access_token as string, clientId: signIn.query.client_id as string };
}

export function setup(server: TestServer, key: string): Promise<Reply> {
  return server.rest("POST", "/socialnet/actions", { key, body: { command: "setup" } });
}

export async function keyOf(server: TestServer, prefix: string): Promise<any> {
  const keys = await server.operator("list_keys", { minted_by: "sign_in", limit: 100 });
  return keys.find((key: any) => prefix.startsWith(key.prefix));
}

/** Asserts that a client sees the tools of its key, and can call them. */
export async function works(agent: Agent): Promise<void> {
  const { tools } = await agent.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["list_socialnet_actions", "socialnet_command"],
  );
  const { structuredContent, isError } = await agent.callTool({
    name: "socialnet_command",
    arguments: { command: "setup" },
  });
  assert.ok(!isError);
  assert.deepEqual([structuredContent?.data.bound, structuredContent?.data.account.label], [true, "Ada"]);
}

/** Revokes every key created by a sign-in. */
export async function revokeAll(server: TestServer): Promise<void> {
  for (const { id } of await server.operator("list_keys", { minted_by: "sign_in" })) {
    await server.operator("revoke_key", { key_id: id });
  }
}
