import assert from "node:assert/strict";
import { test } from "node:test";

import { answerOf, asApprover, keyOf, NAME, REDIRECT, registered, SignIn, setup } from "../support/oauth.ts";
import { startServer } from "../support/server.ts";

test("a sign-in ends with a key of exactly two scopes, bound to the account, under the client's name", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  const signIn = new SignIn(server, await registered(server));
  const page = await signIn.open(browser);
  assert.equal(page.status, 200, page.text);
  for (const shown of [NAME, "127.0.0.1:4711", "test", "Ada Approver", "socialnet.read", "socialnet.execute"]) {
    assert.ok(page.text.includes(shown), shown);
  }
  const sent = await signIn.decide(browser);
  assert.equal(sent.status, 303);
  assert.ok(sent.location?.startsWith(`${REDIRECT}?`), sent.location ?? "");
  const answer = answerOf(sent);
  assert.deepEqual([answer.get("state"), answer.get("iss")], ["the state", server.listening]);

  const token = await signIn.redeem(answer.get("code") ?? "");
  assert.equal(token.status, 200, token.text);
  const { access_token: key, ...rest } = token.body;
  assert.match(key, /^ros_live_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(rest, { token_type: "Bearer", scope: "socialnet.read socialnet.execute" });
  assert.equal(token.headers.get("cache-control"), "no-store");

  const { data } = (await setup(server, key)).body;
  assert.deepEqual([data.bound, data.account.label], [true, "Ada"]);
  const row = await keyOf(server, key);
  assert.deepEqual(
    [row.name, row.connector_name, row.creator, row.scopes, row.expires_at, row.socialnet_account_id],
    [NAME, NAME, "Ada Approver", ["socialnet.read", "socialnet.execute"], null, data.account.id],
  );
  assert.equal((await server.rest("GET", "/contacts", { key })).status, 403);
});
