import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pino from "pino";
import { Agent } from "../../examples/browser-agent/agent.ts";
import { Journal } from "../../examples/browser-agent/journal.ts";
import { live } from "../../examples/browser-agent/live.ts";
import type { Observation, Seen, Session, SocialNetwork } from "../../examples/browser-agent/outcomes.ts";
import { Rostrum } from "../../examples/browser-agent/rostrum.ts";
import { Alarm } from "../../examples/browser-agent/wake.ts";
import { action, OWN, type Script, startGateway, WELL } from "../support/gateway.ts";
import { temporaryFolder } from "../support/server.ts";

const NOW = "2026-11-20T09:00:00.000Z";
const log = pino({ level: "silent" });

/** A network that follows a script and records its calls. */
class ScriptedNetwork implements SocialNetwork {
  readonly sent: [to: string, copy: string][] = [];
  looks: Session[] = ["ready"];
  seen: (copy: string) => Seen = () => ({ outcome: "message_sent", evidence: "Message sent." });
  observations: Observation[] = [];

  async look() {
    const session = (this.looks.length > 1 ? this.looks.shift() : this.looks[0]) as Session;
    return session === "ready" ? { session, profileUrl: OWN } : { session };
  }
  async message(to: string, copy: string) {
    this.sent.push([to, copy]);
    return this.seen(copy);
  }
  connect = this.message;
  inbox = async () => this.observations;
}

async function staged(t: TestContext, script: Script = {}, folder = temporaryFolder(t)) {
  const gateway = await startGateway(t, script);
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const rostrum = await Rostrum.connect({ url: gateway.url, key: "key", pause });
  const [network, path, stop] = [new ScriptedNetwork(), join(folder, "journal.jsonl"), new AbortController()];
  const journal = new Journal(path);
  t.after(async () => {
    await rostrum.close();
    journal.close();
  });
  const parts = { rostrum, network, journal, log, signal: stop.signal };
  const agent = new Agent({ ...parts, checkInMinutes: 60 });
  const run = async () => agent.run(await rostrum.setup());
  const said = () => gateway.calls.map(({ command }) => command);
  const inputs = (of: string) => gateway.calls.filter(({ command }) => command === of).map(({ input }) => input);
  return { ...gateway, ...parts, agent, folder, path, stop, pauses, run, said, inputs };
}

test("a run syncs before it sends, sends each action once with the exact copy, oldest first, and reports", async (t) => {
  const approved = { a: "2026-11-20T08:00:00.000Z", b: "2026-11-20T08:30:00.000Z" };
  const list = () => [
    { ...action("b"), approvedAt: approved.b },
    { ...action("a"), approvedAt: approved.a },
  ];
  const { network, run, said, inputs } = await staged(t, { list });
  network.observations = [
    { kind: "reply", profileUrl: "https://s.example/in/ada", observedAt: NOW, externalKey: "1", excerpt: "Yes" },
  ];
  await run();
  const each = ["claim", "start", "result"];
  const reports = ["run_report", "schedule_report"];
  assert.deepEqual(said(), ["setup", "brief", "heartbeat", "sync", "list", ...each, ...each, "list", ...reports]);
  assert.deepEqual(network.sent, [
    ["https://s.example/a", "copy of a"],
    ["https://s.example/b", "copy of b"],
  ]);
  assert.deepEqual(inputs("heartbeat"), [{ session: "ready", profileUrl: OWN }]);
  assert.deepEqual(inputs("result")[0], {
    actionId: "a",
    leaseToken: "lease of a",
    outcome: "message_sent",
    evidence: "Message sent.",
  });
  const [{ runId, startedAt, finishedAt, ...report } = {}] = inputs("run_report");
  assert.deepEqual(report, { status: "ok", claimed: 2, completed: 2, failed: 0, synced: 1 });
  assert.match(runId, /^[0-9a-f-]{36}$/);
  assert.ok(Date.parse(startedAt) <= Date.parse(finishedAt));
  const [{ schedules, checkInMinutes } = {}] = inputs("schedule_report");
  assert.deepEqual([schedules[0].rrule, schedules[0].timezone], ["FREQ=MINUTELY;INTERVAL=60", "Europe/London"]);
  assert.equal(checkInMinutes, 60);
  await run();
  assert.equal(inputs("sync").length, 1, "what is known is not synced again");
});

