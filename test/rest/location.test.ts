import assert from "node:assert/strict";
import { test } from "node:test";
import { isRouted, type Routed } from "../../src/core/operation.ts";
import { operations } from "../../src/tools/index.ts";
import { startServer } from "../support/server.ts";

const API = "/api/v1";
const routed = operations.filter(isRouted) as unknown as Routed[];
const readable = routed.filter(({ http }) => http.method === "GET");

test("every route that creates says where to read the new record", () => {
  for (const { name, http, output } of routed) {
    if (!http.statuses.includes(201)) continue;
    const location = http.location ?? "";
    const fields = [...location.matchAll(/\{(\w+)\}/g)].map(([, field]) => field as string);
    const known = Object.keys((output as { shape?: object }).shape ?? {});
    assert.deepEqual(
      fields.filter((field) => !known.includes(field)),
      [],
      name,
    );
    // The do-not-contact list can't be read: a new record without its own URL names its route (RFC 9110, 15.3.2).
    if (name === "add_suppression") assert.equal(location, http.path);
    else
      assert.ok(
        readable.some((read) => sameShape(read.http.path, location)),
        `${name}: ${location}`,
      );
  }
});

const sameShape = (a: string, b: string) => a.replaceAll(/\{\w+\}/g, "*") === b.replaceAll(/\{\w+\}/g, "*");

test("a 201 has the Location of the created record, also when replayed; a 200 has none", async (t) => {
  const server = await startServer(t);
  const headers = { "idempotency-key": "k" };
  for (let i = 0; i < 2; i += 1) {
    const made = await server.rest("POST", "/contacts", { body: { email: "ada@b.example" }, headers });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get("location"), `${API}/contacts/${made.body.data.id}`);
  }
  const body = { email: "bo@b.example" };
  const asserted = await server.rest("PUT", "/contacts/assert", { body });
  const { id } = asserted.body.data;
  const own = `${API}/contacts/${id}`;
  assert.deepEqual([asserted.status, asserted.headers.get("location")], [201, own]);
  const again = await server.rest("PUT", "/contacts/assert", { body });
  assert.deepEqual([again.status, again.headers.get("location")], [200, null]);
  const read = await server.rest("GET", own.slice(API.length));
  assert.equal(read.body.data.id, id);

  const activity = await server.rest("POST", `/contacts/${id}/activities`, {
    body: { type: "note_added", body: "Met" },
  });
  assert.deepEqual([activity.status, activity.headers.get("location")], [201, own]);
  const suppressed = await server.rest("POST", "/suppression", { body: { email: "c@d.example" } });
  assert.deepEqual([suppressed.status, suppressed.headers.get("location")], [201, `${API}/suppression`]);
  const refused = await server.rest("POST", "/contacts", { body });
  assert.deepEqual([refused.status, refused.headers.get("location")], [409, null]);
});
