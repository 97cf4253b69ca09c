import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { recurrenceFault } from "../../src/domain/socialnet/recurrence.ts";

test("rules of RFC 5545 are accepted, with or without the RRULE: prefix, in either letter case", () => {
  for (const rule of [
    "FREQ=DAILY",
    "FREQ=SECONDLY;INTERVAL=30",
    "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9",
    "BYHOUR=9,17;FREQ=DAILY;BYMINUTE=0,59;BYSECOND=60",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,TU,WE,TH,FR,SA,SU",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=MONTHLY;BYDAY=+1MO,-1FR",
    "FREQ=MONTHLY;BYMONTHDAY=-1,15,31",
    "FREQ=YEARLY;BYMONTH=1,12;BYDAY=53SU",
    "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
    "FREQ=YEARLY;BYYEARDAY=-366,1,100",
    "FREQ=DAILY;COUNT=10",
    "FREQ=DAILY;UNTIL=20271224T000000Z",
    "FREQ=DAILY;UNTIL=20271224",
    "FREQ=DAILY;UNTIL=20271224;BYMONTH=1",
  ]) {
    for (const text of [rule, `RRULE:${rule}`, `rrule:${rule.toLowerCase()}`, ` ${rule};\n`]) {
      assert.equal(recurrenceFault(text), undefined, text);
    }
  }
});

test("an invalid rule is refused with the reason", () => {
  for (const [text, fault] of [
    ["", /such as FREQ=WEEKLY/],
    ["every morning", /such as FREQ=WEEKLY/],
    ["0 9 * * 1", /such as FREQ=WEEKLY/],
    ["RRULE:", /such as FREQ=WEEKLY/],
    ["BYDAY=MO", /such as FREQ=WEEKLY/],
    ["FREQ", /such as FREQ=WEEKLY/],
    ["FREQ=DAILY;;COUNT=1", /such as FREQ=WEEKLY/],
    ["FREQ=DAILY=WEEKLY", /such as FREQ=WEEKLY/],
    ["FREQ=", /FREQ can't be empty/],
    ["FREQ=NEVER", /FREQ can't be NEVER/],
    ["FREQ=DAILY\nCOUNT=1", /such as FREQ=WEEKLY/],
    ["FREQ=DAILY;BYHOUR=1\nEXDATE:20260101", /BYHOUR can't be/],
    ["RRULE:RRULE:FREQ=DAILY", /such as FREQ=WEEKLY/],
    ["FREQ=DAILY;FREQ=WEEKLY", /Use each part once/],
    ["FREQ=DAILY;DTSTART=20260101", /can't have the part DTSTART/],
    ["FREQ=DAILY;TZID=UTC", /can't have the part TZID/],
    ["FREQ=DAILY;__PROTO__=1", /can't have the part __PROTO__/],
    ["FREQ=DAILY;INTERVAL=0", /INTERVAL can't be 0/],
    ["FREQ=DAILY;INTERVAL=-1", /INTERVAL can't be -1/],
    ["FREQ=DAILY;INTERVAL=1.5", /INTERVAL can't be 1\.5/],
    ["FREQ=DAILY;COUNT=0", /COUNT can't be 0/],
    ["FREQ=DAILY;BYHOUR=24", /BYHOUR can't be 24/],
    ["FREQ=DAILY;BYHOUR=9,", /BYHOUR can't be 9,/],
    ["FREQ=DAILY;BYMINUTE=60", /BYMINUTE can't be 60/],
    ["FREQ=DAILY;BYSECOND=61", /BYSECOND can't be 61/],
    ["FREQ=WEEKLY;BYDAY=XX", /BYDAY can't be XX/],
    ["FREQ=MONTHLY;BYDAY=0MO", /BYDAY can't be 0MO/],
    ["FREQ=YEARLY;BYDAY=54MO", /BYDAY can't be 54MO/],
    ["FREQ=MONTHLY;BYMONTHDAY=0", /BYMONTHDAY can't be 0/],
    ["FREQ=MONTHLY;BYMONTHDAY=-32", /BYMONTHDAY can't be -32/],
    ["FREQ=YEARLY;BYYEARDAY=367", /BYYEARDAY can't be 367/],
    ["FREQ=YEARLY;BYWEEKNO=54", /BYWEEKNO can't be 54/],
    ["FREQ=YEARLY;BYMONTH=13", /BYMONTH can't be 13/],
    ["FREQ=WEEKLY;WKST=1MO", /WKST can't be 1MO/],
    ["FREQ=DAILY;UNTIL=tomorrow", /UNTIL can't be TOMORROW/],
    ["FREQ=DAILY;UNTIL=20271301", /Invalid month: 13/],
    ["FREQ=DAILY;UNTIL=20270230T000000Z", /Invalid day: 30/],
    ["FREQ=DAILY;COUNT=1;UNTIL=20270101T000000Z", /COUNT and UNTIL/],
    ["FREQ=WEEKLY;BYDAY=1MO", /BYDAY with numeric value/],
    ["FREQ=WEEKLY;BYMONTHDAY=3", /BYMONTHDAY/],
    ["FREQ=MONTHLY;BYWEEKNO=5", /BYWEEKNO/],
    ["FREQ=DAILY;BYSETPOS=1", /BYSETPOS/],
  ] as const) {
    assert.match(recurrenceFault(text) ?? "taken", fault, JSON.stringify(text));
    assert.match(recurrenceFault(text) ?? "", /^must be an RFC 5545 recurrence rule/, JSON.stringify(text));
  }
});

test("any text is answered quickly: an agent can't stall the server with a rule", () => {
  const pieces = ["FREQ=", "DAILY", "AAA=", "A-", "=", ";", ",", ":", "BYDAY=", "MO", "-1", "RRULE:", " ", "é", "!"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 100 }), (parts) => {
      const fault = recurrenceFault(parts.join("").slice(0, 300));
      assert.ok(fault === undefined || fault.startsWith("must be an RFC 5545 recurrence rule"));
    }),
  );
  const before = performance.now();
  for (const piece of pieces) {
    for (const end of ["", "!", "=", ";!", "=!"]) recurrenceFault(`FREQ=${piece.repeat(300).slice(0, 290)}${end}`);
  }
  assert.ok(performance.now() - before < 2_000, "75 rules in less than two seconds");
});