test("an action approved during a run is sent in the same run", async (t) => {
  const approved = [action("a")];
  const { network, run } = await staged(t, { list: () => approved });
  network.seen = (copy) => {
    if (copy === "copy of a") approved.push(action("b"));
    return { outcome: "message_sent", evidence: "Message sent." };
  };
  await run();
  assert.deepEqual(
    network.sent.map(([, copy]) => copy),
    ["copy of a", "copy of b"],
  );
});

test("a requested reconnect is acknowledged once, before the session is reported", async (t) => {
  let acknowledgedAt: string | null = null;
  const { run, said } = await staged(t, {
    brief: () => ({ ...WELL.brief?.({}), reconnect: { requestId: "1", requestedAt: NOW, acknowledgedAt } }),
    reconnect_ack: () => {
      acknowledgedAt = NOW;
      return {};
    },
    list: () => [],
  });
  await run();
  assert.deepEqual(said().slice(0, 4), ["setup", "brief", "reconnect_ack", "heartbeat"]);
  await run();
  assert.equal(said().filter((command) => command === "reconnect_ack").length, 1);
});

for (const session of ["login_required", "captcha", "restricted"] as const) {
  test(`a session that is ${session} is reported, and nothing is read or sent with it`, async (t) => {
    const { network, run, said, inputs } = await staged(t);
    network.looks = [session];
    await run();
    assert.deepEqual(said(), ["setup", "brief", "heartbeat", "run_report", "schedule_report"]);
    assert.deepEqual(inputs("heartbeat"), [{ session, profileUrl: OWN }]);
    assert.equal(inputs("run_report")[0]?.status, "failed");
  });
}

test("an agent whose browser is signed in as another person does nothing and says why", async (t) => {
  const { run, said, inputs } = await staged(t, {
    heartbeat: () => ({ refuse: { error: "Another profile is signed in.", reason: "profile_mismatch" } }),
  });
  await run();
  assert.deepEqual(said(), ["setup", "brief", "heartbeat", "run_report", "schedule_report"]);
  assert.match(inputs("run_report")[0]?.notes, /Another profile/);
});

test("with execution off, the agent syncs and claims no action", async (t) => {
  const { run, said, inputs } = await staged(t, {
    setup: () => ({ bound: true, executionActivated: false, events: [] }),
  });
  await run();
  assert.ok(!said().includes("claim"));
  assert.equal(inputs("run_report")[0]?.status, "partial");
});

/** Whether the agent continues with the next action after a 409 with this reason. */
const REASONS: [reason: string, goesOn: boolean][] = [
  ...(["held", "cancelled", "already_claimed", "stale_claim", "already_started", "not_approved"] as const).map(
    (reason): [string, boolean] => [reason, true],
  ),
  ["automation_off", true],
  ["outside_window", true],
  ["execution_not_activated", false],
  ["unbound_agent", false],
  ["profile_mismatch", false],
  ["session_not_ready", false],
  ["account_held", false],
  ["plan_quota", false],
  ["a_reason_of_tomorrow", false],
];

for (const command of ["claim", "start"] as const) {
  for (const [reason, goesOn] of REASONS) {
    test(`a ${command} refused for ${reason} is not sent, and the next action ${goesOn ? "is" : "is not"} tried`, async (t) => {
      const { network, journal, run, inputs } = await staged(t, {
        [command]: (input) =>
          input.actionId === "b" ? { refuse: { error: "No.", reason } } : (WELL[command]?.(input) as object),
      });
      await run();
      assert.deepEqual(
        network.sent.map(([, copy]) => copy),
        goesOn ? ["copy of a"] : [],
      );
      assert.equal(inputs(command).filter(({ actionId }) => actionId === "b").length, 1, "asked once");
      assert.deepEqual(journal.open, []);
    });
  }
}

test("once the daily limit of one kind is reached, only actions of that kind wait", async (t) => {
  const list = () => [action("a"), action("b"), action("c", "connection_request")];
  const { run, inputs } = await staged(t, {
    list,
    claim: (input) =>
      input.actionId === "a"
        ? { refuse: { error: "Enough for today.", reason: "daily_limit" } }
        : (WELL.claim?.(input) as object),
  });
  await run();
  assert.deepEqual(
    inputs("claim").map(({ actionId }) => actionId),
    ["a", "c"],
  );
});

