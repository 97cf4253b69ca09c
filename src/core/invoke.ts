import { hash } from "node:crypto";
import { newId } from "../lib/ids.ts";
import { JsonText } from "../lib/json-text.ts";
import { createThrottle, type Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Clock } from "../lib/time.ts";
import type { Seat } from "../store/access.ts";
import type { StoredAnswer } from "../store/logs.ts";
import type { PipelineStore, Store, WorkspaceStore } from "../store/store.ts";
import type { Actor, KeyActor, MemberActor } from "./actor.ts";
import {
  type AnswerOptions,
  type Callbacks,
  CallContext,
  type Change,
  type ClientFinder,
  type Context,
  type MailTester,
  type Preparing,
  type Shared,
} from "./context.ts";
import { failure } from "./envelope.ts";
import { useErrorMessages } from "./error-messages.ts";
import type { Operation, Result } from "./operation.ts";
import {
  checkDeploymentGates,
  checkProductGates,
  keyRefusal,
  type Limits,
  mayUse,
  permissionFor,
  seatRefusal,
} from "./policy.ts";
import { Problem, problem } from "./problem.ts";
import { type PathParams, parseInput, splitFlat } from "./schema.ts";

type Surface = "rest" | "mcp" | "console" | "cli";

/** One call of one operation, whichever surface it came by. */
interface Call {
  /** Who calls; or how to find out, which is then the first thing done. */
  caller: Actor | (() => Promise<Actor>);
  surface: Surface;
  requestId: string;
  address?: () => string | undefined;
  /** Values of the names in the operation's path. Without them the input is flat, and they are taken from it. */
  params?: PathParams;
  /** The rest of the input. Read only once the caller may call, so an unknown caller cannot make us read a body. */
  input: () => unknown;
  idempotencyKey?: string | undefined;
  options?: AnswerOptions | undefined;
}

/** The envelope as JSON text, for surfaces that pass it on. */
export interface Answer {
  status: number;
  body: string;
  refusal?: Problem;
}

/** The envelope for a caller that only sends it. It is a Buffer if the store wrote the data as UTF-8. */
export interface SendableAnswer extends Omit<Answer, "body"> {
  body: string | Buffer;
}

/** The envelope as values, for callers inside the process. Data that the store wrote as JSON is parsed when first read. */
export interface DataAnswer {
  status: number;
  readonly data: unknown;
  readonly meta: unknown;
  refusal?: never;
}

export interface RefusedAnswer extends Answer {
  refusal: Problem;
}

export interface Invoke {
  (operation: Operation, call: Call): Promise<Answer>;
  sendable(operation: Operation, call: Call): Promise<SendableAnswer>;
  data(operation: Operation, call: Call): Promise<DataAnswer | RefusedAnswer>;
}

/** Where refused calls and uses of keys are recorded. */
interface CallLog {
  refused(refusal: {
    code: "scope_denied" | "invalid_key" | "revoked_key" | "expired_key";
    credential: { address: () => string | undefined; route: string };
    keyPrefix: string | null;
    workspaceId: string;
  }): void;
  /** Notes that a key was used. */
  used(keyId: string): void;
}

export interface InvokeParts extends Shared {
  store: Store;
  authLog: CallLog;
  limits: Limits;
  clock: Clock;
  refuse: Refuse;
  metrics: Metrics;
  callbacks: Callbacks;
  clients: ClientFinder;
  mailTester: MailTester;
  findSeat: FindSeat;
}

/** What a member may do by now. Undefined if they are no longer a member. */
export type FindSeat = (store: WorkspaceStore, member: MemberActor) => Promise<Seat | undefined>;

/**
 * The one pipeline that every surface calls. Its order is part of the contract: authenticate, scope or permission,
 * rate budget, deployment gates, idempotent replay, what the operation forbids, parse and validate, product gates (of writes), handler, envelope.
 * What an operation must ask the network is asked between validation and the write. Inside its transaction a write
 * checks again that the key is still live, or that the member may do what they could at its start, and that no other call with its idempotency key came first. It never throws.
 */
