import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeTags, profileKey } from "../../src/domain/contacts/contact.ts";
import { LIFECYCLE, refuseMove } from "../../src/domain/contacts/lifecycle.ts";

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
