import pLimit from "p-limit";
import pRetry from "p-retry";
import type { AsSystem, Deployment } from "../core/context.ts";
import { blockOf } from "../domain/outreach/sending.ts";
import { type Clock, MINUTE_MS } from "../lib/time.ts";
import { CONNECTIONS } from "../mail/mailer.ts";
import { messageIdOf } from "../mail/message.ts";
import { executeStep, type Outgoing, SEND_LEASE_MS } from "../services/outreach/engine.ts";
import { finishSend } from "../services/outreach/finish-send.ts";
import { deferMail, mailPostponement, workspaceBlocks } from "../services/outreach/sending-conditions.ts";
import type { Store } from "../store/store.ts";
import { type HandOverParts, handOver } from "./hand-over.ts";
import { SmtpBackoff, type SmtpBackoffParts } from "./smtp-backoff.ts";
import type { Chore } from "./supervisor.ts";

/** Written together. */
const TOGETHER = 1_000;

/** What keeps back all e-mail of a workspace is written to many enrollments at once, and each of them once. */
async function deferDue(
  { store, clock, deployment, asSystem }: { store: Store; clock: Clock; deployment: Deployment; asSystem: AsSystem },
  { workspaceId, sequenceId }: { workspaceId: string; sequenceId: string },
  restsUntil: number | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { postponed } = await mailPostponement(
    { store: store.read(workspaceId), now: clock.now(), deployment },
    restsUntil,
  );
  let put = postponed === null ? 0 : TOGETHER;
  while (put === TOGETHER && !signal?.aborted) {
    put = await asSystem(workspaceId, "put_off", (ctx) => deferMail(ctx, sequenceId, restsUntil, TOGETHER));
  }
}

export type EngineParts = HandOverParts & SmtpBackoffParts & { asSystem: AsSystem };

/** Steps that are taken together; they share a commit. */
const BATCH = 50;
/** Messages that are handed over, or wait for a connection, at a time. */
const MOST_UNDER_WAY = 50;
/** Fewer than this are under way before more are taken: a commit is worth several. */
const TAKE_MORE_BELOW = 25;
/** How often it is said of messages under way that whoever sends them lives. */
const ALIVE_MS = SEND_LEASE_MS / 5;
/** When a step that a fault of ours kept from being taken is looked at again: it must not keep back those behind it. */
const FAULT_MS = 5 * MINUTE_MS;
/** What a server that is stopped waits for messages under way. */
const STOP_GRACE_MS = 8_000;

/**
 * Sends what is due. A message is recorded as being sent, and committed, before a mail server is spoken to; how it ended
 * is recorded after. What lies between when a process dies is for a person to settle: it is never sent again blindly.
 */
