import assert from "node:assert/strict";
import { test } from "node:test";
import { emailKey, emailPin, profileKey, profilePin } from "../../src/domain/contacts/address.ts";
import { mergeTags } from "../../src/domain/contacts/contact.ts";
import { LIFECYCLE, refuseMove } from "../../src/domain/contacts/lifecycle.ts";

test("for every pair of stages: one step at a time, and each stage has its requirements", () => {
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

test("profile URLs match ignoring scheme, www, slash, query and the host's letter case", () => {
  const same = [
    "https://www.SocialNet.example/in/Ada/",
    "http://socialnet.example/in/Ada?x=1#y",
    "socialnet.example/in/Ada",
  ];
  assert.deepEqual(new Set(same.map(profileKey)).size, 1);
  assert.notEqual(profileKey("https://socialnet.example/in/ada"), profileKey(same[0] as string));
  for (const text of ["", "ada", "not a url", "mailto:ada"]) assert.equal(profileKey(text), null, text);
});

test("profile URLs match in every spelling of a port, a slash, an escape and a letter", () => {
  const spellings = [
    [
      "https://socialnet.example/in/jos\u00E9",
      "https://socialnet.example/in/jose\u0301/",
      "socialnet.example/in/jos%c3%a9",
    ],
    [
      "https://socialnet.example/in/ada,phd",
      "https://socialnet.example/in/ada%2Cphd",
      "http://socialnet.example/in/ada%2cphd",
    ],
    ["https://socialnet.example/in/o'neill", "https://socialnet.example//in//o%27neill//"],
    [
      "https://socialnet.example/in/ada",
      "http://socialnet.example:443/in/ada",
      "https://socialnet.example:80/in/%61da",
    ],
  ];
  for (const same of spellings) assert.equal(new Set(same.map(profileKey)).size, 1, same[0]);
  const different = ["a/b", "a%2Fb", "a%3Fb", "a%23b", "a%25b", "a%b", "a%FFb", "a%C3b"];
  const urls = [
    ...different.map((path) => `https://socialnet.example/in/${path}`),
    "https://socialnet.example:8443/in/a",
  ];
  assert.equal(new Set(urls.map(profileKey)).size, urls.length);
  const [composed = "", decomposed = ""] = spellings[0] ?? [];
  assert.notEqual(profilePin(composed), profilePin(decomposed), "an approval pins what was shown");
});

test("an approval pins more of a URL than a comparison uses, so two people's URLs never match", () => {
  const ada = "https://socialnet.example/profile?id=1";
  for (const other of ["https://socialnet.example/profile?id=2", "https://socialnet.example/profile?id=1#2"]) {
    assert.equal(profileKey(other), profileKey(ada));
    assert.notEqual(profilePin(other), profilePin(ada));
  }
  assert.equal(profilePin("http://www.SocialNet.example/profile/?id=1"), profilePin(ada));
  assert.equal(profilePin("not a url"), "not a url");
  // A URL parser ignores control characters at the ends, but an agent receives them.
  for (const end of ["\u0007", "\u001B", "\u0007 \u001B"]) assert.notEqual(profilePin(ada + end), profilePin(ada));
  const kelvin = "\u212Aim@x.example";
  assert.equal(emailKey(kelvin), emailKey("Kim@x.example"));
  assert.notEqual(emailPin(kelvin), emailPin("Kim@x.example"));
  assert.equal(emailPin("KIM@X.example"), emailPin("kim@x.example"));
});

test("tags are only added, up to fifty", () => {
  const full = Array.from({ length: 50 }, (_, i) => `z${i}`);
  assert.deepEqual(mergeTags(full, ["a"]), [...full].sort());
  assert.deepEqual(mergeTags(["b"], ["A", " a ", ""]), ["a", "b"]);
});
