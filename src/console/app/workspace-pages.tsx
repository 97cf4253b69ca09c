import { createHash, randomUUID } from "node:crypto";
import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { MemberActor } from "../../core/actor.ts";
import type { Operation } from "../../core/operation.ts";
import { Problem, problem } from "../../core/problem.ts";
import { hasSecret } from "../../core/schema.ts";
import { requestId } from "../../http/reply.ts";
import type { Session } from "../../identity/sessions.ts";
import { screens } from "../pages/index.ts";
import { SIDEBAR_SECTIONS } from "../pages/sections.ts";
import { Refusal } from "../ui/flash-messages.tsx";
import { Frame, type Framed } from "../ui/frame.tsx";
import { inWords } from "../ui/labels.ts";
import type { createCounts } from "./counts.ts";
import { type Typed, toInput } from "./form-data.ts";
import { SEEN, withOthersChanges } from "./form-merge.ts";
import type { createIdempotentForms } from "./idempotent-forms.ts";
import { type createLive, LIVE_PATH } from "./live.ts";
import type { OperationName } from "./operations.ts";
import { createCaller, mayCall, type PageContext, PageContextProvider } from "./page-context.ts";
import { goTo, type PageAnswer, page, pathWithin, taken } from "./respond.ts";
import type { ConsoleParts } from "./router.ts";
import { reachOf } from "./scope-map.ts";
import { findScreen, pagesAbove, type Screen, screen } from "./screen.ts";
import { type FlashMessage, flashMessageCookie, flashMessageOf, type Place, themeOf } from "./session.ts";

/** @jsxRuntime automatic @jsxImportSource preact */

export interface WorkspaceParts extends ConsoleParts {
  counts: ReturnType<typeof createCounts>;
  live: ReturnType<typeof createLive>;
  once: ReturnType<typeof createIdempotentForms<PageAnswer>>;
}

interface Asked {
  request: Request;
  workspaceId: string;
  /** Below the workspace. */
  path: string;
  visitor: Session;
  place: Place;
  /** Of a POST. */
  form: Typed | undefined;
}

/** The forms of the frame, which every page has. */
const ANYWHERE: readonly OperationName[] = ["pause_outreach", "resume_outreach"];

/** Where no page is: the forms of the frame work there too. */
const nowhere = screen({
  path: "/",
  title: "Not found",
  needs: "get_workspace",
  load: () => Promise.reject(problem("route_not_found", "There is no such page.")),
  view: () => null,
});

/** Rooms that have a page. */
const rooms = SIDEBAR_SECTIONS.filter(({ path }) => screens.some((known) => known.path === path));

