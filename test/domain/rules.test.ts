import assert from "node:assert/strict";
import { test } from "node:test";
import { readOnlyReason } from "../../src/core/policy.ts";
import { memberMay, ROLES, recognisedScopes } from "../../src/domain/access/roles.ts";
import { mergeTags, profileKey } from "../../src/domain/contacts/contact.ts";
import { LIFECYCLE, refuseMove } from "../../src/domain/contacts/lifecycle.ts";
import { findUnstorable } from "../../src/domain/text/storable.ts";

test("every pair of stages: one step at a time, and arriving needs what the stage needs", () => {
  const nothing = { meeting: false, bant: false, wonDeal: false };
  const all = { meeting: true, bant: true, wonDeal: true };
  const needs = {
    prospect: undefined,
    lead: "meeting_required",
    opportunity: "bant_required",
    customer: "won_deal_required",
  };
  for (const [i, from] of LIFECYCLE.entries()) {
    for (const [j, to] of LIFECYCLE.entries()) {
      const steps = Math.abs(i - j);
      const expected = steps === 0 ? undefined : steps > 1 ? "stage_not_adjacent" : needs[to];
      assert.equal(refuseMove(from, to, nothing), expected, `${from} → ${to}`);
      assert.equal(refuseMove(from, to, all), steps > 1 ? "stage_not_adjacent" : undefined, `${from} → ${to}`);
    }
  }
});

test("a workspace is read-only once its trial or term is over, or at once when delinquent", () => {
  assert.equal(readOnlyReason({ state: "active", endsAt: 1 }, 2), undefined);
  assert.equal(readOnlyReason({ state: "trial", endsAt: 3 }, 2), undefined);
  assert.match(readOnlyReason({ state: "trial", endsAt: 2 }, 2) ?? "", /trial/);
  assert.equal(readOnlyReason({ state: "trial", endsAt: null }, 2), undefined);
  assert.match(readOnlyReason({ state: "financed", endsAt: 1 }, 2) ?? "", /term/);
  assert.match(readOnlyReason({ state: "delinquent", endsAt: null }, 2) ?? "", /delinquency/);
});

test("profile addresses are one person's whatever the scheme, www, slash, query and the host's letter case", () => {
  const same = [
    "https://www.SocialNet.example/in/Ada/",
    "http://socialnet.example/in/Ada?x=1#y",
    "socialnet.example/in/Ada",
  ];
  assert.deepEqual(new Set(same.map(profileKey)).size, 1);
  assert.notEqual(profileKey("https://socialnet.example/in/ada"), profileKey(same[0] as string));
  for (const text of ["", "ada", "not a url", "mailto:ada"]) assert.equal(profileKey(text), null, text);
});

test("what a contact's tags are stays, and fifty is the end", () => {
  const full = Array.from({ length: 50 }, (_, i) => `z${i}`);
  assert.deepEqual(mergeTags(full, ["a"]), [...full].sort());
  assert.deepEqual(mergeTags(["b"], ["A", " a ", ""]), ["a", "b"]);
});

test("no role of its own approves what goes out; the grant does, whatever the role", () => {
  for (const role of ROLES) {
    assert.equal(memberMay(role, false, "approve_outbound"), false);
    assert.equal(memberMay(role, true, "approve_outbound"), true);
    assert.equal(memberMay(role, true, "administer"), !["rep", "viewer"].includes(role));
    assert.equal(memberMay(role, true, "work"), role !== "viewer");
    assert.equal(memberMay(role, false, "view"), true);
    assert.equal(memberMay(role, false, "operate"), role === "super_admin");
  }
});

test("scopes that do not exist are dropped, doubles too", () => {
  assert.deepEqual(recognisedScopes(["deals.write", "nope", "contacts.read", "deals.write", "__proto__"]), [
    "contacts.read",
    "deals.write",
  ]);
});

test("text that cannot be stored is found wherever it hides", () => {
  assert.equal(findUnstorable({ a: ["x", { b: "é💥" }], c: 1, d: null }), undefined);
  assert.equal(findUnstorable({ a: [{ b: "x\0" }] })?.path, "a.0.b");
  assert.equal(findUnstorable({ a: { "\ud800": 1 } })?.path, "a");
  let deep: unknown = 1;
  for (let i = 0; i < 10_000; i += 1) deep = [deep];
  assert.match(findUnstorable({ deep })?.fault ?? "", /nested deeper/);
});
