import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calendarAt, lastDays, openingAt, type Window } from "../../src/domain/time/calendar.ts";
import { anyMoment, anyWindows, anyZone, calendarByHand, openingByHand } from "../support/wall-clock.ts";

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const at = (iso: string) => Date.parse(iso);
const window = (from: string, to: string, days = EVERY_DAY): Window => ({ days, from, to });
const calendar = (iso: string, zone: string) =>
  Object.fromEntries(Object.entries(calendarAt(at(iso), zone)).map(([name, time]) => [name, new Date(time).toJSON()]));
const opening = (iso: string, zone: string, ...windows: Window[]) => {
  const { open, opensAt, closesAt } = openingAt(windows, zone, at(iso));
  const json = (time: number | null) => time && new Date(time).toJSON().replace(":00.000Z", "Z");
  return open ? { closesAt: json(closesAt) } : { opensAt: json(opensAt) };
};

test("the length of a day follows the place's clock changes", () => {
  for (const [zone, noon, hours] of [
    ["Europe/Berlin", "2026-03-29T12:00Z", 23],
    ["Europe/Berlin", "2026-10-25T12:00Z", 25],
    ["America/New_York", "2026-03-08T16:00Z", 23],
    ["America/New_York", "2026-11-01T16:00Z", 25],
    ["Australia/Lord_Howe", "2026-04-05T02:00Z", 24.5],
    ["Australia/Lord_Howe", "2026-10-04T02:00Z", 23.5],
    ["Asia/Beirut", "2026-03-29T12:00Z", 23],
    ["America/Santiago", "2026-09-06T12:00Z", 23],
    ["America/Santiago", "2026-04-04T12:00Z", 25],
    ["Africa/Cairo", "2026-04-24T12:00Z", 23],
    ["Asia/Kolkata", "2026-03-29T12:00Z", 24],
    ["UTC", "2026-03-29T12:00Z", 24],
  ] as const) {
    const { dayStart, nextDay } = calendarAt(at(noon), zone);
    assert.equal((nextDay - dayStart) / HOUR, hours, `${zone} ${noon}`);
  }
});

test("a day begins at its first moment: at midnight, or after a clock change that skips midnight", () => {
  const beirut = { dayStart: "2026-03-28T22:00:00.000Z", nextDay: "2026-03-29T21:00:00.000Z" };
  for (const moment of ["2026-03-28T22:00Z", "2026-03-29T20:59:59.999Z"]) {
    const { dayStart, nextDay } = calendar(moment, "Asia/Beirut");
    assert.deepEqual({ dayStart, nextDay }, beirut, moment);
  }
  assert.equal(calendar("2026-03-28T21:59:59.999Z", "Asia/Beirut").nextDay, beirut.dayStart);
  // 00:00 and 00:30 come twice: the day begins at the first.
  assert.equal(calendar("2026-11-01T05:30Z", "America/Havana").dayStart, "2026-11-01T04:00:00.000Z");
  // 23:00 to 24:00 comes twice: the day continues.
  assert.deepEqual(
    ["2026-04-05T02:30Z", "2026-04-05T03:30Z"].map((moment) => calendar(moment, "America/Santiago").nextDay),
    Array(2).fill("2026-04-05T04:00:00.000Z"),
  );
});

test("a day that a place skipped is not in its calendar", () => {
  const { dayStart, nextDay } = calendar("2011-12-30T09:59:59.999Z", "Pacific/Apia");
  assert.deepEqual([dayStart, nextDay], ["2011-12-29T10:00:00.000Z", "2011-12-30T10:00:00.000Z"]);
  assert.equal(calendar("2011-12-30T10:00Z", "Pacific/Apia").nextDay, "2011-12-31T10:00:00.000Z");
});

test("a month follows the place's calendar, across the end of a year and into a leap day", () => {
  const months = (iso: string, zone: string) => {
    const { monthStart, nextMonth } = calendar(iso, zone);
    return [monthStart, nextMonth];
  };
  for (const moment of ["2026-12-31T11:00Z", "2027-01-31T10:59:59.999Z"]) {
    const auckland = ["2026-12-31T11:00:00.000Z", "2027-01-31T11:00:00.000Z"];
    assert.deepEqual(months(moment, "Pacific/Auckland"), auckland, moment);
  }
  assert.deepEqual(months("2026-12-31T10:59Z", "Pacific/Auckland")[1], "2026-12-31T11:00:00.000Z");
  const berlin = ["2026-02-28T23:00:00.000Z", "2026-03-31T22:00:00.000Z"];
  assert.deepEqual(months("2026-03-31T21:59:59Z", "Europe/Berlin"), berlin);
  assert.deepEqual(months("2028-02-29T23:59Z", "UTC"), ["2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"]);
  // The clocks of the first day of a month go back over its midnight: it begins at the first.
  const havana = ["2026-11-01T04:00:00.000Z", "2026-12-01T05:00:00.000Z"];
  assert.deepEqual(months("2026-11-15T12:00Z", "America/Havana"), havana);
});

