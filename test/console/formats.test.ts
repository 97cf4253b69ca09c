import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDay, money, roundMoney, shortDay, shortMoment } from "../../src/console/ui/format.ts";

test("money is formatted for people, and very long amounts are abbreviated", () => {
  assert.equal(money(1_200, "EUR"), "€1,200.00");
  assert.equal(money(999_999_999_999_999, "USD"), "$999,999,999,999,999.00");
  for (const huge of [1e15, 1e300]) {
    assert.ok(money(huge, "USD").length < 12, money(huge, "USD"));
    assert.equal(roundMoney(huge, "USD"), money(huge, "USD"));
  }
});

test("whole amounts have no cents, and dates use the month's name", () => {
  assert.equal(roundMoney(1_200, "EUR"), "€1,200");
  assert.equal(roundMoney(1_200.5, "EUR"), "€1,200.50");
  assert.equal(formatDay("2027-01-16"), "Jan 16, 2027");
  const now = Date.UTC(2026, 10, 20);
  assert.equal(shortDay("2027-01-16", now), "Jan 16");
  assert.equal(shortMoment("2027-01-16T14:02:31.000Z", now), "Jan 16, 14:02 UTC");
  assert.equal(shortDay("2027-11-20", now), "Nov 20, 2027", "not the day of this year");
});
