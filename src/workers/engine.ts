import pLimit from "p-limit";
import pRetry from "p-retry";
import type { AsSystem, Deployment } from "../core/context.ts";
import { blockOf } from "../domain/outreach/sending.ts";
import { senderText } from "../lib/mail-server.ts";
import { type Clock, MINUTE_MS } from "../lib/time.ts";
import { CONNECTIONS } from "../mail/mailer.ts";
import { messageIdOf } from "../mail/message.ts";
import { executeAnswer, executeStep, type Outgoing, SEND_LEASE_MS } from "../services/outreach/engine.ts";
import { finishSend } from "../services/outreach/finish-send.ts";
import { deferMail, mailPostponement, type Route, workspaceBlocks } from "../services/outreach/sending-conditions.ts";
import type { Store } from "../store/store.ts";
import { type MailTransport, routeOf } from "./mail-transport.ts";
import { type SendMessageParts, sendMessage } from "./send-message.ts";
import { SharedCommit } from "./shared-commit.ts";
import { SmtpBackoff, type SmtpBackoffParts } from "./smtp-backoff.ts";
import type { Job } from "./supervisor.ts";

export type EngineParts = SendMessageParts & SmtpBackoffParts & { asSystem: AsSystem };

/** Steps that are executed together; they share a commit. */
const BATCH = 50;
/** Messages that are being sent, or wait for a connection, at a time. */
const MAX_IN_FLIGHT = 50;
/** More steps are executed once fewer messages than this are in flight: a commit is worth several. */
const EXECUTE_MORE_BELOW = 25;
/** How often the leases of messages in flight are renewed. */
const ALIVE_MS = SEND_LEASE_MS / 5;
/** When a step is retried that failed because of this server: it must not delay those behind it. */
const FAULT_MS = 5 * MINUTE_MS;
/** Retries of recording an outcome, and the longest pause between those while the database is away. */
const RECORD_RETRIES = 4;
const RECORD_AGAIN_MS = 5_000;
/** Enrollments that one write postpones. */
const POSTPONED_TOGETHER = 1_000;
const STOPPED_BEFORE = { status: "dropped", detail: "The server stopped before the message was sent." } as const;
const STOPPED_WHILE = {
  status: "unknown",
  detail: "The server stopped while it was sending the message.",
} as const;
/**
 * How long a stopping server waits for messages in flight. The process ends 7.5 seconds after it drained, whatever still
 * runs: until then, their outcomes must be recorded.
 */
export const STOP_GRACE_MS = 6_000;

/**
 * Sends what is due. A message is queued first. That it is handed over is recorded, and committed, when the mail server
 * is ready for it and before its first byte leaves; its outcome is recorded after. When a process dies, what it had
 * queued is due again, and what it was handing over needs a person: that is never sent again blindly.
 */
