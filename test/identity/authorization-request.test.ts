import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Browser } from "../support/http-browser.ts";
import { answerOf, asApprover, REDIRECT, registered, SignIn } from "../support/oauth.ts";
import { startServer } from "../support/server.ts";

const CHALLENGE = "a".repeat(43);

suite("errors of the client and the redirect URI are checked first: they show a page and do not redirect", () => {
  const faults: [string, Record<string, string | undefined>, number, RegExp][] = [
    [
      "an unknown client",
      { client_id: `client_${"a".repeat(22)}` },
      404,
      /Unknown client[\s\S]*client_id is not registered\. Connect the MCP client again/,
    ],
    ["no client", { client_id: undefined }, 400, /client_id is required/],
    ["no redirect", { redirect_uri: undefined }, 400, /redirect_uri is required/],
    ["another host", { redirect_uri: "https://evil.example/callback" }, 400, /must be one that the client registered/],
    ["another path", { redirect_uri: "http://127.0.0.1:4711/other" }, 400, /must be one that the client registered/],
    ["a longer path", { redirect_uri: `${REDIRECT}/more` }, 400, /must be one that the client registered/],
    ["a query", { redirect_uri: `${REDIRECT}?x=1` }, 400, /must be one that the client registered/],
    ["a fragment", { redirect_uri: `${REDIRECT}#x` }, 400, /must be one that the client registered/],
    [
      "localhost for 127.0.0.1",
      { redirect_uri: "http://localhost:4711/callback" },
      400,
      /must be one that the client registered/,
    ],
    [
      "[::1] for 127.0.0.1",
      { redirect_uri: "http://[::1]:4711/callback" },
      400,
      /must be one that the client registered/,
    ],
    [
      "https for http",
      { redirect_uri: "https://127.0.0.1:4711/callback" },
      400,
      /must be one that the client registered/,
    ],
    [
      "a user name",
      { redirect_uri: "http://x@127.0.0.1:4711/callback" },
      400,
      /must be one that the client registered/,
    ],
    [
      "a port that hides a host",
      { redirect_uri: "http://127.0.0.1:1@evil.example/callback" },
      400,
      /must be one that the client registered/,
    ],
    [
      "a port that is none",
      { redirect_uri: "http://127.0.0.1:99999/callback" },
      400,
      /must be one that the client registered/,
    ],
    ["a script", { redirect_uri: "javascript:alert(1)//" }, 400, /must be one that the client registered/],
  ];
  test("whether signed in or not", async (t) => {
    const server = await startServer(t);
    const id = await registered(server);
    const browser = await asApprover(server);
    for (const [name, changes, status, says] of faults) {
      for (const cookies of [true, false]) {
        const path = new SignIn(server, id, changes).path;
        const page = cookies
          ? await browser.get(path)
          : await fetch(server.listening + path, { redirect: "manual" }).then(async (response) => ({
              status: response.status,
              location: response.headers.get("location"),
              text: await response.text(),
            }));
        assert.deepEqual([page.status, page.location], [status, null], name);
        assert.match(page.text, says, name);
      }
    }
  });

  test("a duplicate client or redirect", async (t) => {
    const server = await startServer(t);
    const browser = await asApprover(server);
    const { path } = new SignIn(server, await registered(server));
    for (const more of [
      `redirect_uri=${encodeURIComponent("https://evil.example/")}`,
      `redirect_uri=${encodeURIComponent(REDIRECT)}`,
      "client_id=x",
    ]) {
      const page = await browser.get(`${path}&${more}`);
      assert.deepEqual([page.status, page.location], [400, null], more);
      assert.match(page.text, /is in the request twice/);
    }
  });
});

