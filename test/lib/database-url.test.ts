import assert from "node:assert/strict";
import { test } from "node:test";
import { shownUrl } from "../../src/lib/database-url.ts";

test("a shown URL has no password, however it is written", () => {
  for (const password of ["secret", "p%40ss", "p@ss", "p@ss/w:1", "a#b?c@d"]) {
    assert.equal(shownUrl(`postgres://u:${password}@db.example:5432/r`), "postgres://u:***@db.example:5432/r");
  }
  const asked = "postgres://db.example/r?user=u&password=one&sslmode=require&password=two";
  assert.equal(shownUrl(asked), "postgres://db.example/r?user=u&password=***&sslmode=require&password=***");
  assert.equal(shownUrl("postgres://db.example/r"), "postgres://db.example/r");
});
