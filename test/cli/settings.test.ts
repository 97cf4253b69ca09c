import assert from "node:assert/strict";
import { test } from "node:test";
import { SETTINGS_HEADING } from "../../src/cli/program.ts";
import { BadSetting, describeSetting, readConfig, SETTINGS } from "../../src/config.ts";
import { readPage } from "../docs/pages.ts";
import { rostrumEach } from "./process.ts";

/** Texts that are not an address, number, key or choice. Free text can be any of them. */
const UNUSABLE = ["nope?", "-1", "x y", "://", "http://[", "https://a b", " ", "☃"];

test("an unusable setting is refused by name, with its allowed values", () => {
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

test("start --help lists each setting with its default, no wider than 80 columns", async () => {
  const [help] = await rostrumEach([{ args: ["start", "--help"] }]);
  const [, settings = ""] = (help?.stdout ?? "").split(SETTINGS_HEADING);
  for (const setting of Object.values(SETTINGS)) {
    const shown = settings.replaceAll(/\n {4,}/g, " ");
    assert.ok(shown.includes(`${setting.env.padEnd(31)}  ${describeSetting(setting)}`), setting.env);
  }
  assert.match(settings, /ROSTRUM_PORT .*\n +Default: 8787\./);
  assert.deepEqual(
    settings.split("\n").filter((line) => line.length > 80),
    [],
  );
  assert.doesNotMatch(readPage("docs/commands.md"), /Environment variables/, "they have a page of their own");
});
