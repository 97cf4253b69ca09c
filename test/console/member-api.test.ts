import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import type { MemberActor } from "../../src/core/actor.ts";
import type { Operation } from "../../src/core/operation.ts";
import { permissionFor } from "../../src/core/policy.ts";
import { problem } from "../../src/core/problem.ts";
import { memberMay, ROLES } from "../../src/domain/access/roles.ts";
import { MAX_BODY_BYTES } from "../../src/http/json.ts";
import { hashSecret } from "../../src/lib/secrets.ts";
import { operations } from "../../src/tools/index.ts";
import { byDoor, sessionOf, signIn } from "../support/console.ts";
import { asOwner } from "../support/http-browser.ts";
import { member } from "../support/member.ts";
import { armed } from "../support/sequences.ts";
import { type Reply, startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const list = operations as readonly Operation[];
const RANDOM = "0190aaaa-0000-7000-8000-00000000abcd";

const refusal = ({ status, body }: Reply) => [status, body.code];

test("without a session every operation answers 401 with how to sign in, and runs nothing", async (t) => {
  const server = await startServer(t, { signIn });
  for (const { name } of list) {
    const reply = await byDoor(server, name, {});
    assert.deepEqual(refusal(reply), [401, "not_signed_in"], name);
    assert.match(reply.headers.get("www-authenticate") ?? "", /^Session /, name);
    assert.ok(reply.headers.get("x-request-id"));
  }
});

test("without sign-in, no cookie is accepted", async (t) => {
  const server = await startServer(t);
  const reply = await byDoor(server, "list_members", {}, { as: member(server, { role: "super_admin" }) });
  assert.deepEqual(refusal(reply), [401, "not_signed_in"]);
});

test("an API key does not open the member API, and a session opens neither REST nor MCP", async (t) => {
  const server = await startServer(t, { signIn });
  for (const name of ["list_contacts", "list_keys"]) {
    const reply = await byDoor(server, name, {}, { headers: { authorization: `Bearer ${server.key}` } });
    assert.deepEqual(refusal(reply), [401, "not_signed_in"]);
  }
  const headers = sessionOf(member(server, { role: "super_admin" }));
  assert.deepEqual(refusal(await server.rest("GET", "/contacts", { key: "", headers })), [401, "missing_key"]);
  const mcp = await server.rest("POST", "/mcp", { key: "", headers, body: { jsonrpc: "2.0", id: 1, method: "ping" } });
  assert.equal(mcp.status, 401);
});

test("an unknown operation is 404, and every method but POST is 405", async (t) => {
  const server = await startServer(t, { signIn });
  const as = member(server, { role: "viewer" });
  for (const name of ["no_such_operation", "", "list_members/", "list_members?limit=1", "List_Members", "__proto__"]) {
    assert.deepEqual(refusal(await byDoor(server, name, {}, { as })), [404, "route_not_found"], name);
  }
  for (const method of ["GET", "PUT", "DELETE"]) {
    const reply = await byDoor(server, "list_members", {}, { as, method });
    assert.deepEqual(refusal(reply), [405, "method_not_allowed"], method);
    assert.equal(reply.headers.get("allow"), "POST");
  }
});

test("a session is accepted only for pages of the server's own origin", async (t) => {
  const server = await startServer(t, { signIn, env: { ROSTRUM_PUBLIC_URL: "https://rostrum.example" } });
  const as = member(server, { role: "viewer" });
  const from = (origin: string | undefined) => byDoor(server, "list_members", {}, { as, headers: { origin } });
  const foreign = [undefined, "null", "https://evil.example", `http://127.0.0.1:${server.running.port - 1}`];
  foreign.push("http://127.0.0.1", "https://rostrum.example:444", "https://rostrum.example.evil.example");
  for (const origin of foreign) assert.deepEqual(refusal(await from(origin)), [403, "origin_not_allowed"], origin);
  for (const origin of [server.listening, "https://rostrum.example"]) assert.equal((await from(origin)).status, 200);
});

test("behind a public URL, the origin's scheme must match too", async (t) => {
  const server = await startServer(t, { signIn, env: { ROSTRUM_PUBLIC_URL: "https://rostrum.example" } });
  const as = member(server, { role: "viewer" });
  const from = (origin: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: "rostrum.example", origin, "content-type": "application/json", ...sessionOf(as) };
      const url = `${server.listening}/console/api/list_members`;
      request(url, { method: "POST", headers }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end("{}");
    });
  assert.deepEqual([await from("http://rostrum.example"), await from("https://rostrum.example")], [403, 200]);
});

test("a body that is not UTF-8 JSON, or is too long, is refused as everywhere", async (t) => {
  const server = await startServer(t, { signIn });
  const send = (request: object) =>
    byDoor(server, "list_members", {}, { as: member(server, { role: "viewer" }), ...request }).then(refusal);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"]) {
    assert.deepEqual(await send({ headers: { "content-type": type } }), [415, "unsupported_media_type"], type);
  }
  assert.deepEqual(await send({ raw: "{" }), [400, "invalid_json"]);
  assert.deepEqual(await send({ raw: "" }), [400, "invalid_json"]);
  assert.deepEqual(await send({ raw: JSON.stringify("x".repeat(MAX_BODY_BYTES)) }), [413, "payload_too_large"]);
});

/** Every role, with and without the approval permission. */
const people = ROLES.flatMap((role) => [false, true].map((approveOutbound) => ({ role, approveOutbound })));

