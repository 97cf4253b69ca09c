import pLimit from "p-limit";
import pRetry from "p-retry";
import type { Clock, Deployment } from "../context.ts";
import { blockOf, RESTS_MS } from "../domain/sending.ts";
import { OPEN_ENROLLMENT } from "../domain/sequence.ts";
import type { Log } from "../log.ts";
import { CONNECTIONS, type Mailer } from "../mail/mailer.ts";
import { composeMessage, type Message, UnsendableLetter } from "../mail/message.ts";
import { messageIdOf } from "../mail/message-id.ts";
import type { Sender } from "../mail/sender.ts";
import { unsubscribeSubject, unsubscribeToken, unsubscribeUrl } from "../mail/unsubscribe.ts";
import type { Metrics } from "../metrics.ts";
import { endSend, type SendEnding } from "../rules/end-send.ts";
import { hashCopy } from "../rules/hash-sequence.ts";
import { type Outgoing, SEND_LEASE_MS } from "../rules/prepare-send.ts";
import { mailPostponement, putOffMail } from "../rules/put-off-mail.ts";
import { workspaceBlocks } from "../rules/sending-standing.ts";
import { takeStep } from "../rules/take-step.ts";
import type { Store } from "../store/store.ts";
import type { AsSystem } from "../system.ts";
import type { Vault } from "../vault.ts";
import type { Chore } from "./supervisor.ts";

export interface EngineParts {
  store: Store;
  deployment: Deployment;
  clock: Clock;
  log: Log;
  asSystem: AsSystem;
  vault: Vault;
  mailer: Mailer;
  /** By which it is remembered that the mail server rests: every server that sends through it leaves it alone. */
  mailServer: string;
  metrics: Pick<Metrics, "mailRefused" | "mailRests">;
  from: Sender;
  /** Where the links of messages lead. */
  url: () => string;
  /** Whether the mailbox of the sender is read: then one may unsubscribe by mail too. */
  readsMailbox: boolean;
}