test("without windows, or with windows around the clock, sending is always open", () => {
  const always = { open: true, opensAt: null, closesAt: null };
  assert.deepEqual(openingAt([], "Europe/Berlin", at("2026-03-29T01:00Z")), always);
  for (const whole of [[window("00:00", "24:00")], [window("12:00", "24:00"), window("00:00", "12:00")]]) {
    assert.deepEqual(openingAt(whole, "Europe/Berlin", at("2026-03-29T01:00Z")), always);
  }
});

test("a window includes its first moment and excludes its last, only on its days", () => {
  const nine = window("09:00", "17:00", [1, 2, 3, 4, 5]);
  const berlin = (iso: string) => opening(iso, "Europe/Berlin", nine);
  assert.deepEqual(berlin("2026-11-20T07:59:59.999Z"), { opensAt: "2026-11-20T08:00Z" });
  assert.deepEqual(berlin("2026-11-20T08:00Z"), { closesAt: "2026-11-20T16:00Z" });
  assert.deepEqual(berlin("2026-11-20T15:59:59.999Z"), { closesAt: "2026-11-20T16:00Z" });
  assert.deepEqual(berlin("2026-11-20T16:00Z"), { opensAt: "2026-11-23T08:00Z" });
});

test("windows that overlap, contain each other or touch are merged, also over midnight and the end of a week", () => {
  const utc = (iso: string, ...windows: Window[]) => opening(iso, "UTC", ...windows);
  const monday = "2026-11-23T09:30Z";
  for (const pieces of [
    [window("09:00", "12:00"), window("10:00", "17:00")],
    [window("09:00", "17:00"), window("10:00", "11:00")],
    [window("12:00", "17:00"), window("09:00", "12:00")],
    [window("11:00", "17:00"), window("09:00", "10:00"), window("09:15", "11:00")],
  ]) {
    assert.deepEqual(utc(monday, ...pieces), { closesAt: "2026-11-23T17:00Z" }, JSON.stringify(pieces));
  }
  assert.deepEqual(utc(monday, window("09:00", "12:00"), window("12:01", "17:00")), { closesAt: "2026-11-23T12:00Z" });
  const night = [window("22:00", "24:00", [7]), window("00:00", "06:00", [1])];
  assert.deepEqual(utc("2026-11-22T22:00Z", ...night), { closesAt: "2026-11-23T06:00Z" });
  assert.deepEqual(utc("2026-11-23T06:00Z", ...night), { opensAt: "2026-11-29T22:00Z" });
});

test("24:00 is the next day's first moment, also where midnight is skipped or repeated", () => {
  const evening = window("22:00", "24:00");
  assert.deepEqual(opening("2026-03-28T21:00Z", "Asia/Beirut", evening), { closesAt: "2026-03-28T22:00Z" });
  // 23:00 to 24:00 comes twice.
  assert.deepEqual(opening("2026-04-05T02:30Z", "America/Santiago", evening), { closesAt: "2026-04-05T04:00Z" });
  assert.deepEqual(opening("2026-11-01T03:00Z", "America/Havana", evening), { closesAt: "2026-11-01T04:00Z" });
});

test("a window that begins or ends inside a skipped hour begins or ends right after it", () => {
  const berlin = (iso: string, ...windows: Window[]) => opening(iso, "Europe/Berlin", ...windows);
  const early = "2026-03-28T23:00Z";
  assert.deepEqual(berlin(early, window("02:30", "04:00")), { opensAt: "2026-03-29T01:00Z" });
  assert.deepEqual(berlin("2026-03-29T00:30Z", window("01:00", "02:30")), { closesAt: "2026-03-29T01:00Z" });
  assert.deepEqual(berlin("2026-03-29T00:30Z", window("01:00", "03:30")), { closesAt: "2026-03-29T01:30Z" });
  assert.deepEqual(opening("2026-10-03T15:00Z", "Australia/Lord_Howe", window("02:10", "02:40")), {
    opensAt: "2026-10-03T15:30Z",
  });
  assert.deepEqual(opening("2026-03-28T21:30Z", "Asia/Beirut", window("00:00", "02:00")), {
    opensAt: "2026-03-28T22:00Z",
  });
});

