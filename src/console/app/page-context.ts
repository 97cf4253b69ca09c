import type { MemberActor } from "../../core/actor.ts";
import type { Invoke } from "../../core/invoke.ts";
import type { Operation } from "../../core/operation.ts";
import { mayUse } from "../../core/policy.ts";
import type { Problem } from "../../core/problem.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import type { Typed } from "./form-data.ts";
import type { FormSnapshot, RenderedForm } from "./form-merge.ts";
import type { CallOperation, OperationName } from "./operations.ts";
import type { PageAnswer } from "./respond.ts";
import type { ScopedCall } from "./scope-map.ts";
import type { FlashMessage, Theme } from "./session.ts";
import type { SidebarSection, WorkspaceStatus } from "./sidebar.ts";

/** One request for a page by a member of a workspace: who, where, and how to call operations. */
export interface PageContext {
  actor: MemberActor;
  session: Session;
  memberships: Awaited<ReturnType<SignInService["memberships"]>>;
  workspace: WorkspaceStatus;
  now: number;
  /** The sections that the member can open. */
  sections: readonly SidebarSection[];
  /** The pages that the member can open and that are of no single record. */
  pages: readonly { title: string; path: string }[];
  /** Relative to the workspace, such as `/contacts`. */
  path: string;
  /** The values of names in the path, such as `:id`. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  theme: Theme | undefined;
  /** Whether an invitation is also sent by email. */
  mailsLinks: boolean;
  call: CallOperation;
  may(name: OperationName): boolean;
  /** The title of an operation, or a label for any other action in the audit log. */
  titleOf(action: string): string;
  /** The address of a page of this workspace. */
  href(path: string, query?: Record<string, string | number | undefined>): string;
  /** An absolute URL on this server, for programs. */
  address(path: `/${string}`): string;
  /** The operations that API keys can call, each with its scope. */
  scopedCalls: readonly ScopedCall[];
  /** A token that lets a form run once, however often it is sent. */
  newToken(): string;
  /** The values of each form of the page, by the form's id. Filled while the page is rendered. */
  renderedForms: Map<string, RenderedForm>;
  failed?: FailedForm | undefined;
  /** The same, if the page no longer shows that form. */
  failedElsewhere?: FailedForm | undefined;
  /** A form to render again with more or fewer rows, because a button named _again was pressed. */
  draft?: Typed | undefined;
  /** A record that a form has just created and the page shows once, such as a key or an invitation. */
  created?: { operation: OperationName; data: Record<string, unknown> } | undefined;
  /** The operation that a form has just called. */
  flash?: FlashMessage | undefined;
  /** Used instead of `flash` if the page itself shows the result for this record. */
  outcome?: { operation: string; id: string } | undefined;
}

/** A form with an error: the typed values stay, and the message is next to its field. */
export interface FailedForm {
  form: string;
  typed: Typed;
  problem: Problem;
  /** What the fields of the record hold now, if it failed because a teammate saved first. */
  stale?: FormSnapshot | undefined;
  /** Set by the form that shows the error. If no form does, the page shows it. */
  shown: boolean;
}

let currentPage: PageContext | undefined;

/**
 * Renders a page of a workspace. A context of Preact would keep every component that reads it, and so nearly all
 * elements of the page, until all of it is rendered.
 *
 * @param render must not wait for anything
 */
export function renderFor(context: PageContext, render: () => PageAnswer): PageAnswer {
  const before = currentPage;
  currentPage = context;
  try {
    return render();
  } finally {
    currentPage = before;
  }
}

/** The page that a component is rendered for. */
export function usePageContext(): PageContext {
  if (currentPage === undefined) throw new Error("This component belongs to a page of a workspace.");
  return currentPage;
}

export type Caller = (name: OperationName, input: unknown) => Promise<{ data: unknown; meta: unknown }>;

/** Calls operations as a member, through the pipeline of all surfaces. */
export function createCaller(
  operations: ReadonlyMap<string, Operation>,
  invoke: Invoke,
  caller: MemberActor,
  at: { requestId: string; address: () => string | undefined },
): Caller {
  return async (name, input) => {
    const operation = operations.get(name);
    if (operation === undefined) throw new Error(`No operation ${name}.`);
    const answer = await invoke.data(operation, { caller, surface: "console", ...at, input: () => input });
    if (answer.refusal !== undefined) throw answer.refusal;
    // Without the HTTP status: pages spread an answer among values of their own.
    return {
      get data() {
        return answer.data;
      },
      meta: answer.meta,
    };
  };
}

export function mayCall(operations: ReadonlyMap<string, Operation>, actor: MemberActor, name: string): boolean {
  const operation = operations.get(name);
  return operation !== undefined && mayUse(actor, operation);
}
