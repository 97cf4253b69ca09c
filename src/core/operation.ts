import type { z } from "zod";
import type { Permission, Scope } from "../domain/access/roles.ts";
import type { JsonText } from "../lib/json-text.ts";
import type { AnswerOptions, Context, Preparing } from "./context.ts";
import type { Problem, ProblemCode } from "./problem.ts";

/** The parts of the product, and what each is about. */
export const AREAS = {
  contacts: "People the workspace sells to: their fields, tags and stage.",
  activities: "What happened between the team and a contact.",
  inbox: "Replies of contacts by email and on the professional network, and the answers to them.",
  deals: "Sales opportunities with a contact: stage, value, probability and expected close.",
  sequences: "Series of messages, the audiences that people approve for them, and the enrolled contacts.",
  checklist: "The team's social tasks: what is due, what agents submit, and what people decide.",
  review: "Everything that needs review, and what happened since the last visit.",
  suppression: "The do-not-contact list.",
  accounts: "Companies that contacts belong to.",
  search: "Finding records of any kind.",
  brain: "Everything about a contact, an account or a deal in one response.",
  workspaces: "Workspaces with their plan, billing, sending settings and pause. No workspace sees another.",
  members: "Teammates of a workspace and their permissions.",
  keys: "API keys, which agents sign in with.",
  resources: "Texts that agents read over MCP.",
  events: "Events that agents can subscribe to, their subscriptions and deliveries.",
  socialnet: "Accounts on the professional network and the actions of their agents.",
  audit: "The audit log, agent activity, sign-ins and refused requests.",
  server: "The server itself, for its admins.",
} as const;

type Area = keyof typeof AREAS;

export interface HttpRoute {
  method: "GET" | "POST" | "PUT" | "PATCH";
  /** Below /api/v1, in OpenAPI's form: `/contacts/{id}`. */
  path: `/${string}`;
  /** The statuses of success; where there are two, the handler decides. */
  statuses: readonly [200 | 201, ...(200 | 201)[]];
  /**
   * What 201 says in `Location`, below /api/v1: where what was created can be read, by itself or with the record that it
   * belongs to. Names are fields of the answer's data.
   */
  location?: `/${string}`;
  /** The name of the body's schema in the API description. Without a name, the schema is inlined. */
  body?: string;
  /** The body in the API description, if the operation's input, an object at the root, says less than the check. */
  describedBody?: z.ZodType;
}

/** All four hints of MCP, spelled out: a client decides by them what to run without asking. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** How an operation is a tool of the MCP endpoint. */
interface ToolTraits {
  annotations: ToolAnnotations;
  /** The fields that `detail: "compact"` leaves out, in a list of each entry. A dot leads into an object, or into each of a list: `due.label`. */
  compact?: readonly string[];
  /** Names of fields that keep their invisible characters, as `copy` does: what an approval pins is used to the character. */
  exact?: readonly string[];
  /** Arguments of only the tool, which the handler reads from its context. */
  options?: { [Option in keyof AnswerOptions]?: z.ZodType<AnswerOptions[Option]> };
}

/** Gates that the pipeline checks before the handler runs: of the deployment, or of the product. */
export type Gate = "outbound" | "billing";

/** What the calls of a key count against. Every message to the MCP endpoint spends `mcp` as well. */
export type Budget = "write" | "read" | "checklist_read" | "socialnet" | "mcp";

/** A refusal that still commits what the handler wrote before it. */
export interface Refused {
  refusal: Problem;
}

export interface Result<T> {
  /** Needed only where the operation's route lists two. */
  status?: 200 | 201;
  data: T | JsonText<T>;
  /** Beside `data` in the envelope of a list. */
  meta?: Record<string, unknown>;
  /** The record that was written, for the operation log; without it, the id of `data`. */
  record?: string;
}