test("the next run is when sending hours open, if that is before the next check", async (t) => {
  const soon = new Date(Date.now() + 20 * 60_000).toISOString();
  const later = new Date(Date.now() + 30 * 60_000).toISOString();
  const blocked = { ...action("b"), blockedBy: { reason: "outside_window", nextWindowAt: soon } };
  const { run, inputs } = await staged(t, {
    list: () => [blocked, action("a")],
    claim: () => ({ refuse: { error: "Closed.", reason: "outside_window", nextWindowAt: later } }),
  });
  assert.equal(await run(), Date.parse(soon));
  assert.equal(inputs("schedule_report")[0]?.schedules[0].nextRunAt, soon);
  assert.equal(inputs("claim").length, 1, "what is blocked is not even claimed");
});

test("sending hours that should be open already cause no busy loop", async (t) => {
  const past = new Date(Date.now() - 60_000).toISOString();
  const { run } = await staged(t, {
    claim: () => ({ refuse: { error: "Closed.", reason: "outside_window", nextWindowAt: past } }),
  });
  assert.ok((await run()) >= Date.now() + 55_000);
});

/** The outcome of the first of two actions, what the browser shows after it, and whether the second is tried. */
const AFTERMATH: [Seen["outcome"], Session, boolean][] = [
  ["message_sent", "captcha", true],
  ["already_connected", "captcha", true],
  ["profile_unavailable", "ready", true],
  ["not_sent", "ready", true],
  ["not_sent", "restricted", false],
  ["outcome_unknown", "ready", true],
  ["outcome_unknown", "captcha", false],
  ["rate_limited", "ready", false],
  ["login_required", "ready", false],
  ["captcha", "ready", false],
];

for (const [outcome, session, goesOn] of AFTERMATH) {
  test(`after ${outcome}, with a session that is ${session}, the next action ${goesOn ? "is" : "is not"} tried`, async (t) => {
    const { network, run, inputs } = await staged(t);
    network.looks = ["ready", session];
    network.seen = (copy) => ({ outcome: copy === "copy of b" ? outcome : "message_sent", evidence: "seen" });
    await run();
    assert.equal(inputs("result")[0]?.outcome, outcome);
    assert.equal(network.sent.length, goesOn ? 2 : 1);
    if (outcome === "login_required" || outcome === "captcha") {
      assert.deepEqual(inputs("heartbeat").at(-1), { session: outcome, profileUrl: OWN });
    }
  });
}

test("an agent killed after a start reports the outcome unknown once, and does not click again", async (t) => {
  const folder = temporaryFolder(t);
  const killed = new Journal(join(folder, "journal.jsonl"));
  killed.started("a", "lease of a");
  killed.close();
  const { network, run, said, inputs } = await staged(t, { list: () => [] }, folder);
  await run();
  assert.deepEqual(said().slice(0, 3), ["setup", "result", "brief"]);
  const [{ evidence, ...result } = {}] = inputs("result");
  assert.deepEqual(result, { actionId: "a", leaseToken: "lease of a", outcome: "outcome_unknown" });
  assert.match(evidence, /ended after the start/);
  assert.deepEqual(network.sent, []);
  await run();
  assert.equal(inputs("result").length, 1);
});

test("an agent killed after it saw the result of a click reports that result", async (t) => {
  const folder = temporaryFolder(t);
  const killed = new Journal(join(folder, "journal.jsonl"));
  killed.started("a", "lease of a");
  killed.saw("a", { outcome: "message_sent", evidence: "Message sent." });
  killed.close();
  const { run, inputs } = await staged(t, { list: () => [] }, folder);
  await run();
  assert.deepEqual(inputs("result")[0]?.outcome, "message_sent");
});

