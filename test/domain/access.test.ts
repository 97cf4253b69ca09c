import assert from "node:assert/strict";
import { test } from "node:test";
import { readOnlyReason } from "../../src/core/policy.ts";
import { memberMay, ROLES, recognizedScopes } from "../../src/domain/access/roles.ts";

test("a workspace is read-only once its trial or term is over, or at once when delinquent", () => {
  assert.equal(readOnlyReason({ state: "active", endsAt: 1 }, 2), undefined);
  assert.equal(readOnlyReason({ state: "trial", endsAt: 3 }, 2), undefined);
  assert.match(readOnlyReason({ state: "trial", endsAt: 2 }, 2) ?? "", /trial/);
  assert.equal(readOnlyReason({ state: "trial", endsAt: null }, 2), undefined);
  assert.match(readOnlyReason({ state: "financed", endsAt: 1 }, 2) ?? "", /term/);
  assert.match(readOnlyReason({ state: "delinquent", endsAt: null }, 2) ?? "", /payment is overdue/);
});

test("no role can approve sends without the separate permission", () => {
  for (const role of ROLES) {
    assert.equal(memberMay(role, false, "approve_outbound"), false);
    assert.equal(memberMay(role, true, "approve_outbound"), true);
    assert.equal(memberMay(role, true, "administer"), !["rep", "viewer"].includes(role));
    assert.equal(memberMay(role, true, "work"), role !== "viewer");
    assert.equal(memberMay(role, false, "view"), true);
    assert.equal(memberMay(role, false, "operate"), role === "super_admin");
  }
});

test("unknown and duplicate scopes are dropped", () => {
  assert.deepEqual(recognizedScopes(["deals.write", "nope", "contacts.read", "deals.write", "__proto__"]), [
    "contacts.read",
    "deals.write",
  ]);
});