interface Declared<I extends z.ZodType, O extends z.ZodType, P, M extends z.ZodType> {
  /** operationId, tool name, command-line word, audit action and metric label. */
  name: string;
  area: Area;
  title: string;
  /** Written once, for a model and a person alike. */
  description: string;
  effect: "read" | "write";
  /** Of an operation that writes, the inputs that write nothing: they run as reads do. */
  onlyReads?(input: z.output<I>): boolean;
  /**
   * Whether this input stops or restricts something that a teammate can start again. Sent again, the console runs it
   * again: an earlier answer would say that something is stopped which goes on. An end that is for good needs none.
   * Such an input also passes the gates of the product: nothing keeps people from stopping what goes out.
   */
  restricts?(raw: Readonly<Record<string, unknown>>): boolean;
  gates: readonly Gate[];
  /** The codes it can answer beyond those that its access, budget, gates and surface imply; see refusalsOf. */
  errors: readonly ProblemCode[];
  /** An object on the wire. Names in the route's path are taken from there, the rest from query or body. */
  input: I;
  /** Fields of the input that are kept as JSON.parse gives them: any text, any depth of digits, repeated names. */
  freeForm?: readonly string[];
  /** The shape of `data`. */
  output: O;
  /** The shape of `meta`, for lists. */
  meta?: M;
  /** Refuses what the caller may never ask for, before anything else of the input is checked: 403 comes before 400. */
  forbid?(raw: Readonly<Record<string, unknown>>): Problem | undefined;
  /** Does what needs the network, before the transaction. The handler is given its result. */
  prepare?(ctx: Preparing, input: z.output<I>): Promise<P>;
  handler(ctx: Context, input: z.output<I>, prepared: P): Promise<Result<z.output<O>> | Refused>;
}

/** An operation for agents, called with a key that has the scope: over REST, as an MCP tool, or both. */
export interface AgentOperation<
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  P = unknown,
  M extends z.ZodType = z.ZodType,
> extends Declared<I, O, P, M> {
  /** Without a scope, any key will do. */
  access: { scope: Scope | null };
  /** The scope that this input needs in addition. Undefined if it needs none. */
  scopeFor?(raw: Readonly<Record<string, unknown>>): Scope | undefined;
  http?: HttpRoute;
  tool: false | ToolTraits;
  /** A separate MCP method, whose result is `data` itself. */
  rpc?: string;
  budget: Budget | "none";
  /** Honours the Idempotency-Key header. */
  idempotent: boolean;
  founding?: never;
}

/** An operation for members who have the permission. It has no route, no tool and no budget: no key can call it. */
export interface PersonOperation<
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  P = unknown,
  M extends z.ZodType = z.ZodType,
> extends Declared<I, O, P, M> {
  access: { permission: Permission };
  /** Creates the workspace that it runs in: the caller's own is not read. */
  founding?: true;
  scopeFor?: never;
  http?: never;
  tool?: never;
  rpc?: never;
  budget?: never;
  idempotent?: never;
}

/**
 * One capability, declared once. REST routes, MCP tools, the OpenAPI description, the command line and the tables of
 * the documentation are all derived from this.
 */
export type Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, P = unknown> =
  | AgentOperation<I, O, P>
  | PersonOperation<I, O, P>;

/** Operations that have a route. */
export type Routed = AgentOperation & { http: HttpRoute; access: { scope: Scope } };

export function isRouted(operation: Operation): operation is Routed {
  return operation.http !== undefined;
}

/** Operations that are MCP methods of their own. */
export type Method = AgentOperation & { rpc: string };

export function hasMethod(operation: Operation): operation is Method {
  return operation.rpc !== undefined;
}

/** The names in a route's path, in their order. */
export function pathNames({ http }: { http?: Pick<HttpRoute, "path"> | undefined }): string[] {
  return [...(http?.path.matchAll(/\{(\w+)\}/g) ?? [])].map(([, name]) => name as string);
}

/** What a declaration may leave out: it then passes no gate, or adds no code to those that its surface implies. */
type Defaulted<T extends { gates: unknown; errors: unknown }> = Omit<T, "gates" | "errors"> &
  Partial<Pick<T, "gates" | "errors">>;

/** Declares an operation for agents. */
export function agentOperation<
  const N extends string,
  I extends z.ZodType,
  O extends z.ZodType,
  P = unknown,
  M extends z.ZodType = z.ZodType<undefined>,
>(operation: Defaulted<AgentOperation<I, O, P, M>> & { name: N }): AgentOperation<I, O, P, M> & { name: N } {
  return { gates: [], errors: [], ...operation };
}

/** Declares an operation for members. */
export function personOperation<
  const N extends string,
  I extends z.ZodType,
  O extends z.ZodType,
  P = unknown,
  M extends z.ZodType = z.ZodType<undefined>,
>(operation: Defaulted<PersonOperation<I, O, P, M>> & { name: N }): PersonOperation<I, O, P, M> & { name: N } {
  return { gates: [], errors: [], ...operation };
}

/** A tool that only reads this workspace. */
export const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
