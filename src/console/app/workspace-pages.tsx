/** @jsxRuntime automatic @jsxImportSource preact */

import { createHash, randomUUID } from "node:crypto";
import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { MemberActor } from "../../core/actor.ts";
import type { Invoke } from "../../core/invoke.ts";
import { hasSecret } from "../../core/json-schema.ts";
import type { Operation } from "../../core/operation.ts";
import { permissionFor } from "../../core/policy.ts";
import { Problem, problem } from "../../core/problem.ts";
import { requestId } from "../../http/json.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import type { Clock } from "../../lib/time.ts";
import { flashCounts } from "../ui/flash-messages.ts";
import { Frame, type FrameProps } from "../ui/frame.tsx";
import { codeLabel, operationTitle } from "../ui/labels.ts";
import { inConsole, Refusal } from "../ui/refusal.tsx";
import { type Typed, toInput } from "./form-data.ts";
import { type FormSnapshot, isAboutSame, mergeForm, type RenderedForm, SNAPSHOT_FIELD } from "./form-merge.ts";
import type { createIdempotentForms } from "./idempotent-forms.ts";
import { type createLive, LIVE_PATH } from "./live.ts";
import type { CallOperation, OperationName } from "./operations.ts";
import { createCaller, mayCall, type PageContext, renderFor } from "./page-context.ts";
import { goTo, type PageAnswer, page, pathWithin, streamed } from "./respond.ts";
import { scopedCallsOf } from "./scope-map.ts";
import { breadcrumbsOf, findScreen, type Screen, screen } from "./screen.ts";
import { type CookieScope, type FlashMessage, flashMessageCookie, flashMessageOf, themeOf } from "./session.ts";
import type { createStatusReader, SidebarSection } from "./sidebar.ts";

interface WorkspaceParts {
  operations: readonly Operation[];
  invoke: Invoke;
  signInService: SignInService;
  clock: Clock;
  /** The address that people use for this server. */
  url: () => string;
  screens: readonly Screen[];
  sections: readonly SidebarSection[];
  readStatus: ReturnType<typeof createStatusReader>;
  live: ReturnType<typeof createLive>;
  submitForm: ReturnType<typeof createIdempotentForms<PageAnswer>>;
}

interface WorkspaceRequest {
  request: Request;
  workspaceId: string;
  /** Below the workspace. */
  path: string;
  session: Session;
  cookieScope: CookieScope;
  /** The form of a POST. */
  form: Typed | undefined;
}

const FOR_SUPER_ADMINS =
  "Only super admins can open this page. To get this role, ask a super admin or your server admin.";
const FOR_OTHER_ROLES = "Your role doesn't have access to this page. Ask a workspace admin for access.";
const NO_PAGE = "This page doesn't exist, or it was removed.";

/** The forms of the frame, which every page has. */
const FRAME_FORMS: readonly OperationName[] = ["pause_outreach", "resume_outreach"];

/** Operations that confirm the values that a form shows, so these must be the ones that the member read. */
const CONFIRMS = /^confirm_|^edit_socialnet_action$/;
/** Operations that leave alone what they aren't given. */
const PARTIAL = /^update_|^set_member$/;

