import assert from "node:assert/strict";
import { test } from "node:test";
import { enhancedStatus, isHardBounce } from "../../src/domain/bounce.ts";

/** As servers of the field answer. */
const ANSWERS: [string, boolean][] = [
  ["550 5.1.1 The email account that you tried to reach does not exist.", true],
  ["550-5.1.1 The email account that you tried\n550 5.1.1 to reach does not exist.", true],
  ["550 5.1.10 RESOLVER.ADR.RecipientNotFound", true],
  ["556 5.1.10 Recipient address has null MX", true],
  ["550 5.2.1 The email account that you tried to reach is disabled.", true],
  ["550 5.4.1 Recipient address rejected: Access denied. [x.prod.protection.outlook.com]", true],
  ["550 5.4.1 All relay hosts are out of reach", false],
  ["550 5.1.0 Address rejected: user unknown", true],
  ["550 5.1.0 <a@b.example> sender rejected", false],
  ["550 No such user here", true],
  ["551 User unknown", true],
  ["550 Requested action not taken", false],
  ["554 No such user", false],
  ["552 5.2.2 Mailbox full", false],
  ["552 5.3.4 Message too big", false],
  ["550 5.7.1 Message rejected as spam", false],
  ["554 5.7.1 Service unavailable; client host blocked", false],
  ["550 5.7.26 This mail has been blocked because the sender is unauthenticated.", false],
  ["553 5.1.8 Sender address rejected: domain not found", false],
  ["450 4.1.1 User unknown in local table", false],
  ["450 5.1.1 a code for now beside a status for good", false],
];

test("an answer counts against the address only where it says that the address is dead", () => {
  for (const [answer, hard] of ANSWERS) {
    const refusal = { code: Number(answer.slice(0, 3)), status: enhancedStatus(answer), text: answer };
    assert.equal(isHardBounce(refusal), hard, answer);
  }
});

test("an enhanced status is read where RFC 2034 puts it, and nowhere else", () => {
  assert.equal(enhancedStatus("250 2.0.0 Ok"), "2.0.0");
  assert.equal(enhancedStatus("550-5.1.1 x"), "5.1.1");
  for (const answer of ["550 see 5.1.1", "550 5.1", "550 3.1.1 x", "5.1.1", "550 10.0.0.1 is blocked", ""]) {
    assert.equal(enhancedStatus(answer), undefined, answer);
  }
});