for (const { role, approveOutbound } of people) {
  test(`${role} ${approveOutbound ? "with" : "without"} approve_outbound can call exactly what the operations declare`, async (t) => {
    const server = await startServer(t, { signIn });
    const as = member(server, { role, approveOutbound });
    for (const operation of list) {
      // No operation accepts a list: allowed callers get that error, and nothing is written.
      const reply = await byDoor(server, operation.name, [], { as });
      const permission = permissionFor(operation);
      if (memberMay(role, approveOutbound, permission)) {
        assert.notEqual(reply.status, 403, operation.name);
        assert.ok(reply.status >= 400 && reply.status < 500, `${operation.name} ${reply.text}`);
      } else {
        assert.deepEqual(refusal(reply), [403, "insufficient_scope"], operation.name);
        assert.ok(reply.body.error?.includes(`${operation.name} needs the permission ${permission}`), reply.text);
      }
    }
  });
}

test("a viewer reads and a rep writes what agents do, each in their own workspace", async (t) => {
  const server = await startServer(t, { signIn });
  const other = await server.neighbour();
  const rep = member(server);
  const viewer = member(server, { role: "viewer" });
  const created = await byDoor(server, "create_contact", { first_name: "Ada" }, { as: rep });
  assert.equal(created.status, 201, created.text);
  const { id } = created.body.data;
  const read = await byDoor(server, "get_contact", { id }, { as: viewer });
  assert.deepEqual([read.status, read.body], [200, created.body]);
  const tagged = await byDoor(server, "add_contact_tags", { id, tag: "x" }, { as: rep });
  assert.deepEqual([tagged.status, tagged.body.data], [200, { id, tags: ["x"] }]);
  assert.equal((await byDoor(server, "update_contact", { id, company: "Acme" }, { as: rep })).status, 200);
  assert.deepEqual(refusal(await byDoor(server, "update_contact", { id: "7" }, { as: rep })), [400, "invalid_id"]);
  const stranger: MemberActor = { ...viewer, workspaceId: other.workspaceId };
  const foreign = await byDoor(server, "get_contact", { id }, { as: stranger });
  const random = await byDoor(server, "get_contact", { id: RANDOM }, { as: viewer });
  assert.equal(foreign.text.replaceAll(id, RANDOM), random.text);
  assert.deepEqual(refusal(foreign), [404, "contact_not_found"]);
});

test("a repeat with the same Idempotency-Key replays the first answer, on the member API as on REST", async (t) => {
  const server = await startServer(t, { signIn });
  const headers = { "idempotency-key": "once" };
  const create = () =>
    byDoor(server, "create_contact", { first_name: "Ada" }, { as: member(server), headers: { ...headers } });
  const first = await create();
  const second = await create();
  assert.deepEqual([second.status, second.text], [201, first.text]);
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
});

/** A call whose body arrives in two parts: the second when the test sends it. */
function slowCall(server: TestServer, path: string, first: string, headers: Record<string, string>) {
  const call = request(server.listening + path, {
    method: "POST",
    headers: { origin: server.listening, "content-type": "application/json", ...headers },
  });
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    call.on("error", reject).on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
  call.write(first);
  return (rest: string) => {
    call.end(rest);
    return answered;
  };
}

test("a request whose body arrives after its member lost the permission, left or signed out approves nothing", async (t) => {
  let signedIn = 0;
  let now: MemberActor | undefined;
  const server = await startServer(t, {
    async signIn() {
      signedIn += 1;
      if (now === undefined) throw problem("not_signed_in");
      return now;
    },
  });
  const approver = member(server, { approveOutbound: true });
  // Without a workspace, the member's only one is meant, which may have changed by then.
  const elsewhere = { ...approver, id: RANDOM, workspaceId: (await server.neighbour()).workspaceId };
  const { sequence, contact } = await armed(server);
  const input = JSON.stringify({ sequence_id: sequence.id, contact_ids: [contact.id] });
  const half = input.length / 2;
  for (const [later, expected] of [
    [member(server, { approveOutbound: false }), [403, "insufficient_scope"]],
    [elsewhere, [403, "insufficient_scope"]],
    [undefined, [401, "not_signed_in"]],
    [approver, [200, undefined]],
  ] as const) {
    now = approver;
    signedIn = 0;
    const finish = slowCall(server, "/console/api/approve_sequence", input.slice(0, half), {});
    await until(() => signedIn === 1);
    now = later;
    const { status, text } = await finish(input.slice(half));
    assert.deepEqual([status, JSON.parse(text).code], expected);
  }
  const { approvals } = await server.operator("get_sequence", { sequence_id: sequence.id });
  assert.equal(approvals.length, 2, "the one of before, and the last");
});

test("a form that arrives after its session ended does nothing, and is shown again to resend", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { people } = server.running.store;
  const session = people.session.bind(people);
  let looked = 0;
  t.mock.method(people, "session", (hash: Buffer) => {
    looked += 1;
    return session(hash);
  });
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
  const path = `/console/w/${server.workspaceId}/accounts/new`;
  const finish = slowCall(server, path, "_do=create_account&na", headers);
  await until(() => looked > 0);
  await people.endSession(hashSecret(owner.session ?? ""));
  const { status, text } = await finish("me=Too+late");
  assert.deepEqual([status, /Too late/.test(text)], [401, true]);
  assert.deepEqual(await server.operator("list_accounts", {}), []);
});
