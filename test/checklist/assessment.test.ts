import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "../../src/domain/checklist/catalog.ts";
import { CHECKS as KNOWN } from "../../src/domain/checklist/item.ts";
import { assessWorkspace } from "../../src/services/checklist/assessment.ts";
import { openBeside } from "../support/beside.ts";
import { rawCatalog } from "../support/catalog.ts";
import {
  detected,
  drafted,
  dueOf,
  entryOf,
  newPost,
  observed,
  personal,
  record,
  SAW,
  startChecklist,
} from "../support/checklist.ts";
import { keptLog } from "../support/log.ts";
import { callAs, member } from "../support/member.ts";
import { armed, audited, newContact, newSequence } from "../support/sequences.ts";
import { FakeClock, type TestServer } from "../support/server.ts";

const DAY_MS = 86_400_000;

type Step = (server: TestServer, clock: FakeClock) => Promise<unknown>;

/** Approves a post of the item, optionally with a time. */
async function approved(server: TestServer, scheduled_for?: string): Promise<string> {
  const post_id = await newPost(server, "ON-90", { output_kind: "social_post", body: "x", platform: "x" });
  await server.operator("decide_post", { post_id, decision: "approve", scheduled_for });
  return post_id;
}

const published: Step = async (server) =>
  server.operator("mark_post", { post_id: await approved(server), status: "published" });

const activate: Step = async (server) => {
  const { sequence } = await armed(server);
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
};

