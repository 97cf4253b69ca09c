import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const ID = "01890000-0000-7000-8000-000000000000";
const LONG = "x".repeat(501);

/** The paths that a refusal names, in order. */
const pathsOf = (error: string | null) =>
  [...(error ?? "").matchAll(/(?:^|[.?] )(?:Unknown field "([\w.]+)"|([a-z_]+(?:\.?\w+)*) )/g)].map(
    ([, unknown, path]) => unknown ?? path,
  );

test("all errors of an input are named at once, each by its path", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data;
  const cases: [method: string, path: string, body: object, paths: string[]][] = [
    ["POST", "/contacts", { email: "x", first_name: LONG, phone: 7 }, ["email", "first_name", "phone"]],
    ["POST", "/contacts", { company: 7 }, ["company"]],
    ["PUT", "/contacts/assert", { website: "x", a: 1, b: 2 }, ["email", "website", "a", "b"]],
    [
      "POST",
      "/contacts/query",
      { filter: { email: "x", city: "y" }, sort: "name", limit: 0, page: 2 },
      ["filter.email", "filter.city", "sort", "limit", "page"],
    ],
    [
      "PATCH",
      `/contacts/${id}`,
      { first_name: 7, lifecycle: "x", account_id: 7 },
      ["first_name", "account_id", "lifecycle"],
    ],
    ["POST", `/contacts/${id}/activities`, { type: "call_made", body: 7 }, ["body", "subject"]],
    ["POST", "/deals", { value: "7", stage: "x" }, ["contact_id", "title", "value", "stage"]],
    ["POST", "/suppression", { reason: 7 }, ["reason"]],
    ["POST", "/sequences/enroll", {}, ["sequence_id", "contact_id"]],
    [
      "POST",
      "/social/checklist/items/ON-01/submissions",
      { output_kind: "document", body: 7, platform: "x", more: 1 },
      ["body", "platform", "more", "title"],
    ],
    [
      "POST",
      "/social/checklist/items/ON-01/evidence",
      { status: "in_progress", done_on: "2026-01-01" },
      ["evidence", "done_on"],
    ],
  ];
  for (const [method, path, body, paths] of cases) {
    const reply = await server.rest(method, path, { body });
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], reply.text);
    assert.deepEqual(Object.keys(reply.body), ["data", "error", "code"]);
    assert.deepEqual(pathsOf(reply.body.error).sort(), paths.sort(), reply.text);
  }
  const query = await server.rest("GET", "/social/checklist/items?kind=x&status=y&page=2");
  assert.deepEqual(pathsOf(query.body.error).sort(), ["kind", "page", "status"], query.text);
});

test("a malformed id in the path is invalid_id, and the errors of the body are named beside it", async (t) => {
  const server = await startServer(t);
  const reply = await server.rest("POST", "/contacts/7/activities", { body: { type: "x" } });
  assert.deepEqual([reply.status, reply.body.code], [400, "invalid_id"]);
  assert.deepEqual(
    pathsOf(reply.body.error),
    ["id", "type"].concat(reply.text.includes("subject ") ? ["subject"] : []),
  );
});

test("characters that can't be stored are named with the other errors, but not in ignored fields", async (t) => {
  const server = await startServer(t);
  const body = { first_name: "\0", last_name: "\ud800", phone: 7, other: "\0" };
  const reply = await server.rest("POST", "/contacts", { body });
  assert.deepEqual(pathsOf(reply.body.error).sort(), ["first_name", "last_name", "phone"], reply.text);
});

