import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type EffectiveSetting, readConfig, SETTINGS, unknownVariables } from "../../src/config.ts";
import { temporaryFolder } from "../support/server.ts";
import { document, rostrum, rostrumEach, serve } from "./process.ts";

const MAIL_FROM = "sales@acme.example";

test("each secret, and only a secret, can be in a file, without the line break at its end", (t) => {
  const file = join(temporaryFolder(t), "secret");
  const values: Record<string, string> = {
    ROSTRUM_DATABASE_URL: "postgres://ada:pass@db.example/rostrum",
    ROSTRUM_DATABASE_DIRECT_URL: "postgres://ada:pass@db.example/rostrum",
    ROSTRUM_DATA_KEY: Buffer.alloc(32, 7).toString("base64"),
    SMTP_URL: "smtps://ada:pass@mail.example",
    IMAP_URL: "imaps://ada:pass@mail.example",
    ROSTRUM_OIDC_CLIENT_SECRET: "client-secret",
    ROSTRUM_METRICS_TOKEN: "metrics-token-of-16",
  };
  const others = { MAIL_FROM, ROSTRUM_OIDC_ISSUER: "https://id.example", ROSTRUM_OIDC_CLIENT_ID: "rostrum" };
  const secrets = Object.values(SETTINGS).filter(({ secret }) => secret);
  assert.deepEqual(
    secrets.map(({ env }) => env),
    Object.keys(values),
  );
  for (const { env } of secrets) {
    const value = values[env] as string;
    for (const end of ["", "\n", "\r\n"]) {
      writeFileSync(file, value + end);
      const needed = env === "ROSTRUM_OIDC_CLIENT_SECRET" ? others : { MAIL_FROM };
      assert.deepEqual(
        readConfig({}, { ...needed, [`${env}_FILE`]: file }),
        readConfig({}, { ...needed, [env]: value }),
      );
      assert.deepEqual(unknownVariables({ [`${env}_FILE`]: file }), []);
    }
    assert.throws(() => readConfig({}, { [env]: value, [`${env}_FILE`]: file }), {
      message: `Set ${env} or ${env}_FILE, not both.`,
    });
    assert.throws(() => readConfig({}, { [`${env}_FILE`]: `${file}.gone` }), {
      message: `${env}_FILE must name a file that this user can read, not ${file}.gone (ENOENT).`,
    });
    writeFileSync(file, "short");
    const read = () => readConfig({}, { [`${env}_FILE`]: file });
    if (env !== "ROSTRUM_OIDC_CLIENT_SECRET") {
      assert.throws(
        read,
        (error: Error) => error.message.startsWith(`${env}_FILE must be `) && !/short/.test(error.message),
      );
    }
  }
  assert.deepEqual(unknownVariables({ ROSTRUM_PORT_FILE: file }), [
    { name: "ROSTRUM_PORT_FILE", nearest: "ROSTRUM_PORT" },
  ]);
});

test("config shows each setting with its value and source, and no secret", async (t) => {
  const cwd = temporaryFolder(t);
  const key = Buffer.alloc(32, 9).toString("base64");
  writeFileSync(join(cwd, "key"), `${key}\n`);
  const lines = [
    "ROSTRUM_PORT=9001",
    "ROSTRUM_HOST=::1",
    "SMTP_URL=smtps://ada:S3CRET@mail.example:465",
    "ROSTRUM_PROT=1",
    "ROSTRUM_ALLOW_PRIVATE_CALLBACKS=1",
  ];
  writeFileSync(join(cwd, ".env"), [...lines, `MAIL_FROM=${MAIL_FROM}`].join("\n"));
  const env = {
    ROSTRUM_HOST: "127.0.0.2",
    ROSTRUM_DATA_KEY_FILE: "key",
    ROSTRUM_METRICS_TOKEN: "T0KEN-of-16-chars",
    // An empty variable hides the one in .env.
    ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "",
  };
  const [json, plain] = await rostrumEach([
    { args: ["config", "--data", "here", "--json"], cwd, env },
    { args: ["config", "--data", "here"], cwd, env },
  ]);
  assert.equal(json?.status, 0, json?.stdout);
  const { settings, unknown } = document(json as never).data as { settings: EffectiveSetting[]; unknown: unknown };
  assert.deepEqual(
    settings.map(({ setting }) => setting),
    Object.values(SETTINGS).map(({ env: name }) => name),
  );
  const of = (name: string) => settings.find(({ setting }) => setting === name);
  for (const [setting, value, source] of [
    ["ROSTRUM_PORT", "9001", "ROSTRUM_PORT in .env"],
    ["ROSTRUM_HOST", "127.0.0.2", "ROSTRUM_HOST"],
    ["ROSTRUM_DATA", "here", "--data"],
    ["ROSTRUM_DATA_KEY", "***", "ROSTRUM_DATA_KEY_FILE"],
    ["ROSTRUM_METRICS_TOKEN", "***", "ROSTRUM_METRICS_TOKEN"],
    ["SMTP_URL", "smtps://ada:***@mail.example:465", "SMTP_URL in .env"],
    ["ROSTRUM_ALLOW_PRIVATE_CALLBACKS", "0", "default"],
    ["ROSTRUM_PUBLIC_URL", null, "default"],
  ]) {
    assert.deepEqual(of(setting as string), { setting, value, source });
  }
  assert.deepEqual(unknown, [{ name: "ROSTRUM_PROT", nearest: "ROSTRUM_PORT" }]);
  assert.match(plain?.stdout ?? "", /^ROSTRUM_PORT +9001 +ROSTRUM_PORT in \.env$/m);
  assert.match(plain?.stdout ?? "", /^Unknown: ROSTRUM_PROT\. Did you mean ROSTRUM_PORT\?$/m);
  for (const finished of [json, plain]) assert.doesNotMatch(finished?.stdout ?? "", /S3CRET|T0KEN/);
  assert.ok(!plain?.stdout.includes(key));
});

