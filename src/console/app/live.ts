import type { Request, Response } from "express";
import type { MemberActor } from "../../core/actor.ts";
import { problem } from "../../core/problem.ts";
import type { Session } from "../../identity/sessions.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import { createThrottle, type Log } from "../../lib/log.ts";
import type { OperationName } from "./operations.ts";
import type { SidebarSection, StatusCaller, WorkspaceStatus } from "./sidebar.ts";

/** Relative to the workspace. */
export const LIVE_PATH = "/live";
/** A browser opens six connections to a server, and pages need some of them. */
const MAX_LISTENERS_PER_PERSON = 4;
const MAX_LISTENERS = 1_000;
const TICK_MS = 1_000;
/** Proxies cut off a connection that is silent for a minute, some sooner. */
const HEARTBEAT_MS = 15_000;
/** A listener with more unread data is disconnected. */
const MAX_UNREAD_BYTES = 64 * 1024;

export interface LiveParts {
  signInService: SignInService;
  /** Changes with every write. */
  version: () => number;
  sections: readonly SidebarSection[];
  readStatus: (caller: StatusCaller) => Promise<WorkspaceStatus>;
  log: Log;
}

interface Listener extends StatusCaller {
  may(name: OperationName): boolean;
  session: Session;
  memberId: string;
  response: Response;
  sent: string;
  wroteAt: number;
  version: number | undefined;
}

/**
 * Updates open pages: the counts of the sidebar, the outreach status, and a hint that the page may have changed. One
 * timer serves all listeners and runs only while there are some. It reads nothing until something is written.
 */
export function createLive({ signInService, version, sections, readStatus, log }: LiveParts) {
  const listeners = new Set<Listener>();
  let timer: NodeJS.Timeout | undefined;
  const throttle = createThrottle();
  let isTicking = false;
  let isClosed = false;

  function drop(listener: Listener, event?: string): void {
    listeners.delete(listener);
    if (event !== undefined) listener.response.write(`event: ${event}\ndata:\n\n`);
    listener.response.end();
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function write(listener: Listener, text: string): void {
    if (listener.response.writableLength > MAX_UNREAD_BYTES) {
      listeners.delete(listener);
      listener.response.destroy();
      return;
    }
    listener.wroteAt = performance.now();
    listener.response.write(text);
  }

  async function update(listener: Listener, current: number): Promise<void> {
    const beats = performance.now() - listener.wroteAt >= HEARTBEAT_MS;
    if (listener.version === current && !beats) return;
    if (!(await signInService.isActive(listener.session, listener.workspaceId))) return drop(listener, "end");
    const data = JSON.stringify(stateOf(await readStatus(listener), listener));
    // The write may have been in another workspace. console.js skips a page that has not changed.
    const isNew = listener.version !== undefined && listener.version !== current;
    listener.version = current;
    if (!listeners.has(listener)) return;
    if (isNew) write(listener, "event: changed\ndata:\n\n");
    if (data !== listener.sent) write(listener, `event: state\ndata: ${data}\n\n`);
    else if (beats) write(listener, ":\n\n");
    listener.sent = data;
  }

  /** What console.js updates: `counts` has the counts of the sections that the member may open, by path. */
  function stateOf(status: WorkspaceStatus, { may, memberId }: Listener) {
    const { paused_at, pause_reason } = status.outreach;
    const counted = sections.flatMap(({ path, needs, count }) =>
      count !== undefined && may(needs) ? [[path, count(status, memberId)] as const] : [],
    );
    return { paused: paused_at !== null, reason: pause_reason, counts: Object.fromEntries(counted) };
  }

  async function tick(): Promise<void> {
    if (isTicking) return;
    isTicking = true;
    try {
      const current = version();
      const updates = [...listeners].map((listener) =>
        update(listener, current).catch((error: unknown) => {
          log.warn({ err: error }, "live update of an open page failed");
          drop(listener);
        }),
      );
      await Promise.all(updates);
    } catch (error) {
      throttle("tick", (left) => log.warn({ err: error, ...left }, "live updates of open pages failed"));
    } finally {
      isTicking = false;
    }
  }

  return {
    /** @throws Problem rate_limited, when too many pages listen already */
    listen(
      request: Request,
      response: Response,
      { session, actor, call, may }: Pick<Listener, "session" | "call" | "may"> & { actor: MemberActor },
    ): void {
      const own = [...listeners].filter((listener) => listener.session.person.id === session.person.id);
      if (isClosed || listeners.size >= MAX_LISTENERS || own.length >= MAX_LISTENERS_PER_PERSON) {
        throw problem(
          "rate_limited",
          "Too many pages are open. This page works, but without live updates. Reload it to see changes.",
          { retryAfter: 60 },
        );
      }
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        // No proxy may store, transform, compress or buffer it.
        "cache-control": "no-store, no-transform",
        "x-accel-buffering": "no",
        "x-content-type-options": "nosniff",
      });
      response.write("retry: 10000\n\n");
      const listener: Listener = {
        session,
        response,
        workspaceId: actor.workspaceId,
        memberId: actor.id,
        call,
        may,
        sent: "",
        wroteAt: performance.now(),
        version: undefined,
      };
      listeners.add(listener);
      response.on("close", () => drop(listener));
      request.socket.setNoDelay(true);
      timer ??= setInterval(() => void tick(), TICK_MS).unref();
      void tick();
    },

    /** Ends every connection. Browsers reconnect when the server is back. */
    close(): void {
      isClosed = true;
      for (const listener of [...listeners]) drop(listener);
    },
  };
}