test("the first twenty errors are listed, and the rest counted", async (t) => {
  const server = await startServer(t);
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field_${i}`, 1]));
  const { body } = await server.rest("PUT", "/contacts/assert", { body: unknown });
  assert.equal(pathsOf(body.error).length, 20);
  assert.match(body.error ?? "", / 11 more fields are wrong\.$/);
});

test("a command of an agent reports all its errors at once", async (t) => {
  const agent = await withAgent(t);
  const refused = async (command: string, fields: object) => {
    const { status, body } = await agent.command(command, fields);
    assert.deepEqual([status, body.code], [400, "validation_failed"], body.error ?? "");
    return pathsOf(body.error).sort();
  };
  assert.deepEqual(await refused("heartbeat", { session: "asleep" }), ["profileUrl", "session"]);
  assert.deepEqual(await refused("claim", { more: 1 }), ["actionId", "more"]);
  assert.deepEqual(await refused("result", { actionId: "7", outcome: "sent" }), [
    "actionId",
    "evidence",
    "leaseToken",
    "outcome",
  ]);
  const late = { kind: "reply", profileUrl: "x", observedAt: "2027-01-01T00:00:00Z" };
  const observations = [
    { ...late, externalKey: "a" },
    { ...late, externalKey: "b" },
  ];
  assert.deepEqual(await refused("sync", { observations }), ["observations.0.observedAt", "observations.1.observedAt"]);
  const observation = {
    observationId: randomUUID(),
    invitationsSent: 1,
    invitationsAccepted: 2,
    invitationsWithdrawn: null,
  };
  const named = await refused("health_observation", { observation });
  assert.ok(named.includes("observation.invitationsSent") && named.includes("observation.evidence"), named.join());
});

test("the profile of a heartbeat or a measurement must be a URL; an invalid one in a sync matches no contact", async (t) => {
  const agent = await withAgent(t);
  const at = "2026-11-20T08:00:00Z";
  const cohort = { windowStartedAt: "2026-11-01T00:00:00Z", windowEndedAt: "2026-11-08T00:00:00Z" };
  const unknown = { invitationsSent: null, invitationsAccepted: null, invitationsWithdrawn: null };
  const observation = {
    observationId: ID,
    observedAt: at,
    ...cohort,
    ...unknown,
    warnings: null,
    accountAgeDays: null,
  };
  for (const profileUrl of [
    "nobody",
    "not a url",
    "javascript:alert(1)",
    "javascript://socialnet.example/%0aalert(1)",
  ]) {
    const beat = await agent.command("heartbeat", { session: "ready", profileUrl });
    assert.deepEqual([beat.status, beat.body.code], [400, "validation_failed"], profileUrl);
    assert.match(beat.body.error ?? "", /^profileUrl is not a URL/);
    const measured = { observation: { ...observation, profileUrl, evidence: "Seen." } };
    const health = await agent.command("health_observation", measured);
    assert.deepEqual([health.status, health.body.code], [400, "validation_failed"], profileUrl);
    assert.match(health.body.error ?? "", /^observation\.profileUrl is not a URL/);
    const seen = { kind: "reply", profileUrl, observedAt: at, externalKey: profileUrl };
    const synced = await agent.command("sync", { observations: [seen] });
    assert.deepEqual(synced.body.data?.results, [{ externalKey: profileUrl, status: "unmatched" }]);
  }
  const other = { session: "ready", profileUrl: "https://socialnet.example/in/another" };
  assert.deepEqual(await agent.refusal("heartbeat", other), ["profile_mismatch"]);
});

test("no URL field accepts a non-web URL", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data;
  const account = await server.operator("create_account", { name: "Acme" });
  const sender = { label: "S", profile_url: "https://socialnet.example/in/s" };
  const socialnet = await server.operator("create_socialnet_account", sender);
  const urls = [
    ...["javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "javascript://x.example/%0aalert(1)"],
    ...["data:text/html,x", "vbscript:x", "file:///etc/passwd", "javascript:1"],
  ];
  for (const url of urls) {
    for (const field of ["website", "socialnet_url"]) {
      const sent: [string, string, object][] = [
        ["POST", "/contacts", { first_name: "x", [field]: url }],
        ["PATCH", `/contacts/${id}`, { [field]: url }],
        ["PUT", "/contacts/assert", { email: "a@x.example", [field]: url }],
      ];
      for (const [method, path, body] of sent) {
        const reply = await server.rest(method, path, { body });
        assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], `${method} ${field} ${url}`);
        assert.match(reply.body.error ?? "", new RegExp(`^${field} must be `));
      }
    }
    const person: [string, object][] = [
      ["create_account", { name: "x", website: url }],
      ["update_account", { account_id: account.id, website: url }],
      ["create_socialnet_account", { label: "x", profile_url: url }],
      ["update_socialnet_account", { account_id: socialnet.id, profile_url: url }],
      ["create_webhook", { url, events: ["socialnet.work.available"] }],
      ["mark_post", { post_id: ID, status: "published", url }],
    ];
    for (const [name, input] of person) {
      await assert.rejects(server.operator(name, input), { code: "validation_failed" }, `${name} ${url}`);
    }
  }
  for (const website of [
    "acme.example",
    "acme.example:8080/team",
    "www.acme.example",
    "http://acme.example",
    "//acme.example",
  ]) {
    const reply = await server.rest("PATCH", `/contacts/${id}`, { body: { website } });
    assert.deepEqual([reply.status, reply.body.data?.website], [200, website]);
  }
});

test("times are RFC 3339 in either letter case, with any offset", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  await server.rest("POST", "/contacts", { body: { first_name: "Ada" } });
  const query = (updated_since: string) =>
    server.rest("POST", "/contacts/query", { body: { filter: { updated_since, source: "public_api" } } });
  const [now] = (await query("2026-01-01T00:00:00Z")).body.data;
  const at = now.updated_at as string;
  const found = async (text: string) => (await query(text)).body.meta?.total;
  assert.equal(await found(at.toLowerCase()), 1);
  assert.equal(await found(at.replace("Z", "-00:00")), 1);
  assert.equal(await found(at.replace("Z", "0000Z")), 1);
  assert.equal(await found(at.replace("Z", "0001Z")), 0, "later by less than a millisecond");
  assert.equal(await found("2099-01-01t00:00:00z"), 0);
  assert.equal(await found("2099-01-01t00:00:00+05:30"), 0);
  const report = {
    ...{ runId: ID, startedAt: "2026-11-20t08:00:00z", finishedAt: "2026-11-20t10:30:00.5+02:00", status: "ok" },
    ...{ claimed: 0, completed: 0, failed: 0, synced: 0 },
  };
  const { body } = await agent.command("run_report", report);
  assert.deepEqual(
    [body.data?.startedAt, body.data?.finishedAt],
    ["2026-11-20T08:00:00.000Z", "2026-11-20T08:30:00.500Z"],
    JSON.stringify(body),
  );
  const key = server.key;
  const draft = { output_kind: "social_post", body: "x", scheduled_for: "2099-01-01t00:00:00z" };
  const items = (await server.rest("GET", "/social/checklist/items?limit=100", { key })).body.data;
  const item = items.find(({ agent: { accepts_output_kinds: kinds } }: any) => kinds.includes("social_post"));
  const submitted = await server.rest("POST", `/social/checklist/items/${item.id}/submissions`, { key, body: draft });
  assert.equal(submitted.status, 201, submitted.text);
  for (const wrong of ["2026-02-30T00:00:00Z", "2026-11-20 08:00:00Z", "2026-11-20T08:00:00", "2026-11-20"]) {
    assert.equal((await query(wrong)).status, 400, wrong);
  }
});