test("config marks settings that can't be used, and fails like the server", async (t) => {
  const cwd = temporaryFolder(t);
  const lines = [
    "ROSTRUM_PORT=many",
    "NOT A LINE",
    "ROSTRUM_LOG_LEVEL=warn",
    "ROSTRUM_HOST=::1",
    'MAIL_FROM="Ada',
    'Lovelace"',
    "ROSTRUM_HOST=::2",
  ];
  writeFileSync(join(cwd, ".env"), lines.join("\n"));
  const env = { ROSTRUM_DRAIN_SECONDS: "never" };
  const [plain, json] = await rostrumEach([
    { args: ["config"], cwd, env },
    { args: ["config", "--json"], cwd, env },
  ]);
  const said = [
    'ROSTRUM_PORT in .env must be a port from 0 to 65535, not "many".',
    'MAIL_FROM in .env must be an email address, or Name <address>, not "Ada\\nLovelace".',
    'ROSTRUM_DRAIN_SECONDS must be seconds from 0 to 300, not "never".',
  ].join("\n");
  assert.deepEqual([plain?.status, plain?.stderr], [2, `${said}\n`]);
  assert.match(plain?.stdout ?? "", /^ROSTRUM_PORT +many +ROSTRUM_PORT in \.env {2}INVALID$/m);
  assert.match(plain?.stdout ?? "", /^ROSTRUM_WORKERS +on +default$/m);
  assert.match(
    plain?.stdout ?? "",
    /^Warning: line 2 of \.env is not NAME=value and is ignored\.\nWarning: line 7 of \.env replaces an earlier value of ROSTRUM_HOST\.$/m,
  );
  assert.match(plain?.stdout ?? "", /^ROSTRUM_LOG_LEVEL +warn +ROSTRUM_LOG_LEVEL in \.env$/m);
  assert.match(plain?.stdout ?? "", /^ROSTRUM_HOST +::2 +ROSTRUM_HOST in \.env$/m);
  assert.equal(document(json as never).error, said);
  assert.equal(json?.stderr, "");
});

test("a name that shares only the prefix with a setting isn't called misspelled", () => {
  assert.deepEqual(unknownVariables({ ROSTRUM_FOO: "1", ROSTRUM_PROT: "1" }), [
    { name: "ROSTRUM_FOO" },
    { name: "ROSTRUM_PROT", nearest: "ROSTRUM_PORT" },
  ]);
});

test("a PostgreSQL URL with a port that no machine has is refused", () => {
  assert.throws(() => readConfig({}, { ROSTRUM_DATABASE_URL: "postgres://ada:x@h:99999/db" }), /must be postgres:/);
  readConfig({}, { ROSTRUM_DATABASE_URL: "postgres:///db?host=/var/run/postgresql" });
});

test("the server reads .env, and a throwaway server does not", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, ".env"), "ROSTRUM_PUBLIC_URL=https://from-file.example\n", { mode: 0o600 });
  const server = await serve(t, ["--data", join(cwd, "data")], { cwd });
  assert.equal(new URL(server.ready.console_url as string).origin, "https://from-file.example");
  await server.stop("SIGINT");
  const throwaway = await serve(t, ["--ephemeral"], { cwd });
  assert.equal(new URL(throwaway.ready.console_url as string).hostname, "127.0.0.1");
});

test("doctor warns of secrets in a .env that other users can read", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, ".env"), "ROSTRUM_LOG_LEVEL=warn\n");
  chmodSync(join(cwd, ".env"), 0o644);
  const found = async () => document(await rostrum(["doctor", "--json"], { cwd })).data.findings[0];
  const detail = "other users of this machine can read .env";
  assert.deepEqual(await found(), { check: "settings", ok: false, detail, fix: "chmod 600 .env" });
  writeFileSync(join(cwd, ".env"), "ROSTRUM_PUBLC_URL=https://a.example\n");
  const both = document(await rostrum(["doctor", "--json"], { cwd })).data.findings;
  const texts = both.filter(({ check }: { check: string }) => check === "settings");
  assert.deepEqual(
    texts.map(({ fix }: { fix: string }) => fix.split(";")[0]),
    ["remove ROSTRUM_PUBLC_URL from .env", "chmod 600 .env"],
  );
  assert.match(
    texts[0].detail,
    /^unknown environment variables in \.env: ROSTRUM_PUBLC_URL \(did you mean ROSTRUM_PUBLIC_URL/,
  );
  writeFileSync(join(cwd, ".env"), "ROSTRUM_PUBLIC_URL=https://a.example\n");
  chmodSync(join(cwd, ".env"), 0o600);
  assert.equal((await found()).ok, true);
});
