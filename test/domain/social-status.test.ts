import assert from "node:assert/strict";
import { test } from "node:test";
import { SOCIAL_STATUSES, socialStatusesBefore } from "../../src/domain/socialnet/social-status.ts";

test("the statuses before one are those from which a contact moves forward to it", () => {
  assert.deepEqual(SOCIAL_STATUSES.map(socialStatusesBefore), [
    [],
    ["none"],
    ["none", "invited"],
    ["none", "invited", "connected"],
    ["none", "invited", "connected", "messaged"],
  ]);
});