test("a window inside a skipped hour does not open that day, but on its next day or a week later", () => {
  const inside = window("02:15", "02:45");
  assert.deepEqual(opening("2026-03-29T00:00Z", "Europe/Berlin", inside), { opensAt: "2026-03-30T00:15Z" });
  const sundays = window("02:15", "02:45", [7]);
  assert.deepEqual(opening("2026-03-28T12:00Z", "Europe/Berlin", sundays), { opensAt: "2026-04-05T00:15Z" });
  // On the Sunday before, after it has closed: two weeks ahead.
  assert.deepEqual(opening("2026-03-22T02:00Z", "Europe/Berlin", sundays), { opensAt: "2026-04-05T00:15Z" });
  const fridays = window("09:00", "17:00", [5]);
  assert.deepEqual(opening("2011-12-24T10:00Z", "Pacific/Apia", fridays), { opensAt: "2012-01-05T19:00Z" });
});

test("a repeated time means its first: a window inside the repeated hour opens once, one around it stays open", () => {
  const berlin = (iso: string, ...windows: Window[]) => opening(iso, "Europe/Berlin", ...windows);
  const inside = window("02:15", "02:45");
  assert.deepEqual(berlin("2026-10-25T00:00Z", inside), { opensAt: "2026-10-25T00:15Z" });
  assert.deepEqual(berlin("2026-10-25T00:15Z", inside), { closesAt: "2026-10-25T00:45Z" });
  assert.deepEqual(berlin("2026-10-25T01:15Z", inside), { opensAt: "2026-10-26T01:15Z" });
  assert.deepEqual(berlin("2026-10-25T00:00Z", window("01:00", "04:00")), { closesAt: "2026-10-25T03:00Z" });
  assert.deepEqual(berlin("2026-10-25T00:30Z", window("02:30", "04:00")), { closesAt: "2026-10-25T03:00Z" });
  assert.deepEqual(opening("2026-04-04T14:45Z", "Australia/Lord_Howe", window("01:45", "02:30")), {
    closesAt: "2026-04-04T16:00Z",
  });
});

test("the calendar agrees with a walk over the wall clock, in every zone and at any moment", () => {
  fc.assert(
    fc.property(anyZone, anyMoment, (zone, moment) => {
      const { dayStart, nextDay, monthStart, nextMonth } = calendarAt(moment, zone);
      assert.deepEqual({ dayStart, nextDay }, calendarByHand(zone, moment));
      assert.ok(monthStart <= dayStart && nextDay <= nextMonth);
      assert.equal(calendarAt(monthStart, zone).dayStart, monthStart);
      assert.equal(calendarAt(monthStart - 1, zone).nextMonth, monthStart);
      assert.equal(calendarAt(nextMonth - 1, zone).nextMonth, nextMonth);
      assert.equal(calendarAt(nextMonth, zone).monthStart, nextMonth);
    }),
    { numRuns: 60 },
  );
});

test("openings agree with a walk over the wall clock, minute by minute, in every zone, at any moment", () => {
  fc.assert(
    fc.property(anyWindows, anyZone, anyMoment, (windows, zone, moment) => {
      assert.deepEqual(openingAt(windows, zone, moment), openingByHand(windows, zone, moment));
    }),
    { numRuns: 120 },
  );
});

test("a window is open at its first moment and closed right before, and closed at its end and open right before", () => {
  fc.assert(
    fc.property(anyWindows, anyZone, anyMoment, (windows, zone, moment) => {
      const { open, opensAt, closesAt } = openingAt(windows, zone, moment);
      const isOpen = (time: number) => openingAt(windows, zone, time).open;
      assert.ok(open ? opensAt === null : closesAt === null);
      if (opensAt !== null) {
        assert.ok(opensAt > moment && isOpen(opensAt));
        for (const before of [opensAt - 1, Math.max(moment, opensAt - MINUTE)]) assert.ok(!isOpen(before));
      }
      if (closesAt !== null) {
        assert.ok(closesAt > moment && !isOpen(closesAt));
        for (const before of [closesAt - 1, Math.max(moment, closesAt - MINUTE)]) assert.ok(isOpen(before));
      }
    }),
    { numRuns: 300 },
  );
});

test("the last days are whole local days that follow each other, also where clocks change", () => {
  const days = lastDays(at("2026-10-26T12:00:00Z"), "Europe/Berlin", 3);
  assert.deepEqual(
    days.map(({ date, from, to }) => [date, (to - from) / 3_600_000]),
    [
      ["2026-10-24", 24],
      ["2026-10-25", 25],
      ["2026-10-26", 24],
    ],
  );
  assert.deepEqual(
    days.slice(1).map(({ from }) => from),
    days.slice(0, -1).map(({ to }) => to),
  );
});
