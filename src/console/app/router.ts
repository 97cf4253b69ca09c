import { createHash } from "node:crypto";
import type { Express, Request, Response } from "express";
import type { ClientFinder } from "../../core/context.ts";
import type { Invoke } from "../../core/invoke.ts";
import type { Operation } from "../../core/operation.ts";
import { Problem, problem } from "../../core/problem.ts";
import { compressed } from "../../http/compress.ts";
import { MAX_BODY_BYTES, readBytes, requestId } from "../../http/json.ts";
import { isMultipart, readMultipart } from "../../http/multipart.ts";
import type { ConnectionLog } from "../../identity/connection-log.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import { authorizePage } from "../pages/authorize/authorize.ts";
import { screens } from "../pages/index.ts";
import { SIDEBAR_SECTIONS } from "../pages/sections.ts";
import { faultPage, unsentFormPage } from "../pages/sign-in/error-pages.tsx";
import { signInPages } from "../pages/sign-in/index.ts";
import { readFields, readForm, type Typed } from "./form-data.ts";
import { createIdempotentForms } from "./idempotent-forms.ts";
import { createLive } from "./live.ts";
import { requireOwnForm, requireOwnOrigin } from "./origin.ts";
import { goTo, type PageAnswer, pathWithin, send, sendFile, streamed } from "./respond.ts";
import { findScreen } from "./screen.ts";
import {
  cookieScopeOf,
  lastWorkspaceCookie,
  lastWorkspaceOf,
  sessionOf,
  signInRequestOf,
  THEMES,
  themeCookie,
} from "./session.ts";
import { createStatusReader } from "./sidebar.ts";
import { workspacePages } from "./workspace-pages.tsx";

export interface ConsoleParts {
  operations: readonly Operation[];
  invoke: Invoke;
  signInService: SignInService;
  clients: ClientFinder;
  connections: ConnectionLog;
  clock: Clock;
  log: Log;
  publicUrl: string | undefined;
  /** The address that people use for this server. */
  url: () => string;
  /** Whether the server can be reached from this machine alone. */
  isLocalOnly: boolean;
  /** Whether an error says that the database cannot be reached. */
  isUnavailable: (error: unknown) => boolean;
  /** Changes with every write. */
  version: () => number;
}

/** The only type of a form: no script of another site can send it without a preflight request. */
const FORM = /^application\/x-www-form-urlencoded *(;|$)/i;
/** For forms that can be sent without signing in. */
const MAX_SIGN_IN_BYTES = 16 * 1024;
/** A list of contacts of the longest length, with what surrounds it. */
const MAX_UPLOAD_BYTES = 4 * 1024 * 1024;
/** The page with a form that uploads a file. */
const UPLOAD = /^\/console\/w\/[0-9a-f-]{36}\/contacts\/import$/;
const WORKSPACE = /^\/console\/w\/([0-9a-f-]{36})(\/.*)?$/;

