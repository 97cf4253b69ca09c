import { SdkHttpError } from "@modelcontextprotocol/client";
import type { Logger } from "pino";
import type { Agent } from "./agent.ts";
import type { Rostrum } from "./rostrum.ts";
import type { Alarm, Subscriptions } from "./wake.ts";

export interface Life {
  rostrum: Rostrum;
  agent: Agent;
  alarm: Alarm;
  /** Without subscriptions the agent follows its schedule. */
  subscriptions?: Subscriptions;
  log: Logger;
  signal: AbortSignal;
}

/** Delay after a run that failed because the gateway or the network was unreachable. */
const AGAIN_MS = 60_000;

/** Runs when it is woken or its time has come, until it is stopped. @throws where no run can ever succeed */
export async function live({ rostrum, agent, alarm, subscriptions, log, signal }: Life): Promise<void> {
  try {
    while (!signal.aborted) {
      let next = Date.now() + AGAIN_MS;
      try {
        const setup = await rostrum.setup();
        if (!setup.bound) throw new Unusable("The key is bound to no socialnet account; make one that is.");
        // Set before the run: anything approved after it has checked must wake it.
        await subscriptions?.keep(setup.events);
        next = Math.min(await agent.run(setup), subscriptions?.renewAt ?? Number.POSITIVE_INFINITY);
      } catch (error) {
        if (isHopeless(error)) throw error;
        log.error({ err: error }, "the run failed");
      }
      log.info({ until: new Date(next).toISOString() }, "waiting");
      await alarm.wait(next, signal);
    }
  } finally {
    await subscriptions?.end();
  }
}

class Unusable extends Error {}

/** Whether retrying is useless: a revoked or expired key stays so. */
export function isHopeless(error: unknown): error is Error {
  return error instanceof Unusable || (error instanceof SdkHttpError && error.status === 401);
}
