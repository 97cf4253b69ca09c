import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type MemberActor, mayUse } from "../../core/actor.ts";
import type { Invoke } from "../../core/invoke.ts";
import type { Operation } from "../../core/operation.ts";
import type { Problem } from "../../core/problem.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import type { SidebarSection } from "../pages/sections.ts";
import type { Counts } from "./counts.ts";
import type { Typed } from "./form-data.ts";
import type { Seen } from "./form-merge.ts";
import type { DataOf, InputOf, MetaOf, OperationName } from "./operations.ts";
import type { Reachable } from "./scope-map.ts";
import type { Key } from "./screen.ts";
import type { Theme } from "./session.ts";

/** A form that was refused: what was typed stays, and the message stands where it belongs. */
export interface Failed {
  form: string;
  typed: Typed;
  problem: Problem;
  /** Whether it is refused for what somebody else changed meanwhile. */
  stale?: true;
  /** Set by the form once it shows this: what no form shows, the page does. */
  shown: boolean;
}

/** One look at a page by a member of a workspace: who, where, and how to ask. */
export interface PageContext {
  actor: MemberActor;
  visitor: Session;
  memberships: Awaited<ReturnType<SignInService["memberships"]>>;
  workspace: DataOf<"get_workspace">;
  now: number;
  /** Those of the rail, and what waits in them. */
  rooms: readonly SidebarSection[];
  counts: Counts;
  /** Those of the page itself. */
  keys: readonly Key[];
  /** Below the workspace: `/contacts`. */
  path: string;
  /** Of the page's own path: `:id`. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  theme: Theme | undefined;
  /** Whether whoever is invited is mailed a link too. */
  mailsLinks: boolean;
  /** Calls an operation as this member. @throws Problem as it refuses */
  call<N extends OperationName>(name: N, input: InputOf<N>): Promise<{ data: DataOf<N>; meta: MetaOf<N> }>;
  may(name: OperationName): boolean;
  /** What something done is called: an operation by its title, whatever else the audit knows by its name. */
  titleOf(action: string): string;
  /** The address of a page of this workspace. */
  href(path: string, query?: Record<string, string | number | undefined>): string;
  /** The whole address of something on this server, as programs reach it. */
  address(path: `/${string}`): string;
  /** What keys can call, by their scopes. */
  reach: readonly Reachable[];
  /** A token for one form, by which it does its work once. */
  newToken(): string;
  /** What the forms of the page hold, by form, once it is drawn. */
  seen: Map<string, Seen>;
  failed?: Failed | undefined;
  /** A refusal whose form is not on the page any more. */
  lost?: Failed | undefined;
  /** A form that asks to be drawn again with more or fewer rows, by a button called _again. */
  draft?: Typed | undefined;
  /** What a form has just made that is shown this once: a key, an invitation. */
  made?: { operation: OperationName; data: Record<string, unknown> } | undefined;
  /** The operation that a form has just called. */
  said?: string | undefined;
  /** In place of that, where the page tells by itself what became of this record. */
  told?: { operation: string; id: string } | undefined;
}

const Current = createContext<PageContext | undefined>(undefined);
export const PageContextProvider = Current.Provider;

/** The visit that a part of a page is drawn for. */
export function usePageContext(): PageContext {
  const visit = useContext(Current);
  if (visit === undefined) throw new Error("This part belongs to a page of a workspace.");
  return visit;
}

export type Caller = (name: OperationName, input: unknown) => Promise<{ data: unknown; meta: unknown }>;

/** Calls operations as a member through the one pipeline. */
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