/** A check, how to reach a state, and words in its reason, one after another on one server. */
const CHECKS: Record<string, [object, [Step | undefined, string, RegExp][]]> = {
  brand_voice_saved: [
    {},
    [
      [undefined, "missing", /No brand voice/],
      [
        (server) => server.operator("save_brand_voice", { text: "Plain." }),
        "done",
        /saved a brand voice on 2026-11-20/,
      ],
    ],
  ],
  profile_facts_saved: [
    { count: 2 },
    [
      [undefined, "missing", /0 profile facts saved, 2 needed/],
      [(server) => server.operator("save_profile_facts", { facts: ["a"] }), "missing", /1 profile fact saved/],
      [(server) => server.operator("save_profile_facts", { facts: ["a", "b"] }), "done", /2 profile facts saved/],
    ],
  ],
  social_connection_connected: [
    { channel: "x" },
    [
      [undefined, "missing", /X isn't set up/],
      [
        (server) => server.operator("save_social_connection", { channel: "blog", state: "connected" }),
        "missing",
        /isn't set up/,
      ],
      [(server) => server.operator("save_social_connection", { channel: "x", state: "expired" }), "missing", /expired/],
      [
        (server) => server.operator("save_social_connection", { channel: "x", state: "connected" }),
        "done",
        /connected/,
      ],
    ],
  ],
  social_connections_healthy: [
    {},
    [
      [undefined, "missing", /No channel is set up/],
      [
        (server) => server.operator("save_social_connection", { channel: "x", state: "connected" }),
        "done",
        /X is connected/,
      ],
      [
        (server) => server.operator("save_social_connection", { channel: "blog", state: "expired" }),
        "missing",
        /^Blog is expired\.$/,
      ],
    ],
  ],
  sending_policy_set: [
    {},
    [
      [undefined, "missing", /sending hours, a daily limit, a sender name/],
      [
        (server) => server.operator("set_sending_policy", { daily_cap: 5, sender_name: "Ada" }),
        "missing",
        /is missing sending hours\.$/,
      ],
      [
        (server) => server.operator("set_sending_policy", { windows: [{ days: [1], from: "09:00", to: "10:00" }] }),
        "done",
        /Daily limit: 5\. Sender name: Ada/,
      ],
    ],
  ],
  suppression_list_in_use: [
    {},
    [
      [undefined, "missing", /list is empty/],
      [(server) => server.operator("add_suppression", { email: "a@b.example" }), "done", /in use/],
    ],
  ],
  sequences_approved: [
    {},
    [
      [undefined, "not_applicable", /No sequence is active/],
      [activate, "done", /Every active sequence/],
      [
        async (server) => {
          const { id } = await newSequence(server, { name: "Loose" });
          await server.operator("set_sequence_status", { sequence_id: id, status: "active" });
        },
        "missing",
        /Active without an activated audience: Loose/,
      ],
    ],
  ],
  outbound_approver_named: [
    {},
    [
      [undefined, "missing", /No member/],
      [
        (server) =>
          server.operator("invite_member", { email: "a@b.example", name: "A", role: "rep", approve_outbound: true }),
        "done",
        /1 member can approve/,
      ],
    ],
  ],
  administrators: [
    { count: 2 },
    [
      [
        (server) => server.operator("invite_member", { email: "a@b.example", name: "A", role: "owner" }),
        "missing",
        /has 1 admin, 2/,
      ],
      [
        (server) => server.operator("invite_member", { email: "r@b.example", name: "R", role: "rep" }),
        "missing",
        /has 1 admin,/,
      ],
      [
        (server) => server.operator("invite_member", { email: "b@b.example", name: "B", role: "admin" }),
        "done",
        /has 2 admins/,
      ],
    ],
  ],
  keys_in_use: [
    { days: 30 },
    [
      [undefined, "done", /idle for more than 30 days/],
      [async (_, clock) => clock.advance(30 * DAY_MS + 1), "missing", /Idle for more than 30 days: all/],
      [
        async (server) => {
          for (const { id } of await server.operator("list_keys", {}))
            await server.operator("revoke_key", { key_id: id });
        },
        "not_applicable",
        /no active API key/,
      ],
    ],
  ],
  recent_posts: [
    { count: 1, days: 7, channel: "x" },
    [
      [(server) => approved(server), "missing", /0 posts published on X in the last 7 days, 1 needed/],
      [published, "done", /1 post published on X/],
      [async (_, clock) => clock.advance(7 * DAY_MS + 1), "missing", /0 posts/],
    ],
  ],
  scheduled_posts: [
    { count: 1, days: 3 },
    [
      [
        (server) => approved(server, "2026-11-24T09:00:00Z"),
        "missing",
        /0 approved posts scheduled for the next 3 days, 1/,
      ],
      [(server) => approved(server, "2026-11-22T09:00:00Z"), "done", /1 approved post scheduled/],
      [async (_, clock) => clock.advance(5 * DAY_MS), "missing", /0 approved posts/],
    ],
  ],
  review_queue_fresh: [
    { days: 2 },
    [
      [undefined, "done", /No post or document has been waiting for review/],
      [(server) => newPost(server, "ON-90"), "done", /No post or document has been waiting for review/],
      [async (_, clock) => clock.advance(2 * DAY_MS + 1), "missing", /since 2026-11-20/],
    ],
  ],
};

/** The checks' results for another workspace with only a key, whatever happened in the first. */
const UNTOUCHED: Record<string, [state: string, reason: string]> = {
  brand_voice_saved: ["missing", "No brand voice is saved."],
  profile_facts_saved: ["missing", "0 profile facts saved, 2 needed."],
  social_connection_connected: ["missing", "X isn't set up."],
  social_connections_healthy: ["missing", "No channel is set up."],
  sending_policy_set: ["missing", "The sending policy is missing sending hours, a daily limit, a sender name."],
  suppression_list_in_use: ["missing", "The do-not-contact list is empty."],
  sequences_approved: ["not_applicable", "No sequence is active."],
  outbound_approver_named: ["missing", "No member can approve outbound messages."],
  administrators: ["missing", "The workspace has 0 admins, 2 needed."],
  keys_in_use: ["missing", "Idle for more than 30 days: test."],
  recent_posts: ["missing", "0 posts published on X in the last 7 days, 1 needed."],
  scheduled_posts: ["missing", "0 approved posts scheduled for the next 3 days, 1 needed."],
  review_queue_fresh: ["done", "No post or document has been waiting for review for more than 2 days."],
};

test("every check that a catalog can name is tested here", () => {
  const known = KNOWN.map(({ shape }) => shape.check.value as string).sort();
  assert.deepEqual([Object.keys(CHECKS).sort(), Object.keys(UNTOUCHED).sort()], [known, known]);
});

for (const [check, [takes, steps]] of Object.entries(CHECKS)) {
  test(`${check} follows the workspace's own data, with reason and source, and marks its item`, async (t) => {
    const clock = new FakeClock();
    const items = [
      detected("ON-01", 1, { check, ...takes }),
      drafted("ON-90", 2, { accepts_output_kinds: ["social_post"] }),
    ];
    const server = await startChecklist(t, { items, clock });
    const { workspaceId } = await server.neighbour();
    for (const [step, state, reason] of steps) {
      await step?.(server, clock);
      await server.operator("run_assessment", {});
      const found = (await server.operator("list_checklist_items", {}))[0];
      assert.equal(found.assessment.state, state, found.assessment.reason);
      assert.match(found.assessment.reason, reason);
      assert.deepEqual([found.assessment.sources[0].kind, found.assessment.sources[0].id], ["check", check]);
      const marked = { done: "done", missing: "not_started", not_applicable: "not_applicable" }[state];
      assert.deepEqual(
        [found.status, found.status_source, found.evidence],
        [marked, "system", found.assessment.reason],
      );
    }
    await server.operator("run_assessment", {}, workspaceId);
    const [other] = await server.operator("list_checklist_items", {}, workspaceId);
    assert.deepEqual([other.assessment.state, other.assessment.reason], UNTOUCHED[check]);
  });
}

const MIXED = [
  personal("OT-01", 1),
  drafted("OT-02", 2),
  observed("OT-03", 3),
  detected("OT-04", 4, { check: "brand_voice_saved" }),
  observed("OT-05", 5, {}, { replaced_by: "OT-03" }),
  observed("ON-01", 6, { detected_by: { check: "suppression_list_in_use" } }),
  observed("ON-02", 7),
];

test("what Rostrum can't see is unknown with a reason, replaced items don't apply, and evidence counts until it expires", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { items: MIXED, clock });
  await record(server, "ON-02", SAW);
  await record(server, "OT-03", { ...SAW, status: "in_progress" });
  const summary = await server.operator("run_assessment", {});
  assert.deepEqual(summary.states, { done: 1, missing: 3, unknown: 2, not_applicable: 1 });
  const assessed = async (id: string) => {
    const { state, reason } = (await entryOf(server, id)).assessment;
    return [state, reason];
  };
  assert.deepEqual(await assessed("OT-01"), [
    "unknown",
    "Rostrum can't check this item. No status has been set as of 2026-11-20.",
  ]);
  assert.deepEqual(await assessed("OT-02"), [
    "unknown",
    "Rostrum can't check this item by itself. It's done when a teammate approves a document for it. No approval is recorded as of 2026-11-20.",
  ]);
  assert.deepEqual(await assessed("OT-05"), ["not_applicable", "Replaced by OT-03."]);
  assert.deepEqual(await assessed("ON-02"), ["done", SAW.evidence]);
  assert.deepEqual(await assessed("OT-03"), ["missing", SAW.evidence]);
  clock.advance(8 * DAY_MS);
  await server.operator("run_assessment", {});
  assert.deepEqual(await assessed("ON-02"), ["missing", `Due again since 2026-11-27. ${SAW.evidence}`]);
  assert.equal((await entryOf(server, "ON-02")).status_source, "agent", "the agent's mark is the agent's");
});

