import assert from "node:assert/strict";
import { test } from "node:test";
import { enhancedStatus, type Verdict, verdictOn } from "../../src/mail/outcome.ts";

/** Answers of real servers. */
const ANSWERS: [string, Verdict][] = [
  ["550 5.1.1 The email account that you tried to reach does not exist.", "dead"],
  ["550-5.1.1 The email account that you tried\n550 5.1.1 to reach does not exist.", "dead"],
  ["550 5.1.2 <ada@nowhere.example>: Recipient address rejected: Domain not found", "dead"],
  ["550 5.1.6 The mailbox has moved", "dead"],
  ["550 5.1.10 RESOLVER.ADR.RecipientNotFound", "dead"],
  ["556 5.1.10 Recipient address has null MX", "dead"],
  ["550 5.2.1 The email account that you tried to reach is disabled.", "dead"],
  ["550 5.4.1 Recipient address rejected: Access denied. [x.prod.protection.outlook.com]", "dead"],
  ["550 5.1.0 Address rejected: user unknown", "dead"],
  ["550 No such user here", "dead"],
  ["551 User unknown", "dead"],
  ["550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents more.", "theirs"],
  ["550 5.4.1 All relay hosts are out of reach", "theirs"],
  ["550 Requested action not taken", "theirs"],
  ["554 No such user", "theirs"],
  ["552 5.2.2 Mailbox full", "theirs"],
  ["552 5.2.2 The recipient's mailbox is over its quota", "theirs"],
  ["552 5.3.4 Message too big", "theirs"],
  ["550 5.7.1 Message rejected as spam", "theirs"],
  ["550 5.7.1 <ada@x.example>: Recipient address rejected: Access denied", "theirs"],
  ["550 5.7.2 The list takes mail of its members alone", "theirs"],
  ["550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; sender not authenticated for group", "theirs"],
  ["554 5.6.0 Message content rejected", "theirs"],
  ["450 4.1.1 User unknown in local table", "theirs"],
  ["450 5.1.1 a code for now beside a status for good", "theirs"],
  ["452 4.2.2 Mailbox full", "theirs"],
  ["450 4.7.1 Greylisted, come back in five minutes", "theirs"],
  ["451 4.7.1 come back later", "theirs"],
  ["451 4.7.500 Server busy. Please try again later from [192.0.2.1].", "ours"],
  ["550 5.4.5 Daily user sending quota exceeded", "ours"],
  ["550 5.4.5 Daily sending quota exceeded. https://support.google.com/a/answer/166852", "ours"],
  ["554 5.7.1 <ada@x.example>: Relay access denied", "ours"],
  ["550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "ours"],
  ["550 Relaying not permitted", "ours"],
  ["550 5.7.1 Unable to relay", "ours"],
  ["530 5.7.0 Must issue a STARTTLS command first", "ours"],
  ["530-5.5.1 Authentication Required", "ours"],
  ["535 5.7.8 Username and Password not accepted", "ours"],
  ["553 5.1.8 Sender address rejected: domain not found", "ours"],
  ["450 4.1.8 <sales@acme.example>: Sender address rejected: Domain not found", "ours"],
  ["550 5.1.0 <a@b.example> sender rejected", "ours"],
  ["553 5.7.1 <sales@acme.example>: Sender address rejected: not owned by user robin", "ours"],
  ["554 Message rejected: Email address is not verified. The following identities failed the check", "ours"],
  ["554 5.7.1 Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org", "ours"],
  ["554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied", "ours"],
  ["550 5.7.26 This mail has been blocked because the sender is unauthenticated.", "ours"],
  ["550 5.7.25 The IP address sending this message does not have a PTR record", "ours"],
  ["550 5.7.60 SMTP; Client does not have permissions to send as this sender", "ours"],
  ["550 5.7.501 Access denied, spam abuse detected", "ours"],
  ["550 5.1.90 Your message can't be sent because you've reached your daily limit", "ours"],
  ["550 Your account has been suspended", "ours"],
  ["454 Throttling failure: Maximum sending rate exceeded.", "ours"],
  ["454 Throttling failure: Daily message quota exceeded.", "ours"],
  ["452 4.3.1 Insufficient system storage", "ours"],
  ["421 4.7.0 Try again later", "ours"],
  ["450 4.7.1 Error: too much mail from 192.0.2.1", "ours"],
  ["451 4.7.651 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation", "ours"],
  ["450 4.7.28 Our system has detected an unusual rate of mail", "ours"],
];

test("a refusal counts against an address only if it says that the address is dead, never if it is about our server", () => {
  for (const [answer, verdict] of ANSWERS) {
    const refusal = { code: Number(answer.slice(0, 3)), status: enhancedStatus(answer), text: answer };
    assert.equal(verdictOn(refusal), verdict, answer);
  }
});

test("a report with only a status is read by it", () => {
  for (const [status, verdict] of [
    ["5.1.1", "dead"],
    ["4.1.1", "theirs"],
    ["5.7.26", "ours"],
    ["5.0.0", "theirs"],
  ] as const) {
    assert.equal(verdictOn({ status, text: "" }), verdict, status);
  }
});

test("an enhanced status is read only where RFC 2034 puts it", () => {
  assert.equal(enhancedStatus("250 2.0.0 Ok"), "2.0.0");
  assert.equal(enhancedStatus("550-5.1.1 x"), "5.1.1");
  for (const answer of ["550 see 5.1.1", "550 5.1", "550 3.1.1 x", "5.1.1", "550 10.0.0.1 is blocked", ""]) {
    assert.equal(enhancedStatus(answer), undefined, answer);
  }
});
