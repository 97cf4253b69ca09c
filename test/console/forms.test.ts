import assert from "node:assert/strict";
import { test } from "node:test";
import { readForm, toInput } from "../../src/console/form-data.ts";
import { createOnce } from "../../src/console/once.ts";
import { faultInWords } from "../../src/console/parts/faults.ts";
import { asOwner, Browser, freshSetupLink } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";

test("a form keeps every value of a name in order, and one of more than 2,000 fields is refused", () => {
  const read = (fields: number) => readForm(Buffer.from("a=1&".repeat(fields - 1).concat("a=2")));
  const values = read(2_000).get("a") ?? [];
  assert.deepEqual([values.length, values[0], values.at(-1)], [2_000, "1", "2"]);
  assert.throws(() => read(2_001), { code: "payload_too_large" });
});

test("a form at a door takes at most 16 KiB, one of a page 256 KiB, and both are told", async (t) => {
  const server = await startServer(t);
  const large = { password: "x".repeat(17 * 1024) };
  for (const path of ["/console/sign-in", await freshSetupLink(server), `/console/w/${server.workspaceId}`]) {
    const refused = await new Browser(server).post(path, large);
    assert.equal(refused.status, 413, path);
    assert.match(refused.text, /larger than 16 KiB/);
  }
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/contacts`;
  const form = (kib: number) => ({ _do: "create_contact", first_name: "Ada", "notes:text": "x".repeat(kib * 1024) });
  assert.equal((await owner.post(path, form(100))).status, 303);
  assert.equal((await owner.post(path, form(257))).status, 413);
});

test("a name that goes deeper than any input may is left out, and costs no stack", () => {
  const deep = `a${".a".repeat(100_000)}`;
  const deepest = `b${".b".repeat(63)}`;
  const input = toInput(new Map([deep, deepest, `${deepest}.b`].map((name) => [name, ["1"]])));
  let depth = 0;
  for (let at: unknown = input; typeof at === "object"; at = (at as { b: unknown }).b) depth += 1;
  assert.deepEqual([Object.keys(input), depth], [["b"], 64]);
});

test("a form that was answered is not done again; one that broke on our side, by refusal or throw, is", async () => {
  let runs = 0;
  const once = createOnce<{ status: number }>(() => 0);
  const answering = (status: number) => async () => {
    runs += 1;
    return { status };
  };
  for (const status of [303, 409]) {
    runs = 0;
    const twice = await Promise.all([once(`${status}`, answering(status)), once(`${status}`, answering(status))]);
    assert.deepEqual([...twice, await once(`${status}`, answering(200))], Array(3).fill({ status }));
    assert.equal(runs, 1);
  }
  assert.deepEqual(await once("a", answering(503)), { status: 503 });
  assert.deepEqual(await once("a", answering(303)), { status: 303 });
  const broken = async () => Promise.reject(new Error("broken"));
  await assert.rejects(once("b", broken), /broken/);
  assert.deepEqual(await once("b", answering(303)), { status: 303 });
});

test("a refusal names its field as the page does, and counts rows and entries from one", () => {
  const cases = [
    ["scopes: has fewer than 1 entries.", "scopes", "Scopes", "“Scopes”: choose at least one."],
    ["steps.2.body: is empty.", "steps.2.body", "Text", "Step 3: “Text” is empty; fill it in."],
    [
      "facts.1: is longer than 5 characters; shorten it.",
      "facts",
      "Facts",
      "“Facts”, entry 2, is longer than 5 characters; shorten it.",
    ],
    ["title: is required.", "title", "Title", "“Title” is missing; fill it in."],
    ["value: is not a number.", "value", "Value", "“Value” is not a number; enter one in figures, like 20."],
    ["password: is shorter than 12 characters.", "password", "Password", "“Password” is shorter than 12 characters."],
  ] as const;
  for (const [message, name, label, says] of cases) assert.equal(faultInWords(message, name, label), says);
});

test("a step that is refused tells so beside its field, as the page counts its steps", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { text } = await owner.post(`/console/w/${server.workspaceId}/sequences/new`, {
    ...{ _do: "create_sequence", _form: "create_sequence", name: "Hello" },
    ...{ "steps.0.type": "wait", "steps.0.days:number": "2" },
    ...{ "steps.1.type": "email", "steps.1.subject": "Hello", "steps.1.body": "" },
  });
  const [, body = ""] = /<label for="create_sequence-steps-1-body">(.*?)<\/div>/s.exec(text) ?? [];
  assert.match(body, /role="alert" id="create_sequence-fault">Step 2: “Text” is empty; fill it in\.</);
  assert.equal(text.split('role="alert"').length, 2, "said once");
});
