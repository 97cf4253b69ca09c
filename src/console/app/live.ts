import type { Request, Response } from "express";
import type { MemberActor } from "../../core/actor.ts";
import { problem } from "../../core/problem.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import type { Log } from "../../lib/log.ts";
import type { Counted, Counts } from "./counts.ts";
import type { DataOf } from "./operations.ts";

/** Below a workspace. */
export const LIVE_PATH = "/live";
/** A browser opens six connections to a server: those of a person leave some for pages. */
const MOST_OF_PERSON = 4;
const MOST = 1_000;
const TICK_MS = 1_000;
/** Proxies cut off what is silent for a minute, some sooner. */
const HEARTBEAT_MS = 15_000;
/** What a listener may leave unread. */
const MOST_BEHIND = 64 * 1024;

export interface LiveParts {
  entrance: SignInService;
  /** Changes whenever something was written. */
  version: () => number;
  counts: (counted: Counted) => Promise<Counts>;
  log: Log;
}

interface Listener extends Counted {
  visitor: Session;
  response: Response;
  sent: string;
  wroteAt: number;
  version: number | undefined;
}

/**
 * Tells open pages what waits, whether outreach runs, and that what they show may have changed. One timer serves them all, and there is none while nobody
 * listens; nothing is asked of the store before something was written.
 */
export function createLive({ entrance, version, counts, log }: LiveParts) {
  const listeners = new Set<Listener>();
  let timer: NodeJS.Timeout | undefined;
  let isTicking = false;
  let isClosed = false;

  function drop(listener: Listener, says?: string): void {
    listeners.delete(listener);
    if (says !== undefined) listener.response.write(`event: ${says}\ndata:\n\n`);
    listener.response.end();
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function write(listener: Listener, text: string): void {
    if (listener.response.writableLength > MOST_BEHIND) {
      listeners.delete(listener);
      listener.response.destroy();
      return;
    }
    listener.wroteAt = performance.now();
    listener.response.write(text);
  }

  async function look(listener: Listener, current: number, switches: Map<string, Promise<Switch>>): Promise<void> {
    const beats = performance.now() - listener.wroteAt >= HEARTBEAT_MS;
    if (listener.version === current && !beats) return;
    const { visitor, workspaceId, call } = listener;
    if (!(await entrance.isActive(visitor, workspaceId))) return drop(listener, "end");
    const asked = switches.get(workspaceId) ?? switchOf(call);
    switches.set(workspaceId, asked);
    const [outreach, rooms] = await Promise.all([asked, counts(listener)]);
    const data = JSON.stringify({ ...outreach, rooms });
    // Of which workspace a write was is not known: a page that is drawn anew for nothing stays as it was.
    const isNew = listener.version !== undefined && listener.version !== current;
    listener.version = current;
    if (!listeners.has(listener)) return;
    if (isNew) write(listener, "event: changed\ndata:\n\n");
    if (data !== listener.sent) write(listener, `event: state\ndata: ${data}\n\n`);
    else if (beats) write(listener, ":\n\n");
    listener.sent = data;
  }

  async function tick(): Promise<void> {
    if (isTicking) return;
    isTicking = true;
    const switches = new Map<string, Promise<Switch>>();
    try {
      const current = version();
      const looks = [...listeners].map((listener) =>
        look(listener, current, switches).catch((error: unknown) => {
          log.warn({ err: error }, "a page that is open could not be told what is new");
          drop(listener);
        }),
      );
      await Promise.all(looks);
    } catch (error) {
      log.warn({ err: error }, "open pages could not be told what is new");
    } finally {
      isTicking = false;
    }
  }

  return {
    /** @throws Problem rate_limited, where too many listen already */
    listen(request: Request, response: Response, who: { visitor: Session; actor: MemberActor } & Listening): void {
      const { visitor, actor, call, may } = who;
      const own = [...listeners].filter((listener) => listener.visitor.person.id === visitor.person.id);
      if (isClosed || listeners.size >= MOST || own.length >= MOST_OF_PERSON) {
        throw problem("rate_limited", "Too many pages listen already; the page works without.", { retryAfter: 60 });
      }
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        // Nothing in between may keep, change, compress or gather it.
        "cache-control": "no-store, no-transform",
        "x-accel-buffering": "no",
        "x-content-type-options": "nosniff",
      });
      response.write("retry: 10000\n\n");
      const workspaceId = actor.workspaceId;
      const listener: Listener = {
        ...{ visitor, response, workspaceId, call, may },
        ...{ sent: "", wroteAt: performance.now(), version: undefined },
      };
      listeners.add(listener);
      response.on("close", () => drop(listener));
      request.socket.setNoDelay(true);
      timer ??= setInterval(() => void tick(), TICK_MS).unref();
      void tick();
    },

    /** Ends every connection; browsers come back when the server does. */
    close(): void {
      isClosed = true;
      for (const listener of [...listeners]) drop(listener);
    },
  };
}

type Listening = Pick<Counted, "call" | "may">;

interface Switch {
  paused: boolean;
  reason: string | null;
}

async function switchOf(call: Counted["call"]): Promise<Switch> {
  const { outreach }: DataOf<"get_workspace"> = (await call("get_workspace", {})).data;
  return { paused: outreach.paused_at !== null, reason: outreach.pause_reason };
}
