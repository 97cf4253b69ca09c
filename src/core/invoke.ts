import { createHash } from "node:crypto";
import type { Catalog } from "../domain/checklist/catalog.ts";
import type { Callbacks } from "../events/challenge.ts";
import type { AuthLog } from "../services/access/auth-log.ts";
import type { ClientDirectory } from "../identity/oauth/clients.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Vault } from "../lib/vault.ts";
import type { StoredAnswer } from "../store/logs.ts";
import type { Store } from "../store/store.ts";
import {
  type Actor,
  type Clock,
  type Context,
  createContext,
  type Deployment,
  mayUse,
  permissionFor,
  type Within,
} from "./context.ts";
import { failure, success } from "./envelope.ts";
import type { Operation } from "./operation.ts";
import { checkDeploymentGates, checkProductGates } from "./policy.ts";
import { Problem, problem } from "./problem.ts";
import type { Limits } from "./rate-limits.ts";
import { type Params, parseInput, splitFlat, useOwnWords } from "./schema.ts";

type Surface = "rest" | "mcp" | "console" | "cli";

/** One call of one operation, whichever surface it came by. */
interface Call {
  /** Who calls; or how to find out, which is then the first thing done. */
  caller: Actor | (() => Promise<Actor>);
  surface: Surface;
  requestId: string;
  address?: () => string | undefined;
  /** Values of the names in the operation's path. Without them the input is flat, and they are taken from it. */
  params?: Params;
  /** The rest of the input. Asked for only once the caller may call: an unknown one cannot make us read a body. */
  input: () => unknown;
  idempotencyKey?: string | undefined;
}

export interface Answer {
  status: number;
  /** The envelope, as JSON text. */
  body: string;
  refusal?: Problem;
}

export interface InvokeParts {
  store: Store;
  trail: AuthLog;
  limits: Limits;
  deployment: Deployment;
  clock: Clock;
  refuse: Refuse;
  log: Log;
  metrics: Metrics;
  vault: Vault;
  /** Read when it is first asked for: most calls never look at it. */
  catalog: () => Catalog;
  callbacks: Callbacks;
  clients: ClientDirectory;
  /** The address that people reach this server by. */
  url: () => string;
  /** Told when something was put into the outbox, and committed. */
  wake: () => void;
}

export type Invoke = (operation: Operation, call: Call) => Promise<Answer>;

/**
 * The one pipeline that every surface calls. Its order is part of the contract: authenticate, scope or permission,
 * rate budget, deployment gates, idempotent replay, parse and validate, product gates, handler, envelope. It never throws.
 */
export function createInvoke(parts: InvokeParts): Invoke {
  const { store, clock, metrics } = parts;
  useOwnWords();

  async function run(operation: Operation, call: Call): Promise<StoredAnswer> {
    const actor = typeof call.caller === "function" ? await call.caller() : call.caller;
    authorise(parts.trail, operation, actor, call);
    const { budget = "none" } = operation;
    if (budget !== "none" && actor.kind === "key") await parts.limits.spend(budget, actor.id);
    checkDeploymentGates(operation.gates, parts.deployment);

    const workspaceId = operation.founding ? newId(clock.now()) : actor.workspaceId;
    const { params, input: read } =
      call.params === undefined ? await splitFlat(operation, call.input) : { params: call.params, input: call.input };
    const answerHash = operation.idempotent ? hashOf(operation, params, call, workspaceId) : undefined;
    if (answerHash !== undefined) {
      const stored = await store.read(workspaceId).answers.find(answerHash);
      if (stored !== undefined) return stored;
    }

    const input = parseInput(operation, params, await read());
    const within: Within = { actor, workspaceId, action: operation.name, shared: parts, woken: false };
    const reading = store.read(workspaceId);
    const { callbacks, clients } = parts;
    const preparing = { actor, workspaceId, store: reading, now: clock.now(), callbacks, clients };
    const prepared = await operation.prepare?.(preparing, input);
    if (operation.effect === "read" || operation.onlyReads?.(input)) {
      return settled(await execute(operation, createContext(within, reading, clock.now()), input, prepared));
    }

    const answered = await store.write(workspaceId, async (bound) => {
      // A racing repeat waited for the writer: by now the first one's answer is there.
      const stored = answerHash && (await bound.answers.find(answerHash));
      if (stored !== undefined) return stored;
      // The clock is read here, in the order in which writes happen: times never run against it.
      const now = clock.now();
      const ctx = createContext(within, bound, now);
      await checkProductGates(operation.gates, ctx);
      const answer = await execute(operation, ctx, input, prepared);
      const refused = answer instanceof Problem;
      await bound.journal.operation({
        at: now,
        operation: operation.name,
        surface: call.surface,
        actorKind: actor.kind,
        actorId: actor.id,
        recordId: refused ? null : answer.recordId,
        requestId: call.requestId,
      });
      if (answerHash !== undefined && !refused) await bound.answers.insert(answerHash, answer, now);
      return answer;
    });
    if (within.woken) parts.wake();
    return settled(answered);
  }

  return async (operation, call) => {
    const started = performance.now();
    let answer: Answer;
    try {
      answer = await run(operation, call);
    } catch (error) {
      answer = parts.refuse(error, { operation: operation.name, requestId: call.requestId });
    }
    const ms = performance.now() - started;
    metrics.called(operation.name, call.surface, answer.refusal?.code, ms);
    parts.log.debug(
      { operation: operation.name, surface: call.surface, status: answer.status, ms, requestId: call.requestId },
      "answered",
    );
    return answer;
  };
}