test("for loopback, the client can choose the port but nothing else", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
    const id = await registered(server, `http://${host}:3000/cb?a=1`);
    for (const port of [":9", ":65535", ""]) {
      const signIn = new SignIn(server, id, { redirect_uri: `http://${host}${port}/cb?a=1` });
      assert.equal((await signIn.open(browser)).status, 200, `${host}${port}`);
    }
  }
  const id = await registered(server, "https://client.example/cb");
  const signIn = new SignIn(server, id, { redirect_uri: "https://client.example:8443/cb" });
  assert.equal((await signIn.open(browser)).status, 400);
});

suite("every other error is sent to the client, with its state and the issuer", () => {
  const faults: [string, Record<string, string | undefined>, string][] = [
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["a challenge without a method, which means plain", { code_challenge_method: undefined }, "invalid_request"],
    ["a method without a challenge", { code_challenge: undefined }, "invalid_request"],
    ["a short challenge", { code_challenge: CHALLENGE.slice(1) }, "invalid_request"],
    ["a long challenge", { code_challenge: `${CHALLENGE}a` }, "invalid_request"],
    ["a challenge in another alphabet", { code_challenge: `${CHALLENGE.slice(1)}=` }, "invalid_request"],
    ["another resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["the origin as resource", { resource: "http://127.0.0.1" }, "invalid_target"],
    ["a token in the answer", { response_type: "token" }, "unsupported_response_type"],
    ["code and token", { response_type: "code token" }, "unsupported_response_type"],
    ["no response type", { response_type: undefined }, "unsupported_response_type"],
    ["another response mode", { response_mode: "fragment" }, "invalid_request"],
    ["a request object", { request: "e30" }, "invalid_request"],
  ];
  test("after the person has signed in", async (t) => {
    const server = await startServer(t);
    const id = await registered(server);
    const browser = await asApprover(server);
    for (const [name, changes, error] of faults) {
      const page = await new SignIn(server, id, changes).open(browser);
      assert.equal(page.status, 303, name);
      const stranger = await new SignIn(server, id, changes).open(new Browser(server));
      assert.match(stranger.location ?? "", /^\/console\/sign-in\?next=/, "nobody unknown is sent to the client");
      assert.ok(page.location?.startsWith(`${REDIRECT}?`), name);
      const answer = answerOf(page);
      assert.deepEqual(
        [answer.get("error"), answer.get("state"), answer.get("iss"), answer.get("code")],
        [error, "the state", server.listening, null],
        name,
      );
    }
    for (const [more, error] of [
      [`resource=${encodeURIComponent(server.mcpUrl.href)}`, "invalid_target"],
      [`code_challenge=${CHALLENGE}`, "invalid_request"],
      ["code_challenge_method=plain", "invalid_request"],
      ["response_type=code", "invalid_request"],
    ]) {
      const page = await browser.get(`${new SignIn(server, id).path}&${more}`);
      assert.equal(answerOf(page).get("error"), error, more);
    }
    const twice = await browser.get(`${new SignIn(server, id).path}&state=other`);
    assert.deepEqual([answerOf(twice).get("error"), answerOf(twice).get("state")], ["invalid_request", null]);
  });
});

test("a redirect with a query keeps it", async (t) => {
  const server = await startServer(t);
  const redirect_uri = "https://client.example/cb?tenant=a%20b";
  const signIn = new SignIn(server, await registered(server, redirect_uri), { redirect_uri });
  const { location } = await signIn.decide(await asApprover(server));
  assert.match(location ?? "", /^https:\/\/client\.example\/cb\?tenant=a%20b&code=[\w-]{43}&state=the\+state&iss=/);
});

test("for any requested scope, the page shows two and the key has two", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  const id = await registered(server);
  for (const scope of ["contacts.read contacts.write", "socialnet.read", "offline_access"]) {
    const signIn = new SignIn(server, id, { scope });
    const page = await signIn.open(browser);
    assert.ok(!page.text.includes("<code>contacts"));
    const { body } = await signIn.redeem(await signIn.code(browser));
    assert.equal(body.scope, "socialnet.read socialnet.execute");
    assert.equal((await server.rest("GET", "/contacts", { key: body.access_token })).body.code, "insufficient_scope");
  }
});