test("a manual status overrides the service's check, in the status and in the assessment", async (t) => {
  const server = await startChecklist(t, { items: MIXED });
  await server.operator("mark_checklist_item", { item_id: "OT-04", status: "done", evidence: "On paper." });
  await server.operator("run_assessment", {});
  const { status, status_source, assessment } = await entryOf(server, "OT-04");
  assert.deepEqual(
    [status, status_source, assessment.state, assessment.reason],
    ["done", "member", "done", "On paper."],
  );
  await server.operator("mark_checklist_item", { item_id: "OT-04", status: "not_assessed" });
  await server.operator("run_assessment", {});
  const after = await entryOf(server, "OT-04");
  assert.deepEqual([after.status, after.status_source, after.assessment.state], ["not_started", "system", "missing"]);
});

test("for items that assistants observe too, the service marks only what it sees", async (t) => {
  const server = await startChecklist(t, { items: MIXED });
  await server.operator("run_assessment", {});
  const unseen = await entryOf(server, "ON-01");
  assert.deepEqual([unseen.status, unseen.assessment.state], ["not_assessed", "missing"]);
  assert.equal((await record(server, "ON-01", { ...SAW, status: "in_progress" })).status, 201);
  await newContact(server);
  await server.operator("add_suppression", { email: "a@b.example" });
  await server.operator("run_assessment", {});
  const seen = await entryOf(server, "ON-01");
  assert.deepEqual([seen.status, seen.status_source, seen.due.state], ["done", "system", "upcoming"]);
});