/** What a caller is told of an error, and what the log is. */
export type Refuse = (error: unknown, at: { operation: string; requestId: string }) => Answer & { refusal: Problem };

/** A Problem is told as it stands; of anything else only that the database is away, or a correlation id. */
export function createRefuse(store: Store, log: Log): Refuse {
  const answer = (refusal: Problem, correlationId?: string) => ({
    status: refusal.status,
    body: failure(refusal, correlationId),
    refusal,
  });
  return (error, at) => {
    if (error instanceof Problem) return answer(error);
    if (store.isUnavailable(error)) {
      log.error({ err: error, ...at }, "the database cannot be reached");
      return answer(problem("db_unavailable"));
    }
    const correlationId = newId(Date.now());
    log.error({ err: error, ...at, correlationId }, "an unexpected error");
    const message = "Something went wrong on our side. Quote the correlationId to your administrator.";
    return answer(problem("internal_error", message), correlationId);
  };
}

function authorise(trail: AuthLog, operation: Operation, actor: Actor, call: Call): void {
  if (mayUse(actor, operation)) return;
  const route = operation.http ? `${operation.http.method} ${operation.http.path}` : operation.name;
  trail.refused({
    code: "scope_denied",
    credential: { address: call.address ?? (() => undefined), route },
    keyPrefix: actor.kind === "key" ? actor.prefix : null,
    workspaceId: actor.workspaceId,
  });
  throw problem("insufficient_scope", `${operation.name} needs ${needed(operation, actor)}.`);
}

function needed(operation: Operation, actor: Actor): string {
  const { access } = operation;
  const byScope = "scope" in access && actor.kind !== "member";
  return byScope ? `the scope ${access.scope}` : `the permission ${permissionFor(operation)}`;
}

/** The endpoint of a key is the concrete path: the same key on two contacts is two writes. */
function hashOf({ http }: Operation, params: Params, call: Call, workspaceId: string): Buffer | undefined {
  const key = call.idempotencyKey;
  if (key === undefined || http === undefined) return undefined;
  if (key.length < 1 || key.length > 255) {
    throw problem("validation_failed", "Idempotency-Key: send 1 to 255 characters.");
  }
  const path = http.path.replace(/\{(\w+)\}/g, (_, name: string) => (params[name] ?? "").toLowerCase());
  const parts = [workspaceId, http.method, path, key];
  return createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16);
}

/** An answer; or a refusal that leaves behind what was written before it. */
type Executed = (StoredAnswer & { recordId: string | null }) | Problem;

/** Once everything is committed, a refusal goes the way of all others. */
function settled(answered: StoredAnswer | Problem): StoredAnswer {
  if (answered instanceof Problem) throw answered;
  return answered;
}

async function execute(operation: Operation, ctx: Context, input: unknown, prepared: unknown): Promise<Executed> {
  const result = await operation.handler(ctx, input, prepared);
  if ("refusal" in result) return result.refusal;
  const { id } = result.data as { id?: unknown };
  return {
    status: result.status ?? operation.http?.statuses[0] ?? 200,
    body: success(result),
    recordId: result.record ?? (typeof id === "string" ? id : null),
  };
}