export function createInvoke(parts: InvokeParts): Invoke {
  const { store, clock, metrics, callbacks, clients, mailTester, vault, deployment } = parts;
  useErrorMessages();

  /** @param form what the caller is answered with; a write forms it before its commit, so that a fault undoes it */
  async function run<T>(operation: Operation, call: Call, form: (answered: Answered) => T): Promise<T> {
    const actor = typeof call.caller === "function" ? await call.caller() : call.caller;
    authorize(parts.authLog, operation, actor, call);
    if (actor.kind === "key") parts.authLog.used(actor.id);
    const { budget = "none" } = operation;
    if (budget !== "none" && actor.kind === "key") await parts.limits.spend(budget, actor.id);
    checkDeploymentGates(operation.gates, parts.deployment);

    const workspaceId = operation.founding ? newId(clock.now()) : actor.workspaceId;
    const { params, input: read } =
      call.params === undefined ? await splitFlat(operation, call.input) : { params: call.params, input: call.input };
    const answerHash = operation.idempotent ? hashOf(operation, params, call, workspaceId) : undefined;
    if (answerHash !== undefined) {
      const stored = await store.read(workspaceId).answers.find(answerHash);
      if (stored !== undefined) return form(stored);
    }

    const asTool = call.surface === "mcp" && Boolean(operation.tool);
    const raw = await read();
    authorizeInput(parts.authLog, operation, actor, call, raw);
    requirePermitted(operation, raw);
    const input = parseInput(operation, params, raw, asTool);
    const { options } = call;
    const change: Change = { actor, workspaceId, action: operation.name, shared: parts, options, woken: false };
    const reading = store.read(workspaceId);
    const reach = { callbacks, clients, mailTester, vault, deployment };
    const preparing: Preparing = { actor, workspaceId, store: reading, now: clock.now(), ...reach };
    const prepared = await operation.prepare?.(preparing, input);
    if (operation.effect === "read" || operation.onlyReads?.(input)) {
      return form(orThrow(await execute(operation, new CallContext(change, reading, clock.now()), input, prepared)));
    }

    const answered = await store.write(workspaceId, async (bound) => {
      // The clock is read here, in the order in which writes happen: times never run against it.
      const now = clock.now();
      if (actor.kind === "key") await requireLive(parts.authLog, bound, actor, operation, call, now);
      if (actor.kind === "member") {
        // A workspace that this call creates has no members yet.
        await requireSeat(parts, operation.founding ? store.read(actor.workspaceId) : bound, actor, operation, call);
      }
      // A racing repeat waited for the writer: by now the first one's answer is there.
      const stored = answerHash && (await bound.answers.find(answerHash));
      if (stored !== undefined) return form(stored);
      const ctx = new CallContext(change, bound, now);
      if (!stopsSomething(operation, raw)) await checkProductGates(operation.gates, ctx);
      const executed = await execute(operation, ctx, input, prepared);
      const refused = executed instanceof Problem;
      await bound.journal.operation({
        at: now,
        operation: operation.name,
        surface: call.surface,
        actorKind: actor.kind,
        actorId: actor.id,
        recordId: refused ? null : recordOf(executed.result),
        requestId: call.requestId,
      });
      if (refused) return executed;
      if (answerHash === undefined) return form(executed);
      const answer = asText(executed);
      await bound.answers.insert(answerHash, answer, now);
      return form(answer);
    });
    if (change.woken) parts.wake();
    return orThrow(answered);
  }

  async function answerAs<T extends { status: number }>(
    operation: Operation,
    call: Call,
    form: (answered: Answered) => T,
  ) {
    const started = performance.now();
    let answer: T | RefusedAnswer;
    try {
      answer = await run(operation, call, form);
    } catch (error) {
      answer = parts.refuse(error, { operation: operation.name, requestId: call.requestId });
    }
    const ms = performance.now() - started;
    const refusal = "refusal" in answer ? answer.refusal : undefined;
    metrics.latency.observe({ operation: operation.name, surface: call.surface }, ms / 1000);
    if (refusal !== undefined) metrics.refusals.inc({ operation: operation.name, code: refusal.code });
    parts.log.debug(
      { operation: operation.name, surface: call.surface, status: answer.status, ms, requestId: call.requestId },
      "answered",
    );
    return answer;
  }

  return Object.assign((operation: Operation, call: Call) => answerAs(operation, call, asText), {
    sendable: (operation: Operation, call: Call) => answerAs<SendableAnswer>(operation, call, asSendable),
    data: (operation: Operation, call: Call) => answerAs(operation, call, asData),
  });
}