test("an item that the service no longer sees done is due by the day it last saw it done", async (t) => {
  const clock = new FakeClock();
  const check = { detected_by: { check: "recent_posts", count: 1, days: 2 }, accepts_output_kinds: ["social_post"] };
  const items = [drafted("ON-01", 1, check), drafted("ON-90", 2, { accepts_output_kinds: ["social_post"] })];
  const server = await startChecklist(t, { items, clock });
  await published(server, clock);
  clock.advance(3 * DAY_MS);
  await server.operator("run_assessment", {});
  const { status, last_done_on, due } = await entryOf(server, "ON-01");
  assert.deepEqual([status, last_done_on, due.due_on], ["not_assessed", "2026-11-20", "2026-11-27"]);
  assert.deepEqual(
    (await dueOf(server)).filter(([id]) => id === "ON-01"),
    [],
  );
  clock.advance(5 * DAY_MS);
  assert.deepEqual((await dueOf(server))[0], ["ON-01", "overdue"]);
});

test("an assistant's evidence outlasts the service's own observation for a while", async (t) => {
  const items = [observed("ON-01", 1, { detected_by: { check: "social_connections_healthy" } })];
  const server = await startChecklist(t, { items, clock: new FakeClock() });
  const connection = (state: string) => server.operator("save_social_connection", { channel: "x", state });
  await record(server, "ON-01", { ...SAW, status: "in_progress" });
  const of = async () => {
    const { status, status_source, evidence, last_done_on } = await entryOf(server, "ON-01");
    return [status, status_source, evidence, last_done_on];
  };
  await connection("connected");
  assert.deepEqual((await of()).slice(0, 2), ["done", "system"]);
  assert.equal((await record(server, "ON-01", SAW)).body.code, "detected_mark");
  await connection("expired");
  assert.deepEqual(await of(), ["in_progress", "agent", SAW.evidence, "2026-11-20"]);
});

test("the service's mark is removed with its check, even if the item left the catalog", async (t) => {
  const check = { detected_by: { check: "keys_in_use", days: 30 } };
  const server = await startChecklist(t, { items: [observed("ON-01", 1, check), observed("ON-02", 2, check)] });
  await server.operator("run_assessment", {});
  const { store } = server.running;
  const sources = async () => (await store.read(server.workspaceId).checklist.marks()).map(({ source }) => source);
  assert.deepEqual(await sources(), ["system", "system"]);
  const other = parseCatalog(rawCatalog(observed("ON-01", 1)));
  assert.ok("catalog" in other);
  await store.write(server.workspaceId, (bound) => assessWorkspace(bound, other.catalog, Date.now()));
  assert.deepEqual(await sources(), []);
});

