import { createHash } from "node:crypto";
import type { Express, Request, Response } from "express";
import type { Invoke } from "../../core/invoke.ts";
import type { Operation } from "../../core/operation.ts";
import { Problem, problem } from "../../core/problem.ts";
import { MAX_BODY_BYTES, readBytes } from "../../http/body.ts";
import { requestId } from "../../http/reply.ts";
import type { ClientDirectory } from "../../identity/oauth/clients.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import { authorizePage } from "../pages/authorize/authorize.ts";
import { screens } from "../pages/index.ts";
import { faultPage, unsentFormPage } from "../pages/sign-in/error-pages.tsx";
import { signInPages } from "../pages/sign-in/index.ts";
import { createCounts } from "./counts.ts";
import { readForm, type Typed } from "./form-data.ts";
import { createIdempotentForms } from "./idempotent-forms.ts";
import { createLive } from "./live.ts";
import { requireOwnForm, requireOwnOrigin } from "./origin.ts";
import { goTo, type PageAnswer, pathWithin, send, sendFile, taken } from "./respond.ts";
import { findScreen } from "./screen.ts";
import {
  lastWorkspaceCookie,
  lastWorkspaceOf,
  placeOf,
  signInRequestOf,
  THEMES,
  themeCookie,
  visitorOf,
} from "./session.ts";
import { type WorkspaceParts, workspacePages } from "./workspace-pages.tsx";

export interface ConsoleParts {
  operations: readonly Operation[];
  invoke: Invoke;
  entrance: SignInService;
  clients: Pick<ClientDirectory, "find">;
  clock: Clock;
  log: Log;
  publicUrl: string | undefined;
  /** The address that people reach this server by. */
  url: () => string;
  /** Whether the server is reached from this machine alone. */
  staysHere: boolean;
  /** Changes whenever something was written. */
  version: () => number;
}

/** A form is this type alone: no other site's script can send it without being asked first. */
const FORM = /^application\/x-www-form-urlencoded *(;|$)/i;
/** Of a form at a door, where nobody has signed in. */
const MAX_DOOR_BYTES = 16 * 1024;
const WORKSPACE = /^\/console\/w\/([0-9a-f-]{36})(\/.*)?$/;