/** What a handler has returned, with the status it is answered with. */
interface Executed {
  status: number;
  result: Result<unknown>;
}

/** A success: of this call, or of the earlier call that it repeats. */
type Answered = Executed | StoredAnswer;

/** The one envelope, as JSON text: `{ data, error: null }`, with `meta` between them for lists. */
function asText(answered: Answered): Answer {
  if ("body" in answered) return answered;
  const { data, meta } = answered.result;
  const text = data instanceof JsonText ? data.text : JSON.stringify(data);
  return { status: answered.status, body: `${BEFORE_DATA}${text}${afterData(meta)}` };
}

function asSendable(answered: Answered): SendableAnswer {
  if ("body" in answered || !(answered.result.data instanceof JsonText)) return asText(answered);
  const { data, meta } = answered.result;
  const { written } = data;
  if (typeof written === "string") return asText(answered);
  return {
    status: answered.status,
    body: Buffer.concat([BEFORE_DATA_BYTES, written, Buffer.from(afterData(meta))]),
  };
}

const BEFORE_DATA = '{"data":';
const BEFORE_DATA_BYTES = Buffer.from(BEFORE_DATA);

const afterData = (meta: object | undefined) =>
  meta === undefined ? ',"error":null}' : `,"meta":${JSON.stringify(meta)},"error":null}`;

function asData(answered: Answered): DataAnswer {
  const { data, meta } = "body" in answered ? (JSON.parse(answered.body) as Result<unknown>) : answered.result;
  return { status: answered.status, data: data instanceof JsonText ? data.parse() : data, meta };
}

async function execute(
  operation: Operation,
  ctx: Context,
  input: unknown,
  prepared: unknown,
): Promise<Executed | Problem> {
  const result = await operation.handler(ctx, input, prepared);
  if ("refusal" in result) return result.refusal;
  return { status: result.status ?? operation.http?.statuses[0] ?? 200, result };
}

/** A refusal that left something behind is thrown only once that is committed. */
function orThrow<T>(answered: T | Problem): T {
  if (answered instanceof Problem) throw answered;
  return answered;
}

function recordOf({ record, data }: Result<unknown>): string | null {
  const { id } = data as { id?: unknown };
  return record ?? (typeof id === "string" ? id : null);
}

/** Turns an error into the caller's answer and the log entry. */
export type Refuse = (error: unknown, at: { operation: string; requestId: string }) => RefusedAnswer;

/** A Problem is answered unchanged; any other error only as an unavailable database or with a correlation id. */
export function createRefuse(store: Store, log: Log): Refuse {
  const answer = (refusal: Problem, correlationId?: string) => ({
    status: refusal.status,
    body: failure(refusal, correlationId),
    refusal,
  });
  const throttle = createThrottle();
  return (error, at) => {
    if (error instanceof Problem) return answer(error);
    if (store.isUnavailable(error)) {
      // While it lasts, every call is refused.
      throttle("unavailable", (left) => log.error({ err: error, ...at, ...left }, "the database cannot be reached"));
      return answer(problem("db_unavailable"));
    }
    const correlationId = newId(Date.now());
    log.error({ err: error, ...at, correlationId }, "an unexpected error");
    const message = "Something went wrong on the server. Give the correlationId to your server admin.";
    return answer(problem("internal_error", message), correlationId);
  };
}