/** Renders the pages of a workspace, and runs their forms. */
export function workspacePages(parts: WorkspaceParts) {
  const { operations, invoke, signInService, clock, submitForm, readStatus, live, url, screens, sections } = parts;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const scopedCalls = scopedCallsOf(operations);
  const shownSections = sections.filter(({ path }) => screens.some((known) => known.path === path));

  const fixedPages = screens.flatMap(({ title, path, needs }) =>
    typeof title === "string" && !path.includes(":") ? [{ title, path, needs }] : [],
  );

  function callerOf({ request }: WorkspaceRequest, actor: MemberActor) {
    // Read now, because a closed connection has no address.
    const { ip } = request;
    return {
      call: createCaller(byName, invoke, actor, {
        requestId: requestId(request),
        address: () => ip,
      }) as CallOperation,
      may: (name: OperationName) => mayCall(byName, actor, name),
    };
  }

  async function contextOf(
    asked: WorkspaceRequest,
    actor: MemberActor,
    params: Record<string, string>,
  ): Promise<PageContext> {
    const { request, session, workspaceId, path } = asked;
    const { call, may } = callerOf(asked, actor);
    return {
      actor,
      session,
      memberships: await signInService.memberships(session),
      workspace: await readStatus({ workspaceId, call }),
      now: clock.now(),
      sections: shownSections.filter(({ needs }) => may(needs)),
      get pages() {
        return fixedPages.filter(({ needs }) => may(needs));
      },
      path,
      params,
      query: new URL(request.originalUrl, "http://here").searchParams,
      theme: themeOf(request),
      mailsLinks: signInService.mailsLinks(),
      call,
      may,
      titleOf: (action) => operationTitle(action) ?? byName.get(action)?.title ?? codeLabel(action),
      href: (to, query = {}) => hrefOf(workspaceId, to, query),
      address: (to) => `${url()}${to}`,
      scopedCalls,
      newToken: () => randomUUID(),
      renderedForms: new Map(),
    };
  }

  async function render(screen: Screen, ctx: PageContext, status: number): Promise<PageAnswer> {
    if (!ctx.may(screen.needs)) {
      const operation = byName.get(screen.needs);
      const isServers = operation !== undefined && permissionFor(operation) === "operate";
      return refused(ctx, problem("insufficient_scope", isServers ? FOR_SUPER_ADMINS : FOR_OTHER_ROLES));
    }
    let data: unknown;
    try {
      data = await screen.load(ctx);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // An invalid id in the path means that the page doesn't exist, not that a field is invalid.
      const isId = error.code === "validation_failed" || error.code === "invalid_id";
      const mistyped = isId && Object.keys(ctx.params).length > 0;
      return refused(ctx, mistyped ? problem("route_not_found", NO_PAGE) : inConsole(error));
    }
    const to = ctx.failed === undefined ? screen.leadsTo?.(data) : undefined;
    if (typeof to === "string") return goTo(ctx.href(to, Object.fromEntries(ctx.query)));
    if (to !== undefined) return goTo(ctx.href(to.path, to.query));
    const file = screen.file?.(data, ctx);
    if (file !== undefined) return { status, file };
    const part = screen.part?.(data, ctx);
    if (part !== undefined) return renderFor(ctx, () => page(status, <>{part}</>));
    const rendered = framed(status, ctx, partsOf(screen, data, ctx));
    // After a teammate's change, the page may no longer have the form. Show its error at the top instead.
    if (ctx.failed === undefined || ctx.failed.shown) return rendered;
    const elsewhere: PageContext = { ...ctx, failedElsewhere: ctx.failed, failed: undefined };
    return framed(status, elsewhere, partsOf(screen, data, elsewhere));
  }

  /** Calls the operation of a form, then redirects. After an error, the form is rendered again with the typed values. */
  async function submit(
    screen: Screen,
    ctx: PageContext,
    asked: WorkspaceRequest & { form: Typed },
  ): Promise<PageAnswer> {
    const { form } = asked;
    if (screen.receive !== undefined && !form.has("_do")) return receive(screen, ctx, form);
    const name = form.get("_do")?.[0] ?? "";
    const operation = [...FRAME_FORMS, ...(screen.forms ?? [])].some((known) => known === name)
      ? byName.get(name)
      : undefined;
    if (form.has("_again")) return render(screen, { ...ctx, draft: form }, 200);
    if (operation === undefined)
      return refused(
        ctx,
        problem("route_not_found", "This form is no longer available. Reload the page and try again."),
      );
    let typed = form;
    let stale: FormSnapshot | undefined;
    try {
      const now = await readForm(screen, ctx, form);
      const options = { confirms: CONFIRMS.test(name), isPartial: PARTIAL.test(name) };
      const merged =
        now === undefined
          ? { form, isUnchanged: false }
          : mergeForm(form, now.snapshot, { ...options, choiceLabels: now.choiceLabels });
      if (merged.conflict !== undefined) {
        typed = merged.form;
        stale = now?.snapshot;
        throw merged.conflict;
      }
      if (merged.isUnchanged) {
        return goTo(addressAfter(ctx, asked), flashMessageCookie(asked.cookieScope, { operation: "unchanged" }));
      }
      const { data } = await ctx.call(name as OperationName, toInput(merged.form) as never);
      return await answerForm(operation, data as Record<string, unknown>, screen, ctx, asked);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const failed = {
        form: form.get("_form")?.[0] ?? name,
        typed,
        problem: inConsole(error),
        stale,
        shown: false,
      };
      return render(screen, { ...ctx, failed }, error.status);
    }
  }

  /** Answers a form that is no operation's own, which may upload a file. */
  async function receive(screen: Screen, ctx: PageContext, form: Typed): Promise<PageAnswer> {
    if (!ctx.may(screen.needs)) return render(screen, ctx, 200);
    try {
      const data = await screen.receive?.(form, ctx);
      return framed(200, ctx, partsOf(screen, data, ctx));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const failed = { form: form.get("_form")?.[0] ?? "", typed: form, problem: inConsole(error), shown: false };
      return render(screen, { ...ctx, failed }, error.status);
    }
  }

  /** What the fields of a form hold now, to merge what a teammate saved after it was rendered. See form-merge.ts. */
  async function readForm(screen: Screen, ctx: PageContext, form: Typed): Promise<RenderedForm | undefined> {
    if (!form.has(SNAPSHOT_FIELD) || !ctx.may(screen.needs)) return undefined;
    const current: PageContext = { ...ctx, renderedForms: new Map() };
    const data = await screen.load(current);
    framed(200, current, partsOf(screen, data, current));
    const rendered = current.renderedForms.get(form.get("_form")?.[0] ?? "");
    return rendered !== undefined && isAboutSame(rendered, form) ? rendered : undefined;
  }

  async function answerForm(
    operation: Operation,
    data: Record<string, unknown>,
    screen: Screen,
    ctx: PageContext,
    asked: WorkspaceRequest & { form: Typed },
  ): Promise<PageAnswer> {
    const name = operation.name as OperationName;
    // A secret is shown once, so it must be in this response, without a redirect.
    if (hasSecret(operation)) return render(screen, { ...ctx, created: { operation: name, data } }, 200);
    const to = addressAfter(ctx, asked, String(data.id ?? ""));
    const id = screen.showsOutcomeOf?.includes(name) === true ? String(data.id) : undefined;
    return goTo(to, flashMessageCookie(asked.cookieScope, { operation: name, id, counts: flashCounts(name, data) }));
  }

  /** The page for unknown paths. The forms of the frame work there too. */
  const notFound = screen({
    path: "/",
    title: "Page not found",
    needs: "get_workspace",
    load: () => Promise.reject(problem("route_not_found", NO_PAGE)),
    view: () => null,
  });

  function partsOf(screen: Screen, data: unknown, ctx: PageContext): FrameProps {
    return {
      title: typeof screen.title === "string" ? screen.title : screen.title(data),
      breadcrumbs: breadcrumbsOf(screens, { screen, data, ctx }),
      heading: screen.heading?.(data, ctx),
      mark: screen.mark?.(data),
      status: screen.status?.(data, ctx),
      action: screen.action?.(data, ctx),
      children: screen.view(data, ctx),
    };
  }

  return async (asked: WorkspaceRequest): Promise<PageAnswer> => {
    const { session, workspaceId, form, cookieScope, request } = asked;
    const actor = await signInService.actor(session, workspaceId);
    if (actor === undefined)
      throw problem("route_not_found", "This workspace doesn't exist, or you don't have access to it.");
    if (asked.path === LIVE_PATH && request.method === "GET" && request.res !== undefined) {
      live.listen(request, request.res, { session, actor, ...callerOf(asked, actor) });
      return streamed;
    }
    const found = findScreen(screens, asked.path.replace(/(.)\/$/, "$1")) ?? { screen: notFound, params: {} };
    const ctx = await contextOf(asked, actor, found.params);
    if (form === undefined) {
      const flash = flashMessageOf(request);
      const rendered = await render(found.screen, { ...ctx, ...flashOn(found.screen, flash) }, 200);
      const isShown = flash !== undefined && rendered.location === undefined;
      return !isShown ? rendered : { ...rendered, cookies: [flashMessageCookie(cookieScope, undefined)] };
    }
    const token = form.get("_token")?.[0] ?? "";
    const work = () => submit(found.screen, ctx, { ...asked, form });
    // After the back button, the same token with other values is another form.
    const values = createHash("sha256")
      .update(JSON.stringify([asked.path, ...form]))
      .digest("base64");
    if (token === "") return work();
    const restricts = byName.get(form.get("_do")?.[0] ?? "")?.restricts?.(toInput(form)) ?? false;
    // An uploaded list is too large to keep.
    const keeps = !restricts && found.screen.receive === undefined;
    return submitForm(session.hash.toString("base64"), `${token} ${values}`, work, keeps);
  };
}

