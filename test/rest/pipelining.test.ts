import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { Admission } from "../../src/http/admission.ts";
import { createWebApp, listen } from "../../src/http/server.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

test("a read in the same packet as a write sees what the write stored, and so does the next write", async (t) => {
  const { running, key } = await startServer(t);
  const head = ["Host: 127.0.0.1", `Authorization: Bearer ${key}`];
  const read = ["GET /api/v1/contacts HTTP/1.1", ...head, "", ""].join("\r\n");
  const write = (line: string, fields: object) => {
    const body = JSON.stringify(fields);
    const more = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    return [`${line} HTTP/1.1`, ...head, ...more, "", body].join("\r\n");
  };
  const create = write("POST /api/v1/contacts", { full_name: "Ada Lovelace", email: "ada@example.com" });
  const assertion = write("PUT /api/v1/contacts/assert", { email: "ada@example.com", company: "Analytical" });
  const socket = connect(running.port, "127.0.0.1");
  t.after(() => socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(read + create + read + assertion + read);
  const answers = () =>
    [...text.matchAll(/\r\n\r\n(\{.*?\})(?=HTTP|$)/gs)].map(([, body]) => JSON.parse(body as string));
  await until(() => text.split("HTTP/1.1 ").length === 6 && text.endsWith("}"));
  const [before, created, after, asserted, last] = answers();
  assert.deepEqual([before.data, before.meta.total], [[], 0]);
  assert.deepEqual([after.meta.total, after.data[0].id], [1, created.data.id]);
  assert.equal(asserted.data.id, created.data.id);
  assert.deepEqual(
    last.data.map(({ company }: { company: string }) => company),
    ["Analytical"],
  );
});

/** A server with handlers that answer once they are told to, and one that answers at once. */
async function slow(t: TestContext, maxInFlight: number) {
  const admission = new Admission({ maxInFlight, exempt: [], answers: [], onRefusal: () => undefined });
  const web = createWebApp({ admission });
  const reached: string[] = [];
  const answers: (() => void)[] = [];
  web.app.get("/quick", (_request, response) => void response.end());
  web.app.use((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    answers.push(() => void response.end());
  });
  const port = await listen(web.server, 0, "127.0.0.1");
  const socket = connect(port, "127.0.0.1").setNoDelay();
  t.after(async () => {
    socket.destroy();
    await web.stop();
  });
  socket.resume();
  const send = (...lines: string[]) =>
    socket.write(lines.map((line) => `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`).join(""));
  const quick = async () => (await fetch(`http://127.0.0.1:${port}/quick`)).status;
  return { socket, reached, answers, send, quick };
}

test("requests on a connection are served one after the other, and safe ones together", async (t) => {
  const { reached, answers, send, quick } = await slow(t, 100);
  send("GET /1", "GET /2", "POST /3", "GET /4", "GET /5");
  const expected = ["GET /1", "GET /2"];
  await until(() => reached.length === 2);
  await quick();
  assert.deepEqual(reached, expected, "the write waits for both reads");
  answers[1]?.();
  await quick();
  assert.deepEqual(reached, expected, "also if they are done in another order");
  for (const [answered, next] of [
    [0, "POST /3"],
    [2, "GET /4"],
    [3, "GET /5"],
  ] as const) {
    answers[answered]?.();
    expected.push(next);
    await until(() => reached.length >= expected.length);
    await quick();
    assert.deepEqual(reached, expected);
  }
  answers[4]?.();
  send("GET /6", "GET /7");
  await until(() => reached.length === 7);
});

test("requests that wait for their turn take a slot each, until their client disconnects", async (t) => {
  const { socket, reached, send, quick } = await slow(t, 3);
  send("POST /1", "GET /2", "POST /3");
  await until(() => reached.length === 1);
  assert.equal(await quick(), 503);
  socket.destroy();
  await until(async () => (await quick()) === 200);
  assert.deepEqual(reached, ["POST /1"]);
});