/** @throws Problem insufficient_scope if this input needs a scope that the caller lacks */
function authorizeInput(authLog: CallLog, operation: Operation, actor: Actor, call: Call, raw: unknown): void {
  const scope = isObject(raw) ? operation.scopeFor?.(raw) : undefined;
  if (scope !== undefined) authorize(authLog, { ...operation, access: { scope } } as Operation, actor, call);
}

function authorize(authLog: CallLog, operation: Operation, actor: Actor, call: Call): void {
  if (mayUse(actor, operation)) return;
  const route = routeOf(operation);
  authLog.refused({
    code: "scope_denied",
    credential: { address: call.address ?? (() => undefined), route },
    keyPrefix: actor.kind === "key" ? actor.prefix : null,
    workspaceId: actor.workspaceId,
  });
  throw problem("insufficient_scope", `${operation.name} needs ${needed(operation, actor)}.`);
}

const isObject = (raw: unknown): raw is Record<string, unknown> => typeof raw === "object" && raw !== null;

/** No gate of the product keeps people from stopping what goes out. */
function stopsSomething({ restricts }: Operation, raw: unknown): boolean {
  return restricts !== undefined && isObject(raw) && restricts(raw);
}

/** @throws Problem what the operation never permits */
function requirePermitted({ forbid }: Operation, raw: unknown): void {
  if (forbid === undefined || !isObject(raw)) return;
  const forbidden = forbid(raw);
  if (forbidden !== undefined) throw forbidden;
}

/**
 * A body may arrive long after its headers: by now the key may be revoked or expired.
 *
 * @throws Problem revoked_key, expired_key
 */
async function requireLive(
  authLog: CallLog,
  { keys }: Pick<PipelineStore, "keys">,
  { id, prefix, workspaceId }: KeyActor,
  operation: Operation,
  call: Call,
  now: number,
): Promise<void> {
  const refused = keyRefusal(await keys.life(id), now);
  if (refused === undefined) return;
  const credential = { address: call.address ?? (() => undefined), route: routeOf(operation) };
  authLog.refused({ code: refused.code, credential, keyPrefix: prefix, workspaceId });
  throw refused.refusal;
}

/**
 * A teammate may have removed the member, or changed what they may do, since the call was authorized.
 *
 * @throws Problem not_signed_in, insufficient_scope
 */
async function requireSeat(
  { authLog, findSeat }: Pick<InvokeParts, "authLog" | "findSeat">,
  store: WorkspaceStore,
  actor: MemberActor,
  operation: Operation,
  call: Call,
): Promise<void> {
  const seat = await findSeat(store, actor);
  if (seat !== undefined) authorize(authLog, operation, { ...actor, ...seat }, call);
  const refused = seatRefusal(actor, seat);
  if (refused !== undefined) throw refused;
}

function routeOf({ http, name }: Operation): string {
  return http ? `${http.method} ${http.path}` : name;
}

function needed(operation: Operation, actor: Actor): string {
  const { access } = operation;
  const byScope = "scope" in access && actor.kind !== "member";
  return byScope ? `the scope ${access.scope}` : `the permission ${permissionFor(operation)}`;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The endpoint of a key is the concrete path: the same key on two contacts is two writes. A UUID is the same in either
 * case. Other ids, such as a checklist item's, are not.
 */
function hashOf({ http }: Operation, params: PathParams, call: Call, workspaceId: string): Buffer | undefined {
  const key = call.idempotencyKey;
  if (key === undefined || http === undefined) return undefined;
  if (key.length < 1 || key.length > 255) {
    throw problem("validation_failed", "Idempotency-Key: send 1 to 255 characters.");
  }
  const path = http.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? "";
    return UUID.test(value) ? value.toLowerCase() : value;
  });
  const parts = [workspaceId, http.method, path, key];
  return hash("sha256", JSON.stringify(parts), "buffer").subarray(0, 16);
}