/** Mounts the console: pages for people, which call the same operations as every other surface. */
export function mountConsole(app: Express, parts: ConsoleParts): { close(): void } {
  const { signInService, publicUrl, clock } = parts;
  const now = () => clock.now();
  // Separate from members' forms and keyed by address, because no one is signed in yet.
  const submitSignInForm = createIdempotentForms<PageAnswer>(now);
  const readStatus = createStatusReader(parts.version, now);
  const live = createLive({ ...parts, sections: SIDEBAR_SECTIONS, readStatus });
  const outerPages = [...signInPages, authorizePage(parts)];
  const answerInWorkspace = workspacePages({
    ...parts,
    screens,
    sections: SIDEBAR_SECTIONS,
    submitForm: createIdempotentForms<PageAnswer>(now),
    readStatus,
    live,
  });

  // Browsers get the console at the root path. Programs get a pointer to the API.
  app.get("/", (request, response, next) =>
    request.accepts(["json", "html"]) === "html" ? response.redirect(302, "/console") : next(),
  );
  app.get("/console/static/:name", compressed, (request, response, next) => {
    if (!sendFile(String(request.params.name), response)) next();
  });

  async function answer(request: Request, path: string): Promise<PageAnswer | undefined> {
    const cookieScope = cookieScopeOf(request, publicUrl);
    const outerPage = outerPages.find((candidate) => candidate.path.test(path));
    const findSession = () => sessionOf(signInService, request, publicUrl);
    const atHeaders = await findSession();
    const isInWorkspace = outerPage === undefined && WORKSPACE.test(path);
    const isSignedIn = atHeaders !== undefined && outerPage === undefined;
    const uploads = atHeaders !== undefined && UPLOAD.test(path);
    const most = uploads ? MAX_UPLOAD_BYTES : isSignedIn || isInWorkspace ? MAX_BODY_BYTES : MAX_SIGN_IN_BYTES;
    const secret = outerPage?.secret === true;
    const posted = request.method === "POST" ? await formOf(request, { secret, publicUrl, most, uploads }) : undefined;
    // A form may arrive long after its headers, when the session may have ended.
    const session = posted === undefined ? atHeaders : atHeaders && (await findSession());
    if (session === undefined && posted !== undefined && isInWorkspace) return unsentFormPage(request, posted);
    if (path.startsWith("/console/static/")) return undefined;
    if (path === "/console/theme" && posted !== undefined) {
      const theme = THEMES.find((known) => known === posted.get("theme")?.[0]);
      return goTo(pathWithin(posted.get("back")?.[0]), themeCookie(cookieScope, theme));
    }
    if (outerPage !== undefined) {
      const token = outerPage.path.exec(path)?.[1] ?? "";
      const signInRequest = signInRequestOf(request, outerPage.name, publicUrl);
      const ask = {
        request,
        token,
        session,
        signInRequest,
        cookieScope,
        signInService,
        clients: parts.clients,
        form: posted,
        now: clock.now(),
        isLocalOnly: parts.isLocalOnly,
      };
      const sent = posted?.get("_token")?.[0] ?? "";
      if (posted === undefined || sent === "") return outerPage.answer(ask);
      const key = createHash("sha256").update(JSON.stringify([path, ...posted]));
      return submitSignInForm(request.ip ?? "", key.digest("base64"), () => outerPage.answer(ask));
    }
    if (session === undefined) {
      const to = signInUrl(request);
      // htmx fetches parts of a page. It must navigate to the sign-in page, not insert it.
      return request.get("hx-request") === undefined ? goTo(to) : { status: 401, htmxRedirect: to, html: "" };
    }
    const [, workspaceId, rest = "/"] = WORKSPACE.exec(path) ?? [];
    if (workspaceId !== undefined) {
      const made = await answerInWorkspace({ request, workspaceId, path: rest, session, cookieScope, form: posted });
      if (made === streamed || made.status >= 400 || lastWorkspaceOf(request) === workspaceId) return made;
      return { ...made, cookies: [...(made.cookies ?? []), lastWorkspaceCookie(cookieScope, workspaceId)] };
    }
    return redirectToWorkspace(request, session, path.slice("/console".length));
  }

  /** A path without a workspace means the only workspace, or the last one that this browser opened. */
  async function redirectToWorkspace(
    request: Request,
    session: Session,
    path: string,
  ): Promise<PageAnswer | undefined> {
    const isFront = path === "" || path === "/";
    if (request.method === "POST" || (!isFront && findScreen(screens, path) === undefined)) return undefined;
    const all = await signInService.memberships(session);
    const last = lastWorkspaceOf(request);
    const target = all.length === 1 ? all[0] : all.find(({ workspaceId }) => workspaceId === last);
    if (target === undefined) return goTo("/console/workspaces");
    const { search } = new URL(request.originalUrl, "http://here");
    return goTo(`/console/w/${target.workspaceId}${isFront ? "" : path}${search}`);
  }

  app.use((request: Request, response: Response, next) => {
    const path = request.path;
    if (path !== "/console" && !path.startsWith("/console/")) return next();
    const secret = outerPages.some((candidate) => candidate.secret && candidate.path.test(path));
    if (!["GET", "HEAD", "POST"].includes(request.method)) {
      response.setHeader("allow", "GET, HEAD, POST");
      return send(
        request,
        response,
        faultPage(request, problem("method_not_allowed", "Use GET, HEAD or POST for this path.")),
      );
    }
    answer(request, path)
      .then(
        (made) => made ?? faultPage(request, problem("route_not_found", "This page doesn't exist, or it was removed.")),
      )
      .catch((error: unknown) => {
        if (error instanceof Problem) return faultPage(request, error);
        if (parts.isUnavailable(error)) return faultPage(request, problem("db_unavailable"));
        parts.log.error({ err: error, requestId: requestId(request) }, "a console page failed");
        return faultPage(
          request,
          problem("internal_error", "Something went wrong on the server. Try again, or ask your server admin."),
        );
      })
      .then((made) => send(request, response, made, secret))
      .catch(next);
  });
  return live;
}

/** @throws Problem origin_not_allowed, unsupported_media_type, payload_too_large */
async function formOf(
  request: Request,
  given: { secret: boolean; publicUrl: string | undefined; most: number; uploads: boolean },
): Promise<Typed> {
  const { secret, publicUrl, most, uploads } = given;
  if (secret) requireOwnForm(request, publicUrl);
  else requireOwnOrigin(request, publicUrl);
  const type = request.headers["content-type"] ?? "";
  if (uploads && isMultipart(type)) return readFields(readMultipart(await readBytes(request, most), type));
  if (!FORM.test(type)) {
    throw problem("unsupported_media_type", "Content-Type: must be application/x-www-form-urlencoded.");
  }
  return readForm(await readBytes(request, most));
}

/** The sign-in page, which redirects to the requested page. */
function signInUrl(request: Request): string {
  const next = pathWithin(request.get("hx-request") === undefined ? request.originalUrl : currentPage(request));
  if (request.method !== "GET" || next === "/console") return "/console/sign-in";
  return `/console/sign-in?next=${encodeURIComponent(next)}`;
}

/** The page for which htmx requests a part. */
function currentPage(request: Request): string {
  const url = request.get("hx-current-url") ?? "";
  return URL.canParse(url) ? new URL(url).pathname + new URL(url).search : "";
}