test("checks see changes that people make in the checklist at once", async (t) => {
  const items = [
    detected("OT-01", 1, { check: "brand_voice_saved" }),
    detected("OT-02", 2, { check: "profile_facts_saved", count: 1 }),
    detected("OT-03", 3, { check: "social_connections_healthy" }),
    drafted("ON-01", 4, {
      accepts_output_kinds: ["social_post"],
      detected_by: { check: "recent_posts", count: 1, days: 7 },
    }),
    personal("ON-02", 5),
  ];
  const server = await startChecklist(t, { items });
  const standing = async () => {
    const { data } = (await server.rest("GET", "/social/checklist/items")).body;
    return data.map((entry: any) => `${entry.id} ${entry.status} ${entry.assessment.state}`);
  };
  const post_id = await newPost(server, "ON-01");
  await server.operator("decide_post", { post_id, decision: "approve" });
  const seen = ["OT-01 not_started missing", "OT-02 not_started missing", "OT-03 not_started missing"];
  const rest = ["ON-01 not_assessed missing", "ON-02 not_assessed unknown"];
  assert.deepEqual(await standing(), [...seen, ...rest]);
  await server.operator("save_brand_voice", { text: "Plain." });
  await server.operator("save_profile_facts", { facts: ["Sixty vans."] });
  await server.operator("save_social_connection", { channel: "x", state: "connected" });
  await server.operator("mark_post", { post_id, status: "published" });
  const done = ["OT-01", "OT-02", "OT-03", "ON-01"].map((id) => `${id} done done`);
  assert.deepEqual(await standing(), [...done, rest[1]]);
  assert.equal((await entryOf(server, "ON-01")).status_source, "system");
  await server.operator("mark_checklist_item", { item_id: "OT-01", status: "blocked" });
  await server.operator("mark_checklist_item", { item_id: "OT-01", status: "not_assessed" });
  assert.deepEqual(await standing(), [...done, rest[1]], "a mark that is taken back lets the check speak at once");
});

test("an approved card closes a one-time item whatever its check says, but not an ongoing one", async (t) => {
  const check = { detected_by: { check: "brand_voice_saved" } };
  const items = [drafted("OT-01", 1, check), drafted("ON-01", 1, check)];
  const server = await startChecklist(t, { items });
  const body = { output_kind: "document", title: "Voice", body: "Plain." };
  for (const [id, status] of [
    ["OT-01", "done"],
    ["ON-01", "not_assessed"],
  ]) {
    const { card_id } = (await server.rest("POST", `/social/checklist/items/${id}/submissions`, { body })).body.data;
    await server.operator("decide_card", { card_id, decision: "approve" });
    assert.equal((await entryOf(server, id as string)).status, status);
  }
});

test("a failing check is logged, keeps the marks, and never fails what a person does", async (t) => {
  const { log, text } = keptLog();
  const items = [
    detected("OT-01", 1, { check: "brand_voice_saved" }),
    detected("OT-02", 2, { check: "sending_policy_set" }),
  ];
  const server = await startChecklist(t, { items, log });
  const db = openBeside(server.folder);
  t.after(() => db.close());
  const windows = db.prepare("UPDATE workspaces SET sending_windows = ?");
  windows.run("no JSON");
  await server.operator("save_brand_voice", { text: "Plain." });
  assert.equal((await entryOf(server, "OT-01")).status, "not_assessed");
  assert.match(text(), /"part":"checklist_checks"/);
  windows.run(null);
  await server.operator("save_brand_voice", { text: "Warm." });
  assert.equal((await entryOf(server, "OT-01")).status, "done");
});

test("only administrators can request an assessment; it is audited and postpones the weekly one", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { items: MIXED, clock });
  const { store } = server.running;
  assert.deepEqual(await store.assessmentsDue(clock.now() - DAY_MS, "2026.11", 10), [server.workspaceId]);
  const admin = member(server, { role: "admin" });
  const { body } = await callAs(server, admin, "run_assessment", {});
  assert.deepEqual([body.data.items, body.data.catalog_version], [MIXED.length, "2026.11"]);
  const [row] = await audited(server, "run_assessment");
  assert.deepEqual([row.actor_id, row.after], [admin.id, body.data]);
  assert.deepEqual(await store.assessmentsDue(clock.now() - DAY_MS, "2026.11", 10), []);
  clock.advance(DAY_MS);
  assert.deepEqual(await store.assessmentsDue(clock.now() - DAY_MS, "2026.11", 10), [server.workspaceId]);
});
