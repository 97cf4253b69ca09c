import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Assessment,
  assessmentOf,
  type Mark,
  type MarkedStatus,
  statusOf,
} from "../../src/domain/checklist/status.ts";

const BASELINE: Assessment = { state: "missing", reason: "Nothing is saved.", sources: [] };

function mark(source: Mark["source"], status: MarkedStatus, evidence: string | null = null): Mark {
  return { status, evidence, source, byId: "m1", byName: "Grace" };
}

test("the status is the recorded one, from any author, or not_assessed", () => {
  assert.equal(statusOf(undefined), "not_assessed");
  for (const source of ["member", "system", "agent"] as const) {
    assert.equal(statusOf(mark(source, "in_progress")), "in_progress");
  }
});

test("a manual status overrides the assessment", () => {
  const states = (["not_started", "in_progress", "done", "blocked", "not_applicable"] as const).map(
    (status) => assessmentOf(mark("member", status), BASELINE).state,
  );
  assert.deepEqual(states, ["missing", "missing", "done", "missing", "not_applicable"]);
  assert.deepEqual(assessmentOf(mark("member", "done", "It hangs there."), BASELINE), {
    state: "done",
    reason: "It hangs there.",
    sources: [{ kind: "member", id: "m1", label: "Grace" }],
  });
  assert.equal(assessmentOf(mark("member", "blocked"), BASELINE).reason, "Grace recorded it as blocked.");
});

test("without a manual status the assessment applies, and without one the state is unknown, with a reason", () => {
  for (const known of [undefined, mark("agent", "done"), mark("system", "done")]) {
    assert.deepEqual(assessmentOf(known, BASELINE), BASELINE);
    const { state, reason, sources } = assessmentOf(known, undefined);
    assert.deepEqual([state, sources], ["unknown", []]);
    assert.match(reason, /^Not checked yet/);
  }
});
