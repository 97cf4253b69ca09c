import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isOutbound,
  isSystemActivity,
  SYSTEM_ACTIVITIES,
  WRITABLE_ACTIVITIES,
} from "../../src/domain/contacts/activity.ts";
import { hasCome } from "../../src/domain/time/date.ts";

test("an activity type can be logged either by callers or by the server, never both", () => {
  const all = [...WRITABLE_ACTIVITIES, ...SYSTEM_ACTIVITIES];
  assert.equal(new Set(all).size, all.length);
  for (const type of WRITABLE_ACTIVITIES) assert.equal(isSystemActivity(type), false);
  for (const type of SYSTEM_ACTIVITIES) assert.equal(isSystemActivity(type), true);
  for (const stranger of ["toString", "", null, 7, ["email_sent"]]) assert.equal(isSystemActivity(stranger), false);
});

test("only calls made, voicemails, text messages and social-network messages count as outreach", () => {
  const outbound = [...WRITABLE_ACTIVITIES, ...SYSTEM_ACTIVITIES].filter(isOutbound);
  assert.deepEqual(outbound, ["call_made", "voicemail_left", "sms_sent", "socialnet_message"]);
});

test("a date counts as reached once any time zone could be there: until the next UTC day, and not beyond", () => {
  const now = Date.UTC(2026, 11, 30, 23, 59, 59, 999);
  for (const date of ["0001-01-01", "2026-12-30", "2026-12-31"]) assert.equal(hasCome(date, now), true, date);
  for (const date of ["2027-01-01", "9999-12-31"]) assert.equal(hasCome(date, now), false, date);
  assert.equal(hasCome("2027-01-01", now + 1), true);
});