/** The console: pages for people, over the operations that everybody uses. Answers what ends its open connections. */
export function mountConsole(app: Express, parts: ConsoleParts): { close(): void } {
  const { entrance, publicUrl, clock } = parts;
  const newOnce = () => createIdempotentForms<PageAnswer>(() => clock.now());
  // Apart from those of members, and by address: who knocks there is not known.
  const onceAtDoor = newOnce();
  const counts = createCounts(parts.version, () => clock.now());
  const live = createLive({ ...parts, counts });
  const doors = [...signInPages, authorizePage({ ...parts, signInService: entrance })];
  const inWorkspace = workspacePages({ ...parts, once: newOnce(), counts, live } satisfies WorkspaceParts);

  // Whoever opens the address that the server printed wants its pages; programs are told where the API is.
  app.get("/", (request, response, next) =>
    request.accepts(["json", "html"]) === "html" ? response.redirect(302, "/console") : next(),
  );
  app.get("/console/static/:name", (request, response, next) => {
    if (!sendFile(String(request.params.name), response)) next();
  });

  async function answer(request: Request, path: string): Promise<PageAnswer | undefined> {
    const place = placeOf(request, publicUrl);
    const door = doors.find((candidate) => candidate.path.test(path));
    const visitor = await visitorOf(entrance, request, publicUrl);
    const most = visitor === undefined || door !== undefined ? MAX_DOOR_BYTES : MAX_BODY_BYTES;
    const secret = door?.secret === true;
    const isLeft = visitor === undefined && door === undefined && WORKSPACE.test(path) && request.method === "POST";
    if (isLeft) return unsentFormPage(request, await formOf(request, { secret, publicUrl, most: MAX_BODY_BYTES }));
    const posted = request.method === "POST" ? await formOf(request, { secret, publicUrl, most }) : undefined;
    if (path.startsWith("/console/static/")) return undefined;
    if (path === "/console/theme" && posted !== undefined) {
      const theme = THEMES.find((known) => known === posted.get("theme")?.[0]);
      return goTo(pathWithin(posted.get("back")?.[0]), themeCookie(place, theme));
    }
    if (door !== undefined) {
      const token = door.path.exec(path)?.[1] ?? "";
      const signInRequest = signInRequestOf(request, door.name, publicUrl);
      const ask = {
        request,
        token,
        session: visitor,
        signInRequest,
        place,
        signInService: entrance,
        clients: parts.clients,
        form: posted,
        now: clock.now(),
        isLocalOnly: parts.staysHere,
      };
      const sent = posted?.get("_token")?.[0] ?? "";
      if (posted === undefined || sent === "") return door.answer(ask);
      const key = createHash("sha256").update(JSON.stringify([path, ...posted]));
      return onceAtDoor(request.ip ?? "", key.digest("base64"), () => door.answer(ask));
    }
    if (visitor === undefined) {
      const to = signInFor(request);
      // A part of a page that is fetched by itself leads the page there, and is not put into it.
      return request.get("hx-request") === undefined ? goTo(to) : { status: 401, leads: to, html: "" };
    }
    const [, workspaceId, rest = "/"] = WORKSPACE.exec(path) ?? [];
    if (workspaceId !== undefined) {
      const made = await inWorkspace({ request, workspaceId, path: rest, visitor, place, form: posted });
      if (made === taken || made.status >= 400 || lastWorkspaceOf(request) === workspaceId) return made;
      return { ...made, cookies: [...(made.cookies ?? []), lastWorkspaceCookie(place, workspaceId)] };
    }
    return whereFrom(request, visitor, path.slice("/console".length));
  }

  /** An address that names no workspace means the only one, or the one that was looked at last. */
  async function whereFrom(request: Request, visitor: Session, path: string): Promise<PageAnswer | undefined> {
    const isFront = path === "" || path === "/";
    if (request.method === "POST" || (!isFront && findScreen(screens, path) === undefined)) return undefined;
    const all = await entrance.memberships(visitor);
    const last = lastWorkspaceOf(request);
    const meant = all.length === 1 ? all[0] : all.find(({ workspaceId }) => workspaceId === last);
    if (meant === undefined) return goTo("/console/workspaces");
    const { search } = new URL(request.originalUrl, "http://here");
    return goTo(`/console/w/${meant.workspaceId}${isFront ? "" : path}${search}`);
  }

  app.use((request: Request, response: Response, next) => {
    const path = request.path;
    if (path !== "/console" && !path.startsWith("/console/")) return next();
    const secret = doors.some((door) => door.secret && door.path.test(path));
    if (!["GET", "HEAD", "POST"].includes(request.method)) {
      response.setHeader("allow", "GET, HEAD, POST");
      return send(request, response, faultPage(request, problem("method_not_allowed", "Use GET, HEAD or POST here.")));
    }
    answer(request, path)
      .then((made) => made ?? faultPage(request, problem("route_not_found", "There is no such page.")))
      .catch((error: unknown) => {
        if (error instanceof Problem) return faultPage(request, error);
        parts.log.error({ err: error, requestId: requestId(request) }, "an error in a page of the console");
        return faultPage(request, problem("internal_error", "Something went wrong on our side. Try again."));
      })
      .then((made) => send(request, response, made, secret))
      .catch(next);
  });
  return live;
}

/** @throws Problem origin_not_allowed, unsupported_media_type, payload_too_large */
async function formOf(
  request: Request,
  { secret, publicUrl, most }: { secret: boolean; publicUrl: string | undefined; most: number },
): Promise<Typed> {
  if (secret) requireOwnForm(request, publicUrl);
  else requireOwnOrigin(request, publicUrl);
  if (!FORM.test(request.headers["content-type"] ?? "")) {
    throw problem("unsupported_media_type", "Content-Type: send a form, application/x-www-form-urlencoded.");
  }
  return readForm(await readBytes(request, most));
}

/** After signing in, the page that was asked for. */
function signInFor(request: Request): string {
  const next = pathWithin(request.get("hx-request") === undefined ? request.originalUrl : lookedAt(request));
  if (request.method !== "GET" || next === "/console") return "/console/sign-in";
  return `/console/sign-in?next=${encodeURIComponent(next)}`;
}

/** The page whose part is asked for, as htmx tells it. */
function lookedAt(request: Request): string {
  const url = request.get("hx-current-url") ?? "";
  return URL.canParse(url) ? new URL(url).pathname + new URL(url).search : "";
}
