import assert from "node:assert/strict";
import { test } from "node:test";
import { calendarAt, isTimeZone } from "../../src/domain/time/calendar.ts";

test("every time zone of the platform is recognized by its name, only in its exact letter case", () => {
  const zones = Intl.supportedValuesOf("timeZone").filter((name) => name.includes("/"));
  assert.ok(zones.length > 300);
  for (const zone of zones) {
    assert.ok(isTimeZone(zone), zone);
    for (const other of [zone.toLowerCase(), zone.toUpperCase(), ` ${zone}`, `${zone}/`]) {
      assert.ok(!isTimeZone(other), other);
    }
  }
});

test("a zone is recognized by its older and newer names too, as the IANA database spells them", () => {
  for (const name of [
    "Asia/Kolkata",
    "Asia/Calcutta",
    "Europe/Kyiv",
    "Europe/Kiev",
    "US/Pacific",
    "Etc/UTC",
    "UTC",
    "Etc/GMT+0",
    "Australia/ACT",
  ]) {
    assert.ok(isTimeZone(name), name);
  }
  for (const name of ["asia/Kolkata", "Asia/kolkata", "ASIA/Calcutta", "Us/Pacific", "Etc/Utc", "utc", "Utc"]) {
    assert.ok(!isTimeZone(name), name);
  }
});

test("a database name without an area is a time zone too, and every time zone makes a calendar", () => {
  const bare = ["GMT", "CET", "EET", "MET", "WET", "EST", "HST", "PST8PDT", "Japan", "NZ", "GB-Eire", "W-SU", "GMT+0"];
  for (const name of [...bare, "Zulu", "ROC", "Navajo", "Asia/Kolkata", "Etc/GMT+12"]) {
    assert.ok(isTimeZone(name), name);
    assert.ok(!isTimeZone(name.toLowerCase()), name);
    assert.ok(calendarAt(Date.UTC(2026, 10, 20), name).nextDay > Date.UTC(2026, 10, 20), name);
  }
});

test("an offset, an abbreviation and a nonexistent place are not time zones", () => {
  for (const name of [
    "+02:00",
    "-0300",
    "PST",
    "IST",
    "CEST",
    "BST",
    "Mars/Olympus",
    "Europe",
    "",
    "\0",
    "localtime",
  ]) {
    assert.ok(!isTimeZone(name), name);
  }
});