test("each start is written to a private journal before the browser acts, and a truncated line does no harm", async (t) => {
  const { network, journal, path, run } = await staged(t, { list: () => [action("a")] });
  network.seen = () => {
    assert.match(readFileSync(path, "utf8"), /"actionId":"a","leaseToken":"lease of a"}\n$/);
    return { outcome: "message_sent", evidence: "Message sent." };
  };
  await run();
  assert.deepEqual([network.sent.length, journal.open], [1, []]);
  assert.equal(statSync(path).mode & 0o777, 0o600);

  journal.started("b", "lease of b");
  appendFileSync(path, '{"actionId":"b","rep');
  const again = new Journal(path);
  assert.deepEqual(again.open, [{ actionId: "b", leaseToken: "lease of b" }]);
  again.reported("b");
  again.close();
  const after = new Journal(path);
  assert.deepEqual([after.open, readFileSync(path, "utf8")], [[], ""], "what is settled is forgotten");
  after.close();
});

test("a start without a response is never clicked, and the next run reports it as not sent", async (t) => {
  let broken = true;
  const { network, journal, run, inputs } = await staged(t, {
    list: () => [action("a")],
    start: () => {
      if (broken) throw new Error("the connection broke");
      return {};
    },
  });
  await run();
  assert.deepEqual([network.sent, journal.open.length], [[], 1]);
  broken = false;
  await run();
  assert.deepEqual(inputs("result")[0]?.outcome, "not_sent");
});

test("a result that the gateway could not accept is sent again, and nothing is clicked again", async (t) => {
  let away = true;
  let done = false;
  const { network, journal, run, inputs } = await staged(t, {
    list: () => (done ? [] : [action("a")]),
    result: () => (away ? { refuse: { data: null, error: "Away.", code: "db_unavailable" } } : { status: "completed" }),
  });
  await run();
  [away, done] = [false, true];
  await run();
  assert.deepEqual(inputs("result")[0], inputs("result")[1]);
  assert.deepEqual([network.sent.length, journal.open], [1, []]);
});

test("a 429 is followed by its Retry-After, and a tool's own budget by a minute", async (t) => {
  let spent = true;
  const { answerNext, pauses, rostrum, said } = await staged(t, {
    brief: () => {
      if (!spent) return WELL.brief?.({}) as object;
      spent = false;
      return { refuse: { data: null, error: "Too many.", code: "rate_limited" } };
    },
  });
  answerNext({ status: 429, headers: { "retry-after": "17" } });
  await rostrum.setup();
  assert.deepEqual([pauses, said()], [[17_000], ["setup"]]);
  await rostrum.brief();
  assert.deepEqual(
    [pauses, said()],
    [
      [17_000, 60_000],
      ["setup", "brief", "brief"],
    ],
  );
});

test("when told to stop, the agent finishes and reports the current action, and starts no other", async (t) => {
  const { network, stop, run, inputs } = await staged(t);
  network.seen = () => {
    stop.abort();
    return { outcome: "message_sent", evidence: "Message sent." };
  };
  await run();
  assert.deepEqual([network.sent.length, inputs("result").length, inputs("claim").length], [1, 1, 1]);
  assert.deepEqual([inputs("run_report")[0]?.status, inputs("run_report")[0]?.completed], ["partial", 1]);
});

test("the agent runs again on each alarm, including one during a run, until told to stop", async (t) => {
  const alarm = new Alarm();
  const { rostrum, agent, stop, inputs } = await staged(t, {
    list: () => [],
    run_report: () => {
      if (inputs("run_report").length === 3) stop.abort();
      else alarm.ring();
      return {};
    },
  });
  await live({ rostrum, agent, alarm, log, signal: stop.signal });
  assert.equal(inputs("run_report").length, 3);
});

test("a revoked key or one without an account ends the agent, but an unreachable gateway does not", async (t) => {
  const alarm = new Alarm();
  const { rostrum, agent, stop, inputs, answerNext } = await staged(t, {
    setup: () => ({ bound: inputs("setup").length < 2, executionActivated: true, events: [] }),
    list: () => [],
    schedule_report: () => {
      answerNext({ status: 401 });
      alarm.ring();
      return {};
    },
  });
  const life = { rostrum, agent, alarm, log, signal: stop.signal };
  answerNext({ status: 503 });
  alarm.ring();
  await assert.rejects(live(life), { status: 401 });
  assert.equal(inputs("run_report").length, 1, "it ran after the 503 and before the 401");
  await assert.rejects(live(life), /bound to no socialnet account/);
});
