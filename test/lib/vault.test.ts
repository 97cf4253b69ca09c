import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createVault, openVault, sealedBy, VaultError } from "../../src/lib/vault.ts";
import { temporaryFolder } from "../support/server.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test("a sealed text opens for its purpose, and looks different each time", () => {
  const key = randomBytes(32);
  const vault = createVault(key);
  for (const text of [SECRET, "", "é \u{1f511}\n", "x".repeat(5_000)]) {
    const [one, two] = [vault.seal(text, "sub_1"), vault.seal(text, "sub_1")];
    assert.equal(vault.open(one, "sub_1"), text);
    assert.equal(createVault(Buffer.from(key)).open(two, "sub_1"), text, "by whoever has the key");
    assert.notEqual(one, two);
    assert.match(one, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
    if (text.length > 5) assert.ok(!one.includes(text) && !one.includes(Buffer.from(text).toString("base64url")));
  }
});

test("an encrypted text names its key by the start of the key's hash, which doesn't reveal the key", () => {
  const key = randomBytes(32);
  const vault = createVault(key);
  assert.equal(vault.keyId, createHash("sha256").update(key).digest("hex").slice(0, 8));
  assert.equal(sealedBy(vault.seal(SECRET, "sub_1")), vault.keyId);
});

test("a sealed text does not open for another purpose, with another key, or with a single bit changed", () => {
  const vault = createVault(randomBytes(32));
  const other = createVault(randomBytes(32));
  const sealed = vault.seal(SECRET, "sub_1");
  for (const purpose of ["sub_2", "", "sub_1 ", "SUB_1"]) assert.throws(() => vault.open(sealed, purpose), VaultError);
  assert.throws(() => other.open(sealed, "sub_1"), { name: "Error", message: new RegExp(vault.keyId) });
  const [version, keyId, text = ""] = sealed.split(".");
  const bytes = Buffer.from(text, "base64url");
  const spelled = (altered: Buffer) => [version, keyId, altered.toString("base64url")].join(".");
  for (let index = 0; index < bytes.length; index += 1) {
    const altered = Buffer.from(bytes);
    altered[index] = (altered[index] as number) ^ 1;
    assert.throws(() => vault.open(spelled(altered), "sub_1"), VaultError, `byte ${index}`);
  }
  for (const length of [0, 11, 12, 16, 27, 28, bytes.length - 1]) {
    assert.throws(() => vault.open(spelled(bytes.subarray(0, length)), "sub_1"), VaultError, `${length} bytes`);
  }
  for (const garbage of ["", "v1", `v1.${vault.keyId}`, `v1.${vault.keyId}.`, SECRET]) {
    assert.throws(() => vault.open(garbage, "sub_1"), VaultError, garbage);
  }
});

test("a key of the wrong length is refused", () => {
  for (const bytes of [0, 16, 31, 33, 64]) assert.throws(() => createVault(randomBytes(bytes)), VaultError);
});

/** A data folder that does not exist yet. */
const fileIn = (t: TestContext) => join(temporaryFolder(t), "new/data.key");

test("a text sealed with another key is refused with the key ids and the next step", (t) => {
  const file = fileIn(t);
  const key = randomBytes(32).toString("base64");
  const { keyId } = openVault(file, key, []);
  assert.equal(openVault(file, key, [keyId]).keyId, keyId);
  const refused = (given: string | undefined, here: RegExp) =>
    assert.throws(
      () => openVault(file, given, ["0000aaaa", keyId, "1111bbbb"]),
      (error: Error) => {
        assert.ok(error instanceof VaultError);
        assert.match(error.message, here);
        assert.match(error.message, /data\.key.*ROSTRUM_DATA_KEY/);
        return true;
      },
    );
  refused(key, new RegExp(`data key 0000aaaa, 1111bbbb; this one is ${keyId}\\.`));
  refused(undefined, /; the file .*data\.key does not exist\./);
  assert.equal(existsSync(file), false, "a key made anew would open none of it");
});

test("the key file is created at first start, private to its owner, and is the key from then on", (t) => {
  const file = fileIn(t);
  const vault = openVault(file, undefined);
  assert.deepEqual([modeOf(file), modeOf(join(file, ".."))], ["600", "700"]);
  assert.deepEqual(readdirSync(join(file, "..")), ["data.key"], "no draft is left");
  assert.equal(Buffer.from(readFileSync(file, "utf8").trim(), "base64").length, 32);
  const sealed = vault.seal(SECRET, "sub_1");
  const written = readFileSync(file, "utf8");
  chmodSync(file, 0o644);
  assert.equal(openVault(file, undefined).open(sealed, "sub_1"), SECRET);
  assert.deepEqual([modeOf(file), readFileSync(file, "utf8")], ["600", written]);
  assert.notEqual(openVault(fileIn(t), undefined).keyId, vault.keyId, "every folder has its own");
});

test("a supplied key overrides the file, and creates none", (t) => {
  const file = fileIn(t);
  const given = randomBytes(32);
  assert.equal(openVault(file, given.toString("base64")).keyId, createVault(given).keyId);
  assert.equal(existsSync(file), false);
  const own = openVault(file, undefined).keyId;
  assert.notEqual(openVault(file, given.toString("base64")).keyId, own);
  assert.equal(openVault(file, undefined).keyId, own);
});

test("an invalid key file is refused by name and left unchanged, since its key may be restored", (t) => {
  const file = join(temporaryFolder(t), "data.key");
  for (const content of ["", "nonsense\n", randomBytes(31).toString("base64"), randomBytes(33).toString("base64")]) {
    writeFileSync(file, content);
    assert.throws(
      () => openVault(file, undefined),
      (error: Error) => {
        assert.ok(error instanceof VaultError && error.message.includes(file));
        return content === "" || !error.message.includes(content.trim());
      },
    );
    assert.equal(readFileSync(file, "utf8"), content);
  }
});
