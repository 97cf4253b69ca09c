import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { elapsed, relatively } from "../../src/console/ui/format.ts";
import { codeLabel, deliveryOutcome, revealed, suppressionReason } from "../../src/console/ui/labels.ts";
import { asOwner } from "../support/http-browser.ts";
import { newContact, newSequence } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

test("relative times use whole units", () => {
  const MINUTE = 60_000;
  const told = [0, MINUTE, 5 * MINUTE, 61 * MINUTE, 49 * 60 * MINUTE].map((ms) => relatively(0, ms, "UTC"));
  assert.deepEqual(told, ["just now", "1 minute ago", "5 minutes ago", "1 hour ago", "2 days ago"]);
});

test("a measured time is in milliseconds below a second, and in seconds above", () => {
  assert.deepEqual([0, 999, 1_000, 1_250, 10_000].map(elapsed), ["0 ms", "999 ms", "1 s", "1.3 s", "10 s"]);
});

test("a contact's profile is labeled without the API's name for it", () => {
  assert.equal(codeLabel("socialnet_url"), "Profile URL");
});

test("the outcome of a delivery is shown without the API's name for it", () => {
  const codes = ["5xx", "http_4xx", "connection_refused", "tls_error", "timeout", "internal"];
  assert.deepEqual(codes.map(deliveryOutcome), [
    "HTTP 5xx",
    "HTTP 4xx",
    "Connection refused",
    "TLS error",
    "No answer in time",
    "Error on the Rostrum server",
  ]);
});

test("a reason that Rostrum recorded is in plain words, and a teammate's own reason stays as it is", () => {
  assert.equal(suppressionReason("unsubscribe"), "unsubscribed");
  assert.equal(suppressionReason("bounce"), "email bounced");
  assert.equal(suppressionReason("Asked by phone"), "Asked by phone");
  assert.equal(suppressionReason("a\u202eb"), revealed("a\u202eb"));
});

test("a command line user is shown as the server admin, from the name or the id", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { id } = await newContact(server);
  const sequence = await newSequence(server);
  await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [id] });
  const operator = `Server admin (${userInfo().username})`;
  const at = `/console/w/${server.workspaceId}`;
  for (const path of ["/audit", `/sequences/${sequence.id}`]) {
    assert.ok((await owner.get(at + path)).text.includes(operator), path);
  }
});

test("a button that repeats in every row or on every page names its subject to a screen reader", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}`;
  assert.match((await owner.get(`${at}/accounts`)).text, /Search <span class="hidden">companies<\/span>/);
  assert.match((await owner.get(`${at}/settings/connections`)).text, /Set up…<span class="hidden"> \w+/);
});

test("text shown for approval has no gap that pushes the rest out of sight", () => {
  assert.equal(revealed(`Hi${"\n".repeat(12)}Pay`), "Hi\n[11 empty lines]\nPay");
  assert.equal(revealed(`Hi\n${" \u3000\t\n".repeat(40)}\u00A0Pay`), "Hi\n[40 empty lines]\n\u00A0Pay");
  assert.equal(revealed(`Hi${"\u00A0".repeat(300)}Pay\u200B`), "Hi[300 spaces]Pay[U+200B]");
  for (const usual of ["Hi\n\nthere", `Hi${"\n".repeat(10)}there`, `a${" ".repeat(100)}b`, ""]) {
    assert.equal(revealed(usual), usual);
  }
});
