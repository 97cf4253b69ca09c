import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Cause,
  faultText,
  type Hold,
  holdText,
  sharedHoldText,
} from "../../src/console/pages/outreach/hold-text.ts";
import {
  HOLD_CAUSES,
  HOLDS,
  type HoldCause,
  type HoldReason,
  messageFault,
} from "../../src/domain/outreach/sending.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const approver = { may: () => true, now };
const rep = { may: () => false, now };

const caused = (cause: HoldCause, at: string | null = null): Hold => ({
  reason: "contact_changed",
  detail: null,
  cause: { cause, fields: [], at } as Cause,
});
const plain = (reason: HoldReason, detail: string | null = null): Hold => ({ reason, detail, cause: null });

test("every cause and reason is worded for one contact and for several", () => {
  const holds = [
    ...(Object.keys(HOLD_CAUSES) as HoldCause[]).map((cause) => caused(cause)),
    ...(Object.keys(HOLDS) as HoldReason[]).map((reason) => plain(reason)),
  ];
  for (const hold of holds) {
    for (const reader of [approver, rep]) {
      const [one, many] = [holdText(hold, reader), sharedHoldText([hold, hold], reader) ?? ""];
      for (const text of [one, many]) assert.match(text, /^[A-Z].*\.$/, JSON.stringify(hold));
      assert.doesNotMatch(many, /[Tt]his contact|the contact\b/, JSON.stringify(hold));
      assert.doesNotMatch(one, /[Tt]hey|[Tt]heir|[Tt]hese|[Tt]hem\b/, JSON.stringify(hold));
    }
  }
});

test("the way out is the same for several contacts as for one", () => {
  const replied = caused("replied", "2026-11-26T10:00:00.000Z");
  assert.equal(
    holdText(replied, approver),
    "This contact replied on Nov 26, after the approval. To continue, approve this contact again.",
  );
  assert.equal(
    sharedHoldText([replied, caused("replied")], approver),
    "They replied after the approval. To continue, approve these contacts again.",
  );
  assert.equal(
    sharedHoldText([caused("opted_out"), caused("opted_out")], approver),
    "They opted out after the approval. Remove these contacts from the sequence.",
  );
  assert.equal(sharedHoldText([replied, caused("opted_out")], approver), undefined);
  assert.equal(sharedHoldText([replied, plain("no_address")], approver), undefined);
  assert.equal(
    holdText(plain("no_address"), rep),
    "This contact has no email address. Add one. Then ask a teammate who can approve outbound messages to approve this " +
      "contact again. After that, release the contact.",
  );
});

test("a detail that differs is left out for several contacts, and a shared one is shown", () => {
  const [title, name] = [plain("unfilled", "No value for job_title."), plain("unfilled", "No value for sender_name.")];
  assert.match(sharedHoldText([title, name], approver) ?? "", /^A placeholder has no value\. Add the value for each/);
  assert.match(
    sharedHoldText([title, title], approver) ?? "",
    /^No value for \{\{job_title\}\}\. Add the value for each/,
  );
  assert.match(
    sharedHoldText([name, name], approver) ?? "",
    /^No value for \{\{sender_name\}\}\. Add the value\. Then/,
  );
  assert.match(holdText(plain("came_back", "550 5.7.1 No"), rep), /server's reply: “550 5\.7\.1 No”\. Fix the problem/);
});

test("a fault of a message doesn't begin with the name of a field", () => {
  const fault = messageFault({ subject: "", body: "", names: [] }) ?? "";
  assert.equal(faultText(fault), "The subject is empty.");
  assert.equal(
    faultText("The filled text is longer than 300 characters."),
    "The filled text is longer than 300 characters.",
  );
  assert.equal(
    faultText("email: mail programs read this address as a@b.example. Correct the address."),
    "The email address is ambiguous: mail programs read this address as a@b.example. Correct the address.",
  );
  assert.equal(faultText("constructor: no field"), "constructor: no field");
});
