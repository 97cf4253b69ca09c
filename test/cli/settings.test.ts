import assert from "node:assert/strict";
import { test } from "node:test";
import { BadSetting, readConfig, SETTINGS } from "../../src/config.ts";

/** Texts that are no address, number, key or choice. Free text may be any of them. */
const UNUSABLE = ["nope?", "-1", "x y", "://", "http://[", "https://a b", " ", "☃"];

test("a setting that cannot be used is refused by its name, with what it takes, whatever it holds", () => {
  for (const { env, takes } of Object.values(SETTINGS)) {
    for (const text of UNUSABLE) {
      try {
        readConfig({}, { [env]: text });
      } catch (error) {
        assert.ok(error instanceof BadSetting, `${env}=${text}: ${error}`);
        assert.ok(
          / needs | requires | together/.test(error.message) || error.message.startsWith(`${env} must be ${takes}`),
        );
      }
    }
  }
  const named = /^ROSTRUM_PUBLIC_URL must be an http or https URL .*, not "nope"\.$/;
  assert.throws(() => readConfig({}, { ROSTRUM_PUBLIC_URL: "nope" }), { message: named });
});
