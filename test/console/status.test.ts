import assert from "node:assert/strict";
import { test } from "node:test";
import { statusLabel } from "../../src/console/ui/labels.ts";
import { EnrollmentStatus, hasTone, toneOf } from "../../src/console/ui/status.tsx";
import { CONNECTION_STATES } from "../../src/domain/checklist/channel.ts";
import { CARD_STATUSES, POST_STATUSES } from "../../src/domain/checklist/review.ts";
import { ASSESSMENT_STATES, CHECKLIST_STATUSES } from "../../src/domain/checklist/status.ts";
import { DELIVERY_STATUSES } from "../../src/domain/events/delivery.ts";
import { SEND_STATUSES } from "../../src/domain/outreach/sending.ts";
import { ENROLLMENT_STATUSES, SEQUENCE_STATUSES } from "../../src/domain/outreach/sequence.ts";
import { ACTION_STATUSES } from "../../src/domain/socialnet/action.ts";

test("every status of the domain has a color and a capitalized label without code", () => {
  const all = {
    action: ACTION_STATUSES,
    enrollment: ENROLLMENT_STATUSES,
    delivery: DELIVERY_STATUSES,
    assessment: Object.keys(ASSESSMENT_STATES),
  };
  const others = [CARD_STATUSES, POST_STATUSES, SEQUENCE_STATUSES, CONNECTION_STATES].flat();
  const named = [...others, ...Object.keys(SEND_STATUSES), ...Object.keys(CHECKLIST_STATUSES)];
  for (const [status, kind] of [
    ...named.map((status) => [status, undefined] as const),
    ...Object.entries(all).flatMap(([kind, of]) => of.map((status) => [status, kind as keyof typeof all] as const)),
  ]) {
    assert.ok(hasTone(status), status);
    assert.match(statusLabel(status, kind), /^[A-Z][^_]*$/, status);
  }
});

test("statuses with the same meaning share a color and a label, and an unconfirmed outcome is not a proposal", () => {
  for (const status of ["planned", "pending", "needs_review"]) {
    assert.deepEqual([toneOf(status), statusLabel(status)], ["needs", "Needs review"], status);
  }
  const unknown = [toneOf("needs_review", "action"), statusLabel("needs_review", "action")];
  assert.deepEqual(unknown, [toneOf("unknown"), statusLabel("unknown")]);
  assert.deepEqual(unknown, ["stopped", "Unconfirmed"]);
  assert.deepEqual(
    [toneOf("failed", "action"), toneOf("failed", "enrollment"), toneOf("failed")],
    Array(3).fill("stopped"),
  );
});

test("an enrollment that ran to its end says that the contact replied, if they did", () => {
  const shown = (status: string, replied: boolean, held = false) => {
    const { of, kind, label } = EnrollmentStatus({ status, held, replied }).props;
    return label ?? statusLabel(of, kind);
  };
  assert.equal(shown("completed", true), "Finished, replied");
  assert.equal(shown("completed", false), "Finished");
  assert.equal(shown("stopped_replied", true), "Stopped by a reply");
  assert.equal(shown("active", true), "Active");
  assert.equal(shown("completed", true, true), "On hold");
});
