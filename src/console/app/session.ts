import type { IncomingMessage } from "node:http";
import { parseCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { Request } from "express";
import { NOT_A_MEMBER } from "../../core/policy.ts";
import { problem } from "../../core/problem.ts";
import { SESSION_MAX_MS } from "../../domain/access/session-limits.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInRequest, SignInService } from "../../identity/sign-in.ts";
import { PROVIDER_SIGN_IN_MS } from "../../identity/single-sign-on.ts";
import type { SignIn } from "./member-api.ts";

/** The scope of this request's cookies: TLS, by the public URL, and the port. */
export interface CookieScope {
  secure: boolean;
  port: string;
}

/** The Host header cannot say whether cookies need TLS, because a proxy may replace it. */
export function cookieScopeOf({ headers }: IncomingMessage, publicUrl: string | undefined): CookieScope {
  const { protocol } = new URL(publicUrl ?? "http://localhost");
  const url = `http://${headers.host}`;
  return { secure: protocol === "https:", port: URL.canParse(url) ? new URL(url).port : "" };
}

/**
 * `__Host-` binds a cookie to this host over TLS. Without TLS, the port is part of the name, because cookies are shared
 * between ports: two servers on one machine stay apart.
 */
function sessionName({ secure, port }: CookieScope): string {
  return secure ? "__Host-rostrum" : `rostrum_session_${port || "80"}`;
}

function cookiesOf({ headers }: IncomingMessage): Record<string, string | undefined> {
  return parseCookie(headers.cookie ?? "");
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

function sessionToken(request: IncomingMessage, scope: CookieScope): string | undefined {
  const token = cookiesOf(request)[sessionName(scope)];
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

const set = (scope: CookieScope, rest: Pick<SetCookie, "name" | "value" | "maxAge">) =>
  stringifySetCookie({ path: "/", httpOnly: true, sameSite: "lax", secure: scope.secure, ...rest });

export function sessionCookie(scope: CookieScope, token: string): string {
  return set(scope, { name: sessionName(scope), value: token, maxAge: SESSION_MAX_MS / 1_000 });
}

export function endedSession(scope: CookieScope): string {
  return set(scope, { name: sessionName(scope), value: "", maxAge: 0 });
}

const providerStateName = ({ secure }: CookieScope) => (secure ? "__Host-rostrum_away" : "rostrum_away");

/** The state that the browser keeps while its user is at the single sign-on provider. */
export function providerStateOf(request: IncomingMessage, scope: CookieScope): string | undefined {
  return cookiesOf(request)[providerStateName(scope)];
}

export function providerStateCookie(scope: CookieScope, sealed: string | undefined): string {
  return set(scope, {
    name: providerStateName(scope),
    value: sealed ?? "",
    maxAge: sealed === undefined ? 0 : PROVIDER_SIGN_IN_MS / 1_000,
  });
}

/** The last workspace that this browser opened, for addresses without one. */
export function lastWorkspaceOf(request: IncomingMessage): string | undefined {
  return cookiesOf(request).rostrum_workspace;
}

export function lastWorkspaceCookie(scope: CookieScope, workspaceId: string): string {
  return set(scope, { name: "rostrum_workspace", value: workspaceId, maxAge: 31_536_000 });
}

export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export function themeOf(request: IncomingMessage): Theme | undefined {
  return THEMES.find((theme) => theme === cookiesOf(request).rostrum_theme);
}

/** Without a theme, the console follows the system. */
export function themeCookie(scope: CookieScope, theme: Theme | undefined): string {
  return set(scope, { name: "rostrum_theme", value: theme ?? "", maxAge: theme === undefined ? 0 : 31_536_000 });
}

/** The operation that a form has just called, for the next page, and sometimes the record's id. It contains no text. */
export interface FlashMessage {
  operation: string;
  id?: string | undefined;
  /** Numbers of the result that the message contains. */
  counts?: readonly number[];
}

const FLASH = /^([a-z_]{1,64})(?:\.([0-9a-f-]{36}))?((?:~\d{1,9}){0,4})$/;

export function flashMessageOf(request: IncomingMessage): FlashMessage | undefined {
  const [, operation, id, counts = ""] = FLASH.exec(cookiesOf(request).rostrum_said ?? "") ?? [];
  return operation === undefined ? undefined : { operation, id, counts: counts.split("~").slice(1).map(Number) };
}

export function flashMessageCookie(scope: CookieScope, message: FlashMessage | undefined): string {
  const { operation = "", id, counts = [] } = message ?? {};
  const value = `${operation}${id === undefined ? "" : `.${id}`}${counts.map((count) => `~${count}`).join("")}`;
  return set(scope, { name: "rostrum_said", value, maxAge: message === undefined ? 0 : 30 });
}

/** console.js sends this header when an open page reloads itself, which does not extend the session. */
const REFRESH_HEADER = "rostrum-refresh";

export function sessionOf(
  signInService: SignInService,
  request: IncomingMessage,
  publicUrl: string | undefined,
): Promise<Session | undefined> {
  const isUse = request.headers[REFRESH_HEADER] === undefined;
  return signInService.find(sessionToken(request, cookieScopeOf(request, publicUrl)), isUse);
}

export function signInRequestOf(request: Request, route: string, publicUrl: string | undefined): SignInRequest {
  const token = sessionToken(request, cookieScopeOf(request, publicUrl));
  return { address: request.ip, route: `${request.method} ${route}`, sessionToken: token };
}

/** Signs in a call to the member API. A member of several workspaces selects one in a header. */
export function memberSignIn(signInService: SignInService, publicUrl: string | undefined): SignIn {
  return async (request) => {
    const session = await sessionOf(signInService, request, publicUrl);
    if (session === undefined) throw problem("not_signed_in");
    const given = request.headers["rostrum-workspace"];
    const [only, ...more] = given === undefined ? await signInService.memberships(session) : [];
    if (more.length > 0) {
      throw problem(
        "validation_failed",
        "Rostrum-Workspace: is required, because you belong to several workspaces. Send the workspace's ID.",
      );
    }
    const actor = await signInService.actor(session, given === undefined ? (only?.workspaceId ?? "") : String(given));
    if (actor === undefined) throw problem("not_signed_in", NOT_A_MEMBER);
    return actor;
  };
}
