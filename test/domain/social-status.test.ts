import assert from "node:assert/strict";
import { test } from "node:test";
import { SOCIAL_STATUSES, socialStatusesBefore } from "../../src/domain/socialnet/social-status.ts";

test("the statuses before another are those from which a contact can advance to it", () => {
  assert.deepEqual(SOCIAL_STATUSES.map(socialStatusesBefore), [
    [],
    ["none"],
    ["none", "invited"],
    ["none", "invited", "connected"],
    ["none", "invited", "connected", "messaged"],
  ]);
});
