import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "../../src/domain/text/nearest.ts";

const KNOWN = ["id", "limit", "offset", "profile_url", "actionId", "status", "email"];

test("a misspelled name is near the intended name", () => {
  for (const [given, meant] of [
    ["limt", "limit"],
    ["limits", "limit"],
    ["lmiit", "limit"],
    ["OFFSET", "offset"],
    ["profileUrl", "profile_url"],
    ["profile-url", "profile_url"],
    ["action_id", "actionId"],
    ["contact_id", "id"],
    ["profile", "profile_url"],
    ["e-mail", "email"],
  ] as const) {
    assert.equal(nearestName(given, KNOWN), meant, given);
  }
});

test("no name is near one that shares nothing with any", () => {
  for (const given of ["", "search", "x", "__proto__", "_", "limit".repeat(100)]) {
    assert.equal(nearestName(given, KNOWN), undefined, given);
  }
  for (const given of ["id", "ID", "ids", "contact_id", "leadId", "kind"]) {
    assert.equal(nearestName(given, ["command", "actionId", "leaseToken"]), undefined, given);
  }
  assert.equal(nearestName("limit", []), undefined);
});
