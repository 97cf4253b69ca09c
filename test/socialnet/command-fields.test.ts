import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type Agent, SENDER, withAgent } from "../support/socialnet.ts";

const AT = "2026-11-20T08:00:00.000Z";
const OBSERVATION: Record<string, unknown> = {
  observationId: randomUUID(),
  profileUrl: SENDER,
  observedAt: AT,
  windowStartedAt: "2026-11-01T00:00:00Z",
  windowEndedAt: "2026-11-08T00:00:00Z",
  invitationsSent: 5,
  invitationsAccepted: null,
  invitationsWithdrawn: null,
  warnings: null,
  accountAgeDays: 9,
  evidence: "Seen.",
};
const SEEN = { kind: "reply", profileUrl: "https://socialnet.example/in/x", observedAt: AT, externalKey: "k" };
const RULE = { label: "Morning", rrule: "FREQ=DAILY", timezone: "UTC" };

/** A valid value for each field of each command. */
const SOUND: Record<string, unknown> = {
  observation: OBSERVATION,
  session: "ready",
  profileUrl: SENDER,
  actionId: randomUUID(),
  leaseToken: randomUUID(),
  outcome: "not_sent",
  evidence: "Seen.",
  schedules: [RULE],
  checkInMinutes: 60,
  runId: randomUUID(),
  startedAt: AT,
  finishedAt: AT,
  status: "ok",
  claimed: 0,
  completed: 0,
  failed: 0,
  synced: 0,
  notes: "All well.",
  observations: [SEEN],
};

/** The contract's required and optional fields of each command. */
const TAKES: Record<string, { must: string[]; may?: string[] }> = {
  setup: { must: [] },
  health_observation: { must: ["observation"] },
  connection_accepted: { must: ["profileUrl"], may: ["actionId", "evidence"] },
  heartbeat: { must: ["session", "profileUrl"] },
  brief: { must: [] },
  schedule_report: { must: ["schedules", "checkInMinutes"] },
  run_report: {
    must: ["runId", "startedAt", "finishedAt", "status", "claimed", "completed", "failed", "synced"],
    may: ["notes"],
  },
  sync: { must: ["observations"] },
  reconnect_ack: { must: [] },
  claim: { must: ["actionId"] },
  start: { must: ["actionId", "leaseToken"] },
  result: { must: ["actionId", "leaseToken", "outcome", "evidence"] },
};

const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, SOUND[name]]));

let running: Agent;
const started: (() => void)[] = [];
before(async () => {
  running = await withAgent({ after: (stop) => void started.push(stop as () => void) });
});
after(async () => {
  for (const stop of started.reverse()) await stop();
});

/** A 400 that names the field, or contains a text. */
async function refused(command: string, fields: object, named: string | RegExp) {
  const { status, body, text } = await running.command(command, fields);
  assert.deepEqual([status, body.code, body.data], [400, "validation_failed", null], `${command}: ${text}`);
  assert.match(body.error ?? "", typeof named === "string" ? new RegExp(`\\b${named}\\b`) : named, command);
}

for (const [command, { must, may = [] }] of Object.entries(TAKES)) {
  test(`${command} refuses exactly the fields that it does not have`, async () => {
    for (const field of Object.keys(SOUND).filter((name) => ![...must, ...may].includes(name))) {
      await refused(command, { ...pick(must), [field]: SOUND[field] }, field);
    }
    const { status, text } = await running.command(command, pick(must));
    assert.notEqual(status, 400, text);
  });

  test(`${command} requires each of its required fields`, async () => {
    for (const field of must) {
      await refused(command, pick(must.filter((name) => name !== field)), field);
      await refused(command, { ...pick(must), [field]: null }, field);
    }
  });
}

test("an unknown or missing command is refused with the list of commands", async () => {
  for (const command of ["approve", "", "SETUP", null, 7, "__proto__", "toString"]) {
    await refused(command as string, {}, /command must be one of .*\bsetup\b.*\bresult\b/);
  }
  const none = await running.server.rest("POST", "/socialnet/actions", { key: running.key, body: {} });
  assert.deepEqual([none.status, none.body.error], [400, "command is required."]);
  await refused("setup", { stranger: 1 }, "stranger");
});