/** Steps that are taken together; they share a commit. */
const BATCH = 50;
/** Messages that are handed over, or wait for a connection, at a time. */
const MOST_UNDER_WAY = 50;
/** Fewer than this are under way before more are taken: a commit is worth several. */
const TAKE_MORE_BELOW = 25;
/** How often it is said of messages under way that whoever sends them lives. */
const ALIVE_MS = SEND_LEASE_MS / 5;
/** When a step that a fault of ours kept from being taken is looked at again: it must not keep back those behind it. */
const FAULT_MS = 5 * 60_000;
/** Written together where all e-mail of a workspace is put off. */
const PUT_OFF_TOGETHER = 1_000;
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
  /** Whether the mail server was seen resting: then what it takes ends that. */
  #rested = false;
  #stopping = false;
  /** The sequence that had its turn last. */
  #last = "";

  constructor(parts: EngineParts) {
    this.#parts = parts;
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
    const { store, clock, mailServer, metrics } = this.#parts;
    const now = clock.now();
    const due = this.#inTurn(await store.engineDue.sequences(now));
    if (due.length === 0) return false;
    const rest = await store.engineDue.rest(mailServer);
    const restsUntil = rest !== undefined && rest.until > now ? rest.until : null;
    this.#rested = rest !== undefined;
    metrics.mailRests(restsUntil !== null);
    // After a rest one message asks whether the server takes any.
    const most = rest === undefined ? MOST_UNDER_WAY : 1;
    let moved = false;
    for (const [i, { workspaceId, sequenceId }] of due.entries()) {
      const room = Math.min(BATCH, Math.ceil((most - this.#underWay.size) / (due.length - i)));
      if (signal?.aborted || room < 1) return moved;
      this.#last = sequenceId;
      if (await this.#isBlocked(workspaceId)) continue;
      await this.#putOff(workspaceId, sequenceId, restsUntil, signal);
      const ids = await store.engineDue.enrollments(sequenceId, now, room);
      const taken = await Promise.all(ids.map((id) => this.#take(workspaceId, id)));
      moved ||= taken.some(Boolean);
    }
    return moved;
  }

  /** What keeps back all e-mail of a workspace is written to many enrollments at once, and each of them once. */
  async #putOff(
    workspaceId: string,
    sequenceId: string,
    restsUntil: number | null,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { store, clock, deployment, asSystem } = this.#parts;
    const { postponed } = await mailPostponement(
      { store: store.read(workspaceId), now: clock.now(), deployment },
      restsUntil,
    );
    let put = postponed === null ? 0 : PUT_OFF_TOGETHER;
    while (put === PUT_OFF_TOGETHER && !signal?.aborted) {
      put = await asSystem(workspaceId, "put_off", (ctx) => putOffMail(ctx, sequenceId, restsUntil, PUT_OFF_TOGETHER));
    }
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
        takeStep(ctx, enrollmentId, (id) => messageIdOf(id, from.address)),
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
    const ending = await this.#slots(async () => this.#heed(send.lastAttemptAt, await this.#handOver(outgoing)));
    // A database that is busy for a while must not make a person ask after a message whose end is known here.
    await pRetry(() => this.#parts.asSystem(workspaceId, "send_mail", (ctx) => endSend(ctx, send, body, ending)), {
      retries: 4,
      minTimeout: 250,
    });
  }

  /** A mail server that refuses us is left alone, ever longer, until it takes a message again. */
  async #heed(attemptAt: number, ending: SendEnding): Promise<SendEnding> {
    const { store, mailServer, log } = this.#parts;
    try {
      if (ending.status === "transient" && ending.ours) {
        return { ...ending, restsUntil: await this.#rest(attemptAt, ending.detail) };
      }
      const taken = ending.status === "accepted" || ending.status === "written";
      if (taken && this.#rested) await store.engineDue.endRest(mailServer, attemptAt);
    } catch (error) {
      // How this message ended is worth more: the next one finds the same.
      log.error({ err: error }, "whether the mail server rests was not written down");
    }
    return ending;
  }

  async #rest(attemptAt: number, detail: string): Promise<number> {
    const { store, clock, log, metrics, mailServer } = this.#parts;
    metrics.mailRefused();
    metrics.mailRests(true);
    this.#rested = true;
    const now = clock.now();
    const refusal = { attemptAt, detail, rests: RESTS_MS };
    const { refusals, until, beganAt } = await store.engineDue.beginRest(mailServer, refusal, now);
    if (beganAt === now) {
      log.warn({ detail, refusals, restMs: until - now }, "the mail server takes nothing from us; it is left alone");
    }
    return until;
  }

  async #handOver(outgoing: Outgoing): Promise<SendEnding> {
    let message: Message;
    try {
      const stopped = await this.#lastLook(outgoing);
      if (stopped !== undefined) return { status: "dropped", detail: stopped };
      message = this.#compose(outgoing);
    } catch (error) {
      if (error instanceof UnsendableLetter) return { status: "unsendable", detail: error.message };
      this.#parts.log.error({ err: error, sendId: outgoing.send.id }, "a message was not made; it is tried again");
      return { status: "not_begun", detail: "A fault of this server kept it from being handed over." };
    }
    return this.#parts.mailer.send(message);
  }

  /** A pause, an opt-out or a reply may have come since the step was taken, or somebody taken this process for dead. */
  async #lastLook({ workspaceId, send, approved }: Outgoing): Promise<string | undefined> {
    if (this.#stopping) return "The server was stopped.";
    const { clock, deployment } = this.#parts;
    const store = this.#parts.store.read(workspaceId);
    const row = await store.sends.find(send.id);
    const ours = row?.status === "sending" && row.lastAttemptAt === send.lastAttemptAt;
    if (!ours) return "It was taken for lost before it left.";
    const sequence = await store.sequences.find(send.sequenceId);
    const blocks = await workspaceBlocks({ store, now: clock.now(), deployment });
    const block = blockOf({ ...blocks, sequence: sequence?.status ?? "archived" });
    if (block !== null) return `Kept back at the last moment: ${block.reason}.`;
    const rest = await this.#parts.store.engineDue.rest(this.#parts.mailServer);
    if (rest !== undefined && rest.until > clock.now()) return "The mail server is left alone for a while.";
    if (await store.suppressions.has(send.address)) return "The address is on the do-not-contact list.";
    const record = await store.contacts.find(send.contactId);
    const copyHash = record && sequence && hashCopy(record.contact, sequence.steps);
    const same = sequence?.stepsHash === approved.stepsHash && copyHash === approved.copyHash;
    if (!same) return "The sequence or the contact changed; it has to be approved anew.";
    const enrollment = await store.enrollments.find(send.enrollmentId);
    const open = OPEN_ENROLLMENT.some((status) => status === enrollment?.status);
    return open ? undefined : "The enrollment has ended.";
  }

  #compose({ workspaceId, send, subject, body, senderName, to, earlier }: Outgoing): Message {
    const { vault, url, from, clock, readsMailbox } = this.#parts;
    const { contactId } = send;
    const token = unsubscribeToken(vault, { workspaceId, contactId, sendId: send.id, address: send.address });
    return composeMessage({
      ...{ sendId: send.id, from, senderName, to, subject, body, earlier, at: clock.now() },
      unsubscribe: {
        url: unsubscribeUrl(url(), token),
        ...(readsMailbox ? { subject: unsubscribeSubject(token) } : {}),
      },
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
        await endSend(ctx, send, "", { status: "unknown", detail });
      });
    }
  }
}
