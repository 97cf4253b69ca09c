import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { filesIn } from "../support/files.ts";
import { keptLog } from "../support/log.ts";
import { post } from "../support/mcp.ts";
import { iso, withAgent } from "../support/socialnet.ts";

/** All files in the data folder, including the write-ahead log, as searchable text. */
function bytesOf(folder: string): Buffer {
  const files = filesIn(folder);
  assert.ok(
    [...files.keys()].some((name) => name.endsWith("-wal") || name.startsWith("postgres/")),
    "the write-ahead log is among them, or the tables are",
  );
  return Buffer.concat([...files.values()]);
}

const SECRETS = {
  key: `ros_live_${"Ab3dEf6hIj".repeat(4)}xyz`,
  mail: "grace.hopper.secret@navy.example",
  telephone: "+49 151 2345 6789",
  query: "li_at=AQEDARplantedsession",
  password: "hunter2-planted-in-notes",
  token: "eyJhbGciOiJIUzI1NiJ9.eyJwbGFudGVkIjoxfQ.c2lnbmF0dXJl",
};
const ALLOWED = "All three went out by noon, planted-and-kept.";

test("secrets in notes, third-party text and lease tokens are in no file and no log, and permitted text is", async (t) => {
  const { log, text } = keptLog();
  const agent = await withAgent(t, { log });
  const at = iso(agent.clock.now());
  const notes = `${ALLOWED} ${SECRETS.key} ${SECRETS.mail} ${SECRETS.telephone} https://socialnet.example/in/x?${SECRETS.query} password: ${SECRETS.password} ${SECRETS.token}`;
  const report = { startedAt: at, finishedAt: at, status: "ok", claimed: 0, completed: 0, failed: 0, synced: 0 };
  const answer = await agent.done("run_report", { runId: randomUUID(), ...report, notes });
  for (const [kind, secret] of Object.entries(SECRETS)) assert.ok(!answer.notes.includes(secret), kind);
  assert.ok(answer.notes.startsWith(ALLOWED));

  const stranger = { profileUrl: "https://socialnet.example/in/planted-stranger", observedAt: at };
  const excerpt = "planted excerpt of a stranger";
  const known = await agent.contact();
  const kept = "planted excerpt of a contact";
  const { results } = await agent.done("sync", {
    observations: [
      { kind: "reply", ...stranger, externalKey: "1", excerpt },
      { kind: "message_received", ...stranger, externalKey: "2", excerpt },
      { kind: "reply", profileUrl: known.socialnet_url, observedAt: at, externalKey: "3", excerpt: kept },
    ],
  });
  assert.deepEqual(
    results.map(({ status }: { status: string }) => status),
    ["unmatched", "unmatched", "recorded"],
  );

  const tokens: string[] = [];
  for (const outcome of ["message_sent", "captcha"]) {
    const action = await agent.started();
    tokens.push(action.leaseToken);
    await agent.result(action, outcome);
    await agent.heartbeat();
  }
  const claimed = await agent.claimed();
  tokens.push(claimed.leaseToken);
  const made = randomUUID();
  tokens.push(made);
  const wrong = { command: "start", actionId: claimed.id, leaseToken: made };
  await agent.command("start", { actionId: claimed.id, leaseToken: made });
  await post(
    agent.server,
    "2026-07-28",
    "tools/call",
    { name: "socialnet_command", arguments: wrong },
    { key: agent.key },
  );

  const absent = { ...SECRETS, excerpt, profile: "planted-stranger", agentKey: agent.key };
  const bytes = bytesOf(agent.server.folder);
  for (const [kind, secret] of Object.entries({ ...absent, ...Object.fromEntries(tokens.entries()) })) {
    assert.equal(bytes.includes(secret), false, `${kind} is in the data folder`);
    assert.equal(text().includes(secret), false, `${kind} is in the log`);
  }
  for (const token of tokens) {
    assert.equal(bytes.includes(Buffer.from(token.replaceAll("-", ""), "hex")), false, "nor as sixteen bytes");
  }
  for (const allowed of [ALLOWED, kept, "socialnet_command"]) {
    assert.equal(bytes.includes(allowed), true, `${allowed} is in the data folder`);
  }
  assert.match(text(), /"operation":"socialnet_command"/);
});

test("a refusal does not repeat a token, notes or an excerpt", async (t) => {
  const agent = await withAgent(t);
  const leaseToken = randomUUID();
  const { id: actionId } = await agent.approved();
  const planted = "planted, and refused";
  const at = iso(agent.clock.now());
  const replies = [
    await agent.command("start", { actionId, leaseToken }),
    await agent.command("claim", { actionId, leaseToken }),
    await agent.command("run_report", { notes: planted }),
    await agent.command("brief", { notes: planted }),
    await agent.command("sync", {
      observations: [{ kind: "like", profileUrl: planted, observedAt: at, externalKey: planted, excerpt: planted }],
    }),
  ];
  for (const { status, text } of replies) {
    assert.ok(status === 400 || status === 409, text);
    assert.equal(text.includes(leaseToken) || text.includes(planted), false, text);
  }
});
