import type { z } from "zod";
import type { Access, Context } from "./context.ts";
import type { JsonText } from "./json-text.ts";
import type { ProblemCode } from "./problem.ts";

export interface HttpRoute {
  method: "GET" | "POST" | "PUT" | "PATCH";
  /** Below /api/v1, in OpenAPI's form: `/contacts/{id}`. */
  path: `/${string}`;
  /** What success answers; where there are two, the handler says which. */
  statuses: readonly [200 | 201, ...(200 | 201)[]];
  /** The name of the body's schema in the description; without one it is written in place. */
  body?: string;
}

/** All four hints of MCP, spelled out: a client decides by them what to run without asking. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** Rate budgets, each with a counter of its own per key; see limits.ts. */
type Budget = "write" | "checklist_read" | "none";

/** Product gates that the pipeline holds before the handler runs. */
export type Gate = "billing";

export interface Result<T> {
  /** Needed only where the operation's route lists two. */
  status?: 200 | 201;
  data: T | JsonText<T>;
  /** Beside `data` in the envelope of a list. */
  meta?: Record<string, unknown>;
}

/**
 * One capability, declared once. REST routes, MCP tools, the OpenAPI description, the command line and the tables of
 * the documentation are all derived from this.
 */
export interface Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** operationId, tool name, command-line word, audit action and metric label. */
  name: string;
  area: string;
  title: string;
  /** Written once, for a model and a person alike. */
  description: string;
  access: Access;
  http?: HttpRoute;
  tool: false | { annotations: ToolAnnotations };
  budget: Budget;
  /** Honours the Idempotency-Key header. */
  idempotent: boolean;
  effect: "read" | "write";
  /** Makes the workspace that it runs in: the caller's own is not read. */
  founding?: true;
  gates: readonly Gate[];
  /** What it can answer beyond what its door, budget, gates and surface already imply; see refusals.ts. */
  errors: readonly ProblemCode[];
  /** An object on the wire. Names in the route's path are taken from there, the rest from query or body. */
  input: I;
  /** The shape of `data`. */
  output: O;
  /** The shape of `meta`, for lists. */
  meta?: z.ZodType;
  handler(ctx: Context, input: z.output<I>): Promise<Result<z.output<O>>>;
}

/** The identity, for inference. */
export function defineOperation<I extends z.ZodType, O extends z.ZodType>(operation: Operation<I, O>): Operation<I, O> {
  return operation;
}
