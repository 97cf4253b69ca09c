import assert from "node:assert/strict";
import { test } from "node:test";
import { newContact } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { rostrum } from "./process.ts";

const STEPS = [
  { type: "email", subject: "=1+1 {{first_name}}", body: "x", delay_days: 0 },
  { type: "socialnet_connect", note: "Hello", delay_days: 2 },
];

test("simulate prints who gets what and when as a table, as CSV without formulas, and as JSON", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_WORKERS: "off" } });
  await server.operator("create_sequence", { name: "Rosters", steps: STEPS });
  const run = (...more: string[]) =>
    rostrum(["simulate", "Rosters", "--data", server.folder, "--contacts", "1", ...more]);
  assert.match((await run()).stdout, /^Rosters: 0 contacts .*\n\nThe workspace has no contacts to simulate\..*\n$/);
  await newContact(server, { first_name: "Grace" });
  await newContact(server, { socialnet_url: "https://socialnet.example/in/ada" });
  const table = await run("--days", "5");
  assert.equal(table.status, 0, table.stderr);
  const [head, social, , columns, ...rows] = table.stdout.trimEnd().split("\n");
  assert.match(head ?? "", /^Rosters: 1 contact over 5 days from .* UTC\. Nothing is sent\.$/);
  assert.match(social ?? "", /^Social steps are listed at the time when they become due\./);
  assert.match(columns ?? "", /^When +Contact +Step +Event +Message$/);
  assert.deepEqual(
    rows.map((row) => row.slice(18).split(/ {2,}/)),
    [
      ["Ada", "1", "Email", "=1+1 Ada"],
      ["Ada", "2", "Connection request", "Hello"],
      ["Ada", "Finished"],
    ],
  );
  const csv = await run("--days", "1", "--csv");
  assert.match(csv.stdout, /^at,contact,step,type,what\n[\d: -]{16},Ada,1,email,'=1\+1 Ada\n$/);
  const json = await run("--days", "1", "--json");
  assert.deepEqual(JSON.parse(json.stdout).data.events.length, 1);
  assert.equal((await server.operator("list_sends", {})).length, 0);

  const unknown = await rostrum(["simulate", "Nothing", "--data", server.folder]);
  assert.equal(unknown.status, 1, "as every operation refuses a record that isn't there");
  assert.match(unknown.stderr, /Unknown sequence "Nothing"\. Available sequences: Rosters/);
  const wrong = await run("--days", "x");
  assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
  const far = await run("--days", "100000");
  assert.match(far.stderr, /^--days must be 365 or less\./);
});

test("a contact's name can't control the terminal that prints a simulation", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_WORKERS: "off" } });
  await newContact(server, { last_name: "\u001b[2J\u202eevil\nline" });
  const steps = [{ type: "email", subject: "Hello", body: "x", delay_days: 0 }];
  await server.operator("create_sequence", { name: "Rosters", steps });
  const { stdout } = await rostrum(["simulate", "Rosters", "--data", server.folder, "--days", "1"]);
  assert.match(stdout, /Ada \[U\+001B\]\[2J\[U\+202E\]evil line {2}1 {5}Email {5}Hello/);
});