export class Engine implements Chore {
  readonly name = "send_due";
  readonly everyMs = 1_000;
  readonly #parts: EngineParts;
  /** By the id of the send. */
  readonly #underWay = new Map<string, { outgoing: Outgoing; ended: Promise<void> }>();
  /** What waits for a connection waits here: the last look comes right before the hand-over. */
  readonly #slots = pLimit(CONNECTIONS);
  readonly #rests: SmtpBackoff;
  #stopping = false;
  /** The sequence that had its turn last. */
  #last = "";

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#rests = new SmtpBackoff(parts);
  }

  /** Goes on until nothing is due. */
  async run(signal?: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
    await this.#settleStale();
    for (let moved = true; moved && !signal?.aborted; ) {
      moved = await this.#round(signal);
      while (this.#underWay.size >= TAKE_MORE_BELOW && !signal?.aborted) {
        await Promise.race([aborted, ...[...this.#underWay.values()].map(({ ended }) => ended)]);
      }
    }
  }

  /** Says of what is under way that it is: a slow mail server may keep messages waiting for longer than a lease. */
  readonly keeper: Chore = {
    name: "keep_sends",
    everyMs: ALIVE_MS,
    run: async () => {
      for (const { outgoing } of this.#underWay.values()) {
        await this.#parts.asSystem(outgoing.workspaceId, "keep_send", (ctx) =>
          ctx.store.sends.move(
            outgoing.send.id,
            ["sending"],
            "sending",
            ctx.now,
            { leaseUntil: ctx.now + SEND_LEASE_MS },
            outgoing.send.lastAttemptAt,
          ),
        );
      }
    },
  };

  /** Lets what is under way come to its end. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#parts.mailer.close(STOP_GRACE_MS);
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
  }

  /** Every sequence has its share of what there is room for. Whether anything moved. */
  async #round(signal: AbortSignal | undefined): Promise<boolean> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const due = this.#inTurn(await store.engineDue.sequences(now));
    if (due.length === 0) return false;
    const { restsUntil, asks } = await this.#rests.look();
    const most = asks ? 1 : MOST_UNDER_WAY;
    let moved = false;
    for (const [i, { workspaceId, sequenceId }] of due.entries()) {
      const room = Math.min(BATCH, Math.ceil((most - this.#underWay.size) / (due.length - i)));
      if (signal?.aborted || room < 1) return moved;
      this.#last = sequenceId;
      if (await this.#isBlocked(workspaceId)) continue;
      await deferDue(this.#parts, { workspaceId, sequenceId }, restsUntil, signal);
      const ids = await store.engineDue.enrollments(sequenceId, now, room);
      const taken = await Promise.all(ids.map((id) => this.#take(workspaceId, id)));
      moved ||= taken.some(Boolean);
    }
    return moved;
  }

  /** After the one that was last, so that none waits for ever behind others. */
  #inTurn<T extends { sequenceId: string }>(due: readonly T[]): T[] {
    const first = due.findIndex(({ sequenceId }) => sequenceId > this.#last);
    return first < 0 ? [...due] : [...due.slice(first), ...due.slice(0, first)];
  }

  /** Looked at once for all that is due: what keeps back a whole workspace is written to none of its enrollments. */
  async #isBlocked(workspaceId: string): Promise<boolean> {
    const { store, clock, deployment } = this.#parts;
    const blocks = await workspaceBlocks({ store: store.read(workspaceId), now: clock.now(), deployment });
    return blockOf({ ...blocks, sequence: "active" }) !== null;
  }

  /** Whether anything moved: an enrollment that was put off or held is not due any more either. */
  async #take(workspaceId: string, enrollmentId: string): Promise<boolean> {
    const { asSystem, log, from } = this.#parts;
    try {
      const outgoing = await asSystem(workspaceId, "take_step", (ctx) =>
        executeStep(ctx, enrollmentId, (id) => messageIdOf(id, from.address)),
      );
      if (outgoing) this.#launch(outgoing);
      return outgoing !== null;
    } catch (error) {
      log.error({ err: error, enrollmentId }, "a step could not be taken; it will be tried again");
      return this.#setAside(workspaceId, enrollmentId);
    }
  }

  async #setAside(workspaceId: string, enrollmentId: string): Promise<boolean> {
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

  #launch(outgoing: Outgoing): void {
    const { id } = outgoing.send;
    const ended = this.#send(outgoing)
      .catch((error: unknown) => {
        // Its lease runs out, and a person settles what nobody could write down.
        this.#parts.log.error({ err: error, sendId: id }, "how a message ended was not written down");
      })
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { outgoing, ended });
  }

  async #send(outgoing: Outgoing): Promise<void> {
    const { workspaceId, send, body } = outgoing;
    // That the mail server rests is known before the next message has the connection.
    const ending = await this.#slots(async () =>
      this.#rests.heed(send.lastAttemptAt, await handOver(this.#parts, outgoing, () => this.#stopping)),
    );
    // A database that is busy for a while must not make a person ask after a message whose end is known here.
    await pRetry(() => this.#parts.asSystem(workspaceId, "send_mail", (ctx) => finishSend(ctx, send, body, ending)), {
      retries: 4,
      minTimeout: 250,
    });
  }

  /** What another process began and did not live to end. */
  async #settleStale(): Promise<void> {
    const { store, clock, asSystem } = this.#parts;
    const detail = "The server stopped while it was handing the message over.";
    for (const { workspaceId, id } of await store.engineDue.stale(clock.now(), BATCH)) {
      if (this.#underWay.has(id)) continue;
      await asSystem(workspaceId, "settle_stale", async (ctx) => {
        const send = await ctx.store.sends.find(id);
        if (send === undefined || send.leaseUntil === null || send.leaseUntil > ctx.now) return;
        await finishSend(ctx, send, "", { status: "unknown", detail });
      });
    }
  }
}
