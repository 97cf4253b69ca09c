import { randomUUID } from "node:crypto";
import { FakeClock, type TestServer } from "./server.ts";
import { Agent, DAY_MS, iso, SENDER, type Underway } from "./socialnet.ts";

/** A measurement of a sender as reported by its agent. */
export function measurement(observedAt: number, changes: object = {}): object {
  return {
    observationId: randomUUID(),
    profileUrl: SENDER,
    observedAt: iso(observedAt),
    windowStartedAt: iso(observedAt - 14 * DAY_MS),
    windowEndedAt: iso(observedAt - 7 * DAY_MS),
    invitationsSent: 40,
    invitationsAccepted: 15,
    invitationsWithdrawn: null,
    warnings: 0,
    accountAgeDays: null,
    evidence: "The network's own page of sent invitations.",
    ...changes,
  };
}

/** An account with data for every part of its screens: an unknown outcome, a reconnect, a run, measurements. */
export async function fillAgentScreens(
  server: TestServer,
  now = Date.now(),
): Promise<{ account: any; action: Underway }> {
  const windows = [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }];
  const agent = await Agent.of(server, new FakeClock(), { windows });
  await agent.heartbeat();
  for (const status of ["planned", "approved", "held"] as const) await agent.at(status);
  const action = await agent.at("needs_review");
  for (const days of [9, 2, 1]) {
    await agent.done("health_observation", { observation: measurement(now - days * DAY_MS) });
  }
  await agent.done("run_report", {
    runId: randomUUID(),
    startedAt: iso(now - 60_000),
    finishedAt: iso(now - 1_000),
    status: "partial",
    claimed: 1,
    completed: 0,
    failed: 0,
    synced: 0,
    notes: "One stays unclear.",
  });
  const schedules = [{ label: "Morning", rrule: "FREQ=DAILY", timezone: "UTC" }];
  await agent.done("schedule_report", { schedules, checkInMinutes: 60 });
  await agent.person("request_reconnect", { account_id: agent.account.id });
  return { account: agent.account, action };
}
