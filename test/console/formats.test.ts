import assert from "node:assert/strict";
import { test } from "node:test";
import {
  appointment,
  formatDay,
  money,
  relatively,
  roundMoney,
  shortDay,
  shortMoment,
} from "../../src/console/ui/format.ts";

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

const LONDON = "Europe/London";
const away = (at: string, now: string, timeZone = LONDON) => relatively(Date.parse(at), Date.parse(now), timeZone);

test("a relative time counts calendar days of the time zone from 24 hours on", () => {
  const evening = "2026-11-27T22:45:00Z";
  assert.equal(away("2026-11-29T07:30:00Z", evening), "in 2 days", "Sunday morning, seen on Friday evening");
  assert.equal(away("2026-11-30T09:30:00Z", evening), "in 3 days");
  assert.equal(away("2026-11-29T07:30:00Z", evening, "Pacific/Auckland"), "in 1 day", "Saturday to Sunday there");
  assert.equal(away("2026-11-25T22:30:00Z", "2026-11-27T07:30:00Z"), "2 days ago");
  assert.equal(away("2026-11-28T22:44:00Z", evening), "in 23 hours");
  assert.equal(away("2026-11-27T22:45:30Z", evening), "just now");
  assert.equal(away("2026-09-20T22:45:00Z", evening), "2 months ago");
});

test("midnight separates the days of a relative time", () => {
  assert.equal(away("2026-11-29T00:00:00Z", "2026-11-27T23:59:00Z"), "in 2 days");
  assert.equal(away("2026-11-28T23:59:00Z", "2026-11-27T00:01:00Z"), "in 1 day");
  assert.equal(away("2026-11-29T00:00:00Z", "2026-11-27T23:59:00Z", "America/New_York"), "in 1 day");
});

test("a clock change neither adds nor takes a day from a relative time", () => {
  const noon = "2026-10-24T11:00:00Z";
  assert.equal(away("2026-10-25T12:00:00Z", noon), "in 1 day", "noon to noon is 25 hours");
  assert.equal(away("2026-10-25T23:30:00Z", "2026-10-24T23:00:00Z"), "in 24 hours", "within the day of 25 hours");
  assert.equal(away("2027-03-28T11:00:00Z", "2027-03-27T12:00:00Z"), "in 23 hours", "noon to noon is 23 hours");
  assert.equal(away("2027-03-29T11:00:00Z", "2027-03-27T12:00:00Z"), "in 2 days");
});

test("when someone acts has the weekday, date, time and zone", () => {
  const now = Date.parse("2026-11-27T22:45:00Z");
  assert.equal(appointment(Date.parse("2026-11-29T07:30:00Z"), now, LONDON), "Sun, Nov 29, 7:30 (Europe/London)");
  assert.equal(appointment(Date.parse("2027-07-01T23:30:00Z"), now, LONDON), "Fri, Jul 2, 0:30 (Europe/London)");
  assert.equal(appointment(Date.parse("2027-11-20T09:00:00Z"), now, "UTC"), "Sat, Nov 20, 2027, 9:00 (UTC)");
});