/** Draws the pages of a workspace, and does what their forms ask. */
export function workspacePages({ operations, invoke, entrance, clock, once, counts, live, url }: WorkspaceParts) {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const reach = reachOf(operations);

  function callerOf({ request }: Asked, actor: MemberActor) {
    // Read at once: a connection that lives on has no address any more once it is gone.
    const { ip } = request;
    return {
      call: createCaller(byName, invoke, actor, {
        requestId: requestId(request),
        address: () => ip,
      }) as PageContext["call"],
      may: (name: OperationName) => mayCall(byName, actor, name),
    };
  }

  async function visitOf(
    asked: Asked,
    actor: MemberActor,
    { screen, params }: { screen: Screen; params: Record<string, string> },
  ): Promise<PageContext> {
    const { request, visitor, workspaceId, path } = asked;
    const { call, may } = callerOf(asked, actor);
    const { data } = await call("get_workspace", {});
    return {
      rooms: rooms.filter(({ needs }) => may(needs)),
      counts: request.method === "POST" ? {} : await counts({ workspaceId, call, may }),
      keys: screen.keys ?? [],
      ...{ actor, visitor, path, params, now: clock.now(), theme: themeOf(request) },
      mailsLinks: entrance.mailsLinks,
      memberships: await entrance.memberships(visitor),
      workspace: data,
      query: new URL(request.originalUrl, "http://here").searchParams,
      ...{ call, may },
      titleOf: (action) => byName.get(action)?.title ?? inWords(action),
      href: (to, query = {}) => hrefOf(workspaceId, to, query),
      ...{ reach, address: (to: `/${string}`) => `${url()}${to}` },
      newToken: () => randomUUID(),
      seen: new Map(),
    };
  }

  async function draw(screen: Screen, visit: PageContext, status: number): Promise<PageAnswer> {
    if (!visit.may(screen.needs))
      return refused(visit, problem("insufficient_scope", "Your role does not open this page."));
    let data: unknown;
    try {
      data = await screen.load(visit);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // An address that was mistyped leads nowhere; its id is no field that somebody filled in.
      const isId = error.code === "validation_failed" || error.code === "invalid_id";
      const mistyped = isId && Object.keys(visit.params).length > 0;
      return refused(visit, mistyped ? problem("route_not_found", "There is no such page.") : error);
    }
    const file = screen.file?.(data, visit);
    if (file !== undefined) return { status, file };
    const drawn = framed(status, visit, pageOf(screen, data, visit));
    // Somebody else was quicker, and the form that was refused is gone from the page: it is told above all else.
    if (visit.failed === undefined || visit.failed.shown) return drawn;
    const lost: PageContext = { ...visit, lost: visit.failed, failed: undefined };
    return framed(status, lost, pageOf(screen, data, lost));
  }

  /** Calls what a form names, then leads on; a form that is refused is drawn again as it was typed. */
  async function submit(screen: Screen, visit: PageContext, asked: Asked, form: Typed): Promise<PageAnswer> {
    const name = form.get("_do")?.[0] ?? "";
    const operation = [...ANYWHERE, ...(screen.forms ?? [])].some((known) => known === name)
      ? byName.get(name)
      : undefined;
    if (form.has("_again")) return draw(screen, { ...visit, draft: form }, 200);
    if (operation === undefined) return refused(visit, problem("route_not_found", "This page has no such form."));
    let stale: true | undefined;
    try {
      const merged = await withOthers(screen, visit, form).catch((error: unknown) => {
        stale = true;
        throw error;
      });
      const { data } = await visit.call(name as OperationName, toInput(merged) as never);
      return await after(operation, data as Record<string, unknown>, screen, visit, asked, form);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const failed = {
        form: form.get("_form")?.[0] ?? name,
        typed: form,
        problem: error,
        shown: false,
        ...(stale && { stale }),
      };
      return draw(screen, { ...visit, failed }, error.status);
    }
  }

  /** The form with what somebody else has saved since it was drawn; see seen.ts. */
  async function withOthers(screen: Screen, visit: PageContext, form: Typed): Promise<Typed> {
    const id = form.get("_form")?.[0] ?? "";
    if (!form.has(SEEN) || !visit.may(screen.needs)) return form;
    const asDrawnNow: PageContext = { ...visit, seen: new Map() };
    const data = await screen.load(asDrawnNow);
    framed(200, asDrawnNow, pageOf(screen, data, asDrawnNow));
    const now = asDrawnNow.seen.get(id);
    return now === undefined ? form : withOthersChanges(form, now);
  }

  async function after(
    operation: Operation,
    data: Record<string, unknown>,
    screen: Screen,
    visit: PageContext,
    asked: Asked,
    form: Typed,
  ): Promise<PageAnswer> {
    // What is shown this once cannot wait for another request.
    const name = operation.name as OperationName;
    if (hasSecret(operation)) return draw(screen, { ...visit, made: { operation: name, data } }, 200);
    const then = form.get("_then")?.[0];
    const meant = then?.replace(/^\/+/, "").replace("{id}", String(data.id ?? ""));
    const to = meant === undefined ? asked.request.originalUrl : withinWorkspace(visit, meant);
    const told = screen.tells?.includes(name) === true ? String(data.id) : undefined;
    return goTo(to, flashMessageCookie(asked.place, name, told));
  }

  return async (asked: Asked): Promise<PageAnswer> => {
    const { visitor, workspaceId, form, place, request } = asked;
    const actor = await entrance.actor(visitor, workspaceId);
    if (actor === undefined)
      throw problem("route_not_found", "There is no such workspace, or you are no member of it.");
    if (asked.path === LIVE_PATH && request.method === "GET" && request.res !== undefined) {
      live.listen(request, request.res, { visitor, actor, ...callerOf(asked, actor) });
      return taken;
    }
    const found = findScreen(screens, asked.path.replace(/(.)\/$/, "$1")) ?? { screen: nowhere, params: {} };
    const visit = await visitOf(asked, actor, found);
    if (form === undefined) {
      const said = flashMessageOf(request);
      const drawn = await draw(found.screen, { ...visit, ...saidOn(found.screen, said) }, 200);
      return said === undefined ? drawn : { ...drawn, cookies: [flashMessageCookie(place, undefined)] };
    }
    const token = form.get("_token")?.[0] ?? "";
    const work = () => submit(found.screen, visit, asked, form);
    // Somebody who went back and changed what the form says sends another form.
    const sent = createHash("sha256")
      .update(JSON.stringify([asked.path, ...form]))
      .digest("base64");
    return token === "" ? work() : once(visitor.hash.toString("base64"), `${token} ${sent}`, work);
  };
}

interface Drawn extends Framed {
  view: ComponentChildren;
}

function pageOf(screen: Screen, data: unknown, visit: PageContext): Drawn {
  return {
    title: typeof screen.title === "string" ? screen.title : screen.title(data),
    above: pagesAbove(screens, { screen, data, visit }),
    action: screen.action?.(data, visit),
    view: screen.view(data, visit),
  };
}

function framed(status: number, visit: PageContext, { view, ...frame }: Drawn, retryAfter?: number) {
  return page(
    status,
    <PageContextProvider value={visit}>
      <Frame {...frame}>{view}</Frame>
    </PageContextProvider>,
    { retryAfter },
  );
}

/** Who says what was done: the frame in general, or the page by its record. */
function saidOn({ tells }: Screen, said: FlashMessage | undefined): Pick<PageContext, "said" | "told"> {
  if (said === undefined) return {};
  const { operation, id } = said;
  return id !== undefined && tells?.includes(operation) ? { told: { operation, id } } : { said: operation };
}

function refused(visit: PageContext, refusal: Problem): PageAnswer {
  const title = refusal.status === 404 ? "Not found" : refusal.status === 403 ? "Not yours to see" : "Refused";
  const view = <Refusal problem={refusal} />;
  return framed(refusal.status, { ...visit, lost: visit.failed }, { title, view }, refusal.retryAfter);
}

/** Where a form says to go on, which is typed by whoever sends it: a page of this workspace, or its front page. */
function withinWorkspace({ href }: PageContext, path: string): string {
  const to = pathWithin(href(`/${path}`));
  return to === href("/") || to.startsWith(`${href("/")}/`) ? to : href("/");
}

function hrefOf(workspaceId: string, path: string, query: Record<string, string | number | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `/console/w/${workspaceId}${path === "/" ? "" : path}${text === "" ? "" : `?${text}`}`;
}