test("values out of range are refused by their path", async () => {
  const wrong: [command: string, fields: object, named: string | RegExp][] = [
    ...["3", "x".repeat(36), `${randomUUID()}0`, 5, ""].map((id) => ["claim", { actionId: id }, "actionId"] as never),
    ["connection_accepted", { actionId: randomUUID(), profileUrl: SENDER }, /exactly one/],
    ["connection_accepted", { profileUrl: "" }, "profileUrl"],
    ["heartbeat", { session: "asleep", profileUrl: SENDER }, "session"],
    ["heartbeat", { session: "ready", profileUrl: `${SENDER}/${"x".repeat(500)}` }, "profileUrl"],
    ["result", { ...pick(TAKES.result?.must ?? []), outcome: "sent" }, "outcome"],
    ["result", { ...pick(TAKES.result?.must ?? []), evidence: "  " }, "evidence"],
    ["result", { ...pick(TAKES.result?.must ?? []), evidence: "x".repeat(2_001) }, "evidence"],
    ...[4, 1_441, 5.5, "60"].map(
      (checkInMinutes) => ["schedule_report", { schedules: [], checkInMinutes }, "checkInMinutes"] as never,
    ),
    ...[
      [{ ...RULE, label: "" }, "label"],
      [{ ...RULE, label: "x".repeat(81) }, "label"],
      [{ ...RULE, rrule: "DAILY!" }, "rrule"],
      [{ ...RULE, rrule: "FREQ=NEVER" }, "rrule"],
      [{ ...RULE, rrule: `FREQ=DAILY;BYHOUR=${"9,".repeat(150)}9` }, "rrule"],
      [{ ...RULE, timezone: "Mars/Olympus" }, "timezone"],
      [{ ...RULE, nextRunAt: "tomorrow" }, "nextRunAt"],
      [{ ...RULE, more: 1 }, "more"],
    ].map(([rule, field]) => ["schedule_report", { schedules: [RULE, rule], checkInMinutes: 60 }, `${field}`] as never),
    ["schedule_report", { schedules: Array(13).fill(RULE), checkInMinutes: 60 }, "schedules"],
    [
      "run_report",
      { ...pick(TAKES.run_report?.must ?? []), runId: randomUUID(), finishedAt: "2026-11-20T07:59:59Z" },
      "finishedAt",
    ],
    [
      "run_report",
      { ...pick(TAKES.run_report?.must ?? []), runId: randomUUID(), finishedAt: "2026-11-21T00:00:00Z" },
      "finishedAt",
    ],
    ["run_report", { ...pick(TAKES.run_report?.must ?? []), runId: randomUUID(), claimed: 10_001 }, "claimed"],
    ["run_report", { ...pick(TAKES.run_report?.must ?? []), runId: randomUUID(), synced: -1 }, "synced"],
    ["run_report", { ...pick(TAKES.run_report?.must ?? []), runId: randomUUID(), notes: "x".repeat(501) }, "notes"],
    ["run_report", { ...pick(TAKES.run_report?.must ?? []), runId: randomUUID(), status: "fine" }, "status"],
    ["sync", { observations: [] }, "observations"],
    ["sync", { observations: Array(51).fill(SEEN) }, "observations"],
    ["sync", { observations: [{ ...SEEN, kind: "like" }] }, /observations\.0\.kind/],
    ["sync", { observations: [{ ...SEEN, externalKey: "x".repeat(201) }] }, /observations\.0\.externalKey/],
    ["sync", { observations: [{ ...SEEN, excerpt: "x".repeat(501) }] }, /observations\.0\.excerpt/],
    ["sync", { observations: [{ ...SEEN, observedAt: "2026-02-30T00:00:00Z" }] }, /observations\.0\.observedAt/],
    ["sync", { observations: [{ ...SEEN, contactId: randomUUID() }] }, "contactId"],
  ];
  for (const [command, fields, named] of wrong) await refused(command, fields, named);
});

test("a measurement has exactly its fields, and counts one completed cohort", async () => {
  for (const field of Object.keys(OBSERVATION)) {
    const { [field]: _, ...rest } = OBSERVATION;
    await refused("health_observation", { observation: rest }, `observation.${field}`);
  }
  const wrong: [changes: object, named: string][] = [
    [{ stranger: 1 }, "stranger"],
    [{ invitationsSent: 1_000_001 }, "invitationsSent"],
    [{ warnings: 1_001 }, "warnings"],
    [{ accountAgeDays: 36_526 }, "accountAgeDays"],
    [{ accountAgeDays: -1 }, "accountAgeDays"],
    [{ evidence: "" }, "evidence"],
    [{ observedAt: "2026-11-20T09:06:00Z" }, "observedAt"],
    [{ windowEndedAt: "2026-11-01T00:00:00Z" }, "windowEndedAt"],
    [{ windowEndedAt: "2026-11-20T08:30:00Z" }, "windowEndedAt"],
    [{ invitationsAccepted: 3, invitationsWithdrawn: 3 }, "invitationsSent"],
  ];
  for (const [changes, field] of wrong) {
    await refused(
      "health_observation",
      { observation: { ...OBSERVATION, observationId: randomUUID(), ...changes } },
      `observation.*${field}`,
    );
  }
});

test("a body that is not a JSON object is refused", async () => {
  const send = (raw: string) => running.server.rest("POST", "/socialnet/actions", { key: running.key, raw });
  assert.equal((await send("{")).body.code, "invalid_json");
  for (const raw of ["[]", '"setup"', "null", "7"]) assert.equal((await send(raw)).status, 400, raw);
});
