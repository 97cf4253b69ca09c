import assert from "node:assert/strict";
import { test } from "node:test";
import { hostName, nameKey } from "../../src/domain/contacts/account.ts";
import { LIFECYCLE, nextStage, refuseMove } from "../../src/domain/contacts/lifecycle.ts";

test("equal domains match in any spelling: letter case, scheme, www., port and path are ignored", () => {
  const same = [
    "acme.example",
    " ACME.example ",
    "https://www.acme.example/about?x#y",
    "www.Acme.Example:8080",
    "acme.example.",
  ];
  for (const text of same) assert.equal(hostName(text), "acme.example", text);
  assert.equal(hostName("ftp://files.acme.example"), "files.acme.example");
  assert.equal(hostName("www.com"), "www.com");
  assert.equal(hostName("münchen.example"), "xn--mnchen-3ya.example");
  assert.equal(hostName(hostName("münchen.example") as string), "xn--mnchen-3ya.example");
});

test("text without a host name is not a domain", () => {
  const label = "a".repeat(64);
  const none = [
    "",
    "acme",
    "localhost",
    "https://",
    "two words.example",
    "10.0.0.1",
    "1.2",
    "[::1]",
    "ada@acme.example",
  ];
  const broken = [
    "-a.example",
    "a-.example",
    "a..example",
    ".example",
    "a_b.example",
    `${label}.example`,
    "mailto:a@b.example",
  ];
  for (const text of [...none, ...broken, `${"a.".repeat(127)}example`]) assert.equal(hostName(text), null, text);
});

test("account names match ignoring case, beyond ASCII too", () => {
  assert.equal(nameKey(" ÉCOLE Supérieure "), nameKey("école SUPÉRIEURE"));
  assert.notEqual(nameKey("Acme"), nameKey("Acme Inc"));
});

test("the next stage needs nothing exactly when a move there is allowed", () => {
  const given = [false, true];
  for (const meeting of given)
    for (const bant of given)
      for (const wonDeal of given)
        for (const [i, stage] of LIFECYCLE.entries()) {
          const confirmed = { meeting, bant, wonDeal };
          const above = LIFECYCLE[i + 1];
          const code = above && refuseMove(stage, above, confirmed);
          assert.deepEqual(nextStage(stage, confirmed), above ? { stage: above, needs: code ? [code] : [] } : null);
        }
});