function framed(status: number, ctx: PageContext, frame: FrameProps, retryAfter?: number): PageAnswer {
  return renderFor(ctx, () => page(status, <Frame {...frame} />, { retryAfter }));
}

/** Where the result of a form is shown: in the frame as a message, or on the page with its record. */
function flashOn({ showsOutcomeOf }: Screen, flash: FlashMessage | undefined): Pick<PageContext, "flash" | "outcome"> {
  if (flash === undefined) return {};
  const { operation, id } = flash;
  return id !== undefined && showsOutcomeOf?.includes(operation) ? { outcome: { operation, id } } : { flash };
}

function refused(ctx: PageContext, refusal: Problem): PageAnswer {
  const title =
    refusal.status === 404 ? "Page not found" : refusal.status === 403 ? "No access" : "Something went wrong";
  const children: ComponentChildren = <Refusal problem={refusal} />;
  return framed(refusal.status, { ...ctx, failedElsewhere: ctx.failed }, { title, children }, refusal.retryAfter);
}

/** The page after a form: the one that the form names, or the same page. */
function addressAfter(ctx: PageContext, { form, request }: WorkspaceRequest & { form: Typed }, id = ""): string {
  const path = form.get("_then")?.[0]?.replace(/^\/+/, "").replace("{id}", id);
  return path === undefined ? request.originalUrl : withinWorkspace(ctx, path);
}

/** The client sends the page after a form, so it must be in this workspace. Otherwise it is the front page. */
function withinWorkspace({ href }: PageContext, path: string): string {
  const to = pathWithin(href(`/${path}`));
  return to === href("/") || to.startsWith(`${href("/")}/`) ? to : href("/");
}

function hrefOf(workspaceId: string, path: string, query: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `/console/w/${workspaceId}${path === "/" ? "" : path}${text === "" ? "" : `?${text}`}`;
}
