import type { IncomingMessage } from "node:http";
import { parseCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { Request } from "express";
import { problem } from "../../core/problem.ts";
import { SESSION_MAX_MS } from "../../domain/access/session-limits.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInRequest, SignInService } from "../../identity/sign-in.ts";
import { PROVIDER_SIGN_IN_MS } from "../../identity/single-sign-on.ts";
import type { SignIn } from "./member-api.ts";

/** Where a request was sent: behind TLS as the public address says, or to the listener itself. */
export interface Place {
  secure: boolean;
  port: string;
}

/** Whether cookies are for TLS alone is not the Host's to say: a proxy may write another one in its place. */
export function placeOf({ headers }: IncomingMessage, publicUrl: string | undefined): Place {
  const { protocol } = new URL(publicUrl ?? "http://localhost");
  const url = `http://${headers.host}`;
  return { secure: protocol === "https:", port: URL.canParse(url) ? new URL(url).port : "" };
}

/**
 * `__Host-` binds a cookie to this very host over TLS. Without TLS a name of its own for each port keeps two servers on
 * one machine apart, since cookies do not tell ports from each other.
 */
function sessionName({ secure, port }: Place): string {
  return secure ? "__Host-rostrum" : `rostrum_session_${port || "80"}`;
}

function cookiesOf({ headers }: IncomingMessage): Record<string, string | undefined> {
  return parseCookie(headers.cookie ?? "");
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

function sessionToken(request: IncomingMessage, place: Place): string | undefined {
  const token = cookiesOf(request)[sessionName(place)];
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

const set = (place: Place, rest: Pick<SetCookie, "name" | "value" | "maxAge">) =>
  stringifySetCookie({ path: "/", httpOnly: true, sameSite: "lax", secure: place.secure, ...rest });

export function sessionCookie(place: Place, token: string): string {
  return set(place, { name: sessionName(place), value: token, maxAge: SESSION_MAX_MS / 1_000 });
}

export function endedSession(place: Place): string {
  return set(place, { name: sessionName(place), value: "", maxAge: 0 });
}

const keptName = ({ secure }: Place) => (secure ? "__Host-rostrum_away" : "rostrum_away");

/** What the browser keeps while its person is at the provider of single sign-on. */
export function keptOf(request: IncomingMessage, place: Place): string | undefined {
  return cookiesOf(request)[keptName(place)];
}

export function keptCookie(place: Place, sealed: string | undefined): string {
  return set(place, {
    name: keptName(place),
    value: sealed ?? "",
    maxAge: sealed === undefined ? 0 : PROVIDER_SIGN_IN_MS / 1_000,
  });
}

/** The workspace that was looked at last, for addresses that name none. */
export function lastWorkspaceOf(request: IncomingMessage): string | undefined {
  return cookiesOf(request).rostrum_workspace;
}

export function lastWorkspaceCookie(place: Place, workspaceId: string): string {
  return set(place, { name: "rostrum_workspace", value: workspaceId, maxAge: 31_536_000 });
}

export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export function themeOf(request: IncomingMessage): Theme | undefined {
  return THEMES.find((theme) => theme === cookiesOf(request).rostrum_theme);
}

/** Without a theme, the system's own is followed again. */
export function themeCookie(place: Place, theme: Theme | undefined): string {
  return set(place, { name: "rostrum_theme", value: theme ?? "", maxAge: theme === undefined ? 0 : 31_536_000 });
}

/** The operation that a form has just called, for the page that follows, and of some the record: its id, and no word. */
export interface FlashMessage {
  operation: string;
  id?: string | undefined;
}

const SAID = /^([a-z_]{1,64})(?:\.([0-9a-f-]{36}))?$/;

export function flashMessageOf(request: IncomingMessage): FlashMessage | undefined {
  const [, operation, id] = SAID.exec(cookiesOf(request).rostrum_said ?? "") ?? [];
  return operation === undefined ? undefined : { operation, id };
}

export function flashMessageCookie(place: Place, operation: string | undefined, id?: string): string {
  const value = id === undefined ? operation : `${operation}.${id}`;
  return set(place, { name: "rostrum_said", value: value ?? "", maxAge: operation === undefined ? 0 : 30 });
}

/** console.js sends it where a page that is open fetches itself anew. */
const REFRESH_HEADER = "rostrum-refresh";

export function visitorOf(
  entrance: SignInService,
  request: IncomingMessage,
  publicUrl: string | undefined,
): Promise<Session | undefined> {
  const isUse = request.headers[REFRESH_HEADER] === undefined;
  return entrance.find(sessionToken(request, placeOf(request, publicUrl)), isUse);
}

export function signInRequestOf(request: Request, route: string, publicUrl: string | undefined): SignInRequest {
  const token = sessionToken(request, placeOf(request, publicUrl));
  return { address: request.ip, route: `${request.method} ${route}`, sessionToken: token };
}

/** The person door: which workspace is meant is said in a header where the person has several. */
export function memberSignIn(entrance: SignInService, publicUrl: string | undefined): SignIn {
  return async (request) => {
    const visitor = await visitorOf(entrance, request, publicUrl);
    if (visitor === undefined) throw problem("not_signed_in");
    const given = request.headers["rostrum-workspace"];
    const [only, ...more] = given === undefined ? await entrance.memberships(visitor) : [];
    if (more.length > 0) {
      throw problem("validation_failed", "Rostrum-Workspace: send the id of the workspace that is meant.");
    }
    const actor = await entrance.actor(visitor, given === undefined ? (only?.workspaceId ?? "") : String(given));
    if (actor === undefined) throw problem("not_signed_in", "You are no member of this workspace.");
    return actor;
  };
}