export class Engine implements Job {
  readonly name = "send_due";
  readonly everyMs = 1_000;
  readonly #parts: EngineParts;
  /** By the id of the send. */
  readonly #inFlight = new Map<string, { outgoing: Outgoing; ended: Promise<void> }>();
  /** Messages wait here for a connection, so that the last check comes right before the message is sent. */
  readonly #slots = pLimit(CONNECTIONS);
  readonly #commit = new SharedCommit(() => this.#slots.activeCount);
  readonly #backoff: SmtpBackoff;
  /** Runs that wait until a message has ended. */
  readonly #paused: (() => void)[] = [];
  #stopping = false;
  /** The sequence that was served last. */
  #last = "";

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#backoff = new SmtpBackoff(parts);
  }

  /** Goes on until nothing is due. */
  async run(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener("abort", this.#resume, { once: true });
    await this.#recordStale();
    for (let moved = true; moved && !signal?.aborted; ) {
      // A person waits for an answer to be sent, so answers come first.
      const answered = await this.#answer(signal);
      moved = (await this.#round(signal)) || answered;
      while (this.#inFlight.size >= EXECUTE_MORE_BELOW && !signal?.aborted) {
        await new Promise<void>((resolve) => this.#paused.push(resolve));
      }
    }
  }

  readonly #resume = (): void => {
    for (const resolve of this.#paused.splice(0)) resolve();
  };

  /** Renews the leases of messages in flight: a slow mail server may keep them waiting for longer than a lease. */
  readonly keeper: Job = {
    name: "keep_sends",
    everyMs: ALIVE_MS,
    run: async () => {
      for (const { outgoing } of this.#inFlight.values()) {
        await this.#parts.asSystem(outgoing.workspaceId, "keep_send", (ctx) =>
          ctx.store.sends.renew(outgoing.send.id, ctx.now + SEND_LEASE_MS, outgoing.send.lastAttemptAt),
        );
      }
    },
  };

  /** Waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#parts.transport().mailer?.close(STOP_GRACE_MS);
    await Promise.all([...this.#inFlight.values()].map(({ ended }) => ended));
  }

  /** Sends answers to replies that are due. @returns whether anything moved */
  async #answer(signal: AbortSignal | undefined): Promise<boolean> {
    const { store, clock } = this.#parts;
    const room = MAX_IN_FLIGHT - this.#inFlight.size;
    if (room < 1 || signal?.aborted) return false;
    const due = await store.engineDue.answers(clock.now(), room);
    if (due.length === 0) return false;
    const by = this.#parts.transport();
    let moved = false;
    for (const delivery of ["send", "files"] as const) {
      const answers = due.filter((one) => one.delivery === delivery);
      if (answers.length === 0) continue;
      const { backoffUntil, probing } = await this.#backoff.look(routeOf(by, delivery)?.mailServer ?? by.mailServer);
      if (backoffUntil !== null || (probing && this.#inFlight.size > 0)) continue;
      const most = probing ? 1 : room;
      const taken = await Promise.all(
        answers.slice(0, most).map(({ workspaceId, id }) => this.#executeAnswer(workspaceId, id, by)),
      );
      moved ||= taken.some(Boolean);
    }
    return moved;
  }

  async #executeAnswer(workspaceId: string, answerId: string, by: MailTransport): Promise<boolean> {
    const { store, asSystem, log } = this.#parts;
    try {
      const outgoing = await asSystem(workspaceId, "take_answer", (ctx) =>
        executeAnswer(ctx, answerId, this.#mailOf(by)),
      );
      if (outgoing) this.#launch(outgoing, by);
      return outgoing !== null;
    } catch (error) {
      log.error({ err: error, answerId }, "an answer could not be sent; retrying");
      if (!store.isUnavailable(error)) await this.#postponeFaultyAnswer(workspaceId, answerId);
      return false;
    }
  }

  async #postponeFaultyAnswer(workspaceId: string, answerId: string): Promise<void> {
    const postponed = this.#parts.asSystem(workspaceId, "take_answer", async (ctx) => {
      const found = await ctx.store.emailAnswers.find(answerId);
      if (found === undefined || found.dueAt === null || found.dueAt > ctx.now) return;
      await ctx.store.emailAnswers.wait(answerId, ctx.now + FAULT_MS, ctx.now);
    });
    // The database takes nothing now: the next run finds it as it was.
    await postponed.catch(() => undefined);
  }

  #mailOf({ from, mailer }: MailTransport) {
    return {
      from: senderText(from),
      hasServer: mailer !== undefined,
      messageIdFor: (id: string) => messageIdOf(id, from.address),
      instance: this.#parts.instance,
    };
  }

  /** Gives every sequence its share of the free places. @returns whether anything moved */
  async #round(signal: AbortSignal | undefined): Promise<boolean> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const due = this.#inRotation(await store.engineDue.sequences(now));
    if (due.length === 0) return false;
    const transport = this.#parts.transport();
    const looks = new Map<string, ReturnType<SmtpBackoff["look"]>>();
    const look = (mailServer: string) => {
      const known = looks.get(mailServer) ?? this.#backoff.look(mailServer);
      looks.set(mailServer, known);
      return known;
    };
    let moved = false;
    for (const [i, { workspaceId, sequenceId }] of due.entries()) {
      const delivery = (await store.read(workspaceId).sequences.find(sequenceId))?.delivery ?? "send";
      const { backoffUntil, probing } = await look(routeOf(transport, delivery)?.mailServer ?? transport.mailServer);
      const most = probing ? 1 : MAX_IN_FLIGHT;
      const room = Math.min(BATCH, Math.ceil((most - this.#inFlight.size) / (due.length - i)));
      if (signal?.aborted || room < 1) return moved;
      this.#last = sequenceId;
      if (await this.#isBlocked(workspaceId)) continue;
      const route = { delivery, hasServer: transport.mailer !== undefined };
      await deferDue(this.#parts, { workspaceId, sequenceId, route }, backoffUntil, signal);
      const ids = await store.engineDue.enrollments(sequenceId, now, room);
      const taken = await Promise.all(ids.map((id) => this.#execute(workspaceId, id)));
      moved ||= taken.some(Boolean);
    }
    return moved;
  }

  /** Begins after the sequence that was served last, so that none waits forever behind others. */
  #inRotation<T extends { sequenceId: string }>(due: readonly T[]): T[] {
    const first = due.findIndex(({ sequenceId }) => sequenceId > this.#last);
    return first < 0 ? [...due] : [...due.slice(first), ...due.slice(0, first)];
  }

  /** Checked once for all that is due: a block of a whole workspace is written to none of its enrollments. */
  async #isBlocked(workspaceId: string): Promise<boolean> {
    const { store, clock, deployment } = this.#parts;
    const blocks = await workspaceBlocks({ store: store.read(workspaceId), now: clock.now(), deployment });
    return blockOf({ ...blocks, sequence: "active" }) !== null;
  }

  /** @returns whether anything moved: an enrollment that was postponed or held is no longer due either */
  async #execute(workspaceId: string, enrollmentId: string): Promise<boolean> {
    const { store, asSystem, log, transport } = this.#parts;
    const by = transport();
    try {
      const outgoing = await asSystem(workspaceId, "take_step", (ctx) =>
        executeStep(ctx, enrollmentId, this.#mailOf(by)),
      );
      if (outgoing) this.#launch(outgoing, by);
      return outgoing !== null;
    } catch (error) {
      log.error({ err: error, enrollmentId }, "a step could not be executed; retrying");
      // It is no fault of the step that the database is away: the next run finds it as it was.
      return store.isUnavailable(error) ? false : this.#postponeFaulty(workspaceId, enrollmentId);
    }
  }

  async #postponeFaulty(workspaceId: string, enrollmentId: string): Promise<boolean> {
    try {
      await this.#parts.asSystem(workspaceId, "take_step", async (ctx) => {
        const found = await ctx.store.enrollments.find(enrollmentId);
        if (found?.status !== "active" || found.dueAt === null || found.dueAt > ctx.now) return;
        await ctx.store.enrollments.wait(enrollmentId, found.currentStep, { dueAt: ctx.now + FAULT_MS });
      });
      return true;
    } catch {
      // The database takes nothing now: the next run finds it as it was.
      return false;
    }
  }

  #launch(outgoing: Outgoing, by: MailTransport): void {
    const { id } = outgoing.send;
    const ended = this.#send(outgoing, by)
      .catch((error: unknown) => {
        // Its lease expires, and a person resolves an outcome that could not be recorded.
        this.#parts.log.error({ err: error, sendId: id }, "the outcome of a message was not recorded");
      })
      .finally(() => {
        this.#inFlight.delete(id);
        this.#resume();
      });
    this.#inFlight.set(id, { outgoing, ended });
  }

  async #send(outgoing: Outgoing, by: MailTransport): Promise<void> {
    const { workspaceId, send, body } = outgoing;
    // A cooldown of the mail server is recorded before the next message gets the connection.
    const ending = await this.#slots(async () =>
      this.#backoff.record(
        routeOf(by, outgoing.delivery)?.mailServer ?? by.mailServer,
        send.lastAttemptAt,
        await sendMessage(this.#parts, outgoing, by, this.#commit, () => this.#stopping),
      ),
    );
    this.#parts.metrics.emailed(ending.status);
    await this.#commit.outcome();
    // A database that is busy or away must not leave a person to resolve an outcome that is known here.
    await pRetry(() => this.#parts.asSystem(workspaceId, "send_mail", (ctx) => finishSend(ctx, send, body, ending)), {
      retries: SEND_LEASE_MS / RECORD_AGAIN_MS,
      minTimeout: 250,
      maxTimeout: RECORD_AGAIN_MS,
      shouldRetry: ({ error, attemptNumber }) =>
        attemptNumber <= RECORD_RETRIES || (!this.#stopping && this.#parts.store.isUnavailable(error)),
    });
  }

  /** Messages that another process had taken and did not finish. */
  async #recordStale(): Promise<void> {
    const { store, clock, asSystem } = this.#parts;
    for (const { workspaceId, id } of await store.engineDue.stale(clock.now(), BATCH)) {
      if (this.#inFlight.has(id)) continue;
      await asSystem(workspaceId, "settle_stale", async (ctx) => {
        const send = await ctx.store.sends.find(id);
        if (send === undefined || send.leaseUntil === null || send.leaseUntil > ctx.now) return;
        await finishSend(ctx, send, "", send.status === "queued" ? STOPPED_BEFORE : STOPPED_WHILE);
      });
    }
  }
}

/** Postpones the due emails of a sequence while all email of its workspace must wait: many enrollments in one write. */
async function deferDue(
  { store, clock, deployment, asSystem }: { store: Store; clock: Clock; deployment: Deployment; asSystem: AsSystem },
  { workspaceId, sequenceId, route }: { workspaceId: string; sequenceId: string; route: Route },
  backoffUntil: number | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { postponed } = await mailPostponement(
    { store: store.read(workspaceId), now: clock.now(), deployment },
    backoffUntil,
    route,
  );
  let deferred = postponed === null ? 0 : POSTPONED_TOGETHER;
  while (deferred === POSTPONED_TOGETHER && !signal?.aborted) {
    deferred = await asSystem(workspaceId, "put_off", (ctx) =>
      deferMail(ctx, sequenceId, backoffUntil, route, POSTPONED_TOGETHER),
    );
  }
}
